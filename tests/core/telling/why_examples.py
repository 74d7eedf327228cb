"""What `why` says about a case in every state, for every wait and every subject.

Regenerate the page of expected texts, and read its diff:

    python -m tests.core.telling.why_examples > tests/core/telling/why_expected.md
"""

import sys
from datetime import timedelta

from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.policy import Milestone, Policy
from caseworker.core.base.roles import Task
from caseworker.core.bug.case import BugCase, BugState
from caseworker.core.evidence.obstacles import Obstacle
from caseworker.core.issue.case import InvestigationProgress, IssueCase, Wait
from caseworker.core.issue.posts import IssueAbout, IssuePost
from caseworker.core.issue.states import PARKED, WAITING, WORKING, IssueState
from caseworker.core.issue.subjects import Grant, Subject, WaitingFor
from caseworker.core.people.messages import Audience
from caseworker.core.telling.bug_why import why_bug
from caseworker.core.telling.why import Why, at, why
from tests.core.examples import BASE, CASE, HEAD, MORNING, OTHER, a_bug, a_case, a_proven_case

S = IssueState
SATURDAY = MORNING + timedelta(days=5)
SUNDAY = MORNING + timedelta(days=6)
POLICY = Policy()


ASKED = "Before the work can go on, please tell us:\n1. Which page?\n2. Since when?"
QUESTION = IssuePost(about=IssueAbout.QUESTIONS, audience=Audience.DEVELOPERS, epoch=1, number=2)


def a_wait(
    reason: WaitingFor, subject: Subject | None = None, then: IssueState | None = None, asked: IssuePost | None = None
) -> dict[str, object]:
    ends = None if reason in (WaitingFor.MERGE, WaitingFor.MILESTONE) else SUNDAY
    wait = Wait(reason=reason, subject=subject, then=then, until=ends, asked=asked)
    return {"wait": wait, "waiting_for": reason, "since": MORNING}


def _early(state: IssueState, /, **known: object) -> IssueCase:
    """A case before any commit."""
    return a_case(state, **{"checkpoint": BASE, "transitions": 2, "reason": "The issue is worth working on.", **known})


def _late(state: IssueState, /, **known: object) -> IssueCase:
    """A bug fix with a red test and a written change."""
    seen = {
        "issue_type": "BUG_FIX",
        "tests": OTHER,
        "test_file": "tests/test_cart.py",
        "red": True,
        "transitions": 7,
        "reason": "The change is written; now it is built and tested.",
    }
    return a_case(state, **{**seen, **known})


EARLY = (
    S.RECEIVED,
    S.ANALYZING_REQUIREMENTS,
    S.REQUIREMENTS_UNCLEAR,
    S.REQUIREMENTS_CLARIFIED,
    S.PLANNING_APPROACH,
    S.CREATING_TESTS,
    S.UPDATING_TESTS,
)


def _working() -> dict[str, IssueCase]:
    found = {state.value: _early(state) if state in EARLY else _late(state) for state in IssueState if state in WORKING}
    found[S.RECEIVED] = a_case(S.RECEIVED, base=None, checkpoint=None)
    found[S.REQUIREMENTS_CLARIFIED] = _early(S.REQUIREMENTS_CLARIFIED, asked=1, reason="ada has spoken.")
    found[S.REVIEWING_CODE] = _late(S.REVIEWING_CODE, green=HEAD, built=HEAD, planned=True)
    found[S.FIXING_ISSUES] = _late(
        S.FIXING_ISSUES,
        built=HEAD,
        attempt=2,
        senior=True,
        reason="Red: one test fails. Attempt 2 of 3.",
    )
    found[S.ADDRESSING_FEEDBACK] = a_proven_case(
        S.ADDRESSING_FEEDBACK, built=HEAD, pull_request=1, pushed=HEAD, remarks=[4, 5], round=2, transitions=14
    )
    found[S.CREATING_PR] = a_proven_case(
        S.CREATING_PR,
        built=HEAD,
        grants=[Grant(subject=Subject.PLAN, by="ada"), Grant(subject=Subject.NO_RED_TEST, by="grace")],
        red=False,
        proved=None,
        reason="The review approves the commit whose build is green.",
    )
    return found | {
        "running_tests, a red build is judged": _late(S.RUNNING_TESTS, built=HEAD, task=Task.JUDGE),
        "reviewing_code, all attempts used": _late(
            S.REVIEWING_CODE, built=HEAD, task=Task.UNBLOCK, attempt=3, approved=OTHER
        ),
        "fixing_issues, with guidance": _late(S.FIXING_ISSUES, built=OTHER, attempt=4, guided=True, senior=True),
        "human_input_received, passing by": _late(
            S.HUMAN_INPUT_RECEIVED, go=S.REVIEWING_CODE, reason="ada agrees.", pull_request=None
        ),
    }


