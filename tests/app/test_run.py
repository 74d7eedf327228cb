"""`caseworker run` before anything runs: the policy of a case, how far it goes, and what is printed."""

import json
from pathlib import Path

import pytest

from caseworker.app.cli.issue_commands import Until
from caseworker.app.processes.open_issue import RunRequest, policy_for
from caseworker.app.settings import Settings
from caseworker.app.terminal.run_issue import announce, exit_code
from caseworker.core.base.policy import Milestone, Policy
from caseworker.core.evidence.repository_rules import RepositoryRules
from caseworker.core.issue.case import Wait
from caseworker.core.issue.posts import IssueAbout, IssuePost
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.outcomes.pm import PlanOutcome
from caseworker.core.people.messages import Audience
from caseworker.core.record.entries import Posted, Transitioned
from caseworker.ports import NewIssue, StoredCase
from caseworker.store.store import Store
from caseworker.views.requests import may_go_on_until, what_is_asked
from tests.app.issue_desk import move
from tests.app.test_views import a_summary, paper
from tests.core.examples import triaged
from tests.edges.store_examples import open_case

S = IssueState
M = Milestone
ASKED = Posted(audience=Audience.DEVELOPERS, about="questions", number=1, text="1. Which page?")
QUESTION = IssuePost(about=IssueAbout.QUESTIONS, audience=Audience.DEVELOPERS, epoch=1, number=1)
MOVED = Transitioned(number=1, from_state=S.REVIEWING_CODE, to_state=S.WAITING_FOR_HUMAN_INPUT, reason="asked")
PLAN = PlanOutcome(status="PLANNING_COMPLETE", plan="# Plan\n1. Subtract first.")


def asked(*, budget: float | None = None, until: Milestone | None = None) -> RunRequest:
    return RunRequest(
        repository=Path("/srv/shop"), issue=NewIssue(title="t", body=""), rehearsal=None, budget_usd=budget, until=until
    )


def policy(request: RunRequest, rules: RepositoryRules, **known: object) -> Policy:
    return policy_for(request, rules, Settings.model_validate({"home": "/nowhere", **known}))


def test_a_case_is_opened_with_the_deployments_policy() -> None:
    found = policy(asked(), RepositoryRules(), budget_usd=3, until="plan", approve_plan=True, attempts=2)
    assert (found.budget_micros, found.until, found.approve_plan, found.attempts) == (3_000_000, M.PLAN, True, 2)


def test_the_repository_narrows_the_policy_and_an_option_overrides_both() -> None:
    rules = RepositoryRules(approve_plan=True, budget_micros=2_500_000, until=M.TRIAGE)
    narrowed = policy(asked(), rules)
    assert (narrowed.budget_micros, narrowed.until, narrowed.approve_plan) == (2_500_000, M.TRIAGE, True)
    said = policy(asked(budget=20, until=M.PR), rules)
    assert (said.budget_micros, said.until, said.approve_plan) == (20_000_000, M.PR, True)


def test_the_milestones_of_the_command_line_are_those_of_the_core() -> None:
    assert [until.value for until in Until] == [milestone.value for milestone in Milestone]


# --- a later step


async def stored(store: Store, **known: object) -> StoredCase:
    case = await open_case(store)
    await move(store, case, MOVED, **known)
    found = await store.cases.load(case)
    assert found is not None
    return found


def at_milestone(until: Milestone) -> dict[str, object]:
    wait = Wait(reason=WaitingFor.MILESTONE)
    return {"state": S.WAITING_FOR_HUMAN_INPUT, "wait": wait, "waiting_for": wait.reason, "until": until}


@pytest.mark.parametrize(
    ("reached", "wanted", "goes_on"),
    [
        (M.TRIAGE, M.PLAN, True),
        (M.TRIAGE, M.PR, True),
        (M.PLAN, M.PR, True),
        (M.TRIAGE, M.TRIAGE, False),
        (M.PLAN, M.TRIAGE, False),
        (M.PLAN, M.PLAN, False),
    ],
)
async def test_a_case_at_a_milestone_goes_on_to_a_later_one(
    store: Store, reached: Milestone, wanted: Milestone, goes_on: bool
) -> None:
    assert may_go_on_until(await stored(store, **at_milestone(reached)), wanted) is goes_on


