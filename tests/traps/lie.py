"""What a lie is: who tells it in which turn, which rule catches it, and what people read about it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from caseworker.core.base.roles import Role, Task
from caseworker.core.outcomes.outcome import Outcome, parse_outcome
from tests.world.agent import Act

Files = Mapping[str, str | bytes | Path | None]
"""New contents by path. A path: a symbolic link to it. None: the file is deleted."""


class Turn(StrEnum):
    """The turns in which a lie is told. A liar tells it again each time it is asked."""

    TRIAGE = "triage"
    ANALYSIS = "analysis"
    TESTS = "tests"
    CHANGE = "change"
    JUDGEMENT = "judgement"
    VALIDATION = "validation"
    REVIEW = "review"


TASKS: Final[Mapping[Turn, tuple[tuple[Role, Task], ...]]] = {
    Turn.TRIAGE: ((Role.PM, Task.TRIAGE),),
    Turn.ANALYSIS: ((Role.ANALYST, Task.ANALYZE),),
    Turn.TESTS: ((Role.TESTER, Task.CREATE_TESTS), (Role.TESTER, Task.UPDATE_TESTS)),
    Turn.CHANGE: tuple(
        (role, task)
        for role in (Role.DEVELOPER, Role.SENIOR_DEVELOPER)
        for task in (Task.IMPLEMENT, Task.FIX, Task.REFACTOR)
    ),
    Turn.JUDGEMENT: ((Role.TESTER, Task.JUDGE),),
    Turn.VALIDATION: ((Role.TESTER, Task.VALIDATE),),
    Turn.REVIEW: ((Role.TECH_LEAD, Task.REVIEW),),
}


class Place(StrEnum):
    """The repository that the lie is told about."""

    SHELL = "shell scripts, judged by exit code and output"
    PYTHON = "unittest, judged by its results per test"


class End(StrEnum):
    """Where the case comes to rest."""

    ASKS = "waits for a waiver"
    STUCK = "needs a person"
    TRUE_PULL = "a pull request that says what was seen"


@dataclass(frozen=True, kw_only=True)
class Lie:
    name: str
    does: Mapping[Turn, Act]
    """All other turns are honest."""
    caught_by: str
    """The rule of code that catches it."""
    told: str
    """Words of what people then read: a post, a note on the record, or the pull request."""
    end: End
    place: Place = Place.SHELL
    not_told: str = ""
    """Words of the lie that no pull request may have."""
    weighty: bool = False
    """Whether the issue is large, so that its requirements are validated one by one."""


def put(workspace: Path, files: Files) -> None:
    for name, content in files.items():
        path = workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink() or (content is None and path.exists()):
            path.unlink()
        if isinstance(content, Path):
            path.symlink_to(content)
        elif content is not None:
            path.write_bytes(content if isinstance(content, bytes) else content.encode())


def acting(role: Role, task: Task, fields: Mapping[str, object], files: Files) -> Act:
    def act(workspace: Path) -> Outcome:
        put(workspace, files)
        return parse_outcome(role, task, dict(fields))

    return act
