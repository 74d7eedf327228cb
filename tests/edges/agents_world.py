"""Runs turns of the real agent with a script, on a ledger and transcripts in memory."""

import asyncio
import json
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path

from caseworker.agents.claude import ClaudeRuntime, ModelSettings
from caseworker.agents.role_tools import tools_for, writes
from caseworker.core.base.budget import Usage
from caseworker.core.base.ids import CaseId, MessageId, RepositoryId, SessionId, TraceId
from caseworker.core.base.roles import Role, Task
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.messages import Message, Standing
from caseworker.core.record.bug_conversation import Line
from caseworker.core.record.entries import AgentEvent
from caseworker.ports import (
    AgentFailed,
    AgentFinished,
    Attempt,
    Brief,
    BugBrief,
    IssueBrief,
    Limits,
    Sandbox,
    SentFiles,
    SingleQuestion,
    Spending,
    WorkTree,
)
from caseworker.ports.agents import TurnBrief
from caseworker.workspaces.sandbox import Bubblewrap
from tests.patience import PATIENCE
from tests.world.commands import command_of


class MemoryLedger:
    def __init__(self) -> None:
        self.reserved: list[int] = []
        self.settled: dict[int, tuple[Usage, int]] = {}

    async def reserve(
        self, payer: Attempt | SingleQuestion, *, model: str, micros: int, cap_micros: int, rehearsed: bool
    ) -> int | None:
        under_way = sum(m for i, m in enumerate(self.reserved) if i not in self.settled)
        if under_way + sum(spent for _, spent in self.settled.values()) + micros > cap_micros:
            return None
        self.reserved.append(micros)
        return len(self.reserved) - 1

    async def settle(self, reservation: int, usage: Usage, micros: int) -> None:
        self.settled[reservation] = (usage, micros)

    async def abandon(self, reservation: int) -> None: ...

    async def spent_on_questions(self, repository: RepositoryId) -> Spending:
        return Spending()

    async def spent(self, case: CaseId, turn: int | None = None) -> Spending:
        return Spending(calls=len(self.settled), micros=sum(spent for _, spent in self.settled.values()))


class MemoryTranscripts:
    def __init__(self) -> None:
        self.entries: dict[tuple[SessionId, str], list[dict[str, object]]] = defaultdict(list)
        self.projects: dict[SessionId, str] = {}

    async def append(
        self, session: SessionId, subpath: str, project: str, entries: Sequence[dict[str, object]]
    ) -> None:
        kept = self.entries[session, subpath]
        known = {entry["uuid"] for entry in kept if "uuid" in entry}
        kept.extend(entry for entry in entries if entry.get("uuid") not in known)
        self.projects.setdefault(session, project)

    async def load(self, session: SessionId, subpath: str) -> list[dict[str, object]] | None:
        return list(self.entries[session, subpath]) if (session, subpath) in self.entries else None

    async def sessions(self, project: str) -> list[tuple[SessionId, int]]:
        now = int(time.time() * 1000)
        return [(session, now) for session, home in self.projects.items() if home == project]

    async def subpaths(self, session: SessionId) -> list[str]:
        return [subpath for known, subpath in self.entries if known == session and subpath]

    async def delete(self, session: SessionId, subpath: str | None = None) -> None:
        for key in [key for key in self.entries if key[0] == session and subpath in (None, key[1])]:
            del self.entries[key]
        if subpath is None:
            self.projects.pop(session, None)


@dataclass
class Story:
    """The events that the runtime reported about a turn."""

    events: list[AgentEvent] = field(default_factory=list)
    batches: int = 0

    async def saw(self, events: Sequence[AgentEvent]) -> None:
        self.events.extend(events)
        self.batches += 1


