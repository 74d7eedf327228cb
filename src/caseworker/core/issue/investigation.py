"""The moves of an investigation: at most five iterations, each ended by one status; then the tech lead or the pm."""

from collections.abc import Sequence
from typing import assert_never

from caseworker.core.base.policy import Milestone, Policy
from caseworker.core.base.roles import Role, Task
from caseworker.core.investigation.iterations import MOST_ITERATIONS, counted_status, is_known
from caseworker.core.investigation.matrix import Investigation
from caseworker.core.issue.case import InvestigationProgress, IssueCase, limit_of
from caseworker.core.issue.moves import Move, is_used_up
from caseworker.core.issue.posts import Draft, IssueAbout
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import Subject, WaitingFor
from caseworker.core.issue.usual_moves import blocked, wait_for
from caseworker.core.outcomes.investigation import (
    CauseReviewOutcome,
    DiagnosticOutcome,
    InvestigationOutcome,
    InvestigationStatus,
    RootCause,
    UnblockingOutcome,
)

S = IssueState


def effective_status(case: IssueCase, outcome: InvestigationOutcome) -> InvestigationStatus:
    """The status that counts, for a case that the outcome was already applied to."""
    return counted_status(outcome, number=_of(case).iteration, unknown=_of(case).unknown)


def count_iteration(case: IssueCase, outcome: InvestigationOutcome) -> InvestigationProgress:
    """The investigation with one more iteration. If the outcome asks another role, the iteration is not finished."""
    before = _of(case)
    if outcome.ask:
        return before
    counted = before.model_copy(
        update={
            "iteration": before.iteration + 1,
            "unknown": before.unknown + (not is_known(outcome.status)),
        }
    )
    status = effective_status(case.updated(investigation=counted), outcome)
    ends = {"ROOT_CAUSE_FOUND": "found", "INVESTIGATION_INCOMPLETE": "incomplete"}
    return counted.model_copy(update={"stands": ends.get(status, "open")})


def count_invalid_iteration(case: IssueCase) -> InvestigationProgress:
    """The investigation with one more iteration, which handed in no valid outcome."""
    counted = _of(case).model_copy(update={"iteration": _of(case).iteration + 1})
    used_up = is_used_up(case.updated(investigation=counted))
    return counted.model_copy(update={"stands": "incomplete"}) if used_up else counted


def apply_cause_review(case: IssueCase, outcome: CauseReviewOutcome) -> InvestigationProgress:
    """The investigation with the tech lead's verdict: the hypothesis to act on, or that it is given up."""
    known = _of(case)
    if outcome.status == "APPROVED":
        return known.model_copy(update={"stands": "approved", "hypothesis": outcome.hypothesis})
    return known.model_copy(update={"stands": "given_up"}) if outcome.status == "UNBLOCKING_GUIDANCE" else known


def after_iteration(case: IssueCase, outcome: InvestigationOutcome) -> Move:
    count = f"Iteration {_of(case).iteration} of {MOST_ITERATIONS}"
    status = effective_status(case, outcome)
    if status != outcome.status and not is_known(outcome.status):
        count += f" (its status {outcome.status[:60]!r} is unknown and counts as {status})"
    said = f"{count}: {outcome.summary}"
    match status:
        case "ROOT_CAUSE_FOUND":
            reason = f"{said} The tech lead looks at the evidence."
            return Move(to=S.REVIEWING_CODE, task=Task.VALIDATE_ROOT_CAUSE, reason=reason)
        case "INVESTIGATION_INCOMPLETE":
            reason = f"{said} The cause is not proven. The tech lead decides what to do without it."
            return Move(to=S.REVIEWING_CODE, task=Task.VALIDATE_ROOT_CAUSE, reason=reason)
        case "NEED_DEVELOPER_DIAGNOSTIC":
            return Move(to=S.INVESTIGATING, task=Task.DIAGNOSTIC, reason=f"{said} A developer measures it.")
        case "BLOCKED" | "EXHAUSTED":
            unclear = outcome.hypothesis_matrix and not is_known(outcome.status)
            nothing = "what it answers can't be understood" if unclear else "there is no hypothesis left to look into"
            why = outcome.needs or nothing
            beyond = f" A person may have to decide: {outcome.escalation}" if outcome.escalation else ""
            reason = f"{said} It is stuck: {why}.{beyond} The pm sees to it."
            return Move(to=S.BLOCKED, task=Task.UNBLOCK, reason=reason)
        case "HYPOTHESIS_ELIMINATED" | "NEED_MORE_ANALYSIS":
            return Move(to=S.INVESTIGATING, reason=said)
        case _:
            assert_never(status)


def apply_diagnostic(case: IssueCase, outcome: DiagnosticOutcome) -> InvestigationProgress | None:
    """The investigation after a diagnostic, which may have found the cause. It is no iteration."""
    found = case.investigation
    if found is None or outcome.status != "ROOT_CAUSE_FOUND":
        return found
    return found.model_copy(update={"stands": "found"})


