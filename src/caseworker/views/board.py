"""The board: every case in a row, with its state in words, who has to move, since when, what it cost and when it is
due."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, assert_never

from pydantic import BaseModel, ConfigDict, Field

from caseworker.core.base.case_kinds import CaseKind
from caseworker.core.base.ids import CaseId, RepositoryId, TraceId
from caseworker.core.base.text import words_of
from caseworker.core.bug.case import BugState, status_of
from caseworker.core.casefile.pipeline import standing_in_file
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.issue.turns import at_work, role_at_work
from caseworker.core.issue.words import state_words
from caseworker.core.pull.case import WORKING, PullState, SessionEnd
from caseworker.core.sla.clock import UNREAD, target_for
from caseworker.core.telling.pull_why import standing_of_pull
from caseworker.core.telling.summaries import standing_of_bug
from caseworker.core.telling.verdict_words import mover_name
from caseworker.ports import Store, StoredAny, StoredBug, StoredCase, StoredPull
from caseworker.ports.boards import BoardEntry, BoardFilter, StateCount
from caseworker.views.board_groups import Group, group_of, group_of_state, states_in, states_of

PAGE: Final = 50
"""Rows of one page."""
LAST_PAGE: Final = 10_000


class Position(BaseModel):
    """Where a case stands, and who has to do something."""

    model_config = ConfigDict(frozen=True)

    words: str
    """The state in words."""
    group: Group
    mover: str
    """Who works, or has to move. Empty: the case is over."""
    since: datetime
    """When it entered its state, if that is known; otherwise its last change."""
    due: datetime | None
    """When a promise, a wait or a session ends. Null: nothing is due."""
    failed: bool
    """It ended without what it was for."""


class CaseRow(BaseModel):
    """A case as the board shows it, and as `caseworker cases --json` prints it."""

    model_config = ConfigDict(frozen=True)

    case: CaseId
    kind: CaseKind
    title: str
    repository: RepositoryId
    state: str
    stands: str
    """In a sentence."""
    position: Position
    opened_at: datetime
    changed_at: datetime
    pull_request: int | None
    parent: CaseId | None
    trace: TraceId
    cost_micros: int
    rehearsed: bool
    sequence: int
    """The number of the newest record entry."""


class BoardQuery(BaseModel):
    """What a person filters the board by. It is the query of the page's address."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    group: Group | None = None
    kind: CaseKind | None = None
    repository: str = Field(default="", max_length=300)
    text: str = Field(default="", max_length=200)
    page: int = Field(default=1, ge=1, le=LAST_PAGE)


class BoardCounts(BaseModel):
    model_config = ConfigDict(frozen=True)

    groups: dict[Group, int]
    kinds: dict[CaseKind, int]
    repositories: dict[RepositoryId, int]
    total: int


class Board(BaseModel):
    model_config = ConfigDict(frozen=True)

    query: BoardQuery
    rows: tuple[CaseRow, ...]
    total: int
    pages: int
    counts: BoardCounts


