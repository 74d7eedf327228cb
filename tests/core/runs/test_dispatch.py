"""The decision about a request for a workflow: every step, in its order."""

import pytest

from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Milestone
from caseworker.core.base.workflow_names import PullWork, WorkflowName
from caseworker.core.people.commands import StartWork
from caseworker.core.people.registry import TargetKind
from caseworker.core.people.trigger import LiteralCommand, Option
from caseworker.core.runs.deadlines import parse_deadline
from caseworker.core.runs.delivery_outcomes import Duplicate, NotDone, RefusalReason
from caseworker.core.runs.dispatch import (
    CaseFacts,
    Go,
    GoOn,
    OpenCase,
    OpenPull,
    ParentFacts,
    Remember,
    RunAgain,
    StartAgain,
    TargetFacts,
    TryAgain,
    decide,
)

R, W = RefusalReason, WorkflowName
ISSUE = TargetFacts(kind=TargetKind.ISSUE, is_open=True)
PULL = TargetFacts(kind=TargetKind.PULL, is_open=True)
TRIAGED = CaseFacts(done=frozenset({W.TRIAGE}), last=W.TRIAGE, waits_at=Milestone.TRIAGE)
PLANNED = CaseFacts(done=frozenset({W.TRIAGE, W.PLAN}), last=W.PLAN, waits_at=Milestone.PLAN)


def ask(verb: str, target: TargetFacts | None = ISSUE, case: CaseFacts | None = None) -> Go | NotDone | Duplicate:
    return decide(LiteralCommand(verb=verb), target, case)


@pytest.mark.parametrize(
    ("verb", "case", "start"),
    [
        ("triage", None, OpenCase(until=Milestone.TRIAGE)),
        ("plan", TRIAGED, GoOn(until=Milestone.PLAN)),
        ("implement", PLANNED, GoOn(until=Milestone.PR)),
        ("triage", CaseFacts(last=W.TRIAGE, is_over=True), TryAgain()),
        ("triage", TRIAGED, RunAgain(until=Milestone.TRIAGE)),
        ("plan", PLANNED, RunAgain(until=Milestone.PLAN)),
        ("triage", PLANNED, RunAgain(until=Milestone.TRIAGE)),
    ],
)
def test_what_starts_a_workflow_on_an_issue(verb: str, case: CaseFacts | None, start: object) -> None:
    decision = ask(verb, case=case)
    assert isinstance(decision, Go)
    assert (decision.workflow, decision.start) == (verb, start)


@pytest.mark.parametrize(
    ("verb", "target", "case", "reason"),
    [
        ("deploy", ISSUE, None, R.UNKNOWN_WORKFLOW),
        ("deploy", None, None, R.UNKNOWN_WORKFLOW),  # the registry is first
        ("triage", None, None, R.TARGET_GONE),
        ("triage", PULL, None, R.WRONG_TARGET),
        ("review", ISSUE, None, R.WRONG_TARGET),
        ("triage", ISSUE.model_copy(update={"is_open": False}), None, R.TARGET_CLOSED),
        ("triage", ISSUE.model_copy(update={"is_locked": True}), None, R.TARGET_LOCKED),
        ("plan", ISSUE.model_copy(update={"is_open": False}), None, R.TARGET_CLOSED),  # context before prerequisite
        ("plan", ISSUE, None, R.NEEDS_EARLIER),
        ("plan", ISSUE, CaseFacts(in_flight=W.TRIAGE), R.WORK_IN_FLIGHT),
        ("implement", ISSUE, CaseFacts(in_flight=W.TRIAGE), R.NEEDS_EARLIER),
        ("implement", ISSUE, TRIAGED, R.NEEDS_EARLIER),
        ("triage", ISSUE, PLANNED.model_copy(update={"waits_at": None}), R.ALREADY_DONE),
        ("plan", ISSUE, PLANNED.model_copy(update={"waits_at": None, "in_flight": W.IMPLEMENT}), R.WORK_IN_FLIGHT),
        ("plan", ISSUE, PLANNED.model_copy(update={"waits_at": None, "has_pull": True}), R.PULL_OPEN),
        ("plan", ISSUE, TRIAGED.model_copy(update={"is_over": True, "waits_at": None}), R.CASE_ENDED),
        ("ship", ISSUE, None, R.WRONG_TARGET),
        ("ship", PULL.model_copy(update={"is_open": False}), None, R.TARGET_CLOSED),
        ("ship", PULL.model_copy(update={"is_locked": True}), None, R.TARGET_LOCKED),
        ("review", PULL, CaseFacts(in_flight=W.SHIP), R.WORK_IN_FLIGHT),
        ("remember", PULL, None, R.NOTHING_TO_REMEMBER),
    ],
)
def test_what_is_refused_and_why(
    verb: str, target: TargetFacts | None, case: CaseFacts | None, reason: RefusalReason
) -> None:
    decision = ask(verb, target, case)
    assert isinstance(decision, NotDone)
    assert decision.reason is reason


