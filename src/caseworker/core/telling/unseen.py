"""Claims of agents that nothing confirms, for everybody who reads what they said."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from caseworker.core.base.roles import Role, Task
from caseworker.core.base.text import code, words_of
from caseworker.core.record.claim_entries import ClaimsChecked, NotSeen
from caseworker.core.record.entries import Recorded, TurnCompleted
from caseworker.core.telling.fact_sources import Fact

CLAIMS: Final = frozenset({"claims_checked", "turn_completed"})
"""The kinds of entries that `unseen_claims` reads."""
_MOST: Final = 20


@dataclass(frozen=True, kw_only=True)
class Unseen:
    role: Role
    what: NotSeen
    entry: int | None = None
    """The number of the record's entry that says so."""

    @property
    def words(self) -> str:
        return f"The {words_of(self.role)} names {code(self.what.claim)}: {self.what.problem}."


def unseen_claims(record: Sequence[Recorded]) -> list[Unseen]:
    """What was not seen of the newest turn of each role and task. What an earlier one claimed is replaced by it."""
    last: dict[tuple[Role, Task], int] = {}
    for one in record:
        if isinstance(one.entry, TurnCompleted):
            last[one.entry.role, one.entry.task] = one.entry.turn
    turns = set(last.values())
    return [
        Unseen(role=one.entry.role, what=what, entry=one.sequence)
        for one in record
        if isinstance(one.entry, ClaimsChecked) and one.entry.turn in turns
        for what in one.entry.not_seen
    ]


def unseen_in_turn(record: Sequence[Recorded], turn: int) -> list[Unseen]:
    checked = [one.entry for one in record if isinstance(one.entry, ClaimsChecked) and one.entry.turn == turn]
    return [Unseen(role=entry.role, what=what) for entry in checked for what in entry.not_seen]


def unseen_words(claims: Sequence[Unseen]) -> list[str]:
    """A sentence for each, and how many more there are."""
    more = len(claims) - _MOST
    return [*(one.words for one in claims[:_MOST]), *([f"And {more} more."] if more > 0 else [])]


def unseen_facts(claims: Sequence[Unseen]) -> list[Fact]:
    """The same sentences, each with its source."""
    told = zip(unseen_words(claims), claims, strict=False)
    return [Fact(text=f"Not seen: {words}", entry=claim.entry) for words, claim in told]
