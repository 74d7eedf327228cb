"""Chooses the view for each kind of case."""

from typing import assert_never

from caseworker.app.terminal.bug_view import BugView
from caseworker.app.terminal.case_view import CaseView
from caseworker.app.terminal.issue_view import IssueView
from caseworker.app.terminal.pull_view import PullView
from caseworker.ports import StoredAny, StoredBug, StoredCase, StoredPull


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
