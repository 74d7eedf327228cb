"""Surfaces where people talk in threads: what is said there and what comes in. Only here: Slack's own libraries."""
