"""The next move of an issue case after each fact, as a table."""

import pytest

from caseworker.core.base.errors import Defect
from caseworker.core.base.failed_steps import EffectRefused, TurnGaveUp
from caseworker.core.base.ids import MessageId, SessionId, Sha
from caseworker.core.base.policy import Milestone, Policy
from caseworker.core.base.roles import Role, Task
from caseworker.core.evidence.builds import Stage, VerdictKind
from caseworker.core.issue.apply import add_remarks, apply_fact
from caseworker.core.issue.case import IssueCase, Wait
from caseworker.core.issue.decide import decide
from caseworker.core.issue.facts import (
    Agreed,
    BranchMoved,
    BudgetRaised,
    BuildEnded,
    CloseAsked,
    Declined,
    Fact,
    HandedBack,
    Merged,
    PullRequestReady,
    RetryAsked,
    Spoke,
    TakenOver,
    TimedOut,
    TurnEnded,
)
from caseworker.core.issue.misfits import misfit_of
from caseworker.core.issue.moves import Move, add_grant, make_move
from caseworker.core.issue.moves_by_people import automatic_move, reopened
from caseworker.core.issue.proof import may_be_delivered
from caseworker.core.issue.states import TERMINAL, WORKING, IssueState, next_states
from caseworker.core.issue.subjects import Subject, WaitingFor
from caseworker.core.issue.turns import turn_of
from caseworker.core.outcomes.answers import RoleQuestion
from caseworker.core.outcomes.outcome import IssueOutcome
from caseworker.core.outcomes.pm import IssueType, Topic
from caseworker.core.outcomes.tech_lead import NamedWeakening
from tests.core.examples import (
    BASE,
    HEAD,
    MORNING,
    OTHER,
    a_case,
    a_proven_case,
    analysed,
    implemented,
    interpreted,
    judged,
    planned,
    questioned,
    reviewed,
    told,
    triaged,
    validated,
    wrote_test,
)

S = IssueState
POLICY = Policy()


def turn(outcome: IssueOutcome, *, role: Role = Role.DEVELOPER, checkpoint: Sha = HEAD) -> TurnEnded:
    return TurnEnded(role=role, outcome=outcome, checkpoint=checkpoint, session=SessionId("s-1"))


def built(
    verdict: VerdictKind,
    stage: Stage = Stage.HEAD,
    *,
    commit: Sha = HEAD,
    reason: str = "`make test` said so",
    feedback: str = "",
    base_fails_too: bool = False,
    unproved: str | None = None,
) -> BuildEnded:
    return BuildEnded(
        stage=stage,
        commit=commit,
        verdict=verdict,
        reason=reason,
        feedback=feedback,
        base_fails_too=base_fails_too,
        unproved=unproved,
    )


BUG = a_case(S.CREATING_TESTS, issue_type="BUG_FIX")
FEATURE = a_case(S.CREATING_TESTS, issue_type="NEW_FEATURE")
TRIAGED_FEATURE = a_case(S.ANALYZING_REQUIREMENTS, issue_type="NEW_FEATURE")
PERSON = S.REQUIRES_HUMAN_INTERVENTION
WAITS = S.WAITING_FOR_HUMAN_INPUT
JUDGING = a_case(S.RUNNING_TESTS, task="judge", built=HEAD)


def pm(outcome: IssueOutcome) -> TurnEnded:
    return turn(outcome, role=Role.PM)


def analyst(outcome: IssueOutcome) -> TurnEnded:
    return turn(outcome, role=Role.ANALYST)


def by_tester(outcome: IssueOutcome) -> TurnEnded:
    return turn(outcome, role=Role.TESTER)


def lead(outcome: IssueOutcome) -> TurnEnded:
    return turn(outcome, role=Role.TECH_LEAD)


def waiting(
    reason: WaitingFor, subject: Subject | None = None, then: IssueState | None = None, **known: object
) -> IssueCase:
    wait = Wait(reason=reason, subject=subject, then=then)
    return a_case(WAITS, wait=wait.model_dump(), waiting_for=reason, **known)


