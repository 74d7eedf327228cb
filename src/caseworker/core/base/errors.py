"""The three families of errors, by who acts: the machine, the person, or us."""


class Transient(Exception):
    """The world was not there for a moment. Retried."""


class Refused(Exception):
    """Told to the person, with what to do next. Not retried."""

    def __init__(self, what: str, *, todo: str = "") -> None:
        super().__init__(f"{what} {todo}".strip())
        self.what = what
        self.todo = todo


class Defect(Exception):
    """Ours. Loud."""
