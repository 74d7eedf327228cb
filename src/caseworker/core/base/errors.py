"""The three families of errors, by who has to act: the program, a person, or the authors of Caseworker."""


class Transient(Exception):
    """An outside service failed for the moment. Retried."""


class ResultUnknown(Transient):
    """A write whose answer was lost: it may have happened. Look before the next try."""


class RateLimited(Transient):
    """An outside service asks us to wait this many seconds. `place`: where, if only there (a channel)."""

    def __init__(self, what: str, *, seconds: float, place: str = "") -> None:
        super().__init__(what)
        self.seconds = seconds
        self.place = place


class Refused(Exception):
    """A request that can't be met. The person is told, with what to do next. Not retried."""

    def __init__(self, what: str, *, todo: str = "") -> None:
        super().__init__(f"{what} {todo}".strip())
        self.what = what
        self.todo = todo


class DailyCap(Refused):
    """All that the deployment may spend in 24 hours is spent or reserved. Waited for, or raised by its operator."""


class Defect(Exception):
    """A bug in Caseworker. Never handled silently."""
