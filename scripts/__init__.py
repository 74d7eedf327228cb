"""Scripts for people who work on Caseworker. Not part of the installed program."""
