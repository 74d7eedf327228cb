"""The exception that Ctrl-C becomes."""


class Interrupted(Exception):
    """Ctrl-C, as an exception that Typer does not answer by itself. Its text says how the work goes on."""
