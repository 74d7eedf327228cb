"""Caseworker takes a bug report or an issue from its first message to a merge-ready pull request."""

__version__ = "1.0.0.dev0"