TABLE: list[tuple[str, IssueCase, Fact, IssueState, str]] = [
    ("triage: go", a_case(), pm(triaged()), S.ANALYZING_REQUIREMENTS, "worth working on"),
    ("triage: it has its analysis", a_case(analysed=True), pm(triaged()), S.CREATING_TESTS, "comes with its analysis"),
    ("triage: no", a_case(), pm(triaged("REJECT")), S.CLOSED, "Not worth doing: A clear bug."),
    ("triage: ask first", a_case(), pm(triaged("NEEDS_APPROVAL")), WAITS, "A person has to agree first"),
    ("triage: a topic that only a person may decide", a_case(), pm(triaged(topics=[Topic.AUTHENTICATION])), WAITS, ""),
    ("analysis: clear", a_case(S.ANALYZING_REQUIREMENTS), analyst(analysed()), S.CREATING_TESTS, "a test comes first"),
    (
        "analysis: clear, no test",
        TRIAGED_FEATURE,
        analyst(analysed(test_required=False)),
        S.IMPLEMENTING,
        "no new test is needed",
    ),
    ("analysis: just clear enough", TRIAGED_FEATURE, analyst(analysed(confidence=0.85)), S.CREATING_TESTS, ""),
    (
        "analysis: not sure",
        TRIAGED_FEATURE,
        analyst(analysed(confidence=0.849)),
        S.REQUIREMENTS_UNCLEAR,
        "the analyst is 85% sure",
    ),
    (
        "analysis: with questions",
        TRIAGED_FEATURE,
        analyst(analysed(questions=["Which page?", "Since when?"])),
        S.REQUIREMENTS_UNCLEAR,
        "Which page? Since when?",
    ),
    ("analysis: blocked", TRIAGED_FEATURE, analyst(analysed("BLOCKED")), S.BLOCKED, "The analyst can't go on"),
    (
        "analysis: of weighty work",
        a_case(S.ANALYZING_REQUIREMENTS, weighty=True),
        analyst(analysed()),
        S.PLANNING_APPROACH,
        "planned first",
    ),
    (
        "plan: made",
        a_case(S.PLANNING_APPROACH),
        pm(planned()),
        S.CREATING_TESTS,
        "The plan is made; a test comes first",
    ),
    ("plan: unclear", a_case(S.PLANNING_APPROACH), pm(planned("NEEDS_CLARIFICATION")), WAITS, "What is a discount?"),
    (
        "questions to people",
        a_case(S.REQUIREMENTS_UNCLEAR),
        pm(questioned()),
        S.WAITING_FOR_REQUIREMENTS_CLARIFICATION,
        "people were asked",
    ),
    (
        "questions: asked often enough",
        a_case(S.REQUIREMENTS_UNCLEAR, asked=3),
        pm(questioned()),
        PERSON,
        "asked 3 times",
    ),
    (
        "questions: the pm knows the answer",
        a_case(S.REQUIREMENTS_UNCLEAR),
        pm(questioned("CONTINUE")),
        S.ANALYZING_REQUIREMENTS,
        "The page is not named.",
    ),
    (
        "an answer: go on",
        a_case(S.REQUIREMENTS_CLARIFIED),
        pm(interpreted()),
        S.ANALYZING_REQUIREMENTS,
        "Understood.",
    ),
    (
        "an answer: half of it",
        a_case(S.REQUIREMENTS_CLARIFIED),
        pm(interpreted("NEEDS_CLARIFICATION")),
        S.REQUIREMENTS_UNCLEAR,
        "still unclear",
    ),
    (
        "an answer that answers nothing",
        a_case(S.REQUIREMENTS_CLARIFIED),
        pm(interpreted("NO_ACTION")),
        S.REQUIREMENTS_UNCLEAR,
        "answers nothing yet",
    ),
    ("tests: more work", BUG, by_tester(wrote_test("TESTS_NEED_WORK", "No runner.")), S.UPDATING_TESTS, "No runner."),
    ("tests: a gap", BUG, by_tester(wrote_test("REQUIREMENT_GAP", "What?")), S.ANALYZING_REQUIREMENTS, "What?"),
    (
        "tests: blocked",
        BUG,
        by_tester(wrote_test("BLOCKED", "No runner.")),
        S.BLOCKED,
        "The tester can't go on: No runner.",
    ),
    ("red build: red", BUG, built("red", Stage.RED), S.IMPLEMENTING, "Red first: `make test` said so."),
    ("red build: green for a bug", BUG, built("green", Stage.RED), S.UPDATING_TESTS, "does not fail without the fix"),
    (
        "red build: green again",
        a_case(S.UPDATING_TESTS, issue_type="BUG_FIX", test_tries=1),
        built("green", Stage.RED),
        WAITS,
        "There is no test that fails without the fix",
    ),
    ("red build: green for a feature", FEATURE, built("green", Stage.RED), S.UPDATING_TESTS, "does not fail without"),
    (
        "red build: green for a refactoring",
        a_case(S.CREATING_TESTS, issue_type="REFACTOR_STYLE"),
        built("green", Stage.RED),
        S.IMPLEMENTING,
        "it need not fail first",
    ),
    ("red build: not run", BUG, built("not_run", Stage.RED), S.UPDATING_TESTS, "was not run, so it proves nothing"),
    (
        "red build: not run again",
        a_case(S.UPDATING_TESTS, issue_type="BUG_FIX", test_tries=1),
        built("not_run", Stage.RED),
        WAITS,
        "There is no test that fails without the fix",
    ),
    ("red build: nothing to run", BUG, built("nothing_to_run", Stage.RED), WAITS, "There is no test that fails"),
    ("implementation: ready", a_case(S.IMPLEMENTING), turn(implemented()), S.RUNNING_TESTS, "built and tested"),
    (
        "implementation: partial",
        a_case(S.IMPLEMENTING),
        turn(implemented("PARTIAL")),
        S.FIXING_ISSUES,
        "Attempt 2 of 3",
    ),
    ("implementation: blocked", a_case(S.FIXING_ISSUES), turn(implemented("BLOCKED")), S.INVESTIGATING, "investigated"),
    (
        "implementation: a senior is wanted",
        a_case(S.IMPLEMENTING),
        turn(implemented("ESCALATE_SENIOR")),
        S.IMPLEMENTING,
        "",
    ),
    (
        "implementation: nothing",
        a_case(S.IMPLEMENTING),
        turn(implemented(), checkpoint=BASE),
        PERSON,
        "nothing was changed",
    ),
    ("head: green", a_case(S.RUNNING_TESTS), built("green"), S.REVIEWING_CODE, "Green: `make test` said so."),
    (
        "head: green, and its tests do not fail on the base's code",
        a_case(S.RUNNING_TESTS, issue_type="BUG_FIX", red=True),
        built("green", unproved="`t` passes there"),
        S.UPDATING_TESTS,
        "Green, and the tests prove nothing: `t` passes there.",
    ),
    (
        "head: green, and its tests still prove nothing",
        a_case(S.RUNNING_TESTS, issue_type="BUG_FIX", red=True, test_tries=1),
        built("green", unproved="`t` passes there"),
        WAITS,
        "There is no test that fails without the change: `t` passes there.",
    ),
    ("head: red is judged first", a_case(S.RUNNING_TESTS), built("red"), S.RUNNING_TESTS, "whose fault it is"),
    ("judged: the code", JUDGING, by_tester(judged()), S.FIXING_ISSUES, "Attempt 2 of 3."),
    ("judged: the test", JUDGING, by_tester(judged("TESTS_NEED_WORK")), S.UPDATING_TESTS, "The test is wrong"),
    ("judged: chance", JUDGING, by_tester(judged("FLAKY")), S.RUNNING_TESTS, "run again"),
    ("judged: beyond the tester", JUDGING, by_tester(judged("FAIL_ESCALATE")), S.REVIEWING_CODE, "looks for a way on"),
    (
        "judged: the code, last attempt",
        JUDGING.updated(attempt=3),
        by_tester(judged()),
        S.REVIEWING_CODE,
        "All 3 attempts are used. The tech lead looks for a way on.",
    ),
    (
        "judged: the code, after the tech lead's help",
        JUDGING.updated(attempt=4, guided=True),
        by_tester(judged()),
        S.FAILED,
        "All 3 attempts are used, and one more",
    ),
    ("head: nothing to run", a_case(S.RUNNING_TESTS), built("nothing_to_run"), WAITS, "Nothing proves the change"),
    (
        "head: red as before the change",
        a_case(S.RUNNING_TESTS),
        built("red", base_fails_too=True),
        WAITS,
        "The same checks fail before the change",
    ),
    ("review: approved and green", a_proven_case(approved=None), lead(reviewed()), S.CREATING_PR, "build is green"),
    (
        "review: approved without a word on a weakened test",
        a_proven_case(weakened=("`a` was removed.", "`b` was removed.")),
        lead(reviewed().model_copy(update={"weakened": [NamedWeakening(number=1, reason="It is gone.")]})),
        WAITS,
        "The review approves without a reason for this: `b` was removed.",
    ),
    (
        "review: approved with a reason for each weakened test",
        a_proven_case(weakened=("`a` was removed.",)),
        lead(reviewed().model_copy(update={"weakened": [NamedWeakening(number=1, reason="It is gone.")]})),
        S.CREATING_PR,
        "",
    ),
    ("review: with notes", a_proven_case(approved=None), lead(reviewed("APPROVED_WITH_NOTES")), S.CREATING_PR, ""),
    ("review: of weighty work", a_proven_case(weighty=True), lead(reviewed()), S.VALIDATING_SOLUTION, ""),
    ("review: green was another commit", a_proven_case(green=OTHER), lead(reviewed()), PERSON, "not seen green"),
    ("review: no red test", a_proven_case(proved=None), lead(reviewed()), WAITS, "There is no test that fails"),
    (
        "review: changes",
        a_proven_case(attempt=2),
        lead(reviewed("CHANGES_REQUESTED")),
        S.FIXING_ISSUES,
        "Attempt 3 of 3.",
    ),
    (
        "review: changes, last attempt",
        a_proven_case(attempt=3),
        lead(reviewed("CHANGES_REQUESTED")),
        S.REVIEWING_CODE,
        "The tech lead looks for a way on.",
    ),
    (
        "unblocked: guidance",
        a_proven_case(attempt=3, task="unblock"),
        lead(reviewed("UNBLOCKING_GUIDANCE")),
        S.FIXING_ISSUES,
        "has shown a way on",
    ),
    ("unblocked: a person", a_proven_case(attempt=3, task="unblock"), lead(reviewed("NEEDS_INFO")), PERSON, "a person"),
    ("review: needs to know", a_proven_case(), lead(reviewed("NEEDS_INFO")), WAITS, "What of a discount over 100 %?"),
    ("review: deeper", a_proven_case(), lead(reviewed("ARCHITECTURE_REVIEW")), S.REVIEWING_ARCHITECTURE, ""),
    (
        "architecture: sound",
        a_proven_case(S.REVIEWING_ARCHITECTURE),
        lead(reviewed()),
        S.REVIEWING_CODE,
        "the rest is looked at",
    ),
    ("architecture: a change", a_proven_case(S.REVIEWING_ARCHITECTURE), lead(reviewed("CHANGES_REQUESTED")), WAITS, ""),
    (
        "validated",
        a_proven_case(S.VALIDATING_SOLUTION),
        by_tester(validated()),
        S.CREATING_PR,
        "Everything that was asked for",
    ),
    ("unmet", a_proven_case(S.VALIDATING_SOLUTION), by_tester(validated("FAIL")), S.FIXING_ISSUES, "Validation"),
    (
        "a turn gave up",
        a_case(S.IMPLEMENTING),
        TurnGaveUp(role=Role.SENIOR_DEVELOPER, reason="the agent process was killed"),
        S.FAILED,
        "The senior developer's turn failed: the agent process was killed",
    ),
    (
        "a turn met the budget",
        a_case(S.IMPLEMENTING),
        TurnGaveUp(role=Role.DEVELOPER, reason="The budget is used up.", limit="budget"),
        WAITS,
        "The budget is used up.",
    ),
    (
        "a turn took too long",
        a_case(S.IMPLEMENTING),
        TurnGaveUp(role=Role.DEVELOPER, reason="an hour", limit="time"),
        PERSON,
        "met its limit",
    ),
    (
        "a refused effect",
        a_proven_case(S.CREATING_PR),
        EffectRefused(reason="The disk says no."),
        PERSON,
        "The disk says no.",
    ),
    (
        "a person pushed",
        a_proven_case(S.CREATING_PR),
        BranchMoved(theirs=OTHER, commit=OTHER),
        S.RUNNING_TESTS,
        "A person has pushed",
    ),
    (
        "a person pushed something else",
        a_proven_case(S.CREATING_PR),
        BranchMoved(theirs=OTHER, commit=OTHER, conflict=("cart.py",)),
        S.FIXING_ISSUES,
        "contradict each other",
    ),
    ("merged", waiting(WaitingFor.MERGE), Merged(by="ann"), S.COMPLETED, "Merged by ann."),
    ("closed", a_case(S.IMPLEMENTING), CloseAsked(by="ann"), S.CLOSED, "Closed by ann."),
    (
        "closed without a merge",
        waiting(WaitingFor.MERGE),
        CloseAsked(by="ann", unmerged=True),
        S.CLOSED,
        "without a merge",
    ),
    ("nobody answers", waiting(WaitingFor.ANSWER), TimedOut(), S.BLOCKED, "Nobody has answered"),
    ("somebody speaks", waiting(WaitingFor.MERGE), Spoke(by="ann"), S.HUMAN_INPUT_RECEIVED, "ann has spoken."),
    (
        "somebody answers",
        a_case(S.WAITING_FOR_REQUIREMENTS_CLARIFICATION, wait={"reason": "answer"}, waiting_for="answer"),
        Spoke(by="ann"),
        S.REQUIREMENTS_CLARIFIED,
        "ann has spoken.",
    ),
    (
        "somebody answers when it is blocked",
        a_case(S.BLOCKED, resume=S.REQUIREMENTS_UNCLEAR),
        Spoke(by="ann"),
        S.REQUIREMENTS_CLARIFIED,
        "",
    ),
    (
        "no to what only a person decides",
        waiting(WaitingFor.APPROVAL, Subject.SENSITIVE),
        Declined(by="ann"),
        S.CLOSED,
        "",
    ),
    ("taken over", a_case(S.IMPLEMENTING), TakenOver(by="ann"), PERSON, "ann has taken it over."),
]


