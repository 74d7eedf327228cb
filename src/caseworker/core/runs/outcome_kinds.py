"""The names of what came of a delivery. Kept small, because the command line imports it for `--help`."""

from enum import StrEnum


class OutcomeKind(StrEnum):
    RECEIVED = "received"
    DISPATCHED = "dispatched"
    MESSAGE = "message"
    WOKEN = "woken"
    ANSWERED = "answered"
    DUPLICATE = "duplicate"
    IGNORED = "ignored"
    REFUSED = "refused"
    UNREADABLE = "unreadable"
    FAILED = "failed"
