"""One case with everything a page shows of it: row, explanation, story, conversation, builds, pull request, money."""

from collections.abc import Sequence
from typing import Final, assert_never

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import CaseId, pull_case
from caseworker.core.evidence.builds import Build
from caseworker.core.issue.case import cap_of as cap_of_issue
from caseworker.core.people.phrasing import Phrasing
from caseworker.core.pull.case import cap_of as cap_of_pull
from caseworker.core.record.bug_conversation import SAID, Line
from caseworker.core.record.entries import Recorded
from caseworker.core.runs.run import Run
from caseworker.core.telling.pull_why import why_pull
from caseworker.core.telling.why import Why
from caseworker.ports import PullRequest, Spending, Store, StoredAny, StoredBug, StoredCase, StoredPull
from caseworker.ports.boards import BoardEntry
from caseworker.views.board import CaseRow, row_of
from caseworker.views.conversations import lines_with_receipts
from caseworker.views.explanations import explain_bug, why_issue
from caseworker.views.story_items import QUIET, STEPS, StoryItem, story_items

MOVES: Final = ("transitioned", "bug_moved", "pull_moved")
PROOFS: Final = (
    "case_opened",
    "bug_read",
    "turn_completed",
    "turn_failed",
    "build_ran",
    "branch_pushed",
    "pull_request_opened",
    "pull_judged",
    "unpushed_kept",
)
"""Kinds of entries that facts come from, besides what people said and the moves."""
MOST_ITEMS: Final = 300
"""Items of the story that a page shows at first, from its end."""


_EVERYTHING: Final = 10**9


class ReceiptedLine(BaseModel):
    model_config = ConfigDict(frozen=True)

    line: Line
    receipt: str
    """Empty: a post of the bot."""


class Money(BaseModel):
    model_config = ConfigDict(frozen=True)

    spent: Spending
    cap_micros: int | None
    """What the case may cost. Null: a bug case, whose policy says it."""
    rehearsed: bool


class StateStep(BaseModel):
    """A move on the way that the case took."""

    model_config = ConfigDict(frozen=True)

    from_state: str
    to_state: str
    reason: str
    sequence: int


class WholeCase(BaseModel):
    model_config = ConfigDict(frozen=True)

    row: CaseRow
    why: Why
    conversation: tuple[ReceiptedLine, ...]
    money: Money
    way: tuple[StateStep, ...]
    runs: tuple[Run, ...]
    builds: tuple[Build, ...]
    pull_requests: tuple[PullRequest, ...]
    children: tuple[CaseId, ...]
    """Cases that fix this bug, follow up on this case, or look after its pull request."""


class Story(BaseModel):
    model_config = ConfigDict(frozen=True)

    items: tuple[StoryItem, ...]
    earlier: int
    """How many items before the first are left out."""
    last: int
    """The number of the newest record entry that was read."""


async def whole_case(store: Store, stored: StoredAny, phrasing: Phrasing) -> WholeCase:
    case = stored.case.id
    record = await store.record.whole(case, (*SAID, *MOVES, *PROOFS))
    why = await why_of(store, stored, phrasing, record)
    spent = await store.ledger.spent(case)
    newest = record[-1].sequence if record else 0
    lines = await lines_with_receipts(store, stored, record, buttons=phrasing.has_buttons)
    pulls = tuple(await store.pulls.of(case))
    known = [await store.pull_cases.load(pull_case(one.repository, one.number)) for one in pulls]
    sessions = [one.case.id for one in known if one is not None]
    return WholeCase(
        row=row_of(BoardEntry(stored=stored, sequence=newest, spent_micros=spent.micros)),
        why=why,
        conversation=tuple(ReceiptedLine(line=line, receipt=told) for line, told in lines),
        money=Money(spent=spent, cap_micros=_cap(stored), rehearsed=stored.rehearsal is not None),
        way=tuple(step for one in record if (step := _step(one)) is not None),
        runs=tuple(await store.runs.of(case)),
        builds=tuple(await store.builds.of(case)),
        pull_requests=pulls,
        children=tuple([child.case.id for child in await store.cases.children(case)] + sessions),
    )


async def why_of(store: Store, stored: StoredAny, phrasing: Phrasing, record: Sequence[Recorded] = ()) -> Why:
    """`record`: where the sources of facts are looked up. Empty: facts have none."""
    match stored:
        case StoredCase():
            return await why_issue(store, stored, phrasing, record)
        case StoredBug():
            return await explain_bug(store, stored, phrasing, record)
        case StoredPull():
            return why_pull(stored.case, phrasing, record)
        case _:
            assert_never(stored)


async def why_with_sources(store: Store, stored: StoredAny, phrasing: Phrasing) -> Why:
    return await why_of(store, stored, phrasing, await store.record.whole(stored.case.id, (*SAID, *MOVES, *PROOFS)))


async def story_of(store: Store, case: CaseId, *, everything: bool = False) -> Story:
    """Without the steps of turns (`steps_of` reads them)."""
    most = _EVERYTHING if everything else MOST_ITEMS
    record, earlier = await store.record.newest(case, without=STEPS | QUIET, limit=most)
    items = story_items(record)
    return Story(items=tuple(items), earlier=earlier, last=record[-1].sequence if record else 0)


def _cap(stored: StoredAny) -> int | None:
    match stored:
        case StoredCase():
            return cap_of_issue(stored.case, stored.policy)
        case StoredBug():
            return stored.policy.budget_micros
        case StoredPull():
            return cap_of_pull(stored.case, stored.policy)
        case _:
            assert_never(stored)


def _step(recorded: Recorded) -> StateStep | None:
    entry = recorded.entry
    if entry.kind not in MOVES:
        return None
    moved = entry.model_dump(include={"from_state", "to_state", "reason"}, mode="json")
    return StateStep(**moved, sequence=recorded.sequence)
