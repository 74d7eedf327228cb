"""The kinds of cases. `core/kinds.py` has what differs between them."""

from enum import StrEnum


class CaseKind(StrEnum):
    ISSUE = "issue"
    BUG = "bug"
    PULL = "pull"