@pytest.mark.parametrize(
    ("verb", "case", "missing"),
    [("plan", None, "triage"), ("implement", None, "triage plan"), ("implement", TRIAGED, "plan")],
)
def test_a_refusal_names_all_steps_that_are_missing(verb: str, case: CaseFacts | None, missing: str) -> None:
    assert ask(verb, ISSUE, case) == NotDone(reason=R.NEEDS_EARLIER, workflow=W(verb), detail=missing)


def test_a_run_in_flight_makes_the_request_a_duplicate() -> None:
    running = TRIAGED.model_copy(update={"in_flight": W.PLAN, "waits_at": None})
    assert ask("plan", case=running) == Duplicate(workflow=W.PLAN)


def test_labels_are_only_removed_if_the_request_passes() -> None:
    both = ISSUE.model_copy(update={"labels": ("bug", "bot:triage", "bot:plan")})
    assert isinstance(ask("plan", both), NotDone)
    passes = ask("plan", both, TRIAGED)
    assert isinstance(passes, Go)
    assert passes.remove_labels == ("bot:triage",)


def test_an_option_that_a_workflow_does_not_have_is_refused() -> None:
    command = LiteralCommand(verb="triage", options=(Option(name="deadline", value="2h"),))
    assert decide(command, ISSUE, None) == NotDone(reason=R.BAD_OPTION, workflow=W.TRIAGE, detail="--deadline")


def test_remember_works_on_closed_targets_too() -> None:
    command = LiteralCommand(verb="remember", options=(Option(name="path", value="src/**"),), text="Use tabs.")
    decision = decide(command, PULL.model_copy(update={"is_open": False}), None)
    assert isinstance(decision, Go)
    assert decision.start == Remember(text="Use tabs.", path="src/**")


# --- on a pull request

ENDED = CaseFacts(last=W.SHIP, is_over=True)
PAUSED = CaseFacts(in_flight=W.SHIP, last=W.SHIP, is_paused=True)


@pytest.mark.parametrize("work", ["review", "resolve", "ship"])
@pytest.mark.parametrize("case", [None, ENDED, PAUSED])
def test_a_workflow_opens_a_pull_case_or_starts_it_again(work: PullWork, case: CaseFacts | None) -> None:
    decision = ask(work, PULL, case)
    start = StartWork(workflow=work)
    assert isinstance(decision, Go)
    assert decision.start == (OpenPull(command=start) if case is None else StartAgain(command=start))


def test_the_same_workflow_in_flight_on_a_pull_request_is_a_duplicate() -> None:
    assert ask("ship", PULL, CaseFacts(in_flight=W.SHIP)) == Duplicate(workflow=W.SHIP)
    waiting = CaseFacts(in_flight=W.SHIP, last=W.SHIP, is_over=True)  # its message is not read yet
    assert ask("ship", PULL, waiting) == Duplicate(workflow=W.SHIP)


@pytest.mark.parametrize("is_at_work", [True, False])
def test_no_session_begins_while_the_case_that_opened_the_pull_request_works(is_at_work: bool) -> None:
    parent = ParentFacts(case=CaseId("acme/shop#7"), is_at_work=is_at_work)
    decision = decide(LiteralCommand(verb="ship"), PULL, None, parent)
    refused = NotDone(reason=R.CASE_AT_WORK, workflow=W.SHIP, detail="acme/shop#7")
    assert decision == refused if is_at_work else isinstance(decision, Go)


@pytest.mark.parametrize(
    ("text", "seconds"), [("90m", 5_400), ("2h", 7_200), ("1d", 86_400), ("30d", 2_592_000), ("1m", 60)]
)
def test_a_deadline_is_a_number_with_its_unit(text: str, seconds: int) -> None:
    assert parse_deadline(text) == seconds
    command = LiteralCommand(verb="ship", options=(Option(name="deadline", value=text),))
    decision = decide(command, PULL, None)
    assert isinstance(decision, Go)
    assert decision.start == OpenPull(command=StartWork(workflow="ship", deadline_seconds=seconds))


@pytest.mark.parametrize(
    "text", ["", "2", "2 h", "h", "0h", "02h", "-2h", "2.5h", "2H", "2h30m", "31d", "99999d", "\u0662h"]
)
def test_any_other_deadline_is_refused_with_what_was_written(text: str) -> None:
    assert parse_deadline(text) is None
    command = LiteralCommand(verb="ship", options=(Option(name="deadline", value=text),))
    assert decide(command, PULL, None) == NotDone(reason=R.BAD_DEADLINE, workflow=W.SHIP, detail=text)
