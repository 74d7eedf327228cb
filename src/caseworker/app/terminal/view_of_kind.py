"""Chooses the view for each kind of case."""

from typing import Final, assert_never

from caseworker.app.terminal.bug_view import BugView
from caseworker.app.terminal.case_view import CaseView
from caseworker.app.terminal.issue_view import IssueView
from caseworker.app.terminal.pull_view import PullView
from caseworker.core.bug.case import BugStatus
from caseworker.core.issue.states import IssueState
from caseworker.core.pull.case import PullState
from caseworker.ports import StoredAny, StoredBug, StoredCase, StoredPull

STATES: Final = frozenset(state.value for states in (IssueState, BugStatus, PullState) for state in states)
"""All names that `CaseView.state` can have."""


def view_of(stored: StoredAny) -> CaseView:
    match stored:
        case StoredCase():
            return IssueView(stored)
        case StoredBug():
            return BugView(stored)
        case StoredPull():
            return PullView(stored)
        case _:
            assert_never(stored)
