"""Surfaces where people talk in threads: posts and incoming messages. Slack's libraries are imported only here."""
