"""The moves after triage, analysis and plan: what has to be there before a test or a change is written."""

from typing import Final

from caseworker.core.base.policy import Milestone, Policy
from caseworker.core.base.roles import Role
from caseworker.core.issue.case import IssueCase, limit_of
from caseworker.core.issue.moves import Move
from caseworker.core.issue.posts import Draft, IssueAbout
from caseworker.core.issue.states import WORKING, IssueState
from caseworker.core.issue.subjects import Subject, WaitingFor
from caseworker.core.issue.usual_moves import blocked, investigate, milestone, wait_for
from caseworker.core.outcomes.analyst import AnalysisOutcome
from caseworker.core.outcomes.pm import IssueType, PlanOutcome, TriageOutcome

S = IssueState
A = IssueAbout


def after_triage(case: IssueCase, outcome: TriageOutcome, to: IssueState, policy: Policy) -> Move:
    if outcome.status == "REJECT":
        return Move(to=S.CLOSED, reason=f"Not worth doing: {outcome.reason}", say=Draft(about=A.REJECTED))
    plan_first = wants_plan(case, policy)
    then = _after_waiting(case, plan_first=plan_first)
    if outcome.status == "NEEDS_APPROVAL" or outcome.topics:
        asks = f"A person has to agree first: {outcome.reason}"
        move = wait_for(WaitingFor.APPROVAL, asks, subject=Subject.SENSITIVE, then=then)
        return move.model_copy(update={"say": Draft(about=A.SENSITIVE)})
    if limit_of(case, policy) is Milestone.TRIAGE:
        return milestone("The issue is triaged", then)
    by_triage = "The triage names the defect" if outcome.defect is not None else "The triage brings the analysis"
    how = by_triage if outcome.brings_analysis else "It comes with its analysis"
    if case.requirements.analysed and plan_first:  # there is no edge from here to the planning state
        reason = f"{how}; the analyst checks it, and how to go about it is planned before any test."
        return Move(to=S.ANALYZING_REQUIREMENTS, reason=reason)
    if case.requirements.analysed:
        return Move(to=then, reason=f"{how}; a test comes first.")
    return Move(to=to, reason="The issue is worth working on.")


def _after_waiting(case: IssueCase, *, plan_first: bool) -> IssueState:
    """Where a case continues that waits for a person right after its triage."""
    if not case.requirements.analysed:
        return S.ANALYZING_REQUIREMENTS
    return S.PLANNING_APPROACH if plan_first else S.CREATING_TESTS


def wants_plan(case: IssueCase, policy: Policy) -> bool:
    wanted = policy.approve_plan or limit_of(case, policy) is Milestone.PLAN or case.requirements.weighty
    return wanted and not case.requirements.planned


PAST_THE_PLAN: Final = WORKING - {
    S.RECEIVED,
    S.ANALYZING_REQUIREMENTS,
    S.REQUIREMENTS_UNCLEAR,
    S.REQUIREMENTS_CLARIFIED,
    S.PLANNING_APPROACH,
    S.INVESTIGATING,
    S.HUMAN_INPUT_RECEIVED,
}
"""States in which something is written, tested or delivered."""
_CHANGING: Final = frozenset({S.IMPLEMENTING, S.FIXING_ISSUES, S.REFACTORING})
"""States in which the change is written, for which a test comes first."""


def plan_is_open(case: IssueCase, policy: Policy) -> bool:
    """Whether the policy, or a person, wants a plan before anything is written, and it is not made or not approved."""
    if limit_of(case, policy) is not Milestone.PR:
        return True
    return policy.approve_plan and not (case.requirements.planned and case.granted(Subject.PLAN))


def lacks_plan(case: IssueCase, policy: Policy) -> bool:
    """Whether a plan has to be made before anything is written. A cause that the tech lead approved is acted on
    without one."""
    acts_on_cause = case.investigation is not None and case.investigation.stands == "approved"
    return plan_is_open(case, policy) or (wants_plan(case, policy) and not acts_on_cause)


def lacks_test(case: IssueCase) -> bool:
    """Whether a test has to be written before the change. Where a change was written already, it was there."""
    if not case.requirements.test_required or case.waiting.resume in _CHANGING:
        return False
    is_bug = case.requirements.issue_type is IssueType.BUG_FIX
    seen = case.evidence.red or (bool(case.evidence.test_file) and not is_bug)
    return not (seen or case.granted(Subject.NO_RED_TEST))


def before_gate(case: IssueCase, to: IssueState, policy: Policy) -> tuple[IssueState, str]:
    """The state to enter after words, and why if it is not `to`: only a command passes a gate that is still open."""
    wait = case.waiting.wait
    escalated = wait is not None and wait.subject is Subject.ESCALATION  # the triage is done, and words decide this
    in_triage = case.waiting.resume is S.RECEIVED and not escalated
    stops_at_triage = limit_of(case, policy) is Milestone.TRIAGE or in_triage
    if case.state is S.HUMAN_INPUT_RECEIVED and stops_at_triage and to is not S.RECEIVED:
        return S.RECEIVED, "It goes on with its triage, which is not settled yet."
    if to in PAST_THE_PLAN and lacks_plan(case, policy):
        return S.PLANNING_APPROACH, "It goes on with the plan, which comes before anything is written."
    if to in _CHANGING and lacks_test(case):
        return S.CREATING_TESTS, "It goes on with a test, which comes before the change."
    return to, ""


def is_clear(outcome: AnalysisOutcome, policy: Policy) -> bool:
    """Whether the requirements are clear: the only use of a model's own estimate."""
    return outcome.confidence >= policy.confidence_threshold and not outcome.questions


def after_analysis(case: IssueCase, policy: Policy) -> Move:
    if wants_plan(case, policy) or plan_is_open(case, policy):  # the plan may be made, and its milestone not passed
        return Move(to=S.PLANNING_APPROACH, reason="The requirements are clear; how to go about it is planned first.")
    return _to_tests(case, "The requirements are clear")


def _to_tests(case: IssueCase, because: str) -> Move:
    if case.investigation is not None and case.evidence.red:
        return Move(to=S.IMPLEMENTING, reason=f"{because}; the test is there.")
    if case.requirements.test_required:
        return Move(to=S.CREATING_TESTS, reason=f"{because}; a test comes first.")
    return Move(to=S.IMPLEMENTING, reason=f"{because}; no new test is needed.")


def after_plan(case: IssueCase, outcome: PlanOutcome, to: IssueState, policy: Policy) -> Move:
    if outcome.status == "INVESTIGATION_NEEDED":
        return investigate(case, outcome.reason, outcome.investigation)
    if outcome.status == "EXTERNAL_DEPENDENCY":
        return blocked(Role.PM, outcome.reason)
    if outcome.status == "REQUIREMENT_GAP":
        return Move(to=to, reason=f"The plan needs to know more: {outcome.reason}")
    if outcome.status == "NEEDS_CLARIFICATION":
        return wait_for(WaitingFor.ANSWER, outcome.reason, then=S.PLANNING_APPROACH, say=Draft(about=A.ROLE_ASKS))
    go_on = _to_tests(case, "The plan is made")
    if limit_of(case, policy) is not Milestone.PR:
        subject = Subject.PLAN if policy.approve_plan else None
        return milestone("The plan is made", go_on.to).model_copy(update={"subject": subject})
    if policy.approve_plan and not case.granted(Subject.PLAN):
        move = wait_for(
            WaitingFor.APPROVAL, "The plan waits for a person's approval.", subject=Subject.PLAN, then=go_on.to
        )
        return move.model_copy(update={"say": Draft(about=A.PLAN)})
    return go_on
