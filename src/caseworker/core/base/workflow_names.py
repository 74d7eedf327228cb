"""The names of workflows, and what people are told of those on pull requests. Kept small, because the command line
imports it for `--help`."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, Literal, NamedTuple


class WorkflowName(StrEnum):
    TRIAGE = "triage"
    PLAN = "plan"
    IMPLEMENT = "implement"
    REVIEW = "review"
    RESOLVE = "resolve"
    SHIP = "ship"
    REMEMBER = "remember"
    INVESTIGATE = "investigate"


PullWork = Literal["review", "resolve", "ship"]
"""The workflows on a pull request: each is the work of a session."""


class Told(NamedTuple):
    short: str
    how: str


PULL_WORK: Final[Mapping[PullWork, Told]] = {
    "review": Told(
        "Review a pull request.",
        "The tech lead reads the whole change. One inline thread per finding, or what was checked. It never approves.",
    ),
    "resolve": Told(
        "Answer a pull request's threads and repair its checks.",
        "The developer answers threads, fixes checks and solves conflicts.",
    ),
    "ship": Told(
        "Bring a pull request to where only people are left.",
        "Fixes, answers, updates and waits, until a person can merge it; never merges.",
    ),
}
"""In the order in which they are listed."""
