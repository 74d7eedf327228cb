"""The registry of case kinds: one row per kind, with everything that other packages need to know about it.

No code infers a kind from an id: the stored case has its kind, and this table has the rest.
"""

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from typing import Final

from caseworker.core.base.case_kinds import CaseKind
from caseworker.core.base.ids import CaseId, bug_called, is_issue_called, is_pull_called, issue_typed, pull_typed
from caseworker.core.base.snapshot import Snapshot
from caseworker.core.bug.case import BugCase, BugState
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.states import WORKING
from caseworker.core.people.messages import Audience, Standing
from caseworker.core.pull.case import WORKING as PULL_WORKING
from caseworker.core.pull.case import PullCase


@dataclass(frozen=True, kw_only=True)
class Kind:
    name: CaseKind
    noun: str
    """Used in text for people: `bug-7F3K is a bug case`."""
    workflow: str
    """The name of the durable workflow that a bell starts."""
    snapshot: type[Snapshot]
    working: Set[str]
    """The states in which an agent or code works."""
    at_terminal: Mapping[Audience, Standing]
    """The standing of a person at the terminal, by the audience they speak for. Missing: nobody can speak for it."""
    in_threads: Mapping[Audience, Standing]
    """The standing of a person in a thread of the case, by the thread's audience. In the reporter's thread only the
    reporter has that standing."""
    fixed_by_children: bool
    """Child cases fix it: it gets their news, and its findings are their analysis."""
    has_clock: bool
    """An SLA clock runs beside its workflow."""
    id_from: Callable[[str], CaseId | None]
    """The id that a person means by this text. Null: the text is no id of this kind."""
    is_called: Callable[[CaseId, str], bool]
    """Whether people may use this short name, the end of its id, for the case."""

    @property
    def a_noun(self) -> str:
        """With its article: `an issue case`."""
        return f"{'an' if self.noun[0] in 'aeiou' else 'a'} {self.noun}"

    def standing_in_thread(self, audience: Audience, *, is_reporter: bool) -> Standing:
        standing = self.in_threads.get(audience, Standing.OTHER)
        return Standing.OTHER if standing is Standing.REPORTER and not is_reporter else standing


_ISSUE: Final = Kind(
    name=CaseKind.ISSUE,
    noun="issue case",
    workflow="IssueWorkflow",
    snapshot=IssueCase,
    working=WORKING,
    at_terminal={Audience.DEVELOPERS: Standing.OWNER},
    in_threads={Audience.DEVELOPERS: Standing.DEVELOPER},
    fixed_by_children=False,
    has_clock=False,
    id_from=issue_typed,
    is_called=is_issue_called,
)
_BUG: Final = Kind(
    name=CaseKind.BUG,
    noun="bug case",
    workflow="BugInvestigationWorkflow",
    snapshot=BugCase,
    working=frozenset({BugState.INVESTIGATING}),
    at_terminal={Audience.DEVELOPERS: Standing.DEVELOPER, Audience.REPORTER: Standing.REPORTER},
    in_threads={Audience.DEVELOPERS: Standing.DEVELOPER, Audience.REPORTER: Standing.REPORTER},
    fixed_by_children=True,
    has_clock=True,
    id_from=bug_called,
    is_called=lambda case, name: case == bug_called(name),
)
_PULL: Final = Kind(
    name=CaseKind.PULL,
    noun="pull case",
    workflow="PullWorkflow",
    snapshot=PullCase,
    working=PULL_WORKING,
    at_terminal={Audience.DEVELOPERS: Standing.OWNER},
    in_threads={Audience.DEVELOPERS: Standing.DEVELOPER},
    fixed_by_children=False,
    has_clock=False,
    id_from=pull_typed,
    is_called=is_pull_called,
)

KINDS: Final[Mapping[CaseKind, Kind]] = {kind.name: kind for kind in (_ISSUE, _BUG, _PULL)}