def _investigated() -> dict[str, IssueCase]:
    """Cases in an investigation, right after it, and stuck in it."""
    matrix = "Iteration 2 of 5: The cart is changed by two threads."
    stuck = "Iteration 2 of 5: Looked. It is stuck: access to the staging log. The pm sees to it."
    left = {"resume": S.INVESTIGATING, "since": MORNING}

    def at(state: IssueState, iteration: int, stands: object = "open", **known: object) -> IssueCase:
        investigation = {"iteration": iteration, "stands": stands, "hypothesis": "H2" if stands == "approved" else ""}
        return _early(state, **{"investigation": investigation, "reason": matrix, "transitions": 9, **known})

    judged = {"task": Task.VALIDATE_ROOT_CAUSE}
    return {
        "investigating, the first iteration": at(S.INVESTIGATING, 0, reason="It is investigated: it fails at times."),
        "investigating, the third iteration": at(S.INVESTIGATING, 2),
        "investigating, the last iteration": at(S.INVESTIGATING, 4),
        "investigating, of a second problem": at(S.INVESTIGATING, 1).updated(
            investigation=InvestigationProgress(began=(3, 9), iteration=1)
        ),
        "investigating, a diagnostic": at(S.INVESTIGATING, 2, task=Task.DIAGNOSTIC),
        "reviewing_code, a cause is judged": at(S.REVIEWING_CODE, 2, "found", **judged),
        "reviewing_code, no cause after five iterations": at(S.REVIEWING_CODE, 5, "incomplete", **judged),
        "creating_tests, the cause is accepted": at(
            S.CREATING_TESTS, 2, "approved", reason="The tech lead accepts H2 as the cause. A test comes first."
        ),
        "planning_approach, without a cause": at(S.PLANNING_APPROACH, 5, "given_up"),
        "blocked, the pm sees to an investigation": at(S.BLOCKED, 2, **left, task=Task.UNBLOCK, reason=stuck),
        "blocked, an investigation lacks something": at(
            S.BLOCKED, 2, **left, reason="The pm can't go on: the staging log is not ours to give."
        ),
        "waiting_for_human_input, an investigation asks": at(
            S.WAITING_FOR_HUMAN_INPUT,
            2,
            **{**left, **a_wait(WaitingFor.ANSWER, then=S.INVESTIGATING)},
            reason="Which shop shows it?",
        ),
    }


