"""The registry of kinds of cases: one row per kind, with all that others have to know of it.

Nobody tells a kind by looking at an id: the stored case says it, and this table says the rest.
"""

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from caseworker.core.base.ids import CaseId, bug_called, is_issue_called
from caseworker.core.base.snapshot import Snapshot
from caseworker.core.bug.case import BugCase, BugState
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.states import WORKING
from caseworker.core.people import authority
from caseworker.core.people.messages import Audience, Standing


class CaseKind(StrEnum):
    ISSUE = "issue"
    BUG = "bug"


@dataclass(frozen=True, kw_only=True)
class Kind:
    name: CaseKind
    noun: str
    """As people are told: `bug-7F3K is a bug case`."""
    workflow: str
    """The name of the durable workflow that a bell starts."""
    snapshot: type[Snapshot]
    rights: authority.CaseKind
    """Its name in the table of who may say what. Spelt there: people know nothing of kinds."""
    working: Set[str]
    """The states in which somebody of ours works."""
    at_terminal: Mapping[Audience, Standing]
    """How those stand who speak from the terminal, by whom they speak for. Left out: nobody speaks for them."""
    in_threads: Mapping[Audience, Standing]
    """How those stand who speak in a thread of the case, by whose thread it is. In the reporter's thread only the
    reporter has that standing."""
    fixed_by_children: bool
    """Its child cases fix it: it is told how they go on, and its findings are their analysis."""
    has_clock: bool
    """An SLA clock runs beside its workflow."""
    id_from: Callable[[str], CaseId | None]
    """The one id that a person can mean by these words, if they are an id at all."""
    is_called: Callable[[CaseId, str], bool]
    """Whether people may call the case so: by the end of its id."""

    def standing_in_thread(self, audience: Audience, *, is_reporter: bool) -> Standing:
        standing = self.in_threads.get(audience, Standing.OTHER)
        return Standing.OTHER if standing is Standing.REPORTER and not is_reporter else standing


_ISSUE: Final = Kind(
    name=CaseKind.ISSUE,
    noun="issue case",
    workflow="IssueWorkflow",
    snapshot=IssueCase,
    rights="issue",
    working=WORKING,
    at_terminal={Audience.DEVELOPERS: Standing.OWNER},
    in_threads={Audience.DEVELOPERS: Standing.DEVELOPER},
    fixed_by_children=False,
    has_clock=False,
    id_from=lambda _: None,  # its id is typed as it is
    is_called=is_issue_called,
)
_BUG: Final = Kind(
    name=CaseKind.BUG,
    noun="bug case",
    workflow="BugInvestigationWorkflow",
    snapshot=BugCase,
    rights="bug",
    working=frozenset({BugState.INVESTIGATING}),
    at_terminal={Audience.DEVELOPERS: Standing.DEVELOPER, Audience.REPORTER: Standing.REPORTER},
    in_threads={Audience.DEVELOPERS: Standing.DEVELOPER, Audience.REPORTER: Standing.REPORTER},
    fixed_by_children=True,
    has_clock=True,
    id_from=bug_called,
    is_called=lambda case, name: case == bug_called(name),
)

KINDS: Final[Mapping[CaseKind, Kind]] = {kind.name: kind for kind in (_ISSUE, _BUG)}
