"""CI of our own GitHub: runs the workflow files of a repository with `act`, on this machine, and reports checks."""