@pytest.mark.parametrize(("case", "fact", "state", "reason"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_each_fact_has_its_move(case: IssueCase, fact: Fact, state: IssueState, reason: str) -> None:
    known = apply_fact(case, fact)
    move = decide(known, fact, POLICY)
    assert (move.to, reason in move.reason) == (state, True), move
    assert make_move(known, move, POLICY, MORNING).state is state


def after(case: IssueCase, *facts: Fact, policy: Policy = POLICY) -> IssueCase:
    for fact in facts:
        known = apply_fact(case, fact)
        case = make_move(known, decide(known, fact, policy), policy, MORNING)
    return case


# --- people


def test_an_approval_is_recorded_as_a_grant_and_the_case_goes_on() -> None:
    asked = after(a_case(), pm(triaged(topics=[Topic.AUTHENTICATION])))
    assert asked.waiting.wait is not None
    assert asked.waiting.wait.model_copy(update={"asked": None}) == Wait(
        reason=WaitingFor.APPROVAL,
        subject=Subject.SENSITIVE,
        then=S.ANALYZING_REQUIREMENTS,
        until=asked.waiting.wait.until if asked.waiting.wait else None,
        because="A person has to agree first: A clear bug.",
    )
    agreed = after(asked, Agreed(by="ann"))
    assert agreed.granted(Subject.SENSITIVE)
    automatic = automatic_move(agreed)
    assert automatic is not None
    assert make_move(agreed, automatic, POLICY, MORNING).state is S.ANALYZING_REQUIREMENTS


@pytest.mark.parametrize(
    ("subject", "case"),
    [
        (Subject.NO_RED_TEST, a_proven_case(red=False, proved=None)),
        (Subject.NO_COMMAND, a_proven_case(green=None, built=HEAD, waivable=Subject.NO_COMMAND)),
        (Subject.RED_BASE, a_proven_case(green=None, built=HEAD, waivable=Subject.RED_BASE)),
    ],
)
def test_a_waiver_replaces_the_evidence_it_names(subject: Subject, case: IssueCase) -> None:
    assert not may_be_delivered(case)
    assert may_be_delivered(add_grant(case, subject, Agreed(by="ann")))


def test_a_build_waiver_covers_only_the_built_commit() -> None:
    waived = {"waivable": Subject.NO_COMMAND, "grants": [{"subject": Subject.NO_COMMAND, "by": "ann"}]}
    assert may_be_delivered(a_proven_case(green=None, built=HEAD, **waived))
    assert not may_be_delivered(a_proven_case(green=None, built=OTHER, **waived))


def test_words_are_never_an_approval() -> None:
    asked = after(a_case(), pm(triaged("NEEDS_APPROVAL")))
    heard = after(asked, Spoke(by="ann"), pm(interpreted()))
    assert (heard.state, heard.waits_for) == (WAITS, WaitingFor.APPROVAL)
    assert not heard.people.grants


def test_a_question_of_the_pm_does_not_replace_an_approval() -> None:
    """Otherwise the answer would let the work begin."""
    asked = after(a_case(), pm(triaged("NEEDS_APPROVAL")))
    again = after(asked, Spoke(by="ann"), pm(interpreted("NEEDS_CLARIFICATION")))
    assert (again.state, again.waiting.wait) == (asked.state, asked.waiting.wait)
    heard = after(again, Spoke(by="ann"), pm(interpreted()))
    assert (heard.state, heard.waits_for, heard.people.grants) == (WAITS, WaitingFor.APPROVAL, ())


def test_after_a_budget_raise_the_interrupted_interpretation_resumes() -> None:
    ready = after(a_proven_case(S.CREATING_PR), PullRequestReady(number=7, commit=HEAD))
    out_of_money = TurnGaveUp(role=Role.PM, reason="no money", limit="budget")
    broke = after(ready, Spoke(by="ann", messages=(MessageId(4),)), out_of_money)
    assert broke.waits_for is WaitingFor.BUDGET
    again = after(broke, Spoke(by="ann"), out_of_money)
    for case in (broke, again):
        paid = after(case, BudgetRaised(by="ann", micros=5))
        assert (paid.state, paid.progress.go, paid.waiting.wait) == (S.HUMAN_INPUT_RECEIVED, None, ready.waiting.wait)
        assert after(paid, pm(interpreted("NO_ACTION"))).waits_for is WaitingFor.MERGE


def test_words_during_a_budget_wait_do_not_clarify_requirements() -> None:
    broke = after(a_case(S.REQUIREMENTS_UNCLEAR), TurnGaveUp(role=Role.PM, reason="no money", limit="budget"))
    late = after(broke, TimedOut(), Spoke(by="ann"))
    assert late.state is S.HUMAN_INPUT_RECEIVED


def test_a_takeover_ends_when_agents_ask_people_again() -> None:
    asked = after(a_case(S.REQUIREMENTS_UNCLEAR), pm(questioned()))
    taken = after(asked, TakenOver(by="ann"))
    automatic = automatic_move(taken)
    assert automatic is not None
    parked = make_move(taken, automatic, POLICY, MORNING)
    retried = after(parked, RetryAsked(by="bob"))
    automatic = automatic_move(retried)
    assert automatic is not None
    back = after(make_move(retried, automatic, POLICY, MORNING), pm(questioned()))
    assert (back.state, back.people.taken_by) == (S.WAITING_FOR_REQUIREMENTS_CLARIFICATION, "")


def test_a_branch_reset_to_its_base_is_parked_and_not_reviewed_again() -> None:
    case = a_proven_case(base=HEAD)
    move = decide(case, turn(reviewed(), role=Role.TECH_LEAD), POLICY)
    assert move.to is S.REQUIRES_HUMAN_INTERVENTION
    assert "holds no change" in move.reason


def test_words_without_consequence_lead_back_to_the_wait() -> None:
    ready = after(a_proven_case(S.CREATING_PR), PullRequestReady(number=7, commit=HEAD))
    back = after(ready, Spoke(by="ann", messages=(MessageId(4),)), pm(interpreted("NO_ACTION")))
    assert (back.state, back.waiting.wait) == (ready.state, ready.waiting.wait)


def test_feedback_begins_a_new_round_on_the_same_pull_request() -> None:
    ready = after(a_proven_case(S.CREATING_PR, attempt=3), PullRequestReady(number=7, commit=HEAD))
    spoken = after(ready, Spoke(by="ann", messages=(MessageId(4),)))
    case = after(spoken, pm(interpreted(next="addressing_feedback")))
    assert (case.state, case.limits.round, case.limits.attempt, case.people.remarks) == (
        S.ADDRESSING_FEEDBACK,
        2,
        1,
        (4,),
    )
    assert turn_of(case) == (Role.DEVELOPER, Task.ADDRESS_FEEDBACK)


def test_late_remarks_stay_until_the_pm_has_read_them() -> None:
    updated = after(a_proven_case(S.CREATING_PR, remarks=[4, 5]), PullRequestReady(number=7, commit=HEAD, late=(5,)))
    assert (updated.people.remarks, updated.people.late, updated.waits_for) == ((), (5,), WaitingFor.MERGE)
    spoken = after(updated, Spoke(by="Somebody", messages=updated.people.late))
    assert (spoken.state, spoken.people.remarks, spoken.people.late) == (S.HUMAN_INPUT_RECEIVED, (5,), (5,))
    back = after(spoken, pm(interpreted("NO_ACTION")))
    assert (back.waits_for, back.people.late) == (WaitingFor.MERGE, ())
    again = after(updated, Declined(by="ann", messages=(MessageId(6),)))
    assert (again.progress.go, again.people.remarks) == (S.ADDRESSING_FEEDBACK, (5, 6))


def test_words_during_work_are_remarks_if_a_pull_request_is_open() -> None:
    assert add_remarks(a_case(), [MessageId(4)]).people.remarks == ()
    assert add_remarks(a_case(pull_request=7, remarks=[4]), [MessageId(4), MessageId(5)]).people.remarks == (4, 5)


def test_a_rejected_pull_request_is_addressed_without_an_interpret_turn() -> None:
    ready = after(a_proven_case(S.CREATING_PR), PullRequestReady(number=7, commit=HEAD))
    case = after(ready, Declined(by="ann", messages=(MessageId(4),)))
    assert (case.progress.go, case.people.remarks) == (S.ADDRESSING_FEEDBACK, (4,))


def test_a_rejected_plan_is_made_again() -> None:
    policy = Policy(approve_plan=True)
    asked = after(a_case(S.PLANNING_APPROACH), pm(planned()), policy=policy)
    assert asked.waiting.wait is not None
    assert asked.waiting.wait.subject is Subject.PLAN
    assert after(asked, Declined(by="ann")).progress.go is S.PLANNING_APPROACH


@pytest.mark.parametrize(("until", "state"), [(Milestone.TRIAGE, S.RECEIVED), (Milestone.PLAN, S.PLANNING_APPROACH)])
def test_a_case_stops_at_its_milestone_until_it_is_approved(until: Milestone, state: IssueState) -> None:
    policy = Policy(until=until)
    outcome = triaged() if until is Milestone.TRIAGE else planned()
    case = after(a_case(state), pm(outcome), policy=policy)
    assert (case.state, case.waits_for) == (WAITS, WaitingFor.MILESTONE)
    assert case.waiting.wait is not None
    assert case.waiting.wait.until is None
    agreed = after(case, Agreed(by="ann"), policy=policy)
    assert (agreed.progress.go, agreed.people.until) == (case.waiting.wait.then, Milestone.PR)


def test_a_handed_back_case_resumes_where_it_was_left() -> None:
    taken = after(a_case(S.IMPLEMENTING), TakenOver(by="ann"))
    assert (taken.people.taken_by, taken.waiting.resume) == ("ann", S.IMPLEMENTING)
    assert misfit_of(taken, TakenOver(by="bob")) == "ann has it already"
    back = after(taken, HandedBack(by="ann"))
    assert (back.people.taken_by, back.progress.go) == ("", S.IMPLEMENTING)


def test_a_raised_budget_resumes_the_case_where_it_stopped() -> None:
    stopped = after(a_case(S.REVIEWING_CODE), TurnGaveUp(role=Role.TECH_LEAD, reason="no money", limit="budget"))
    paid = after(stopped, BudgetRaised(by="ann", micros=5))
    assert (paid.progress.go, paid.people.extra_micros) == (S.REVIEWING_CODE, 5)


def test_a_retry_of_a_stuck_case_has_all_attempts() -> None:
    stuck = after(a_case(S.FIXING_ISSUES, attempt=3), EffectRefused(reason="no"))
    again = after(stuck, RetryAsked(by="ann"))
    assert (again.progress.go, again.limits.attempt, again.limits.round) == (S.FIXING_ISSUES, 1, 2)


def test_each_command_is_refused_where_it_is_impossible() -> None:
    working = a_case(S.IMPLEMENTING)
    assert misfit_of(working, Agreed(by="ann")) == "nothing waits for an approval"
    assert misfit_of(working, HandedBack(by="ann")) == "nobody has taken it over"
    assert misfit_of(working, RetryAsked(by="ann")) == "it is not stuck"
    assert misfit_of(a_case(S.COMPLETED), RetryAsked(by="ann")) is None  # it opens another case
    assert misfit_of(a_case(S.CLOSED), CloseAsked(by="ann")) == "it is closed already"
    assert misfit_of(a_case(S.FAILED), TakenOver(by="ann")) == "the case is over: trying it again opens it"
    assert misfit_of(waiting(WaitingFor.MERGE), Agreed(by="ann")) == "nothing waits for an approval"
    assert misfit_of(waiting(WaitingFor.MERGE), Declined(by="ann")) is None


def test_an_escalation_asks_a_person() -> None:
    outcome = implemented().model_copy(update={"escalation": "It changes who may log in."})
    case = after(a_case(S.IMPLEMENTING), turn(outcome))
    assert case.waiting.wait is not None
    assert (case.state, case.waiting.wait.subject, case.waiting.wait.then) == (
        WAITS,
        Subject.ESCALATION,
        S.RUNNING_TESTS,
    )


ESCALATION = "It touches logins."


def escalating(outcome: IssueOutcome, *asks: RoleQuestion) -> IssueOutcome:
    return outcome.model_copy(update={"escalation": ESCALATION, "ask": list(asks)})


@pytest.mark.parametrize("state", [S.CREATING_TESTS, S.UPDATING_TESTS])
def test_a_tester_that_escalates_has_another_turn_before_the_red_build(
    state: IssueState,
) -> None:
    case = a_case(state, issue_type="BUG_FIX")
    fact = by_tester(escalating(wrote_test()))
    waits = make_move(apply_fact(case, fact), decide(apply_fact(case, fact), fact, POLICY), POLICY, MORNING)
    assert waits.waiting.wait is not None
    assert (waits.waiting.wait.subject, waits.waiting.wait.then, waits.reason) == (
        Subject.ESCALATION,
        state,
        f"{ESCALATION} What waits for that: The tester: {wrote_test().summary}",
    )


def test_a_role_that_asks_and_escalates_has_another_turn_afterwards() -> None:
    case = a_case(S.IMPLEMENTING)
    fact = turn(escalating(implemented(), RoleQuestion(to="analyst", question="Which world?")))
    move = decide(apply_fact(case, fact), fact, POLICY)
    assert (move.to, move.subject, move.then) == (WAITS, Subject.ESCALATION, S.IMPLEMENTING)


@pytest.mark.parametrize(
    ("case", "fact", "to"),
    [
        (a_case(S.REVIEWING_CODE), lead(escalating(reviewed("NEEDS_INFO"))), WAITS),
        (a_case(S.ANALYZING_REQUIREMENTS), analyst(escalating(analysed("BLOCKED"))), S.BLOCKED),
    ],
)
def test_an_escalation_is_added_to_a_stop_for_another_reason(case: IssueCase, fact: TurnEnded, to: IssueState) -> None:
    move = decide(case, fact, POLICY)
    assert move.to is to
    assert move.reason.endswith(f"does not want to decide this alone: {ESCALATION}")
    assert not move.say or move.say.also == ESCALATION


def test_the_tech_lead_unblocks_once_per_round() -> None:
    last = JUDGING.updated(attempt=POLICY.attempts + 1, guided=True)
    assert decide(JUDGING, by_tester(judged("FAIL_ESCALATE")), POLICY).task is Task.UNBLOCK
    assert decide(last, by_tester(judged("FAIL_ESCALATE")), POLICY).to is S.FAILED


def test_a_test_rejected_by_the_validation_costs_an_attempt() -> None:
    case = a_case(S.VALIDATING_SOLUTION)
    move = decide(case, by_tester(validated("TESTS_NEED_WORK")), POLICY)
    assert (move.to, move.attempt) == (S.UPDATING_TESTS, True)
    used = case.updated(attempt=POLICY.attempts, guided=True)
    assert decide(used, by_tester(validated("TESTS_NEED_WORK")), POLICY).to is S.FAILED


def test_people_are_asked_when_the_tester_has_found_no_test_three_times() -> None:
    case, seen = BUG, []
    for _ in range(3):
        fact = by_tester(wrote_test("REQUIREMENT_GAP", "What is a large cart?"))
        case = apply_fact(case, fact)
        seen.append(decide(case, fact, POLICY))
    assert [move.to for move in seen] == [S.ANALYZING_REQUIREMENTS, S.ANALYZING_REQUIREMENTS, WAITS]
    asks = seen[-1].say
    assert asks is not None
    outcome = wrote_test("REQUIREMENT_GAP", "What is a large cart?")
    assert told(case, asks.about, outcome) == "The tester can't write a test without an answer: “What is a large cart?”"
    assert make_move(case, Move(to=S.IMPLEMENTING, reason="On.", new_round=True), POLICY, MORNING).limits.testless == 0


def test_a_turn_may_ask_other_roles_three_questions() -> None:
    three = [RoleQuestion(to="analyst", question="Why?")] * 3
    assert len(implemented().model_copy(update={"ask": three}).ask) == 3


# --- who works


def test_after_the_first_rejection_the_senior_developer_takes_over() -> None:
    case = after(a_proven_case(), lead(reviewed("CHANGES_REQUESTED")))
    assert turn_of(case) == (Role.SENIOR_DEVELOPER, Task.FIX)


def test_a_failed_build_does_not_call_the_senior() -> None:
    assert turn_of(after(JUDGING, by_tester(judged()))) == (Role.DEVELOPER, Task.FIX)


def test_the_senior_does_security_work_from_the_start() -> None:
    case = apply_fact(a_case(), pm(triaged(topics=[Topic.CRYPTOGRAPHY])))
    assert turn_of(case.updated(state=S.IMPLEMENTING)) == (Role.SENIOR_DEVELOPER, Task.IMPLEMENT)


def test_the_same_state_and_evidence_three_times_parks_the_case() -> None:
    case = a_case(S.ANALYZING_REQUIREMENTS)
    for _ in range(3):
        case = after(case, analyst(analysed("UNCLEAR")))
        if case.state is PERSON:
            break
        case = after(case, pm(questioned("CONTINUE")))
    assert case.state is PERSON
    assert "No progress" in case.reason


def test_takeovers_and_hand_backs_do_not_count_as_no_progress() -> None:
    case = a_case(S.IMPLEMENTING)
    for _ in range(5):
        case = after(case, TakenOver(by="ann"))
        case = after(case, HandedBack(by="ann"))
        automatic = automatic_move(case)
        assert automatic is not None
        case = make_move(case, automatic, POLICY, MORNING)
        assert case.state is S.IMPLEMENTING


def test_an_open_pull_request_waits_for_a_merge() -> None:
    fact = PullRequestReady(number=7, commit=HEAD)
    known = apply_fact(a_proven_case(S.CREATING_PR), fact)
    after = make_move(known, decide(known, fact, POLICY), POLICY, MORNING)
    assert (after.state, after.waits_for) == (S.WAITING_FOR_HUMAN_INPUT, WaitingFor.MERGE)
    assert after.reason == f"`{after.branch}` is ready; a person merges it."
    assert (after.delivery.pull_request, after.delivery.pushed) == (7, HEAD)


def test_the_wait_for_a_merge_ends_with_the_merge() -> None:
    waiting = a_proven_case(S.WAITING_FOR_HUMAN_INPUT, waiting_for="merge")
    assert make_move(waiting, decide(waiting, Merged(by="ann"), POLICY), POLICY, MORNING).waits_for is None


def test_a_testers_claim_without_a_red_build_is_a_defect() -> None:
    with pytest.raises(Defect, match="a tester's claim is judged by the red build, not here"):
        decide(BUG, by_tester(wrote_test()), POLICY)


# --- applying facts


def test_each_turns_checkpoint_and_session_are_stored() -> None:
    after = apply_fact(
        apply_fact(a_case(checkpoint=BASE), turn(triaged(), role=Role.PM)), turn(analysed(), role=Role.ANALYST)
    )
    assert after.delivery.checkpoint == HEAD
    assert after.progress.sessions == {"pm": "s-1", "analyst": "s-1"}


def test_what_each_outcome_changes_in_the_case() -> None:
    assert (
        apply_fact(a_case(), turn(triaged(type=IssueType.NEW_FEATURE))).requirements.issue_type is IssueType.NEW_FEATURE
    )
    assert apply_fact(a_case(), turn(analysed(test_required=False))).requirements.test_required is False
    after = apply_fact(a_case(), turn(wrote_test()))
    assert (after.evidence.test_file, after.evidence.new_test) == ("test_cart.py", "python -m unittest test_cart")
    assert apply_fact(a_case(feedback="repair it"), turn(implemented())).evidence.feedback == ""
    assert (
        apply_fact(a_case(), turn(reviewed("CHANGES_REQUESTED"))).evidence.feedback == "What of a discount over 100 %?"
    )


def test_a_rejection_invalidates_an_earlier_approval() -> None:
    assert apply_fact(a_proven_case(), turn(reviewed("CHANGES_REQUESTED"))).evidence.approved is None


def test_a_red_build_clears_green_and_stores_feedback() -> None:
    after = apply_fact(a_proven_case(), built("red", feedback="`make test` failed"))
    assert (after.evidence.green, after.evidence.feedback) == (None, "`make test` failed")


def test_the_writer_is_given_the_judgement_of_a_build_and_a_failed_validation() -> None:
    red = a_case(S.RUNNING_TESTS, feedback="`make test` failed")
    assert apply_fact(red, turn(judged())).evidence.feedback == "`make test` failed\n\nThe tester: The total is wrong."
    after = apply_fact(a_proven_case(S.VALIDATING_SOLUTION), turn(validated("FAIL")))
    assert after.evidence.feedback == "Looked at everything.\n- Take the discount off: `make test`"
    assert apply_fact(after, turn(validated())).evidence.feedback == ""


def test_red_is_the_result_of_the_last_red_build() -> None:
    seen = apply_fact(BUG, built("red", Stage.RED))
    assert seen.evidence.red
    assert not apply_fact(seen, built("green", Stage.RED)).evidence.red


@pytest.mark.parametrize(
    "fact",
    [
        TurnGaveUp(role=Role.PM, reason="x"),
        EffectRefused(reason="x"),
        Merged(by="ann"),
        CloseAsked(by="ann"),
    ],
)
def test_other_facts_do_not_change_the_case(fact: Fact) -> None:
    assert apply_fact(a_proven_case(), fact) == a_proven_case()


# --- proof


def test_red_green_and_approval_of_the_checkpoint_prove_a_case() -> None:
    assert may_be_delivered(a_proven_case())


@pytest.mark.parametrize(
    "known",
    [
        {"green": None},
        {"green": OTHER},
        {"approved": None},
        {"approved": OTHER},
        {"green": OTHER, "approved": OTHER},
        {"checkpoint": OTHER},
        {"checkpoint": None},
        {"checkpoint": None, "green": None, "approved": None},
        {"proved": None},
        {"proved": OTHER},
        {"weakened": ("`test_a` was removed from `test_x.py`.",)},
    ],
)
def test_a_bug_is_not_proven_if_evidence_is_missing_or_outdated(known: dict[str, object]) -> None:
    assert not may_be_delivered(a_proven_case(IssueState.REVIEWING_CODE, **known))


def test_a_feature_needs_a_test_that_fails_without_it_unless_no_test_is_asked_for() -> None:
    unproved = a_proven_case(red=False, proved=None, issue_type="NEW_FEATURE")
    assert not may_be_delivered(unproved)
    assert may_be_delivered(unproved.updated(test_required=False))
    assert may_be_delivered(unproved.updated(issue_type=IssueType.REFACTOR_STYLE))


def test_a_new_commit_invalidates_green_and_approved() -> None:
    assert not may_be_delivered(apply_fact(a_proven_case(S.FIXING_ISSUES), turn(implemented(), checkpoint=OTHER)))


def test_a_review_that_changes_the_code_does_not_prove_it() -> None:
    fact = turn(reviewed(), role=Role.TECH_LEAD, checkpoint=OTHER)
    known = apply_fact(a_proven_case(), fact)
    assert decide(known, fact, POLICY).to is PERSON


# --- making the move


@pytest.mark.parametrize("state", IssueState)
def test_a_move_along_no_edge_is_a_defect(state: IssueState) -> None:
    for target in frozenset(IssueState) - next_states(state) - {state}:
        with pytest.raises(Defect, match=f"owner/repo#42: {state} -> {target} is not an edge of the table"):
            make_move(a_proven_case(state), Move(to=target, reason="why not"), POLICY, MORNING)


@pytest.mark.parametrize("state", sorted(state for state in WORKING if S.CREATING_PR in next_states(state)))
def test_a_pull_request_without_proof_is_a_defect_in_every_state(state: IssueState) -> None:
    with pytest.raises(Defect, match=f"a pull request needs a green build and an approved review of {HEAD}"):
        make_move(a_proven_case(state, green=OTHER), Move(to=S.CREATING_PR, reason="trust me"), POLICY, MORNING)
    assert (
        make_move(a_proven_case(state), Move(to=S.CREATING_PR, reason="seen"), POLICY, MORNING).state is S.CREATING_PR
    )


def test_a_move_is_counted_and_its_reason_kept() -> None:
    moved = make_move(a_case(transitions=4), Move(to=S.ANALYZING_REQUIREMENTS, reason="go"), POLICY, MORNING)
    assert (moved.state, moved.reason, moved.progress.transitions) == (S.ANALYZING_REQUIREMENTS, "go", 5)


def test_after_the_last_attempt_the_tech_lead_may_allow_one_more() -> None:
    case = a_case(S.RUNNING_TESTS)
    for attempt in (2, 3):
        case = after(case, built("red", feedback=f"{attempt}"), by_tester(judged()))
        assert (case.state, case.limits.attempt) == (S.FIXING_ISSUES, attempt)
        case = after(case, turn(implemented()))
    case = after(case, built("red", feedback="3"), by_tester(judged()))
    assert (case.state, case.progress.task, case.limits.attempt) == (S.REVIEWING_CODE, Task.UNBLOCK, 3)
    case = after(case, lead(reviewed("UNBLOCKING_GUIDANCE")), turn(implemented()))
    case = after(case, built("red", feedback="4"), by_tester(judged()))
    assert (case.state, case.limits.attempt) == (S.FAILED, 4)


def test_reaching_the_transition_limit_fails_the_case() -> None:
    last = make_move(a_case(transitions=60), Move(to=S.ANALYZING_REQUIREMENTS, reason="go"), POLICY, MORNING)
    assert (last.state, last.reason) == (S.FAILED, "Stopped after 60 transitions in a round without an end in sight.")
    assert make_move(
        a_case(transitions=60, round_began=30), Move(to=S.ANALYZING_REQUIREMENTS, reason="go"), POLICY, MORNING
    ).state is (S.ANALYZING_REQUIREMENTS)
    assert (
        make_move(a_case(transitions=59), Move(to=S.ANALYZING_REQUIREMENTS, reason="go"), POLICY, MORNING).state
        not in TERMINAL
    )


@pytest.mark.parametrize("end", [S.CLOSED, S.COMPLETED])
def test_a_person_can_still_end_a_case_at_its_limit(end: IssueState) -> None:
    assert (
        make_move(a_case(S.IMPLEMENTING, transitions=60), Move(to=end, reason="a person"), POLICY, MORNING).state is end
    )


# --- weakened tests


def test_a_person_lets_weakened_tests_stay_by_name_and_no_others() -> None:
    asked = after(a_proven_case(weakened=("`a` was removed.",)), lead(reviewed()))
    assert asked.waiting.wait is not None
    assert asked.waiting.wait.subject is Subject.WEAKENED
    agreed = after(asked, Agreed(by="ann"))
    assert agreed.people.grants[-1].what == f"{Subject.WEAKENED.value} (`a` was removed.)"
    assert may_be_delivered(agreed)
    assert not may_be_delivered(agreed.updated(weakened=("`a` was removed.", "`b` was removed.")))


def test_a_person_has_weakened_tests_put_right() -> None:
    asked = after(a_proven_case(weakened=("`a` was removed.",)), lead(reviewed()))
    declined = after(asked, Declined(by="ann"))
    assert declined.progress.go is S.FIXING_ISSUES


def test_the_command_that_closed_a_case_is_known_until_it_is_opened_again() -> None:
    closed = after(a_case(), CloseAsked(by="ann", message=MessageId(7)))
    assert (closed.state, closed.people.closed_by) == (S.CLOSED, 7)
    assert reopened(closed).people.closed_by is None
    refused = after(waiting(WaitingFor.APPROVAL, Subject.SENSITIVE), Declined(by="ann", messages=(MessageId(8),)))
    assert (refused.state, refused.people.closed_by) == (S.CLOSED, 8)
    other = after(waiting(WaitingFor.APPROVAL, Subject.PLAN), Declined(by="ann", messages=(MessageId(9),)))
    assert other.people.closed_by is None