async def read_board(store: Store, query: BoardQuery, visible: frozenset[RepositoryId] | None = None) -> Board:
    """`visible`: the only repositories that may be seen. Null: all."""
    wanted = BoardFilter(
        states=_states(query),
        text=query.text.strip(),
        repository=RepositoryId(query.repository) if query.repository else None,
        visible=visible,
    )
    found = await store.boards.page(wanted, offset=(query.page - 1) * PAGE, limit=PAGE)
    return Board(
        query=query,
        rows=tuple(row_of(entry) for entry in found.entries),
        total=found.total,
        pages=max(1, -(-found.total // PAGE)),
        counts=_counted(await store.boards.counts(visible)),
    )


def _states(query: BoardQuery) -> tuple[tuple[CaseKind, str], ...] | None:
    if query.group is not None:
        return states_in(query.group, query.kind)
    return states_of(query.kind) if query.kind is not None else None


def _counted(counts: Sequence[StateCount]) -> BoardCounts:
    groups = dict.fromkeys(Group, 0)
    kinds = dict.fromkeys(CaseKind, 0)
    repositories: dict[RepositoryId, int] = {}
    for one in counts:
        groups[group_of_state(one.kind, one.state)] += one.cases
        kinds[one.kind] += one.cases
        repositories[one.repository] = repositories.get(one.repository, 0) + one.cases
    return BoardCounts(
        groups=groups, kinds=kinds, repositories=dict(sorted(repositories.items())), total=sum(kinds.values())
    )


def row_of(entry: BoardEntry) -> CaseRow:
    stored = entry.stored
    name, words, stands = how_it_stands(stored)
    return CaseRow(
        case=stored.case.id,
        kind=stored.kind,
        title=stored.title,
        repository=stored.repository,
        state=name,
        stands=stands,
        position=Position(
            words=words,
            group=group_of(stored),
            mover=_mover(stored),
            since=_since(stored),
            due=_due(stored),
            failed=_failed(stored),
        ),
        opened_at=stored.opened_at,
        changed_at=stored.changed_at,
        pull_request=_pull_request(stored),
        parent=None if isinstance(stored, StoredBug) else stored.parent,
        trace=stored.trace,
        cost_micros=entry.spent_micros,
        rehearsed=stored.rehearsal is not None,
        sequence=entry.sequence,
    )


def how_it_stands(stored: StoredAny) -> tuple[str, str, str]:
    """The state's name, the state in words, and what follows from it in a sentence."""
    match stored:
        case StoredCase(case=case):
            return case.state.value, state_words(case.state), standing_in_file(case, stored.file)
        case StoredBug(case=bug):
            return status_of(bug).value, words_of(status_of(bug)), standing_of_bug(bug)
        case StoredPull(case=pull):
            return pull.state.value, words_of(pull.state), standing_of_pull(pull)
        case _:
            assert_never(stored)


def _mover(stored: StoredAny) -> str:
    match stored:
        case StoredCase(case=case):
            if at_work(case):
                role = role_at_work(case)
                return role.words if role is not None else "caseworker"
            if case.is_over:
                return ""
            if case.people.taken_by:
                return case.people.taken_by
            return "checks" if case.awaits_checks else _PEOPLE.get(case.waits_for, "a person")
        case StoredBug(case=bug):
            return (
                bug.people.taken_by or "a developer" if bug.state is BugState.DEV_TAKEOVER else _BUG_MOVERS[bug.state]
            )
        case StoredPull(case=pull):
            if pull.state in WORKING:
                return pull.role_at_work.words if pull.role_at_work is not None else "caseworker"
            if pull.state is PullState.WAITING:
                reasons = pull.sight.verdict.reasons if pull.sight.verdict is not None else ()
                return mover_name(reasons[0]) if reasons else "a maintainer"
            return "" if pull.is_over else "a person"
        case _:
            assert_never(stored)


_PEOPLE: Final = {
    WaitingFor.ANSWER: "a person, to answer",
    WaitingFor.APPROVAL: "a person, to approve",
    WaitingFor.BUDGET: "a person, to raise the budget",
    WaitingFor.MILESTONE: "a person, to let it go on",
    WaitingFor.MERGE: "a person, to merge",
    None: "a person",
}
_BUG_MOVERS: Final = {
    BugState.INVESTIGATING: "investigator",
    BugState.AWAITING_REPORTER: "the reporter",
    BugState.AWAITING_DEV: "a developer",
    BugState.RESOLVED: "",
}


def _since(stored: StoredAny) -> datetime:
    match stored:
        case StoredCase(case=case):
            return case.progress.since or stored.changed_at
        case StoredBug():
            return stored.changed_at
        case StoredPull(case=pull):
            return pull.progress.since or stored.changed_at
        case _:
            assert_never(stored)


def _due(stored: StoredAny) -> datetime | None:
    match stored:
        case StoredCase(case=case):
            return case.waiting.wait.until if case.waits_for is not None and case.waiting.wait is not None else None
        case StoredBug(case=bug):
            target = target_for(stored.policy, bug.report.severity or UNREAD)
            return None if bug.is_over else stored.opened_at + timedelta(minutes=target.resolve)
        case StoredPull(case=pull):
            return None if pull.is_over else pull.session.deadline
        case _:
            assert_never(stored)


_FAILED_ENDS: Final = frozenset({SessionEnd.DEADLINE, SessionEnd.BLOCKED, SessionEnd.INCOMPLETE})


def _failed(stored: StoredAny) -> bool:
    match stored:
        case StoredCase(case=case):
            return case.state is IssueState.FAILED
        case StoredBug():
            return False
        case StoredPull(case=pull):
            return pull.session.end in _FAILED_ENDS
        case _:
            assert_never(stored)


def _pull_request(stored: StoredAny) -> int | None:
    match stored:
        case StoredCase(case=case):
            return case.delivery.pull_request
        case StoredBug():
            return None
        case StoredPull():
            return stored.number
        case _:
            assert_never(stored)
