"""The decision about a request for a workflow: every step, in its order."""

import pytest

from caseworker.core.base.policy import Milestone
from caseworker.core.people.trigger import LiteralCommand, Option
from caseworker.core.runs.delivery_outcomes import Duplicate, NotDone, RefusalReason
from caseworker.core.runs.dispatch import (
    CaseFacts,
    Go,
    GoOn,
    OpenCase,
    Remember,
    RunAgain,
    TargetFacts,
    TryAgain,
    decide,
)
from caseworker.core.runs.registry import TargetKind
from caseworker.core.runs.workflow_names import WorkflowName

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
        ("plan", ISSUE, CaseFacts(in_flight=W.TRIAGE), R.NEEDS_EARLIER),
        ("implement", ISSUE, TRIAGED, R.NEEDS_EARLIER),
        ("triage", ISSUE, PLANNED.model_copy(update={"waits_at": None}), R.ALREADY_DONE),
        ("plan", ISSUE, PLANNED.model_copy(update={"waits_at": None, "in_flight": W.IMPLEMENT}), R.WORK_IN_FLIGHT),
        ("plan", ISSUE, PLANNED.model_copy(update={"waits_at": None, "has_pull": True}), R.PULL_OPEN),
        ("plan", ISSUE, TRIAGED.model_copy(update={"is_over": True, "waits_at": None}), R.CASE_ENDED),
        ("review", PULL, None, R.NOT_THERE_YET),
        ("resolve", PULL, None, R.NOT_THERE_YET),
        ("ship", PULL, None, R.NOT_THERE_YET),
        ("remember", PULL, None, R.NOTHING_TO_REMEMBER),
    ],
)
def test_what_is_refused_and_why(
    verb: str, target: TargetFacts | None, case: CaseFacts | None, reason: RefusalReason
) -> None:
    decision = ask(verb, target, case)
    assert isinstance(decision, NotDone)
    assert decision.reason is reason


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
