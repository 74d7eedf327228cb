"""The row of a state: its kind, edges, turn, place in diagrams, and texts. The rows are in `states.py`."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, Literal, TypeVar

from caseworker.core.base.roles import Role, Task

S = TypeVar("S", bound=StrEnum)
Agent = Literal["triage", "analyst", "tester", "writer", "build", "reviewer", "investigator", "committer"]
"""The names of the agents in the case file."""


class StateKind(StrEnum):
    WORKING = "working"
    WAITING = "waiting"
    """The case waits for people; its wait says for what."""
    PARKED = "parked"
    """No agent works; only a person can move the case."""
    TERMINAL = "terminal"


@dataclass(frozen=True)
class Drawn:
    """A state in the diagram of a case."""

    name: str
    column: int
    row: int


@dataclass(frozen=True, kw_only=True)
class StateRow(Generic[S]):
    drawn: Drawn
    kind: StateKind = StateKind.WORKING
    edges: frozenset[S] = frozenset()
    """States that may follow, in addition to those that may follow every working or every open state."""
    turn: tuple[Role, Task] | None = None
    """The role and task of the turn. Null: code works, or nobody does."""
    agent: Agent | None = None
    """The case file's name for the code that works there. Null: a role has the turn, or nobody works."""
    needs_green: bool = False
    """It is entered only with a green build of the work: nothing is reviewed or delivered before it was built."""
    does: str = ""
    """Text for people: what happens there. Follows the role's name; a whole sentence if code works."""
    then: str = ""
    """Text for people: what follows by itself."""
