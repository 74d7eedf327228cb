"""Temporal: the client, the worker, the embedded server, and the host process that keeps them. No case logic."""
