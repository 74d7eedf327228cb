"""Worktrees of cases, the sandbox around agents and builds, and git run safely. Makes no decision about a case."""
