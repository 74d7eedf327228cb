"""Groups of the board: who has to move next, decided from a case's kind and state."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, assert_never

from caseworker.core.base.case_kinds import CaseKind
from caseworker.core.bug.case import BugState
from caseworker.core.issue.options import waits_for_a_person
from caseworker.core.issue.states import PARKED, TERMINAL, WAITING, WORKING, IssueState
from caseworker.core.issue.turns import at_work
from caseworker.core.pull.case import WORKING as PULL_WORKING
from caseworker.core.pull.case import PullState
from caseworker.ports import StoredAny, StoredBug, StoredCase, StoredPull


class Group(StrEnum):
    NEEDS_YOU = "needs_you"
    """A person of the team has to answer, approve, decide or merge."""
    WORKING = "working"
    WAITING = "waiting"
    """For a reporter, for checks, for time to pass."""
    OVER = "over"


_ISSUES: Final[Mapping[IssueState, Group]] = {
    **dict.fromkeys(WORKING, Group.WORKING),
    **dict.fromkeys(WAITING | PARKED, Group.NEEDS_YOU),
    **dict.fromkeys(TERMINAL, Group.OVER),
}
_BUGS: Final[Mapping[BugState, Group]] = {
    BugState.INVESTIGATING: Group.WORKING,
    BugState.AWAITING_REPORTER: Group.WAITING,
    BugState.AWAITING_DEV: Group.NEEDS_YOU,
    BugState.DEV_TAKEOVER: Group.NEEDS_YOU,
    BugState.RESOLVED: Group.OVER,
}
_PULLS: Final[Mapping[PullState, Group]] = {
    **dict.fromkeys(PULL_WORKING, Group.WORKING),
    PullState.WAITING: Group.WAITING,
    PullState.PAUSED: Group.NEEDS_YOU,
    PullState.ENDED: Group.OVER,
}
_GROUPS: Final[Mapping[tuple[CaseKind, str], Group]] = {
    **{(CaseKind.ISSUE, state.value): group for state, group in _ISSUES.items()},
    **{(CaseKind.BUG, state.value): group for state, group in _BUGS.items()},
    **{(CaseKind.PULL, state.value): group for state, group in _PULLS.items()},
}


def group_of_state(kind: CaseKind, state: str) -> Group:
    """By the state alone, as counts have it. `group_of` knows more."""
    return _GROUPS[kind, state]


def states_in(group: Group, kind: CaseKind | None = None) -> tuple[tuple[CaseKind, str], ...]:
    return tuple(one for one, its_group in _GROUPS.items() if its_group is group and kind in (None, one[0]))


def states_of(kind: CaseKind) -> tuple[tuple[CaseKind, str], ...]:
    return tuple(one for one in _GROUPS if one[0] is kind)


def group_of(stored: StoredAny) -> Group:
    """An issue case that only waits for checks needs nobody, and so does a session that goes on by itself. An issue
    case that is blocked may be at work."""
    match stored:
        case StoredCase(case=case):
            if at_work(case):
                return Group.WORKING
            if case.is_over:
                return Group.OVER
            return Group.NEEDS_YOU if waits_for_a_person(case) else Group.WAITING
        case StoredBug(case=bug):
            return _BUGS[bug.state]
        case StoredPull(case=pull):
            goes_on = pull.state is PullState.PAUSED and pull.session.resume_at is not None
            return Group.WAITING if goes_on else _PULLS[pull.state]
        case _:
            assert_never(stored)
