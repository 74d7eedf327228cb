"""`prompt`: counts the fixed bytes of every model call, per role and task, in a real request of the real agent."""

import asyncio
import json
import socket
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bench.home import NotMeasured, private_folder
from bench.report import Report, Row
from caseworker.agents.claude import ClaudeRuntime, ModelSettings
from caseworker.agents.http_server import embedded_server, refusal
from caseworker.agents.prompt_inputs import BugInputs, Inputs, IssueInputs, PullInputs
from caseworker.agents.prompt_texts import render
from caseworker.agents.role_tools import tools_for, writes
from caseworker.core.base.budget import Usage
from caseworker.core.base.ids import CaseId, RepositoryId, SessionId
from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Role, Task
from caseworker.core.outcomes.outcome import known_turns
from caseworker.core.people.messages import Message
from caseworker.core.people.registry import REGISTRY
from caseworker.core.record.bug_conversation import Line
from caseworker.core.record.entries import AgentEvent
from caseworker.ports import Attempt, IssueBrief, Limits, SentFiles, SingleQuestion, Spending, WorkTree
from caseworker.workspaces.sandbox import Bubblewrap

_TARGET: Final = 12_000


class FreeLedger:
    """A `Ledger` that lets every call pass."""

    async def reserve(
        self, payer: Attempt | SingleQuestion, *, model: str, micros: int, cap_micros: int, rehearsed: bool
    ) -> int | None:
        return 1

    async def settle(self, reservation: int, usage: Usage, micros: int) -> None: ...

    async def abandon(self, reservation: int) -> None: ...

    async def spent_on_questions(self, repository: RepositoryId) -> Spending:
        return Spending()

    async def spent(self, case: CaseId, turn: int | None = None) -> Spending:
        return Spending(calls=0, usage=Usage(), micros=0)


class NoTranscripts:
    """A `Transcripts` that keeps nothing: a refused call has no continuation."""

    async def append(
        self, session: SessionId, subpath: str, project: str, entries: Sequence[dict[str, object]]
    ) -> None: ...

    async def load(self, session: SessionId, subpath: str) -> list[dict[str, object]] | None:
        return None

    async def sessions(self, project: str) -> list[tuple[SessionId, int]]:
        return []

    async def subpaths(self, session: SessionId) -> list[str]:
        return []

    async def delete(self, session: SessionId, subpath: str | None = None) -> None: ...


@dataclass
class _Provider:
    """Keeps each request and refuses it, so that the turn ends with its first call."""

    url: str
    bodies: list[bytes] = field(default_factory=list)

    async def answer(self, request: Request) -> Response:
        self.bodies.append(await request.body())
        return refusal("only measured")


def measure() -> Report:
    with private_folder() as folder:
        bodies = asyncio.run(_first_requests(folder))
    rows: list[Row] = []
    for (role, task), body in bodies.items():
        request: dict[str, Any] = json.loads(body)
        system, tools = request["system"], request["tools"]
        (outcome,) = (tool for tool in tools if tool["name"] == "StructuredOutput")
        rows += [
            Row(what=f"{role}, {task}", samples=[_bytes([system, tools])], unit="B", target=_TARGET),
            Row(what="system prompt", samples=[_bytes(system)], unit="B", part=True),
            Row(what="tools without the outcome", samples=[_bytes(tools) - _bytes(outcome)], unit="B", part=True),
            Row(what="the outcome's schema", samples=[_bytes(outcome)], unit="B", part=True),
            Row(what="the whole first request, with a one-line issue", samples=[len(body)], unit="B", part=True),
        ]
    return Report(
        name="prompt",
        title="fixed bytes of every model call",
        rows=rows,
        notes=("Fixed: the system prompt, the tools' definitions and the outcome's schema. Equal from run to run.",),
    )


def _bytes(part: object) -> int:
    return len(json.dumps(part, ensure_ascii=False).encode())


async def _first_requests(folder: Path) -> dict[tuple[Role, Task], bytes]:
    found: dict[tuple[Role, Task], bytes] = {}
    for role, task in known_turns():
        async with _provider() as provider:
            runtime = ClaudeRuntime(
                sandbox=Bubblewrap(folder / "sandbox"),
                ledger=FreeLedger(),
                transcripts=NoTranscripts(),
                model=ModelSettings(key="no key", base_url=provider.url),
            )
            end = await runtime.run(_brief(folder, role, task), _ignore_events, _NoPeople())
        if not provider.bodies:
            raise NotMeasured(f"the {role}'s agent made no model call: {end}")
        found[role, task] = provider.bodies[0]
    return found


async def _ignore_events(events: Sequence[AgentEvent]) -> None: ...


class _NoPeople:
    """An `Ear` that hears nobody."""

    async def news(self) -> Sequence[Message]:
        return []

    async def files(self, messages: Sequence[Message]) -> SentFiles:
        return SentFiles()

    async def conversation(self) -> Sequence[Line]:
        return []


_PULL_TASKS: Final = frozenset({Task.RESOLVE_PULL, *(row.reading.task for row in REGISTRY.values() if row.reading)})


def inputs_of(task: Task) -> Inputs:
    """One line, for a case of the kind that has this task."""
    match task:
        case Task.BUG:
            return BugInputs(bug_id="bug-7F3K", title="Sum is wrong", report="It is 0.", reporter="ann")
        case _ if task in _PULL_TASKS:
            return PullInputs(title="Correct the sum", body="It was 0.", author="ann")
        case _:
            return IssueInputs(title="Sum is wrong", body="It is 0.", author="ann")


def _brief(folder: Path, role: Role, task: Task) -> IssueBrief:
    """A brief for an issue, used for other kinds as well: then only the tools for their conversations are missing."""
    workspace = folder / "workspace"
    workspace.mkdir(exist_ok=True)
    system, prompt = render(role, task, inputs_of(task))
    session = SessionId(str(uuid.uuid4()))
    return IssueBrief(
        attempt=Attempt(case=CaseId("local/bench#1"), turn=1, number=1, token="bench", session=session),
        role=role,
        task=task,
        nth=1,
        model=Policy().model_for(role, task),
        system_prompt=system,
        prompt=prompt,
        tools=tools_for(role, task),
        tree=WorkTree(path=workspace, writable=writes(role, task)),
        resume=None,
        rehearsal=None,
        limits=Limits(cap_micros=10**12, calls=10, seconds=60),
    )


@asynccontextmanager
async def _provider() -> AsyncIterator[_Provider]:
    listener = socket.create_server(("127.0.0.1", 0))
    ours = _Provider(url=f"http://127.0.0.1:{listener.getsockname()[1]}")
    server = embedded_server(Starlette(routes=[Route("/v1/messages", ours.answer, methods=["POST"])]))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield ours
    finally:
        server.leave()
        await serving
