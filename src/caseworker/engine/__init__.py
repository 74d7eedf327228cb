"""Temporal: its client, workers, embedded server, and the host process that runs them. Contains no case logic."""