@dataclass
class People:
    """The `Ear` of a turn: what people say, and how often the turn asked for it."""

    said: list[Message] = field(default_factory=list)
    claimed: list[Message] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    asked: int = 0
    """How often the turn asked for new messages."""
    fails: Exception | None = None
    sent: SentFiles = field(default_factory=SentFiles)
    """The files that come with the messages."""
    on_asking: Callable[[int], None] = lambda asked: None
    """Called before each answer with the number of the request: messages added here are in the answer."""

    def say(
        self,
        text: str,
        author: str = "grace",
        standing: Standing = Standing.DEVELOPER,
        kind: MessageKind = MessageKind.WORDS,
    ) -> None:
        number = len(self.said) + len(self.claimed) + 1
        self.said.append(
            Message(
                id=MessageId(number),
                case=CaseId("bug-7F3K"),
                surface="terminal",
                external_id=str(number),
                author=author,
                standing=standing,
                command=command_of(kind, text),
                text=text,
                trace=TraceId("trace"),
                received_at=datetime(2026, 1, 2, 10, 0, number, tzinfo=UTC),
            )
        )

    async def news(self) -> Sequence[Message]:
        self.asked += 1
        self.on_asking(self.asked)
        if self.fails is not None:
            raise self.fails
        new, self.said = self.said, []
        self.claimed += new
        return new

    async def files(self, messages: Sequence[Message]) -> SentFiles:
        return self.sent

    async def conversation(self) -> Sequence[Line]:
        if self.fails is not None:
            raise self.fails
        return self.lines


@dataclass
class AgentWorld:
    """One case with a workspace, in which turns of the real agent are run."""

    folder: Path
    model: ModelSettings = field(default_factory=lambda: ModelSettings(pace=0))
    secrets: tuple[str, ...] = ()
    ledger: MemoryLedger = field(default_factory=MemoryLedger)
    transcripts: MemoryTranscripts = field(default_factory=MemoryTranscripts)
    story: Story = field(default_factory=Story)
    people: People = field(default_factory=People)
    sandbox: Sandbox = field(init=False)

    def __post_init__(self) -> None:
        self.workspace.mkdir(exist_ok=True)
        self.sandbox = Bubblewrap(self.folder / "sandbox")

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    def brief(self, script: str | None, role: Role = Role.DEVELOPER, task: Task = Task.IMPLEMENT) -> IssueBrief:
        return IssueBrief(
            attempt=Attempt(
                case=CaseId("local/shop#1"), turn=3, number=1, token="token", session=SessionId(str(uuid.uuid4()))
            ),
            role=role,
            task=task,
            nth=1,
            model="claude-sonnet-5",
            system_prompt="You are a developer.",
            prompt="Repair the sum.",
            tools=tools_for(role, task),
            tree=WorkTree(path=self.workspace, writable=writes(role, task)),
            resume=None,
            rehearsal=script,
            limits=Limits(cap_micros=5_000_000, calls=50, seconds=300),
        )

    def bug_brief(self, script: str | None, *, conversation: bool = True) -> BugBrief:
        ours = self.brief(script, Role.INVESTIGATOR, Task.BUG)
        attempt = ours.attempt.model_copy(update={"case": CaseId("bug-7F3K")})
        shared = {each.name: getattr(ours, each.name) for each in fields(TurnBrief)}
        return BugBrief(**{**shared, "attempt": attempt}, conversation=conversation)

    async def run(self, brief: Brief) -> AgentFinished | AgentFailed:
        runtime = ClaudeRuntime(
            sandbox=self.sandbox,
            ledger=self.ledger,
            transcripts=self.transcripts,
            model=self.model,
            secrets=self.secrets,
        )
        return await runtime.run(brief, self.story.saw, self.people)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 - other processes have no event to wait for
            await asyncio.sleep(0.02)


DONE = "outcome: {status: READY_FOR_QA, changes: [], summary: Repaired., commit_message: Repair the sum}"
INVALID = "{invalid: true, outcome: {status: PERFECT, changes: [], summary: x, commit_message: x}}"


def bash(command: str) -> str:
    return f"{{call: Bash, with: {{command: {json.dumps(command)}, description: run}}}}"


def script(*steps: str, role: Role = Role.DEVELOPER, task: Task = Task.IMPLEMENT) -> str:
    lines = "\n".join(f"      - {step}" for step in steps)
    return f"version: 1\nturns:\n  - role: {role}\n    task: {task}\n    steps:\n{lines}\n"
