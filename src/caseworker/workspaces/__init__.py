"""Worktrees of cases, the sandbox around agents and builds, and git run safely. No decision about a case is made."""