@pytest.mark.parametrize("reason", [WaitingFor.APPROVAL, WaitingFor.MERGE, None])
async def test_a_case_that_works_or_waits_for_something_else_does_not_go_on(
    store: Store, reason: WaitingFor | None
) -> None:
    wait = Wait(reason=reason) if reason is not None else None
    state = S.WAITING_FOR_HUMAN_INPUT if wait is not None else S.IMPLEMENTING
    assert not may_go_on_until(await stored(store, state=state, wait=wait, until=M.TRIAGE), M.PR)


# --- what it asks


@pytest.mark.parametrize(
    ("known", "outcomes", "words"),
    [
        (
            {"state": S.WAITING_FOR_HUMAN_INPUT, "wait": Wait(reason=WaitingFor.ANSWER, asked=QUESTION)},
            [PLAN],
            "1. Which page?",
        ),
        ({"state": S.BLOCKED, "wait": Wait(reason=WaitingFor.ANSWER, asked=QUESTION)}, [], "1. Which page?"),
        ({"state": S.BLOCKED}, [], ""),
        ({"state": S.IMPLEMENTING, "wait": Wait(reason=WaitingFor.ANSWER)}, [], ""),
        ({"state": S.WAITING_FOR_HUMAN_INPUT, "wait": Wait(reason=WaitingFor.MERGE)}, [PLAN], ""),
        (at_milestone(M.PLAN), [triaged(), PLAN], "# Plan\n1. Subtract first."),
        (at_milestone(M.TRIAGE), [triaged()], "A clear bug. A bug fix; its scope is small, and it is simple."),
        (at_milestone(M.TRIAGE), [], ""),
    ],
)
async def test_a_waiting_case_shows_its_request_or_its_milestones_result(
    store: Store, known: dict[str, object], outcomes: list[Outcome], words: str
) -> None:
    waits = await stored(store, **known)
    await move(store, waits.case.id, MOVED, ASKED)
    assert await what_is_asked(store, waits, outcomes) == words


LONG = f"This is the plan.\n\n{'step ' * 2_000}done."


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ({"wait": Wait(reason=WaitingFor.ANSWER)}, ""),
        ({"wait": Wait(reason=WaitingFor.APPROVAL, asked=QUESTION)}, LONG),
        ({"wait": Wait(reason=WaitingFor.ANSWER, asked=QUESTION), "taken_by": "grace"}, ""),
    ],
)
async def test_the_request_is_shown_and_not_what_the_pm_has_said_since(
    store: Store, known: dict[str, object], words: str
) -> None:
    """A long request is in the record word for word."""
    waits = await stored(store, state=S.BLOCKED, **known)
    await move(store, waits.case.id, MOVED, ASKED.model_copy(update={"text": LONG}))
    await move(
        store, waits.case.id, MOVED, ASKED.model_copy(update={"number": 2, "text": "I shall wait for ada, then."})
    )
    assert await what_is_asked(store, waits, []) == words


# --- detached


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ({"state": S.IMPLEMENTING}, "is under way. `caseworker show shop/1` tells how it stands."),
        (
            {**at_milestone(M.PLAN), "reason": "The plan is there."},
            "waits for a word to go on: The plan is there. `caseworker why shop/1` says what would move it.",
        ),
        ({"state": S.CLOSED}, "is closed. `caseworker retry shop/1` works on it again."),
    ],
)
async def test_detached_it_prints_whether_the_case_works_or_what_it_waits_for(
    store: Store, known: dict[str, object], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    left = await stored(store, **known)
    console, file = paper()
    await announce(store, left.case.id, console, as_json=False)
    assert file.getvalue() == f"local/shop#1 {words}\n"
    await announce(store, left.case.id, console, as_json=True)
    line = capsys.readouterr().out
    assert line.count("\n") == 1
    assert json.loads(line)["kind"] == "case"
    assert json.loads(line)["state"] == left.case.state.value


# --- how it ends


@pytest.mark.parametrize(
    ("result", "code"),
    [("pull_request", 0), ("merged", 0), ("milestone", 0), ("waits", 1), ("ended", 1), ("working", 1)],
)
def test_the_exit_code_is_0_if_the_case_reached_its_goal(result: str, code: int) -> None:
    assert exit_code(a_summary(result=result)) == code
