"""Asks the host that runs to open the case of an issue, while the command that asks still loads its code (decision 23).

Whatever goes wrong here, the command opens the case itself, and then says what is wrong. Nothing slow is imported.
"""

import socket
from math import isfinite
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from caseworker.app.processes.find_host import fits
from caseworker.app.processes.own_name import person
from caseworker.app.settings import Settings
from caseworker.core.base.ids import CaseId, issue_number
from caseworker.engine.host import HostPlace

_ANSWER_SECONDS: Final = 10.0


class IssueToOpen(BaseModel):
    """What was typed for `caseworker run`. Paths are absolute: the host stands in another folder."""

    model_config = ConfigDict(frozen=True)
    repository: Path
    """The repository, or a folder inside it."""
    issue: int | Path
    rehearsal: Path | None
    budget_usd: float | None
    until: str | None
    author: str


class HostsAnswer(BaseModel):
    model_config = ConfigDict(frozen=True)
    case: CaseId | None
    """Null: there was a case already, and the command tells how it stands."""


class Asked:
    """A question to the host that is not answered yet."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def answer(self) -> CaseId | None:
        """The case that the host has opened. Null: it did not."""
        with self._connection, self._connection.makefile("rb") as answers:
            try:
                return HostsAnswer.model_validate_json(answers.readline()).case
            except (OSError, ValidationError):
                return None


def ask_to_open(
    settings: Settings,
    *,
    issue: str,
    repository: Path | None,
    rehearsal: Path | None,
    budget_usd: float | None,
    until: str | None,
) -> Asked | None:
    """Null: no host of this code and these settings runs, or it can't read what was named."""
    place = HostPlace(settings.home)
    host = place.running() if settings.is_embedded else None
    if host is None or not fits(host, settings) or not isfinite(budget_usd or 0):
        return None
    try:
        asked = IssueToOpen(
            repository=(repository or Path()).expanduser().absolute(),
            issue=_named_issue(issue),
            rehearsal=None if rehearsal is None else _shared_file(rehearsal),
            budget_usd=budget_usd,
            until=until,
            author=person(),
        )
        place.touch()
        return Asked(_connected(place.door, asked.model_dump_json().encode() + b"\n"))
    except (OSError, RuntimeError, ValueError):  # RuntimeError: a loop of links, or no such user's home
        return None


def _named_issue(value: str) -> int | Path:
    number = issue_number(value)
    return number if number is not None else _shared_file(Path(value))


def _shared_file(path: Path) -> Path:
    """Refuses what only this process can read, such as `/dev/stdin`: its real name is another."""
    found = path.expanduser().resolve(strict=True)
    if not found.is_file() or found.name != path.name:
        raise FileNotFoundError(path)
    return found


def _connected(door: Path, question: bytes) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.settimeout(_ANSWER_SECONDS)
        connection.connect(str(door))
        connection.sendall(question)
    except OSError:  # also for a path that is too long for a socket
        connection.close()
        raise
    return connection
