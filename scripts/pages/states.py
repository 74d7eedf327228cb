"""Generates docs/states.md from the table of states and the rules."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

from caseworker.core.base.errors import Defect
from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Policy
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.decide import decide
from caseworker.core.issue.facts import TimedOut
from caseworker.core.issue.moves import Move, make_move
from caseworker.core.issue.states import PARKED, TERMINAL, WAITING, WORKING, IssueState, next_states, own_edges
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.issue.turns import TURN_OF

S = IssueState
RENEW: Final = "make pages"
GUARDS: Final = (
    "there is a change: the commit is not the one from which the work began",
    "the build of exactly that commit was green; or it was built, and a person waived what keeps it from being green",
    "the tech lead approved exactly that commit",
    "for a bug or a new feature: the tests of exactly that commit were run on the base's code, and one that is new or "
    "changed failed there; or a person waived it",
    "the review gives a reason for each test that checks less, and for each change of what decides; or a person waived "
    "it",
)
"""What `proof.proven` asks for, in its order."""
_ANY: Final = "any_working_state"
_USUAL: Final = (
    (S.RECEIVED, S.ANALYZING_REQUIREMENTS, "worth doing"),
    (S.RECEIVED, S.CREATING_TESTS, "a small bug, its line known"),
    (S.ANALYZING_REQUIREMENTS, S.REQUIREMENTS_UNCLEAR, "unclear"),
    (S.REQUIREMENTS_UNCLEAR, S.WAITING_FOR_REQUIREMENTS_CLARIFICATION, "people are asked"),
    (S.WAITING_FOR_REQUIREMENTS_CLARIFICATION, S.REQUIREMENTS_CLARIFIED, "an answer"),
    (S.REQUIREMENTS_CLARIFIED, S.ANALYZING_REQUIREMENTS, ""),
    (S.ANALYZING_REQUIREMENTS, S.PLANNING_APPROACH, "clear, and not small"),
    (S.ANALYZING_REQUIREMENTS, S.CREATING_TESTS, "clear"),
    (S.PLANNING_APPROACH, S.CREATING_TESTS, ""),
    (S.CREATING_TESTS, S.IMPLEMENTING, "red first"),
    (S.IMPLEMENTING, S.RUNNING_TESTS, ""),
    (S.RUNNING_TESTS, S.FIXING_ISSUES, "red"),
    (S.FIXING_ISSUES, S.RUNNING_TESTS, ""),
    (S.RUNNING_TESTS, S.REVIEWING_CODE, "green"),
    (S.REVIEWING_CODE, S.FIXING_ISSUES, "changes wanted"),
    (S.REVIEWING_CODE, S.VALIDATING_SOLUTION, "approved, and not small"),
    (S.REVIEWING_CODE, S.CREATING_PR, "approved"),
    (S.VALIDATING_SOLUTION, S.CREATING_PR, ""),
    (S.CREATING_PR, S.WAITING_FOR_HUMAN_INPUT, "pull request"),
    (S.WAITING_FOR_HUMAN_INPUT, S.HUMAN_INPUT_RECEIVED, "feedback"),
    (S.HUMAN_INPUT_RECEIVED, S.ADDRESSING_FEEDBACK, ""),
    (S.ADDRESSING_FEEDBACK, S.RUNNING_TESTS, ""),
    (S.WAITING_FOR_HUMAN_INPUT, S.COMPLETED, "merged"),
)
"""The moves of most cases, for the first diagram."""
_INVESTIGATION: Final = (
    (S.PLANNING_APPROACH, S.INVESTIGATING, "the pm asks for it"),
    (S.REVIEWING_CODE, S.INVESTIGATING, "the tech lead asks for it"),
    (S.IMPLEMENTING, S.INVESTIGATING, "a developer is blocked"),
    (S.INVESTIGATING, S.REVIEWING_CODE, "a cause, or five iterations"),
    (S.REVIEWING_CODE, S.CREATING_TESTS, "the cause is accepted"),
    (S.REVIEWING_CODE, S.PLANNING_APPROACH, "planned without a cause"),
    (S.INVESTIGATING, S.BLOCKED, "stuck, the pm decides"),
    (S.BLOCKED, S.INVESTIGATING, "new information"),
    (S.BLOCKED, S.PLANNING_APPROACH, "planned without a cause"),
    (S.BLOCKED, S.WAITING_FOR_HUMAN_INPUT, "people are asked"),
)
_SECOND: Final = {
    S.RUNNING_TESTS: "; the tester: judge, after a red build",
    S.REVIEWING_CODE: "; unblock, validate root cause",
    S.INVESTIGATING: "; a developer: diagnostic",
    S.BLOCKED: "; the pm: unblock, once",
}
"""Turns in a state besides its usual one."""
_INTRODUCTION: Final = """\
# The states of an issue case