def _waiting() -> dict[str, IssueCase]:
    state = S.WAITING_FOR_HUMAN_INPUT
    unclear = {"reason": "The requirements are unclear, and people were asked.", "asked": 1}
    found = {
        S.WAITING_FOR_REQUIREMENTS_CLARIFICATION.value: _early(
            S.WAITING_FOR_REQUIREMENTS_CLARIFICATION, **a_wait(WaitingFor.ANSWER, asked=QUESTION), **unclear
        ),
        "waiting_for_requirements_clarification, after mere thanks": _early(
            S.WAITING_FOR_REQUIREMENTS_CLARIFICATION,
            **a_wait(WaitingFor.ANSWER, asked=QUESTION),
            **{**unclear, "reason": "The requirements are unclear, and people were asked. It waits on."},
        ),
        "waiting_for_human_input, answer": _late(
            state,
            **a_wait(WaitingFor.ANSWER, then=S.REVIEWING_CODE),
            reminders=1,
            reason="Is the old price kept?",
        ),
        "waiting_for_human_input, budget": _late(
            state, **a_wait(WaitingFor.BUDGET, then=S.IMPLEMENTING), reason="the case's budget is used up"
        ),
        "waiting_for_human_input, milestone triage": _early(
            state,
            **a_wait(WaitingFor.MILESTONE),
            until=Milestone.TRIAGE,
            reason="The issue is triaged: as far as asked.",
        ),
        "waiting_for_human_input, milestone plan": _early(
            state, **a_wait(WaitingFor.MILESTONE), until=Milestone.PLAN, planned=True, reason="The plan is made."
        ),
        "waiting_for_human_input, merge": a_proven_case(
            state,
            **a_wait(WaitingFor.MERGE),
            built=HEAD,
            pull_request=1,
            pushed=HEAD,
            reason="`agent/issue-42` is ready; a person merges it.",
        ),
        "waiting_for_human_input, cure: the tests can't be run": _early(
            state,
            **a_wait(WaitingFor.CURE, Subject.NOT_RUN, then=S.RECEIVED),
            obstacle=Obstacle(why="missing_command", command="make test", missing="pytest"),
            reason="`make test` could not be run: there is no `pytest`.",
        ),
        "waiting_for_human_input, cure: the key is refused": _late(
            state,
            **a_wait(WaitingFor.CURE, then=S.IMPLEMENTING),
            reason="The developer can't work: the key was refused.",
        ),
        "waiting_for_human_input, approval": _late(state, **a_wait(WaitingFor.APPROVAL), reason="May we?"),
    }
    for subject in (one for one in Subject if one is not Subject.NOT_RUN):
        name = f"waiting_for_human_input, approval: {subject.value}"
        found[name] = _late(state, **a_wait(WaitingFor.APPROVAL, subject), built=HEAD, red=False, reason="May we?")
    return found


def _parked() -> dict[str, IssueCase]:
    still = {"since": MORNING}
    timed_out = {"reason": "Nobody has answered: people were asked."}
    return {
        "blocked": _late(S.BLOCKED, **still, reason="The developer can't go on: the sandbox has no such key."),
        "blocked, nobody has answered": _early(
            S.BLOCKED, **a_wait(WaitingFor.ANSWER, asked=QUESTION), **timed_out, asked=2
        ),
        "blocked, nobody has approved": _early(S.BLOCKED, **a_wait(WaitingFor.APPROVAL, Subject.PLAN), **timed_out),
        "blocked, nobody has raised the budget": _late(S.BLOCKED, **a_wait(WaitingFor.BUDGET), **timed_out),
        "requires_human_intervention": _late(S.REQUIRES_HUMAN_INTERVENTION, **still, reason="No progress."),
        "requires_human_intervention, taken over": _late(
            S.REQUIRES_HUMAN_INTERVENTION, **still, taken_by="grace", reason="grace has taken it over."
        ),
        "requires_human_intervention, taken over while an approval is awaited": _early(
            S.REQUIRES_HUMAN_INTERVENTION,
            **a_wait(WaitingFor.APPROVAL, Subject.PLAN),
            taken_by="grace",
            reason="grace has taken it over.",
        ),
        **{f"requires_human_intervention, stuck over words: {reason}": _stuck(reason) for reason in WaitingFor},
    }


def _stuck(reason: WaitingFor) -> IssueCase:
    """Cases that waited when a person spoke, and whose interpret turn met its limit."""
    wait = a_wait(reason, Subject.PLAN if reason is WaitingFor.APPROVAL else None)
    known: dict[WaitingFor, dict[str, object]] = {
        WaitingFor.MERGE: {"pull_request": 1, "pushed": HEAD},
        WaitingFor.MILESTONE: {"until": Milestone.PLAN, "planned": True},
    }
    limit = {"waiting_for": None, "reason": "The pm's turn met its limit: 60 minutes."}
    return _late(S.REQUIRES_HUMAN_INTERVENTION, **{**wait, **limit, **known.get(reason, {})})


