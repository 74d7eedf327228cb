"""The exception that Ctrl-C becomes."""


class Interrupted(Exception):
    """Ctrl-C as an exception that Typer does not handle. Its text says how the work goes on."""
