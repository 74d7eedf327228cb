"""Builders of investigation values with defaults, so that a test names only the fields it is about."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from caseworker.core.base.roles import Role
from caseworker.core.investigation.matrix import (
    CompletedTurn,
    InvalidTurn,
    Investigation,
    begins_new,
    investigations,
    request_in,
)
from caseworker.core.issue.case import InvestigationProgress, IssueCase
from caseworker.core.issue.states import IssueState
from caseworker.core.outcomes.developer import ImplementationOutcome
from caseworker.core.outcomes.investigation import (
    CauseReviewOutcome,
    Criterion,
    Diagnostic,
    DiagnosticOutcome,
    Evidence,
    EvidenceBundle,
    Hypothesis,
    InvestigationOutcome,
    InvestigationRequest,
    RootCause,
    UnblockingOutcome,
)
from caseworker.core.outcomes.outcome import Outcome
from tests.core.examples import a_case

HypothesisStatus = Literal["pending", "testing", "confirmed", "eliminated"]
CauseStatus = Literal["APPROVED", "CHANGES_REQUESTED", "UNBLOCKING_GUIDANCE", "NEEDS_INFO"]
PmStatus = Literal["CONTINUE", "PROCEED", "EXTERNAL_DEPENDENCY", "NEEDS_CLARIFICATION"]

TWO = (Criterion.INTERMITTENT, Criterion.CAUSE_UNCLEAR)


class Turn(NamedTuple):
    """A completed turn with the fields that the matrix reads."""

    turn: int
    role: Role
    outcome: Outcome


def turns(*outcomes: Outcome) -> list[Turn]:
    return [Turn(number, _ROLES.get(outcome.kind, Role.PM), outcome) for number, outcome in enumerate(outcomes, 1)]


def began_in(history: Sequence[CompletedTurn]) -> tuple[int, ...]:
    """The turns after which the investigations begin, if the case follows every request at once."""
    began: tuple[int, ...] = ()
    for turned in history:
        request = request_in(turned.outcome)
        blocked = isinstance(turned.outcome, ImplementationOutcome) and turned.outcome.evidence is not None
        if request is not None and begins_new(began, new_problem=request.new_problem):
            began = (*began, turned.turn)
        elif not began and blocked:
            began = (turned.turn,)
        elif not began and isinstance(turned.outcome, InvestigationOutcome):
            began = (turned.turn - 1,)
    return began


def investigated(history: Sequence[CompletedTurn], *invalid: InvalidTurn) -> list[Investigation]:
    return investigations(history, invalid, began_in(history))


_ROLES = {
    "investigation": Role.INVESTIGATOR,
    "diagnostic": Role.DEVELOPER,
    "cause_review": Role.TECH_LEAD,
    "review": Role.TECH_LEAD,
    "implementation": Role.DEVELOPER,
}


def an_investigated_case(
    state: IssueState = IssueState.INVESTIGATING, /, *, iteration: int = 0, **known: object
) -> IssueCase:
    investigation = {"began", "unknown", "stands", "hypothesis"} & known.keys()
    about = {name: known.pop(name) for name in investigation}
    return a_case(state, investigation=InvestigationProgress.model_validate({"iteration": iteration, **about}), **known)


def a_hypothesis(
    id: str = "H1",
    status: HypothesisStatus = "pending",
    percent: int = 50,
    *,
    hypothesis: str = "Two requests change the cart at once.",
    evidence_for: Sequence[str] = (),
    evidence_against: Sequence[str] = (),
    next_test: str = "",
) -> Hypothesis:
    return Hypothesis(
        id=id,
        hypothesis=hypothesis,
        likelihood="High" if percent > 66 else "Low" if percent < 34 else "Medium",
        percent=percent,
        status=status,
        evidence_for=list(evidence_for),
        evidence_against=list(evidence_against),
        next_test=next_test,
    )


def a_request(
    problem: str = "The total is wrong now and then.",
    *,
    criteria: Sequence[Criterion] = TWO,
    matrix: Sequence[Hypothesis] = (),
    new_problem: bool = False,
) -> InvestigationRequest:
    return InvestigationRequest(
        problem_summary=problem, criteria=list(criteria), hypothesis_matrix=list(matrix), new_problem=new_problem
    )


def a_bundle() -> EvidenceBundle:
    return EvidenceBundle(
        error="AssertionError: 90 != 100",
        reproduction="python -m unittest test_cart",
        expected="90",
        actual="100, one run in five",
        environment="Python 3.11",
        attempts=["A lock around `add`: the same."],
    )


def a_root_cause(hypothesis: str = "H1") -> RootCause:
    return RootCause(
        hypothesis=hypothesis,
        cause="cart.py:12 reads the total before it holds the lock.",
        evidence=[
            Evidence(kind="command", source="python -m unittest test_cart", shows="1 of 5 runs fails"),
            Evidence(kind="file", source="cart.py:12", shows="the read before the lock"),
            Evidence(kind="run", source="diagnostic 3", shows="two reads before one write"),
        ],
        fix="Read the total after the lock is held.",
        validation="200 runs of `python -m unittest test_cart` pass.",
    )


def a_diagnostic(hypothesis: str = "H1") -> Diagnostic:
    return Diagnostic(
        hypothesis=hypothesis,
        file="cart.py",
        place="total",
        instrumentation="log every read and write of the total with the thread's name",
        scenario="python -m unittest test_cart",
        collect="the order of reads and writes",
        if_true="two reads before one write",
        if_false="reads and writes alternate",
    )


def iterated(status: str = "NEED_MORE_ANALYSIS", *matrix: Hypothesis, summary: str = "Looked.") -> InvestigationOutcome:
    """An iteration's outcome. Without a given matrix it has one that fits the status."""
    found = status == "ROOT_CAUSE_FOUND"
    fitting = {"ROOT_CAUSE_FOUND": "confirmed", "EXHAUSTED": "eliminated"}.get(status, "pending")
    hypotheses = list(matrix) or [Hypothesis.model_validate({"id": "H1", "hypothesis": "A race.", "status": fitting})]
    measures = status == "NEED_DEVELOPER_DIAGNOSTIC"
    return InvestigationOutcome(
        status=status,
        hypothesis_matrix=hypotheses,
        summary=summary,
        root_cause=a_root_cause(next(one.id for one in hypotheses if one.status == "confirmed")) if found else None,
        diagnostic=a_diagnostic(next(one.id for one in hypotheses if one.status != "eliminated")) if measures else None,
        needs="access to the staging log" if status in ("BLOCKED", "EXHAUSTED") else "",
    )