def _over() -> dict[str, IssueCase]:
    return {
        "completed": a_proven_case(S.COMPLETED, built=HEAD, pull_request=1, pushed=HEAD, reason="Merged by ada."),
        "failed": _late(S.FAILED, attempt=4, reason="All 3 attempts are used."),
        "closed": _early(S.CLOSED, reason="Closed by ada."),
    }


def _bugs() -> dict[str, BugCase]:
    named: dict[str, dict[str, object]] = {
        "new": {},
        "investigating": {"severity": "P1", "services": ("checkout",), "turns": 1},
        "awaiting_reporter": {"state": BugState.AWAITING_REPORTER, "severity": "P2", "until": SUNDAY},
        "awaiting_dev": {
            "state": BugState.AWAITING_DEV,
            "severity": "P2",
            "remind_at": SATURDAY,
            "until": SUNDAY,
            "findings_posted": True,
            "reason": "findings were posted",
        },
        "awaiting_dev, with a fix": {
            "state": BugState.AWAITING_DEV,
            "severity": "P2",
            "findings_posted": True,
            "fix": CASE,
            "fix_open": True,
            "remind_at": SATURDAY,
        },
        "awaiting_dev, out of money": {
            "state": BugState.AWAITING_DEV,
            "severity": "P2",
            "warned_of_cap": 5_000_000,
            "out_of_money": True,
            "remind_at": SATURDAY,
            "until": SUNDAY,
            "reason": "the budget of $5.00 is used up",
        },
        "awaiting_dev, after a turn that failed": {
            "state": BugState.AWAITING_DEV,
            "severity": "P2",
            "cure": True,
            "escalated": True,
            "remind_at": SATURDAY,
            "reason": "the agent could not be started",
        },
        "awaiting_reporter, near the end of its budget": {
            "state": BugState.AWAITING_REPORTER,
            "severity": "P2",
            "warned_of_cap": 5_000_000,
            "until": SUNDAY,
        },
        "dev_takeover": {"state": BugState.DEV_TAKEOVER, "severity": "P2", "taken_by": "grace"},
        "dev_takeover, with a fix": {
            "state": BugState.DEV_TAKEOVER,
            "severity": "P2",
            "taken_by": "grace",
            "fix": CASE,
            "fix_open": True,
        },
        "resolved": {"state": BugState.RESOLVED, "severity": "P2", "resolution": "code_fix", "reason": "it was fixed"},
        "resolved, with a fix": {
            "state": BugState.RESOLVED,
            "severity": "P2",
            "fix": CASE,
            "fix_open": True,
            "reason": "closed by @rita",
        },
    }
    return {f"a bug, {name}": a_bug(**known) for name, known in named.items()}


ISSUES = {**_working(), **_investigated(), **_waiting(), **_parked(), **_over()}
BUGS = _bugs()


def page() -> str:
    typed = TerminalPhrasing()
    told = {name: why(case, POLICY, typed, spent=420_000, asked=_asked(case)) for name, case in ISSUES.items()}
    told |= {name: why_bug(bug, typed) for name, bug in BUGS.items()}
    head = "What `caseworker why` says of each case in `why_examples.py`, which also says how to renew this page."
    return "\n".join([head, *(_section(name, one) for name, one in told.items())])


def _asked(case: IssueCase) -> str:
    wait = case.waiting.wait
    return ASKED if wait is not None and wait.asked is not None else ""


def _section(name: str, one: Why) -> str:
    lines = [f"\n## {name}", one.stands, f"Because: {one.because}", *(f"- {line}" for line in one.evidence)]
    if one.waits_for:
        lines.append(f"Waits: {one.waits_for}" + (f" Until {at(one.until)}." if one.until is not None else ""))
    if one.asked:
        lines.append(f"Asks: {one.asked}")
    return "\n".join([*lines, *(f"> {line}" for line in one.moves_it), f"Next: {one.next}"])


def covers(case: IssueCase) -> tuple[IssueState, WaitingFor | None, Subject | None]:
    waits = case.waiting.wait if case.state in WAITING | PARKED else None
    return case.state, waits.reason if waits else None, waits.subject if waits else None


if __name__ == "__main__":
    sys.stdout.write(f"{page()}\n")
