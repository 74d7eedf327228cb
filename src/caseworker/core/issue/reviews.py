"""The moves after a developer's change, and after the tech lead's review of it."""

from typing import Final, assert_never

from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Role
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.moves import Move
from caseworker.core.issue.posts import Draft, IssueAbout
from caseworker.core.issue.proof import is_green
from caseworker.core.issue.states import IssueState, next_states
from caseworker.core.issue.subjects import Subject, WaitingFor
from caseworker.core.issue.usual_moves import deliver, investigate, park, repair, wait_for
from caseworker.core.outcomes.developer import ImplementationOutcome
from caseworker.core.outcomes.tech_lead import ReviewOutcome

S = IssueState
A = IssueAbout


def after_writing(case: IssueCase, role: Role, outcome: ImplementationOutcome, to: IssueState, policy: Policy) -> Move:
    match outcome.status:
        case "SPAWN_INVESTIGATOR" | "BLOCKED":
            return investigate(case, outcome.summary, outcome.investigation)
        case "ESCALATE_SENIOR" if role is Role.DEVELOPER:
            return Move(to=case.state, reason=f"The senior developer takes over: {outcome.summary}")
        case "ESCALATE_SENIOR":
            return park(outcome.summary)
        case "PARTIAL":
            return repair(case, policy, f"Not finished: {outcome.summary}", to)
        case "REQUIREMENT_GAP" if to is S.WAITING_FOR_HUMAN_INPUT:
            then = case.state if case.state is S.ADDRESSING_FEEDBACK else S.ANALYZING_REQUIREMENTS
            return wait_for(WaitingFor.ANSWER, outcome.summary, then=then, say=Draft(about=A.ROLE_ASKS))
        case "REQUIREMENT_GAP":
            return repair(case, policy, f"The requirements have a gap: {outcome.summary}", to)
        case "READY_FOR_QA" | "READY_FOR_REVIEW" | "NEEDS_TECH_LEAD_VALIDATION":
            if case.delivery.checkpoint == case.delivery.base:
                return park("The developer says it is done, but nothing was changed.")
            return Move(to=S.RUNNING_TESTS, reason="The change is written; now it is built and tested.")
        case _:
            assert_never(outcome.status)


def after_code_review(case: IssueCase, outcome: ReviewOutcome, to: IssueState, policy: Policy) -> Move:
    feedback = outcome.feedback_for_writer or ""
    match outcome.status:
        case "APPROVED" | "APPROVED_WITH_NOTES":
            if case.state is not S.REVIEWING_CODE:
                return Move(to=S.REVIEWING_CODE, reason="That part of the review is sound; the rest is looked at.")
            if not is_green(case):
                return park("The review approves a commit whose build was not seen green. Another try builds it again.")
            if case.requirements.weighty:
                return Move(to=S.VALIDATING_SOLUTION, reason="The review approves; what was asked for is checked.")
            return deliver(case, "The review approves the commit whose build is green.")
        case "CHANGES_REQUESTED" | "REFACTOR" if case.state is S.REVIEWING_ARCHITECTURE:
            again = repair(case, policy, "The architecture has to change.", to)
            if again.to is not S.REFACTORING:
                return again
            move = wait_for(WaitingFor.APPROVAL, feedback, subject=Subject.ARCHITECTURE, then=S.REFACTORING)
            return move.model_copy(update={"say": Draft(about=A.ARCHITECTURE), "attempt": True})
        case "TESTS_NEED_WORK" if to is S.REVIEWING_CODE:
            return Move(to=to, reason=f"The tests are looked at with the rest of the code: {feedback}")
        case "CHANGES_REQUESTED" | "UNBLOCKING_GUIDANCE":
            return repair(case, policy, "The review asks for changes.", to)
        case "REFACTOR":
            return repair(case, policy, "The review asks for another shape of the code.", to)
        case "TESTS_NEED_WORK":
            return repair(case, policy, "The review asks for other tests.", to)
        case "REQUIREMENT_GAP":
            return repair(case, policy, f"The review has found a gap in the requirements: {feedback}", to)
        case "NEEDS_INFO":
            return wait_for(WaitingFor.ANSWER, feedback, then=case.state, say=Draft(about=A.ROLE_ASKS))
        case "SPAWN_INVESTIGATOR" | "ESCALATE":
            return investigate(case, feedback, outcome.investigation)
        case "ARCHITECTURE_REVIEW" | "INTEGRATION_REVIEW":
            return Move(to=to, reason=feedback)
        case _:
            assert_never(outcome.status)


def after_guidance(case: IssueCase, outcome: ReviewOutcome) -> Move:
    """The move after an unblock turn: one more attempt with guidance, an investigation, or a person."""
    feedback = outcome.feedback_for_writer or " ".join(outcome.good)
    if outcome.status in ("SPAWN_INVESTIGATOR", "ESCALATE"):
        return investigate(case, feedback, outcome.investigation)
    to = next((state for state in _WAYS_ON.get(outcome.status, ()) if state in next_states(case.state)), None)
    if outcome.status in _WRITING_HELPS:
        return Move(to=to or case.state, reason="The tech lead has shown a way on.", attempt=True)
    if to is None:
        return park(f"The tech lead sees no way on without a person: {feedback}")
    return Move(to=to, reason=f"The tech lead has shown a way on: {feedback}", attempt=True)


_WRITING: Final = (S.FIXING_ISSUES, S.IMPLEMENTING, S.REFACTORING)
_WAYS_ON: Final[dict[str, tuple[IssueState, ...]]] = {
    "UNBLOCKING_GUIDANCE": _WRITING,
    "CHANGES_REQUESTED": _WRITING,
    "REFACTOR": (S.REFACTORING, *_WRITING),
    "TESTS_NEED_WORK": (S.UPDATING_TESTS,),
    "REQUIREMENT_GAP": (S.ANALYZING_REQUIREMENTS,),
}
"""Where guidance leads: the first of these that has an edge."""
_WRITING_HELPS: Final = frozenset({"UNBLOCKING_GUIDANCE", "CHANGES_REQUESTED", "REFACTOR"})
"""With these the case may also stay in its state for another turn of the developer."""
