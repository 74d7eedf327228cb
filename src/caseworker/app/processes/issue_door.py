"""The host's door for commands that open a case: a Unix socket in its home (decision 23). `ask_host.py` asks there."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog

from caseworker.app.parts import read_rehearsal
from caseworker.app.processes.ask_host import HostsAnswer, IssueToOpen
from caseworker.app.processes.open_issue import RunRequest, check_issue
from caseworker.app.run_subjects import read_issue_from
from caseworker.app.settings import Settings
from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Milestone
from caseworker.intake.new_cases import NewCases
from caseworker.ports import Doorbell, NewIssue, Store

log = structlog.get_logger()

_ONLY_OURS: Final = 0o600
_QUESTION_SECONDS: Final = 10.0
"""After which a connection that has asked nothing is closed."""


@dataclass(frozen=True, kw_only=True)
class IssueDoor:
    """Opens cases as a command would: the same checks, committed first, then rung."""

    settings: Settings
    store: Store
    doorbell: Doorbell

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_QUESTION_SECONDS):
                question = await reader.readline()
            case = await self._open(IssueToOpen.model_validate_json(question))
            writer.write(HostsAnswer(case=case).model_dump_json().encode() + b"\n")
            await writer.drain()
        except (Refused, Transient, OSError, ValueError) as error:
            log.info("a command opens its case itself", reason=str(error))
        finally:
            writer.close()

    async def _open(self, asked: IssueToOpen) -> CaseId | None:
        issue, rehearsal = await asyncio.to_thread(_read, asked)
        request = RunRequest(
            repository=asked.repository,
            issue=issue,
            rehearsal=rehearsal,
            budget_usd=asked.budget_usd,
            until=Milestone(asked.until) if asked.until is not None else None,
        )
        ready = await check_issue(request, self.settings)
        new_cases = NewCases(store=self.store, doorbell=self.doorbell)
        opened = await ready.open(self.store, self.settings, new_cases, author=asked.author)
        if not opened.new:
            return None
        log.info("case opened for a command", case=opened.case)
        return opened.case


def _read(asked: IssueToOpen) -> tuple[int | NewIssue, str | None]:
    """Reads the issue and the script. Refuses pipes and devices: reading one may never end."""
    for path in (asked.issue, asked.rehearsal):
        if isinstance(path, Path) and not path.is_file():
            raise Refused(f"{path} is not a file.")
    issue = asked.issue if isinstance(asked.issue, int) else read_issue_from(str(asked.issue))
    return issue, read_rehearsal(asked.rehearsal)


@asynccontextmanager
async def open_door(path: Path, door: IssueDoor) -> AsyncIterator[None]:
    """Serves the door while the context lasts. If no socket can be made, commands open their cases themselves."""
    try:
        listener = _bound(path)
    except OSError as error:
        log.info("commands open their cases themselves", reason=str(error))
        yield
        return
    server = await asyncio.start_unix_server(door.answer, sock=listener)
    try:
        yield
    finally:
        server.close()
        _remove(path)


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)


def _bound(path: Path) -> socket.socket:
    """The socket, for this user alone. It does not listen yet, so that nobody connects before its mode is set."""
    _remove(path)  # left by a host that was killed
    listener = socket.socket(socket.AF_UNIX)
    try:
        listener.bind(str(path))
        path.chmod(_ONLY_OURS)
    except OSError:
        listener.close()
        raise
    return listener
