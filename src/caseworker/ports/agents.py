"""Agents: what one turn is given, and how it ends."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from caseworker.core.base.ids import SessionId
from caseworker.core.base.roles import Role, Task
from caseworker.core.investigation.bisection import BisectRequest
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.people.messages import Message
from caseworker.core.record.conversation import Line
from caseworker.core.record.entries import AgentEvent
from caseworker.ports.stored import Attempt


@dataclass(frozen=True, kw_only=True)
class Brief:
    """All that an agent needs for one attempt at a turn."""

    attempt: Attempt
    role: Role
    task: Task
    model: str
    system_prompt: str
    prompt: str
    tools: tuple[str, ...]
    workspace: Path
    writable: bool
    resume: SessionId | None
    """The session of this role's last completed turn; it is forked into `attempt.session`, never written to."""
    rehearsal: str | None
    nth: int
    """How many turns of this role and task the case has completed, plus one: which entry of a rehearsal applies."""
    cap_micros: int
    calls: int
    seconds: float
    read_only: tuple[Path, ...] = ()
    """Further paths of the host that the agent may read: the repository's git objects."""
    overlays: tuple[tuple[Path, Path], ...] = ()
    """(outside, inside): files and folders laid read-only over a path of the sandbox."""
    conversation: bool = False
    """Whether the agent has the tool that reads the case's conversation (`Ear.conversation`)."""
    bisect: Callable[[BisectRequest], Awaitable[str]] | None = field(default=None, compare=False)
    """With it, the agent has a tool that finds the commit which broke something. It is told what came out, in words."""
    check: Callable[[Outcome], Awaitable[str]] | None = field(default=None, compare=False)
    """What is wrong with an outcome that has the right shape; empty: nothing. The agent may repair it once. All that
    it did until then is on the record."""


@dataclass(frozen=True, kw_only=True)
class AgentFinished:
    outcome: Outcome
    calls: int


@dataclass(frozen=True, kw_only=True)
class AgentFailed:
    """An expected end without an outcome: a limit, an invalid answer twice, a refusing model."""

    reason: str
    why: Literal["invalid_outcome", "calls", "seconds", "budget", "model", "crashed", "script"]
    retry: bool = False
    """Whether the same turn could go well on another try (an overloaded model, a crashed process)."""
    log: str = field(default="", repr=False)


class Ear(Protocol):
    """How a working agent hears people."""

    async def news(self) -> Sequence[Message]:
        """What was said since the turn began and not given out yet. Who is given it has seen it: the turn claims it."""

    async def conversation(self) -> Sequence[Line]:
        """All that was said in this case so far, by people and by the bot, oldest first."""


class AgentRuntime(Protocol):
    async def run(
        self, brief: Brief, saw: Callable[[Sequence[AgentEvent]], Awaitable[None]], ear: Ear
    ) -> AgentFinished | AgentFailed:
        """Cancelling the task stops the agent and its whole process tree within 2 s."""