def after_diagnostic(outcome: DiagnosticOutcome) -> Move:
    if outcome.status == "ROOT_CAUSE_FOUND":
        reason = f"The senior developer names the cause: {outcome.summary} The tech lead looks at the evidence."
        return Move(to=S.REVIEWING_CODE, task=Task.VALIDATE_ROOT_CAUSE, reason=reason)
    how = "Measured" if outcome.status == "DIAGNOSTIC_DONE" else "It could not be measured"
    return Move(to=S.INVESTIGATING, reason=f"{how}: {outcome.summary}")


def without_diagnostic(reason: str) -> Move:
    """The investigation goes on without the measurement."""
    return Move(to=S.INVESTIGATING, reason=reason)


def why_not_approvable(case: IssueCase, known: Sequence[Investigation], outcome: CauseReviewOutcome) -> str:
    """Why this hypothesis can't be approved. Empty: it can. If a cause was claimed, only that one can."""
    investigation = known[-1] if known else Investigation(number=1)
    named = [one for one in investigation.hypotheses if one.id == outcome.hypothesis]
    if not named:
        return f"{outcome.hypothesis} is not in the matrix"
    if named[0].status == "eliminated":
        return f"{outcome.hypothesis} is eliminated"
    claimed = investigation.root_cause.hypothesis if investigation.root_cause is not None else ""
    if _of(case).stands == "found" and outcome.hypothesis != claimed:
        return f"the cause to be judged is {claimed}, not {outcome.hypothesis}"
    return ""


def why_not_claimable(known: Sequence[Investigation], cause: RootCause) -> str:
    """Why a diagnostic can't claim this cause. Empty: it can. All other hypotheses must be eliminated before."""
    hypotheses = known[-1].hypotheses if known else ()
    if cause.hypothesis not in {one.id for one in hypotheses if one.status != "eliminated"}:
        return f"ROOT_CAUSE_FOUND, but {cause.hypothesis} is not open in the matrix"
    others = [one.id for one in hypotheses if one.status != "eliminated" and one.id != cause.hypothesis]
    return f"ROOT_CAUSE_FOUND, but {others[0]} is in the matrix and not eliminated" if others else ""


def after_invalid_iteration(case: IssueCase, reason: str) -> Move:
    """The move after an iteration without a valid outcome. It counts as one that found nothing."""
    said = f"Iteration {_of(case).iteration} of {MOST_ITERATIONS} came to nothing: {reason}"
    if is_used_up(case):
        return Move(to=S.REVIEWING_CODE, task=Task.VALIDATE_ROOT_CAUSE, reason=said)
    return Move(to=S.INVESTIGATING, reason=said)


def after_cause_review(case: IssueCase, outcome: CauseReviewOutcome, to: IssueState, policy: Policy) -> Move:
    match outcome.status:
        case "APPROVED":
            return _move_to_fix(case, f"The tech lead accepts {outcome.hypothesis} as the cause.", to, policy)
        case "CHANGES_REQUESTED" if not is_used_up(case):
            return Move(to=to, reason=f"The tech lead is not convinced: {outcome.feedback}")
        case "UNBLOCKING_GUIDANCE":
            return Move(to=to, reason=f"The cause stays unproven; it is planned without it: {outcome.feedback}")
        case "CHANGES_REQUESTED" | "NEEDS_INFO":
            then = S.PLANNING_APPROACH if is_used_up(case) else S.INVESTIGATING
            return wait_for(WaitingFor.ANSWER, outcome.feedback, then=then, say=Draft(about=IssueAbout.ROLE_ASKS))
        case _:
            assert_never(outcome.status)


def _move_to_fix(case: IssueCase, reason: str, to: IssueState, policy: Policy) -> Move:
    """The move to the fix. If a person wants to see a plan, it is made first."""
    stops_there = limit_of(case, policy) is Milestone.PLAN
    if stops_there or (policy.approve_plan and not case.granted(Subject.PLAN)):
        return Move(to=S.PLANNING_APPROACH, reason=f"{reason} How to go about it is planned first.")
    if case.requirements.test_required and not case.evidence.red:
        return Move(to=to, reason=f"{reason} A test comes first.")
    return Move(to=S.IMPLEMENTING, reason=reason)


def after_unblocking(outcome: UnblockingOutcome, to: IssueState) -> Move:
    match outcome.status:
        case "CONTINUE":
            return Move(to=to, reason=f"The investigation goes on with what it was given: {outcome.reason}")
        case "PROCEED":
            return Move(to=to, reason=f"It goes on without the investigation: {outcome.reason}")
        case "EXTERNAL_DEPENDENCY":
            return blocked(Role.PM, outcome.reason).model_copy(update={"say": Draft(about=IssueAbout.REPLY)})
        case "NEEDS_CLARIFICATION":
            asks = Draft(about=IssueAbout.QUESTIONS)
            return wait_for(WaitingFor.ANSWER, outcome.reason, then=S.INVESTIGATING, say=asks)
        case _:
            assert_never(outcome.status)


def _of(case: IssueCase) -> InvestigationProgress:
    return case.investigation or InvestigationProgress()
