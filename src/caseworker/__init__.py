"""Caseworker takes a bug report or an issue from its first message to a merge-ready pull request."""

__version__ = "0.5.0"