For users who want to know what a state means, and for developers of Caseworker: all states, the edges between them,
who works in each, and how long a case waits. A case is in one state at a time, and at most one agent works in it. An
edge alone is not enough for a move: the evidence has to be there as well.

This page is generated from the code (`core/issue/states.py`, `core/issue/decide.py`, `core/issue/moves.py`), and a
test fails when it is out of date. Write it again with

```
{renew}
```
"""
_INQUIRED: Final = (
    "A diagnostic, and an iteration that needs another one, stay in `investigating`: see\n"
    "[investigations.md](investigations.md).\n"
)
_COLOURS: Final = "Green: an agent works. Yellow: waits for people. Red: parked until a person moves it. Grey: ended.\n"


def states_page() -> str:
    parts = [
        _INTRODUCTION.format(renew=RENEW),
        f"## The usual way\n\n```mermaid\n{_drawn(_labelled(_USUAL), drawn=USUAL_STATES)}\n```\n",
        _COLOURS,
        f"## An investigation\n\n```mermaid\n{_drawn(_labelled(_INVESTIGATION), drawn=_INQUIRING)}\n```\n",
        _INQUIRED,
        f"## Every edge\n\n```mermaid\n{_drawn(_all(), drawn=frozenset(IssueState))}\n```\n",
        _common(),
        f"## Who works where\n\n{_states()}\n",
        f"## What `creating_pr` needs\n\nIt is entered only if\n\n{_listed(GUARDS)}\n",
        f"## How long a case waits\n\n{_waits()}\n",
    ]
    return "\n".join(parts)


USUAL_STATES: Final = frozenset(state for before, after, _ in _USUAL for state in (before, after))


_INQUIRING: Final = frozenset(state for before, after, _ in _INVESTIGATION for state in (before, after))


def _labelled(edges: Iterable[tuple[IssueState, IssueState, str]]) -> list[str]:
    lines: list[str] = []
    for before, after, label in edges:
        if after not in next_states(before):
            raise Defect(f"{before} -> {after} is drawn, and is not an edge of the table")
        lines.append(f"{before} --> {after}{f': {label}' if label else ''}")
    return lines


def _all() -> list[str]:
    """Draws edges that all working states have in common once."""
    lines = [f'state "any working state" as {_ANY}']
    for state in IssueState:
        if state is S.HUMAN_INPUT_RECEIVED:
            lines.append(f"{state} --> {_ANY}")
            continue
        lines += [f"{state} --> {after}" for after in _ordered(own_edges(state))]
    lines += [f"{_ANY} --> {after}" for after in _ordered(_shared() | {S.CLOSED})]
    return [*lines, f"{S.WAITING_FOR_HUMAN_INPUT} --> {S.COMPLETED}: merged"]


def _drawn(lines: list[str], *, drawn: frozenset[IssueState]) -> str:
    lines = [f"[*] --> {S.RECEIVED}", *lines] if S.RECEIVED in drawn else lines
    for name, group, colour in _GROUPS:
        if group & drawn:
            lines.append(f"classDef {name} {colour}")
            lines.append(f"class {', '.join(_ordered(group & drawn))} {name}")
    return "\n".join(["stateDiagram-v2", *(f"    {line}" for line in lines)])


_GROUPS: Final = (
    ("waiting", WAITING, "fill:#fff3c4,stroke:#b8860b,color:#222"),
    ("parked", PARKED, "fill:#ffd9d2,stroke:#b03a2e,color:#222"),
    ("terminal", TERMINAL, "fill:#dfe7ee,stroke:#5d6d7e,color:#222"),
    ("working", WORKING, "fill:#e3f4e1,stroke:#2e7d32,color:#222"),
)


def _common() -> str:
    return (
        "Edges that all working states have in common are drawn once, at `any working state`. Every state that has\n"
        "not ended can end in `completed` (the branch was merged) or `closed` (a person closes the case); where\n"
        "somebody works it can also end in `failed` (a limit is reached). `retry`, or a message that asks for work,\n"
        "opens a `failed` or `closed` case again, but never a `completed` one. A person steps in by a takeover; words\n"
        "reach whoever works. Every edge is taken by some rule: a test walks all of them.\n"
    )


def _shared() -> frozenset[IssueState]:
    """The edges that every working state has."""
    return frozenset.intersection(*(next_states(state) for state in WORKING)) - {S.COMPLETED, S.CLOSED}


def _states() -> str:
    rows = ["| state | kind | who works | goes on to |", "|---|---|---|---|"]
    for state in IssueState:
        after = "any working state" if state is S.HUMAN_INPUT_RECEIVED else _names(own_edges(state))
        rows.append(f"| `{state}` | {_kind(state)} | {_worker(state)} | {after or 'nothing: it has ended'} |")
    return "\n".join(rows)


def _kind(state: IssueState) -> str:
    return next(name for name, group, _ in _GROUPS if state in group)


def _worker(state: IssueState) -> str:
    return f"{_first(state)}{_SECOND.get(state, '')}"


def _first(state: IssueState) -> str:
    if state not in WORKING:
        return "nobody" if state not in WAITING else "nobody: people are asked"
    if state not in TURN_OF:
        return "code"
    role, task = TURN_OF[state]
    return f"the {role.words}: {task.value.replace('_', ' ')}"


def _waits() -> str:
    rows = ["| it waits for | one reminder | without an answer |", "|---|---|---|"]
    policy = Policy()
    for reason in WaitingFor:
        end = _end_of(reason, policy)
        if end is None:
            rows.append(f"| {_WAITS[reason]} | no | it waits without limit |")
        else:
            reminded = f"after {policy.reminder_seconds / 3_600:.0f} hours"
            rows.append(
                f"| {_WAITS[reason]} | {reminded} | `{end[1]}` after {end[0]:.0f} days; it can still be moved |"
            )
    parked = policy.parked_reminder_seconds / 86_400
    return "\n".join([*rows, f"\nA parked case reminds people every {parked:.0f} days."])


_WAITS: Final = {
    WaitingFor.ANSWER: "an answer",
    WaitingFor.APPROVAL: "an approval, or a waiver",
    WaitingFor.BUDGET: "more money",
    WaitingFor.MILESTONE: "permission to go on after a milestone",
    WaitingFor.MERGE: "a merge",
    WaitingFor.CURE: "something to be put right outside of the case: the tests' environment, the key, the provider",
}


def _end_of(reason: WaitingFor, policy: Policy) -> tuple[float, IssueState] | None:
    """Returns after how many days the wait ends, and in which state. Calls the rules instead of repeating them here."""
    now = datetime(2000, 1, 1, tzinfo=UTC)
    asking = Move(to=S.WAITING_FOR_HUMAN_INPUT, reason="asked", waiting_for=reason)
    case = make_move(IssueCase(id=CaseId("a/b#1"), state=S.REVIEWING_CODE), asking, policy, now)
    if case.waiting.wait is None or case.waiting.wait.until is None:
        return None
    return (case.waiting.wait.until - now).total_seconds() / 86_400, decide(case, TimedOut(), policy).to


def _names(states: Iterable[IssueState]) -> str:
    return ", ".join(f"`{state}`" for state in _ordered(states))


def _ordered(states: Iterable[IssueState]) -> list[IssueState]:
    """Sorts by the order in which a case passes the states, not by the alphabet."""
    order = list(IssueState)
    return sorted(states, key=order.index)


def _listed(lines: Iterable[str]) -> str:
    return ";\n".join(f"- {line}" for line in lines) + "."
