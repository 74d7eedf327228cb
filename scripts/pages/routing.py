"""Generates docs/routing.md from the routing table."""

from typing import Final

from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Role
from caseworker.core.investigation.iterations import MOST_ITERATIONS, MOST_UNKNOWN
from caseworker.core.issue.case import InvestigationProgress, IssueCase
from caseworker.core.issue.investigation import after_cause_review
from caseworker.core.issue.routing import CAUSE_ROUTES, ROUTES, VERSION, Route, works_in
from caseworker.core.issue.states import IssueState
from caseworker.core.outcomes.investigation import CauseReviewOutcome
from caseworker.core.outcomes.status_names import ALIASES

RENEW: Final = "make pages"
_INTRODUCTION: Final = """\
# Where a case goes after a turn

For authors of rehearsals and developers of Caseworker: which state follows when a turn ends with a status. Every turn
of an agent ends with one status. This table (version {version}) has one row for each role and status, and nothing else
decides where the case goes. Guards can stop a move: for missing evidence, for a limit, or until a person answers
([states.md](states.md)). When the pm has read messages, `CONTINUE` may name the next state, and the same guards apply.
A worker checks the table when it starts, and refuses to start if a row has no edge in the table of states, or can't
occur.

This page is generated from the code (`core/issue/routing.py`, `core/outcomes/status_names.py`), and a test fails when
it is out of date. Write it again with

```
{renew}
```

*stays*: the case stays in its state for another turn, or goes on where it was when a person was asked.
*Otherwise* names the states from which the row leads to another state.
"""
_CAUSE: Final = """\
## The tech lead's review of a cause

After an investigation the tech lead reviews a cause, not a commit, and the same statuses have another meaning: they
approve no pull request. After the last of {most} iterations only three moves are left.

"""
_UNKNOWN: Final = """\
## Unknown statuses

A status without a row is recorded with the role and the state, and the tech lead is asked how to go on
(`reviewing_code`). From a state without an edge to the tech lead, the case goes to `requires_human_intervention`, and a
person decides. Nothing is guessed, and nothing counts as done.

The investigator is the exception: {most} iterations of an investigation may end with an unknown status and count as
`NEED_MORE_ANALYSIS`; the next one counts as `BLOCKED`.
"""


def routing_page() -> str:
    parts = [_INTRODUCTION.format(version=VERSION, renew=RENEW)]
    parts += [_section(role, rows) for role, rows in ROUTES.items()]
    return "\n".join([*parts, _CAUSE.format(most=MOST_ITERATIONS) + _causes(), _UNKNOWN.format(most=MOST_UNKNOWN)])


def _section(role: Role, rows: dict[str, Route]) -> str:
    where = ", ".join(f"`{state}`" for state in works_in(role))
    table = ["| status | other names | next state | otherwise |", "|---|---|---|---|"]
    for status, route in rows.items():
        names = ", ".join(f"`{name}`" for name, own in ALIASES.get(role, {}).items() if own == status)
        table.append(f"| `{status}` | {names} | {_to(route.to)} | {_otherwise(route)} |")
    return f"## The {role.words}\n\nWorks in {where}.\n\n" + "\n".join(table) + "\n"


def _causes() -> str:
    """Calls the rules instead of repeating them here."""
    table = ["| status | while iterations are left | after the last |", "|---|---|---|"]
    for status in ("APPROVED", "CHANGES_REQUESTED", "UNBLOCKING_GUIDANCE", "NEEDS_INFO"):
        outcome = CauseReviewOutcome(status=status, hypothesis="H1" if status == "APPROVED" else "", feedback="why")
        row = CAUSE_ROUTES[status].to or IssueState.REVIEWING_CODE
        ends = [f"`{after_cause_review(_judged(done), outcome, row, Policy()).to}`" for done in (1, MOST_ITERATIONS)]
        table.append(f"| `{status}` | {' | '.join(ends)} |")
    first = "With `APPROVED` and a test that was seen to fail already, `implementing` is next."
    return "\n".join([*table, "", first, ""])


def _judged(done: int) -> IssueCase:
    state = IssueState.REVIEWING_CODE
    return IssueCase(id=CaseId("owner/repository#1"), state=state, investigation=InvestigationProgress(iteration=done))


def _to(state: IssueState | None) -> str:
    return f"`{state}`" if state is not None else "*stays*"


def _otherwise(route: Route) -> str:
    """Groups the exceptions by the state they lead to, so that states with the same exception are one entry."""
    by_end: dict[str, list[str]] = {}
    for state, to in route.instead.items():
        by_end.setdefault("*stays*" if to is state else f"`{to}`", []).append(f"`{state}`")
    return "; ".join(f"{end} from {' and '.join(states)}" for end, states in by_end.items())
