"""Port to models: one question, one answer in a given shape. No workspace, no tools, no agent process."""

from dataclasses import dataclass, field
from typing import Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel

from caseworker.ports.stored import CaseAccount, RepositoryAccount

A = TypeVar("A", bound=BaseModel)


@dataclass(frozen=True, kw_only=True)
class Question(Generic[A]):
    """One question to a model. The caller fences and labels people's words in `text`."""

    purpose: str
    """What it is for (classify, digest, chat): named in the ledger, and in a rehearsal."""
    system: str = field(repr=False)
    text: str = field(repr=False)
    answer: type[A]
    """The shape of the answer: its JSON schema is sent with the question, and the answer must fit it."""
    model: str
    account: CaseAccount | RepositoryAccount
    cap_micros: int
    """What the account may have spent when this is answered: a case in all, a repository within 24 hours."""
    seconds: float = 60
    max_tokens: int = 2_000
    rehearsal: str | None = field(default=None, repr=False)
    """The text of the script that answers instead of a model."""
    nth: int = 1
    """The caller's count of questions with this purpose. Selects the entry of a rehearsal."""


@dataclass(frozen=True, kw_only=True)
class Answer(Generic[A]):
    value: A
    calls: int
    """Two if the first answer had to be repaired."""
    cost_micros: int


@dataclass(frozen=True, kw_only=True)
class Failed:
    """An expected end without an answer."""

    why: Literal["malformed", "budget", "seconds", "model", "script"]
    reason: str
    retry: bool = False
    """Whether the same question could be answered on another try (an overloaded model, a broken connection)."""


class Model(Protocol):
    async def ask(self, question: Question[A]) -> Answer[A] | Failed:
        """Each question is in the ledger, and one of a case also in its record."""