def without_a_matrix(status: str = "NEED_MORE_ANALYSIS") -> InvestigationOutcome:
    return InvestigationOutcome(status=status, hypothesis_matrix=[], summary="Nothing comes to mind.")


def diagnosed(
    status: Literal["DIAGNOSTIC_DONE", "ROOT_CAUSE_FOUND", "BLOCKED"] = "DIAGNOSTIC_DONE",
    agrees: Literal["if_true", "if_false", "neither"] = "if_true",
) -> DiagnosticOutcome:
    return DiagnosticOutcome(
        status=status,
        commands=["python -m unittest test_cart"],
        observed="read a, read b, write a, write b",
        agrees=agrees,
        summary="Both threads read before one writes.",
        root_cause=a_root_cause() if status == "ROOT_CAUSE_FOUND" else None,
    )


def cause_reviewed(status: CauseStatus = "APPROVED") -> CauseReviewOutcome:
    hypothesis = "H1" if status == "APPROVED" else ""
    return CauseReviewOutcome(status=status, hypothesis=hypothesis, feedback="What of a cart without a discount?")


def unblocked(status: PmStatus = "CONTINUE") -> UnblockingOutcome:
    return UnblockingOutcome(
        status=status,
        resources="The staging log is in logs/.",
        questions=["Which shop?"],
        reason="It can't be seen here.",
    )
