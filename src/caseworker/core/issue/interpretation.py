"""The moves after the pm has read people's messages. The pm's reading of a message never counts as an approval."""

from typing import Final, assert_never

from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Role, Task
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.moves import Move
from caseworker.core.issue.moves_by_people import (
    automatic_move,
    escalated,
    is_about_merge,
    proven_first,
    state_to_resume,
    waits_for_a_command,
)
from caseworker.core.issue.posts import Draft, IssueAbout
from caseworker.core.issue.requirement_moves import before_gate
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import Subject, WaitingFor
from caseworker.core.issue.usual_moves import blocked, investigate, wait_for
from caseworker.core.outcomes.pm import InterpretOutcome

S = IssueState
A = IssueAbout
REPLY: Final = Draft(about=IssueAbout.REPLY)


def after_interpretation(case: IssueCase, outcome: InterpretOutcome, to: IssueState, policy: Policy) -> Move:
    match outcome.status:
        case "REJECT":
            return Move(to=S.CLOSED, reason=f"Not to be done: {outcome.reply}", say=REPLY)
        case "EXTERNAL_DEPENDENCY":
            return blocked(Role.PM, outcome.reply).model_copy(update={"say": REPLY})
        case "INVESTIGATION_NEEDED" | "CONTINUE" if _only_a_command_helps(case):
            return _return_to_wait(case, outcome.reply, Draft(about=A.COMMAND_NEEDED))
        case "INVESTIGATION_NEEDED" if (gate := before_gate(case, to, policy))[0] is not to:
            return Move(to=gate[0], reason=gate[1], say=REPLY, new_round=True)
        case "INVESTIGATION_NEEDED" if to is not S.INVESTIGATING:  # a plan has to state the problem first
            reason = f"It is to be investigated: {outcome.reply}"
            return Move(to=to, reason=reason, say=REPLY, new_round=True)
        case "INVESTIGATION_NEEDED":
            entered = investigate(case, outcome.reply, outcome.investigation)
            return entered.model_copy(update={"say": REPLY, "new_round": True})
        case "NEEDS_CLARIFICATION" if case.state is S.REQUIREMENTS_CLARIFIED:
            return Move(to=S.REQUIREMENTS_UNCLEAR, reason="Something is still unclear.", say=REPLY)
        case "NEEDS_CLARIFICATION" if waits_for_a_command(case):  # an answer to this must not count as an approval
            return _return_to_wait(case, " ".join(outcome.questions), Draft(about=A.QUESTIONS))
        case "NEEDS_CLARIFICATION":
            then = case.waiting.wait.then if case.waiting.wait is not None else case.waiting.resume
            return wait_for(WaitingFor.ANSWER, "People were asked.", then=then, say=Draft(about=A.QUESTIONS))
        case "NO_ACTION":
            return _return_to_wait(case, outcome.reply, REPLY)
        case "CONTINUE":
            return _continue(case, outcome, policy)
        case _:
            assert_never(outcome.status)


def after_unscripted_words(case: IssueCase) -> Move:
    """A rehearsed case can't read words that its script has no answer to. It goes back to what it waited for."""
    move = _return_to_wait(case, "", Draft(about=A.NOT_REHEARSED))
    reason = "What was said can't be read: the case is rehearsed, and its script has no answer to it (pm/interpret)."
    return move.model_copy(update={"reason": reason})


def _return_to_wait(case: IssueCase, reply: str, say: Draft) -> Move:
    """Nothing follows from the messages: the case returns to its wait."""
    if case.state is S.REQUIREMENTS_CLARIFIED:
        return Move(
            to=S.REQUIREMENTS_UNCLEAR,
            reason="That answers nothing yet.",
            go=S.WAITING_FOR_REQUIREMENTS_CLARIFICATION,
            say=say,
        )
    waits_for_merge = case.waiting.wait is not None and (
        is_about_merge(case.waiting.wait) or case.waiting.wait.reason is WaitingFor.MERGE
    )
    if waits_for_merge and case.delivery.joined:
        to, because = proven_first(case, S.CREATING_PR, None)
        return Move(to=to, reason=because, say=say)
    if case.waiting.wait is not None:
        nothing = "Nothing follows from what was said."
        off = is_about_merge(case.waiting.wait)
        return Move(to=S.WAITING_FOR_HUMAN_INPUT, reason=nothing, back=True, paid=off, say=say)
    goes_on = automatic_move(case.updated(go=case.waiting.resume)) if case.people.handed_back else None
    if goes_on is not None:  # a hand-back means that work goes on
        return goes_on.model_copy(update={"say": say})
    return Move(
        to=case.waiting.ended_as or S.REQUIRES_HUMAN_INTERVENTION,
        reason=f"Nothing follows from what was said. {reply}",
        say=say,
    )


def _only_a_command_helps(case: IssueCase) -> bool:
    """Whether only a command moves the case: a model's reading of words is no approval. The exception is an escalation,
    which people decide in any words."""
    return (
        waits_for_a_command(case)
        and case.waiting.wait is not None
        and case.waiting.wait.subject is not Subject.ESCALATION
    )


def _continue(case: IssueCase, outcome: InterpretOutcome, policy: Policy) -> Move:
    chosen = IssueState(outcome.next) if outcome.next else None
    if case.state is S.REQUIREMENTS_CLARIFIED:
        allowed = {S.ANALYZING_REQUIREMENTS, S.PLANNING_APPROACH, S.CREATING_TESTS, S.IMPLEMENTING}
        to = chosen if chosen in allowed else S.ANALYZING_REQUIREMENTS
        to = S.CREATING_TESTS if to is S.IMPLEMENTING and case.requirements.test_required else to
        to, because = before_gate(case, to, policy)
        return Move(to=to, reason=because or outcome.reply, say=REPLY)
    left = state_to_resume(case) or S.ANALYZING_REQUIREMENTS
    to = chosen or (S.ADDRESSING_FEEDBACK if case.people.remarks else left)
    wait = case.waiting.wait if case.waiting.wait is not None and to is case.waiting.wait.then else None
    task = (wait.task if wait is not None else None) or (
        case.waiting.resume_task if to is case.waiting.resume else None
    )
    gate, because = (to, "") if task is Task.VALIDATE_ROOT_CAUSE else before_gate(case, to, policy)
    to, task = (to, task) if gate is to else (gate, None)
    to, unproven = proven_first(case, to, task)
    reason, another = because or unproven or outcome.reply, wait is not None and wait.new_problem
    reason = f"{reason} {asked}" if (asked := escalated(case)) else reason
    return Move(to=to, task=task, reason=reason, say=REPLY, new_round=True, new_problem=another)
