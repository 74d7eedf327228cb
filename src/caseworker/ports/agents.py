"""Port to agents: what a turn is given, and how it ends."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from caseworker.core.base.ids import SessionId
from caseworker.core.base.roles import Role, Task
from caseworker.core.outcomes.investigation import Skill
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.people.messages import Message
from caseworker.core.record.bug_conversation import Line
from caseworker.core.record.entries import AgentEvent
from caseworker.ports.github_state import GithubState
from caseworker.ports.stored import Attempt
from caseworker.ports.workspaces import Equipment


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one attempt may use."""

    cap_micros: int
    """For the whole case, earlier turns included."""
    calls: int
    """Model calls."""
    seconds: float


@dataclass(frozen=True, kw_only=True)
class WorkTree:
    """The files that an agent sees, and whether it may change them."""

    path: Path
    writable: bool
    read_only: tuple[Path, ...] = ()
    """Further paths of the host that the agent may read: the repository's git objects."""
    overlays: tuple[tuple[Path, Path], ...] = ()
    """(outside, inside): files and folders laid read-only over a path of the sandbox."""
    equipment: Equipment = field(default_factory=Equipment)


@dataclass(frozen=True, kw_only=True)
class TurnBrief:
    """What an agent needs for one attempt at a turn, whatever the kind of case."""

    attempt: Attempt
    role: Role
    task: Task
    nth: int
    """How many turns of this role and task the case has completed, plus one. Selects the entry of a rehearsal."""
    model: str
    system_prompt: str
    prompt: str
    tools: tuple[str, ...]
    tree: WorkTree
    resume: SessionId | None
    """The session of this role's last completed turn; it is forked into `attempt.session`, never written to."""
    rehearsal: str | None
    """The text of the script that answers instead of a model."""
    limits: Limits
    check: Callable[[Outcome], Awaitable[str]] | None = field(default=None, compare=False)
    """Returns what is wrong with an outcome of the right shape; empty: nothing. The agent may repair it once. All that
    it did until then is on the record."""


@dataclass(frozen=True, kw_only=True)
class SkillTool:
    """A tool of an investigation that our process runs, not the agent's."""

    name: Skill
    schema: dict[str, object]
    """JSON Schema of the arguments."""
    run: Callable[[dict[str, object]], Awaitable[str]]
    """The result as text. Arguments that do not fit the schema raise pydantic's `ValidationError`."""


@dataclass(frozen=True, kw_only=True)
class IssueBrief(TurnBrief):
    skills: tuple[SkillTool, ...] = field(default=(), compare=False)
    """In an investigation: bisect, profile, stress and trace."""
    state: GithubState | None = field(default=None, compare=False)
    """The tools that read the state of the case's pull request, where it has one on a forge."""


@dataclass(frozen=True, kw_only=True)
class BugBrief(TurnBrief):
    conversation: bool
    """Whether the agent has the tool that reads the case's conversation (`Ear.conversation`)."""


@dataclass(frozen=True, kw_only=True)
class PullBrief(TurnBrief):
    state: GithubState | None = field(default=None, compare=False)
    """The tools that read the state of the pull request."""


Brief = IssueBrief | BugBrief | PullBrief


@dataclass(frozen=True, kw_only=True)
class AgentFinished:
    outcome: Outcome
    calls: int


WhyFailed = Literal[
    "invalid_outcome", "calls", "seconds", "budget", "model", "key", "quota", "crashed", "script", "machine"
]


@dataclass(frozen=True, kw_only=True)
class AgentFailed:
    """An expected end without an outcome: a limit, an invalid answer twice, a refusing model."""

    reason: str
    why: WhyFailed
    """`key`: the provider refuses the key, or there is none. A person has to put that right. `machine`: no room on its
    disk, or its database did not answer."""
    retry: bool = False
    """Whether the same turn could succeed on another try (an overloaded model, a crashed process)."""
    seconds: float = 0
    """With quota: after how many seconds the model answers again."""
    log: str = field(default="", repr=False)


class ReadableFile(NamedTuple):
    path: str
    title: str
    """What its author called it."""
    media_type: str
    size: int


class LostFile(NamedTuple):
    title: str
    """What its author called it."""
    why: str
    """Why it can't be read."""


@dataclass(frozen=True, kw_only=True)
class SentFiles:
    """Files that came with messages."""

    readable: tuple[ReadableFile, ...] = ()
    lost: tuple[LostFile, ...] = ()


class Ear(Protocol):
    """Gives a working agent the messages of people."""

    async def news(self) -> Sequence[Message]:
        """Messages that came since the turn began and were not returned before. They count as seen: the turn claims
        them."""

    async def files(self, messages: Sequence[Message]) -> SentFiles:
        """The files of messages that came in the middle of a turn, fetched to where the agent can read them."""

    async def conversation(self) -> Sequence[Line]:
        """Everything said in this case so far, by people and by the bot, oldest first."""


class AgentRuntime(Protocol):
    async def run(
        self, brief: Brief, saw: Callable[[Sequence[AgentEvent]], Awaitable[None]], ear: Ear
    ) -> AgentFinished | AgentFailed:
        """Run one attempt. Cancelling the task stops the agent and its whole process tree within 2 s."""
