"""Moves that many decisions share: repair, ask, wait, park, deliver."""

from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Role, Task
from caseworker.core.evidence.sensitive_paths import topic_lines
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.moves import KEPT_TASKS, Move
from caseworker.core.issue.posts import Draft, IssueAbout
from caseworker.core.issue.proof import may_be_delivered, tests_fail_on_base, undecided, unexplained
from caseworker.core.issue.states import IssueState, next_states
from caseworker.core.issue.subjects import Subject, WaitingFor
from caseworker.core.outcomes.investigation import InvestigationRequest

S = IssueState
A = IssueAbout


def deliver(case: IssueCase, reason: str) -> Move:
    touches = undecided(case)
    if may_be_delivered(case) and touches:
        asks = f"A person has to agree to it first: it touches {topic_lines(touches)}."
        move = wait_for(WaitingFor.APPROVAL, asks, subject=Subject.TOUCHES, then=S.CREATING_PR)
        return move.model_copy(update={"say": Draft(about=A.TOUCHES, note=topic_lines(touches))})
    if may_be_delivered(case):
        return Move(to=S.CREATING_PR, reason=reason)
    if not tests_fail_on_base(case):
        why = f": {case.proof.unproved}" if case.proof.unproved else ""
        return waiver(Subject.NO_RED_TEST, f"There is no test that fails without the fix{why}.", S.REVIEWING_CODE)
    if case.evidence.approved == case.delivery.checkpoint and (left := unexplained(case)):
        asks = f"The review approves without a reason for this: {' '.join(left)}"
        return waiver(Subject.WEAKENED, asks, S.CREATING_PR)
    if case.delivery.checkpoint == case.delivery.base:
        return park("There is nothing to deliver: the branch is where the work began, and holds no change.")
    return Move(to=S.REVIEWING_CODE, reason="It is reviewed again: what was approved is not what would be pushed.")


def repair(case: IssueCase, policy: Policy, reason: str, to: IssueState) -> Move:
    """Another attempt. After the last one the tech lead may allow one more; after that the case fails."""
    if case.limits.attempt < policy.attempts:
        return Move(to=to, reason=f"{reason} Attempt {case.limits.attempt + 1} of {policy.attempts}.", attempt=True)
    if not case.limits.guided:
        return unblock(case, f"{reason} All {policy.attempts} attempts are used.")
    return Move(
        to=S.FAILED, reason=f"{reason} All {policy.attempts} attempts are used, and one more with the tech lead's help."
    )


def unblock(case: IssueCase, reason: str) -> Move:
    asks = f"{reason} The tech lead looks for a way on."
    stays = case.state is S.REVIEWING_CODE or S.REVIEWING_CODE not in next_states(case.state)
    return Move(to=case.state if stays else S.REVIEWING_CODE, task=Task.UNBLOCK, reason=asks)


def unknown(case: IssueCase, what: str) -> Move:
    """The move if no rule applies: the tech lead decides, or a person if the tech lead can't be asked from here."""
    reason = f"No rule says what follows when the {what} in {case.state}."
    if S.REVIEWING_CODE in next_states(case.state):
        return Move(to=S.REVIEWING_CODE, task=Task.UNBLOCK, reason=reason)
    return park(reason)


def investigate(case: IssueCase, why: str, request: InvestigationRequest | None = None) -> Move:
    """The move to an investigation. If there is no edge to it, the case is parked."""
    problem = request.problem_summary if request is not None else why
    if S.INVESTIGATING not in next_states(case.state):
        return park(f"It needs an investigation: {problem}")
    new = request is not None and request.new_problem
    return Move(to=S.INVESTIGATING, reason=f"It is investigated: {problem}", new_problem=new)


def blocked(role: Role, why: str) -> Move:
    return Move(to=S.BLOCKED, reason=f"The {role.words} can't go on: {why}")


def park(reason: str) -> Move:
    return Move(to=S.REQUIRES_HUMAN_INTERVENTION, reason=reason)


def milestone(reached: str, then: IssueState) -> Move:
    reason = f"{reached}: as far as it was to go."
    return wait_for(WaitingFor.MILESTONE, reason, then=then)


def waiver(subject: Subject, reason: str, then: IssueState) -> Move:
    move = wait_for(WaitingFor.APPROVAL, reason, subject=subject, then=then)
    return move.model_copy(update={"say": Draft(about=A.WAIVER, note=reason)})


def cure(case: IssueCase, reason: str, subject: Subject | None = None) -> Move:
    """Waits until a person has put something right outside of the case. It goes on where it was left."""
    say = Draft(about=A.CURE, note=reason)
    move = wait_for(WaitingFor.CURE, reason, subject=subject, then=case.state, say=say)
    return move.model_copy(update={"then_task": case.progress.task if case.progress.task in KEPT_TASKS else None})


def wait_for(
    waiting_for: WaitingFor,
    reason: str,
    *,
    subject: Subject | None = None,
    then: IssueState | None = None,
    say: Draft | None = None,
) -> Move:
    to = S.WAITING_FOR_HUMAN_INPUT
    return Move(to=to, reason=reason, waiting_for=waiting_for, subject=subject, then=then, say=say)
