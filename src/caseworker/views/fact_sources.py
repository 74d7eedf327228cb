"""Which entry of the record each line of an explanation comes from."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.roles import Role, Task
from caseworker.core.evidence.builds import Stage
from caseworker.core.people.commands import MessageKind
from caseworker.core.record.entries import (
    BugRead,
    BuildRan,
    CaseOpened,
    Entry,
    MessageRecorded,
    Posted,
    PullRequestOpened,
    Recorded,
    TurnCompleted,
)

PROOFS: Final = ("case_opened", "bug_read", "turn_completed", "build_ran", "pull_request_opened")
"""Kinds of entries that facts come from, besides what people said and the moves."""


class Fact(BaseModel):
    """A line of an explanation."""

    model_config = ConfigDict(frozen=True)

    text: str
    entry: int | None = None
    """The number of the newest entry of the record that says so. Null: code has computed it from several."""


def _turn_of(*roles: Role, task: Task | None = None) -> Callable[[Entry], bool]:
    return lambda entry: (
        isinstance(entry, TurnCompleted) and entry.role in roles and (task is None or entry.task is task)
    )


def _build(*stages: Stage) -> Callable[[Entry], bool]:
    return lambda entry: isinstance(entry, BuildRan) and entry.stage in stages


def _is_red(entry: Entry) -> bool:
    return isinstance(entry, BuildRan) and (entry.stage is Stage.RED or entry.proves is not None)


def _is_grant(entry: Entry) -> bool:
    return isinstance(entry, MessageRecorded) and entry.message_kind is MessageKind.APPROVE


_WRITERS: Final = (Role.TESTER, Role.DEVELOPER, Role.SENIOR_DEVELOPER)
SOURCES: Final[Mapping[str, Callable[[Entry], bool]]] = {
    "Change": _turn_of(*_WRITERS),
    "Tests": _build(*Stage),
    "Red first": _is_red,
    "Green": _build(Stage.HEAD),
    "Weakened": _build(Stage.HEAD),
    "Reviewed": _turn_of(Role.TECH_LEAD, task=Task.REVIEW),
    "Plan": _turn_of(Role.PM, task=Task.PLAN),
    "Investigation": _turn_of(Role.INVESTIGATOR),
    "Waived": _is_grant,
    "Agreed": _is_grant,
    "Questions": lambda entry: isinstance(entry, Posted) and entry.about == "questions",
    "Delivered": lambda entry: isinstance(entry, PullRequestOpened),
    "Base": lambda entry: isinstance(entry, CaseOpened),
    "Environment": _build(*Stage),
    "Commands": _build(*Stage),
    "Settings that it keeps": lambda entry: isinstance(entry, CaseOpened),
    "Not seen": lambda entry: isinstance(entry, TurnCompleted),
    "Severity": lambda entry: isinstance(entry, BugRead),
    "About": lambda entry: isinstance(entry, BugRead),
    "Findings": lambda entry: isinstance(entry, Posted) and entry.about == "findings",
    "Fix": lambda entry: isinstance(entry, Posted) and entry.about in ("fix_opened", "another_fix"),
}
COMPUTED: Final = frozenset({"Limits", "Milestone", "Money"})
"""Labels of lines that no single entry says."""


def label_of(line: str) -> str:
    """`Investigation 2: ...` and `Waived by ann: ...` have the labels `Investigation` and `Waived`."""
    label = line.partition(":")[0]
    return next((word for word in ("Waived", "Agreed", "Investigation") if label.startswith(word)), label)


def with_sources(lines: Sequence[str], record: Sequence[Recorded]) -> tuple[Fact, ...]:
    """`record`: in its order."""
    return tuple(Fact(text=line, entry=_source(line, record)) for line in lines)


def _source(line: str, record: Sequence[Recorded]) -> int | None:
    says_so = SOURCES.get(label_of(line))
    if says_so is None:
        return None
    return next((one.sequence for one in reversed(record) if says_so(one.entry)), None)
