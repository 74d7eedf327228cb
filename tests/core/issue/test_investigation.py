"""The investigation loop: ends of iterations, the limit that nothing resets, and what follows."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from pydantic import TypeAdapter, ValidationError

from caseworker.core.base.failed_steps import Deferred, TurnGaveUp
from caseworker.core.base.ids import SessionId
from caseworker.core.base.policy import Milestone, Policy
from caseworker.core.base.roles import Role, Task
from caseworker.core.evidence.builds import Stage
from caseworker.core.investigation.iterations import MOST_ITERATIONS
from caseworker.core.investigation.matrix import MOST_INVESTIGATIONS, contradicted
from caseworker.core.issue.apply import apply_fact
from caseworker.core.issue.case import IssueCase, Wait
from caseworker.core.issue.decide import decide
from caseworker.core.issue.facts import (
    Agreed,
    BudgetRaised,
    BuildEnded,
    Fact,
    HandedBack,
    RetryAsked,
    Spoke,
    TakenOver,
    TimedOut,
    TurnEnded,
)
from caseworker.core.issue.investigation import why_not_approvable, why_not_claimable
from caseworker.core.issue.moves import Move, is_used_up, make_move
from caseworker.core.issue.moves_by_people import automatic_move, reopened
from caseworker.core.issue.proof import is_green
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import Grant, Subject, WaitingFor
from caseworker.core.issue.turns import at_work, turn_of
from caseworker.core.outcomes.answers import RoleQuestion
from caseworker.core.outcomes.investigation import (
    INVESTIGATION_STATUSES,
    CauseReviewOutcome,
    Criterion,
    Hypothesis,
    InvestigationOutcome,
    UnblockingOutcome,
)
from caseworker.core.outcomes.outcome import IssueOutcome, Outcome, known_turns, outcome_schema, parse_outcome
from tests.core.examples import (
    HEAD,
    MORNING,
    OTHER,
    a_case,
    implemented,
    interpreted,
    planned,
    reviewed,
    told,
)
from tests.core.investigation_examples import (
    TWO,
    CauseStatus,
    PmStatus,
    a_bundle,
    a_diagnostic,
    a_hypothesis,
    a_request,
    a_root_cause,
    an_investigated_case,
    cause_reviewed,
    diagnosed,
    investigated,
    iterated,
    turns,
    unblocked,
    without_a_matrix,
)

S = IssueState
POLICY = Policy()
BEFORE_THE_LAST = range(1, MOST_ITERATIONS)
ANY_ITERATION = range(1, MOST_ITERATIONS + 1)
OUTCOME: TypeAdapter[Outcome] = TypeAdapter(Outcome)


def ended(case: IssueCase, outcome: IssueOutcome) -> TurnEnded:
    role, _ = turn_of(case)
    return TurnEnded(role=role, outcome=outcome, checkpoint=case.delivery.checkpoint or HEAD, session=SessionId("s"))


def hears(case: IssueCase, fact: Fact) -> IssueCase:
    known = apply_fact(case, fact)
    after = make_move(
        known, decide(known, fact, POLICY), POLICY, MORNING + timedelta(minutes=case.progress.transitions)
    )
    return IssueCase.model_validate_json(after.model_dump_json())  # every step survives a restart


def ends(case: IssueCase, outcome: IssueOutcome) -> IssueCase:
    return hears(case, ended(case, outcome))


def moves(case: IssueCase, move: Move) -> IssueCase:
    return make_move(case, move, POLICY, MORNING)


def done(case: IssueCase) -> int:
    assert case.investigation is not None
    return case.investigation.iteration


def at(iteration: int, **known: object) -> IssueCase:
    """A case during that iteration."""
    return an_investigated_case(iteration=iteration - 1, **known)


# --- how an iteration ends -------------------------------------------------------------------------------------------

LEADS = {
    "ROOT_CAUSE_FOUND": (S.REVIEWING_CODE, Task.VALIDATE_ROOT_CAUSE, "found"),
    "NEED_DEVELOPER_DIAGNOSTIC": (S.INVESTIGATING, Task.DIAGNOSTIC, "open"),
    "HYPOTHESIS_ELIMINATED": (S.INVESTIGATING, None, "open"),
    "NEED_MORE_ANALYSIS": (S.INVESTIGATING, None, "open"),
    "BLOCKED": (S.BLOCKED, Task.UNBLOCK, "open"),
    "EXHAUSTED": (S.BLOCKED, Task.UNBLOCK, "open"),
    "INVESTIGATION_INCOMPLETE": (S.REVIEWING_CODE, Task.VALIDATE_ROOT_CAUSE, "incomplete"),
}


def test_every_status_is_in_the_table_of_this_test() -> None:
    assert set(LEADS) == set(INVESTIGATION_STATUSES)


@pytest.mark.parametrize("iteration", BEFORE_THE_LAST)
@pytest.mark.parametrize("status", INVESTIGATION_STATUSES)
def test_each_status_has_its_move_in_every_iteration_before_the_last(status: str, iteration: int) -> None:
    after = ends(at(iteration), iterated(status))
    assert after.investigation is not None
    assert (after.state, after.progress.task, after.investigation.stands) == LEADS[status]
    assert after.investigation.iteration == iteration
    assert after.reason.startswith(f"Iteration {iteration} of 5: Looked.")


@pytest.mark.parametrize("status", [*INVESTIGATION_STATUSES, "SHRUG"])
def test_the_tech_lead_is_always_next_after_the_fifth_iteration(status: str) -> None:
    after = ends(at(MOST_ITERATIONS), iterated(status))
    assert (after.state, after.progress.task) == (S.REVIEWING_CODE, Task.VALIDATE_ROOT_CAUSE)
    assert after.investigation is not None
    assert after.investigation.stands == ("found" if status == "ROOT_CAUSE_FOUND" else "incomplete")
    assert is_used_up(after)


def test_an_unknown_status_is_more_analysis_twice_and_then_blocked() -> None:
    case = at(1)
    seen = []
    for word in ("SHRUG", "HM", "WELL"):
        case = ends(case, iterated(word))
        seen.append((case.state, case.progress.task, case.reason))
    assert seen == [
        (
            S.INVESTIGATING,
            None,
            "Iteration 1 of 5 (its status 'SHRUG' is unknown and counts as NEED_MORE_ANALYSIS): Looked.",
        ),
        (
            S.INVESTIGATING,
            None,
            "Iteration 2 of 5 (its status 'HM' is unknown and counts as NEED_MORE_ANALYSIS): Looked.",
        ),
        (
            S.BLOCKED,
            Task.UNBLOCK,
            "Iteration 3 of 5 (its status 'WELL' is unknown and counts as BLOCKED): Looked. It is stuck: what it "
            "answers can't be understood. The pm sees to it.",
        ),
    ]


def test_known_statuses_do_not_reset_the_count_of_unknown_ones() -> None:
    case = ends(at(1), iterated("SHRUG"))
    case = ends(case, iterated("HYPOTHESIS_ELIMINATED"))
    case = ends(case, iterated("SHRUG"))
    assert case.state is S.INVESTIGATING
    assert ends(case, iterated("SHRUG")).state is S.BLOCKED


@pytest.mark.parametrize("iteration", BEFORE_THE_LAST)
def test_an_iteration_without_a_hypothesis_blocks_the_investigation(iteration: int) -> None:
    after = ends(at(iteration), without_a_matrix())
    assert (after.state, after.progress.task) == (S.BLOCKED, Task.UNBLOCK)
    assert "It is stuck: there is no hypothesis left to look into." in after.reason


# --- nothing resets the count ----------------------------------------------------------------------------------------


def _feedback(case: IssueCase) -> IssueCase:
    case = ends(case, iterated("ROOT_CAUSE_FOUND"))
    return ends(case, cause_reviewed("CHANGES_REQUESTED"))


def _resources(case: IssueCase) -> IssueCase:
    case = ends(case, iterated("BLOCKED"))
    return ends(case, unblocked("CONTINUE"))


def _an_answer(case: IssueCase) -> IssueCase:
    """A person's words begin a new round."""
    case = ends(ends(case, iterated("BLOCKED")), unblocked("NEEDS_CLARIFICATION"))
    case = hears(case, Spoke(by="ann", messages=()))
    after = ends(case, interpreted("CONTINUE"))
    assert after.limits.round == case.limits.round + 1
    return after


def _a_retry(case: IssueCase) -> IssueCase:
    case = ends(ends(case, iterated("BLOCKED")), unblocked("EXTERNAL_DEPENDENCY"))
    assert not at_work(case)
    return _after_automatic_moves(hears(case, RetryAsked(by="ann")))


def _a_time_out(case: IssueCase) -> IssueCase:
    case = hears(ends(ends(case, iterated("BLOCKED")), unblocked("NEEDS_CLARIFICATION")), TimedOut())
    assert (case.state, at_work(case)) == (S.BLOCKED, False)
    return _after_automatic_moves(hears(case, RetryAsked(by="ann")))


def _a_takeover(case: IssueCase) -> IssueCase:
    case = hears(ends(case, iterated()), TakenOver(by="ann"))
    return _after_automatic_moves(hears(case, HandedBack(by="ann")))


def _reopening(case: IssueCase) -> IssueCase:
    case = hears(ends(case, iterated()), TurnGaveUp(role=Role.INVESTIGATOR, reason="it was killed"))
    assert case.state is S.FAILED
    return _after_automatic_moves(reopened(case).updated(go=case.waiting.resume))


def _a_budget(case: IssueCase) -> IssueCase:
    case = hears(ends(case, iterated()), TurnGaveUp(role=Role.INVESTIGATOR, reason="no money", limit="budget"))
    return _after_automatic_moves(hears(case, BudgetRaised(by="ann", micros=5)))


def _a_detour(case: IssueCase) -> IssueCase:
    """The case is planned without a cause, and then the investigation is requested again."""
    case = ends(ends(case, iterated("EXHAUSTED")), unblocked("PROCEED"))
    assert case.state is S.PLANNING_APPROACH
    return ends(case, planned("INVESTIGATION_NEEDED").model_copy(update={"investigation": a_request()}))


def _after_automatic_moves(case: IssueCase) -> IssueCase:
    move = automatic_move(case)
    assert move is not None
    return moves(case, move)


@pytest.mark.parametrize(
    "between",
    [
        _feedback,
        _resources,
        _an_answer,
        _a_retry,
        _a_time_out,
        _a_takeover,
        _reopening,
        _a_budget,
        _a_detour,
    ],
)
def test_nothing_resets_the_iteration_count(between: Callable[[IssueCase], IssueCase]) -> None:
    case = at(1)
    for iteration in BEFORE_THE_LAST:
        case = between(case)
        assert (case.state, done(case)) == (S.INVESTIGATING, iteration)
    last = ends(case, iterated("NEED_DEVELOPER_DIAGNOSTIC"))
    assert (last.state, last.progress.task, done(last)) == (S.REVIEWING_CODE, Task.VALIDATE_ROOT_CAUSE, MOST_ITERATIONS)


def test_an_interrupted_diagnostic_or_cause_review_resumes() -> None:
    for case in (
        an_investigated_case(iteration=2, task=Task.DIAGNOSTIC),
        an_investigated_case(S.REVIEWING_CODE, iteration=2, stands="found", task=Task.VALIDATE_ROOT_CAUSE),
    ):
        back = _after_automatic_moves(hears(hears(case, TakenOver(by="ann")), HandedBack(by="ann")))
        assert (back.state, back.progress.task, back.investigation) == (
            case.state,
            case.progress.task,
            case.investigation,
        )


def test_a_failed_cause_review_resumes_after_a_persons_words() -> None:
    case = an_investigated_case(S.REVIEWING_CODE, iteration=2, stands="found", task=Task.VALIDATE_ROOT_CAUSE)
    case = hears(case, TurnGaveUp(role=Role.TECH_LEAD, reason="too slow", limit="time"))
    case = ends(hears(case, Spoke(by="ann", messages=())), interpreted("CONTINUE"))
    assert (case.state, case.progress.task) == (S.REVIEWING_CODE, Task.VALIDATE_ROOT_CAUSE)


@pytest.mark.parametrize("status", ["ROOT_CAUSE_FOUND", "NEED_DEVELOPER_DIAGNOSTIC"])
def test_an_iterations_next_step_follows_after_an_approval(status: str) -> None:
    outcome = iterated(status).model_copy(update={"escalation": "It needs the production log."})
    case = ends(at(2), outcome)
    assert (case.state, case.waits_for) == (S.WAITING_FOR_HUMAN_INPUT, WaitingFor.APPROVAL)
    case = _after_automatic_moves(hears(case, Agreed(by="ann")))
    assert (case.state, case.progress.task) == LEADS[status][:2]
    assert done(case) == 2


def test_the_pms_unblock_turn_resumes_after_a_budget_raise() -> None:
    case = ends(at(2), iterated("BLOCKED"))
    case = hears(case, TurnGaveUp(role=Role.PM, reason="no money", limit="budget"))
    assert case.waits_for is WaitingFor.BUDGET
    case = _after_automatic_moves(hears(case, BudgetRaised(by="ann", micros=5)))
    assert (case.state, case.progress.task, at_work(case)) == (S.BLOCKED, Task.UNBLOCK, True)


# --- after the fifth -------------------------------------------------------------------------------------------------

USED_UP = an_investigated_case(
    S.REVIEWING_CODE, iteration=MOST_ITERATIONS, stands="incomplete", task=Task.VALIDATE_ROOT_CAUSE
)


def test_after_the_fifth_iteration_there_are_only_three_moves() -> None:
    """The best hypothesis, a plan without one, or a person."""
    reached = {}
    for status in ("APPROVED", "CHANGES_REQUESTED", "UNBLOCKING_GUIDANCE", "NEEDS_INFO"):
        outcome = CauseReviewOutcome.model_validate({**cause_reviewed("APPROVED").model_dump(), "status": status})
        reached[status] = ends(USED_UP, outcome).state
    assert reached == {
        "APPROVED": S.CREATING_TESTS,
        "CHANGES_REQUESTED": S.WAITING_FOR_HUMAN_INPUT,
        "UNBLOCKING_GUIDANCE": S.PLANNING_APPROACH,
        "NEEDS_INFO": S.WAITING_FOR_HUMAN_INPUT,
    }


@pytest.mark.parametrize(
    ("case", "outcome"),
    [
        (a_case(S.PLANNING_APPROACH), planned("INVESTIGATION_NEEDED")),
        (a_case(S.IMPLEMENTING), implemented("BLOCKED")),
        (a_case(S.FIXING_ISSUES), implemented("SPAWN_INVESTIGATOR")),
        (a_case(S.REVIEWING_CODE), reviewed("SPAWN_INVESTIGATOR")),
        (a_case(S.REVIEWING_ARCHITECTURE), reviewed("ESCALATE")),
        (a_case(S.HUMAN_INPUT_RECEIVED), interpreted("INVESTIGATION_NEEDED")),
        (a_case(S.HUMAN_INPUT_RECEIVED), interpreted("CONTINUE", "investigating")),
        (a_case(S.HUMAN_INPUT_RECEIVED, resume=S.INVESTIGATING), interpreted("CONTINUE")),
    ],
)
def test_there_is_never_a_sixth_iteration(case: IssueCase, outcome: IssueOutcome) -> None:
    after = ends(case.updated(investigation=USED_UP.investigation), outcome)
    assert (after.state, after.progress.task) in [
        (S.REVIEWING_CODE, Task.VALIDATE_ROOT_CAUSE),
        (S.REQUIRES_HUMAN_INTERVENTION, None),
        (S.PLANNING_APPROACH, None),
    ]
    assert done(after) == MOST_ITERATIONS


def test_a_request_beyond_the_last_iteration_still_begins_a_round() -> None:
    """A limit of the agents never drops a person's request."""
    case = a_case(S.HUMAN_INPUT_RECEIVED, transitions=POLICY.transitions + 9)
    after = ends(case.updated(investigation=USED_UP.investigation), interpreted("CONTINUE", "investigating"))
    assert (after.state, after.progress.task, after.limits.round) == (S.REVIEWING_CODE, Task.VALIDATE_ROOT_CAUSE, 2)


# --- diagnostics -----------------------------------------------------------------------------------------------------

MEASURING = an_investigated_case(iteration=2, task=Task.DIAGNOSTIC, senior=False)


@pytest.mark.parametrize(
    ("fact", "reason"),
    [
        (ended(MEASURING, diagnosed()), "Measured: Both threads read before one writes."),
        (ended(MEASURING, diagnosed("BLOCKED")), "It could not be measured: Both threads read before one writes."),
        (Deferred(reason="No developer was free."), "No developer was free."),
        (TurnGaveUp(role=Role.DEVELOPER, reason="it was killed"), "The diagnostic came to nothing: it was killed"),
        (
            TurnGaveUp(role=Role.DEVELOPER, reason="too slow", limit="time"),
            "The diagnostic came to nothing: too slow",
        ),
    ],
)
def test_the_investigator_goes_on_after_any_diagnostic(fact: Fact, reason: str) -> None:
    after = hears(MEASURING, fact)
    assert (after.state, after.progress.task, after.reason) == (S.INVESTIGATING, None, reason)
    assert after.investigation == MEASURING.investigation
    assert after.limits.attempt == MEASURING.limits.attempt


def test_code_of_a_diagnostic_is_not_part_of_the_work() -> None:
    fact = TurnEnded(role=Role.DEVELOPER, outcome=diagnosed(), checkpoint=OTHER, session=SessionId("other"))
    after = hears(MEASURING, fact)
    assert (after.delivery.checkpoint, after.progress.sessions) == (
        MEASURING.delivery.checkpoint,
        MEASURING.progress.sessions,
    )


def test_a_diagnostic_without_budget_waits_and_resumes() -> None:
    case = hears(MEASURING, TurnGaveUp(role=Role.DEVELOPER, reason="no money", limit="budget"))
    assert case.waits_for is WaitingFor.BUDGET
    case = _after_automatic_moves(hears(case, BudgetRaised(by="ann", micros=5)))
    assert (case.state, case.progress.task) == (S.INVESTIGATING, Task.DIAGNOSTIC)


def test_the_senior_runs_diagnostics_once_it_has_taken_over() -> None:
    assert turn_of(MEASURING) == (Role.DEVELOPER, Task.DIAGNOSTIC)
    assert turn_of(MEASURING.updated(senior=True)) == (Role.SENIOR_DEVELOPER, Task.DIAGNOSTIC)


# --- the tech lead ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "to", "stands"),
    [
        ("APPROVED", S.CREATING_TESTS, "approved"),
        ("CHANGES_REQUESTED", S.INVESTIGATING, "open"),
        ("UNBLOCKING_GUIDANCE", S.PLANNING_APPROACH, "given_up"),
        ("NEEDS_INFO", S.WAITING_FOR_HUMAN_INPUT, "found"),
    ],
)
def test_the_moves_after_a_cause_review(status: CauseStatus, to: IssueState, stands: str) -> None:
    case = an_investigated_case(S.REVIEWING_CODE, iteration=2, stands="found", task=Task.VALIDATE_ROOT_CAUSE)
    after = ends(case, cause_reviewed(status))
    assert after.investigation is not None
    assert (after.state, after.investigation.stands, after.investigation.iteration) == (to, stands, 2)
    assert after.evidence.approved is None  # it approves a cause, never a commit
    assert after.evidence.feedback == ("" if status == "APPROVED" else "What of a cart without a discount?")


@pytest.mark.parametrize(
    ("known", "to"),
    [
        ({"red": True}, S.IMPLEMENTING),
        ({"test_required": False}, S.IMPLEMENTING),
        ({}, S.CREATING_TESTS),
    ],
)
def test_an_accepted_cause_is_repaired_with_a_test_first(known: dict[str, object], to: IssueState) -> None:
    case = an_investigated_case(S.REVIEWING_CODE, iteration=2, stands="found", task=Task.VALIDATE_ROOT_CAUSE, **known)
    after = ends(case, cause_reviewed())
    assert after.state is to
    assert after.investigation is not None
    assert after.investigation.hypothesis == "H1"


@pytest.mark.parametrize(("iteration", "then"), [(2, S.INVESTIGATING), (MOST_ITERATIONS, S.PLANNING_APPROACH)])
def test_an_answer_leads_back_to_the_investigation_if_iterations_are_left(iteration: int, then: IssueState) -> None:
    case = an_investigated_case(S.REVIEWING_CODE, iteration=iteration, stands="found", task=Task.VALIDATE_ROOT_CAUSE)
    case = ends(case, cause_reviewed("NEEDS_INFO"))
    assert case.waiting.wait is not None
    assert (case.waiting.wait.reason, case.waiting.wait.then) == (WaitingFor.ANSWER, then)
    after = ends(hears(case, Spoke(by="ann", messages=())), interpreted("CONTINUE"))
    assert (after.state, done(after)) == (then, iteration)


# --- the pm ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "to", "works"),
    [
        ("CONTINUE", S.INVESTIGATING, True),
        ("PROCEED", S.PLANNING_APPROACH, True),
        ("EXTERNAL_DEPENDENCY", S.BLOCKED, False),
        ("NEEDS_CLARIFICATION", S.WAITING_FOR_HUMAN_INPUT, False),
    ],
)
def test_the_moves_after_the_pms_unblock_turn(status: PmStatus, to: IssueState, works: bool) -> None:
    stuck = ends(at(2), iterated("EXHAUSTED"))
    assert (at_work(stuck), turn_of(stuck)) == (True, (Role.PM, Task.UNBLOCK))
    after = ends(stuck, unblocked(status))
    assert (after.state, after.progress.task, at_work(after), done(after)) == (to, None, works, 2)


def test_people_are_told_what_the_pm_asks_and_why_it_stays_blocked() -> None:
    stuck = ends(at(2), iterated("BLOCKED"))
    asks = decide(stuck, ended(stuck, unblocked("NEEDS_CLARIFICATION")), POLICY)
    assert asks.say is not None
    assert "Which shop?" in told(stuck, asks.say.about, unblocked("NEEDS_CLARIFICATION"))
    assert asks.then is S.INVESTIGATING
    blocked = unblocked("EXTERNAL_DEPENDENCY")
    why = decide(stuck, ended(stuck, blocked), POLICY).say
    assert why is not None
    assert told(stuck, why.about, blocked) == "It can't be seen here."


# --- how it begins ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("case", "outcome"),
    [
        (a_case(S.PLANNING_APPROACH), planned("INVESTIGATION_NEEDED")),
        (a_case(S.HUMAN_INPUT_RECEIVED), interpreted("INVESTIGATION_NEEDED")),
        (a_case(S.IMPLEMENTING), implemented("BLOCKED")),
        (a_case(S.FIXING_ISSUES, senior=True), implemented("BLOCKED")),
        (a_case(S.REFACTORING), implemented("SPAWN_INVESTIGATOR")),
        (a_case(S.ADDRESSING_FEEDBACK), implemented("BLOCKED")),
        (a_case(S.REVIEWING_CODE), reviewed("SPAWN_INVESTIGATOR")),
        (a_case(S.REVIEWING_CODE, task=Task.UNBLOCK), reviewed("SPAWN_INVESTIGATOR")),
        (a_case(S.REVIEWING_INTEGRATION), reviewed("ESCALATE")),
    ],
)
def test_the_pm_developers_and_tech_lead_can_begin_an_investigation(case: IssueCase, outcome: IssueOutcome) -> None:
    after = ends(case.updated(turns=7), outcome)
    assert after.state is S.INVESTIGATING
    assert after.investigation is not None
    assert (after.investigation.number, after.investigation.iteration) == (1, 0)
    assert after.investigation.began_after == 7
    assert turn_of(after) == (Role.INVESTIGATOR, Task.ITERATE)


def test_an_investigation_requested_by_an_answer_is_planned_first() -> None:
    after = ends(a_case(S.REQUIREMENTS_CLARIFIED), interpreted("INVESTIGATION_NEEDED"))
    assert after.state is S.PLANNING_APPROACH


def test_a_new_problem_has_its_own_investigation_up_to_three() -> None:
    case = an_investigated_case(S.REVIEWING_CODE, iteration=MOST_ITERATIONS, stands="given_up", unknown=2)
    another = reviewed("SPAWN_INVESTIGATOR").model_copy(update={"investigation": a_request(new_problem=True)})
    numbers = []
    for _ in range(MOST_INVESTIGATIONS):
        case = ends(case.updated(state=S.REVIEWING_CODE, task=None, seen={}), another)
        assert case.investigation is not None
        numbers.append((case.state, case.investigation.number, case.investigation.iteration))
        used = case.investigation.model_copy(update={"iteration": MOST_ITERATIONS})
        case = case.updated(investigation=used)
    assert numbers == [
        (S.INVESTIGATING, 2, 0),
        (S.INVESTIGATING, 3, 0),
        (S.REQUIRES_HUMAN_INTERVENTION, 3, MOST_ITERATIONS),
    ]


def test_the_same_problem_continues_its_investigation() -> None:
    case = an_investigated_case(S.IMPLEMENTING, iteration=3, stands="approved", hypothesis="H2")
    after = ends(case, implemented("BLOCKED"))
    assert after.investigation is not None
    assert (after.investigation.number, after.investigation.iteration, after.investigation.stands) == (1, 3, "open")


# --- required fields -------------------------------------------------------------------------------------------------


def plain(answer: Outcome, **changes: object) -> dict[str, object]:
    return {**answer.model_dump(mode="json"), **changes}


REQUEST = a_request().model_dump(mode="json")


@pytest.mark.parametrize("task", [Task.IMPLEMENT, Task.FIX, Task.REFACTOR, Task.ADDRESS_FEEDBACK])
@pytest.mark.parametrize("role", [Role.DEVELOPER, Role.SENIOR_DEVELOPER])
def test_a_blocked_developer_must_hand_in_an_evidence_bundle(role: Role, task: Task) -> None:
    with pytest.raises(ValidationError, match="BLOCKED needs `evidence`"):
        parse_outcome(role, task, plain(implemented("BLOCKED")))
    bundle = a_bundle().model_dump(mode="json")
    found = parse_outcome(role, task, plain(implemented("BLOCKED"), evidence=bundle, investigation=REQUEST))
    brought = {"evidence": a_bundle(), "investigation": a_request()}
    assert found == implemented("BLOCKED").model_copy(update=brought)


ENTERING = [
    (Role.PM, Task.PLAN, planned("INVESTIGATION_NEEDED")),
    (Role.PM, Task.INTERPRET, interpreted("INVESTIGATION_NEEDED")),
    (Role.DEVELOPER, Task.IMPLEMENT, implemented("SPAWN_INVESTIGATOR")),
    (Role.SENIOR_DEVELOPER, Task.FIX, implemented("BLOCKED").model_copy(update={"evidence": a_bundle()})),
    (Role.TECH_LEAD, Task.REVIEW, reviewed("SPAWN_INVESTIGATOR")),
    (Role.TECH_LEAD, Task.REVIEW_INTEGRATION, reviewed("ESCALATE")),
]


@pytest.mark.parametrize(("role", "task", "outcome"), ENTERING)
def test_whoever_begins_an_investigation_states_the_problem(role: Role, task: Task, outcome: IssueOutcome) -> None:
    for request in (None, {**REQUEST, "problem_summary": "  "}):
        with pytest.raises(ValidationError, match="needs an `investigation` with"):
            parse_outcome(role, task, plain(outcome, investigation=request))
    taken = parse_outcome(role, task, plain(outcome, investigation=REQUEST))
    assert taken == outcome.model_copy(update={"investigation": a_request()})


@pytest.mark.parametrize(
    ("case", "outcome"),
    [
        (an_investigated_case(S.HUMAN_INPUT_RECEIVED, iteration=5), interpreted("INVESTIGATION_NEEDED")),
        (an_investigated_case(S.IMPLEMENTING, iteration=5), implemented("BLOCKED")),
        (an_investigated_case(S.FIXING_ISSUES, iteration=5), implemented("SPAWN_INVESTIGATOR")),
        (an_investigated_case(S.REVIEWING_CODE, iteration=5), reviewed("SPAWN_INVESTIGATOR")),
        (an_investigated_case(S.PLANNING_APPROACH, iteration=5), planned("INVESTIGATION_NEEDED")),
    ],
)
def test_everyone_can_begin_the_investigation_of_a_new_problem(case: IssueCase, outcome: IssueOutcome) -> None:
    request = a_request("It is slow.", new_problem=True)
    after = ends(case.updated(turns=9), outcome.model_copy(update={"investigation": request}))
    assert (after.state, after.reason) == (S.INVESTIGATING, "It is investigated: It is slow.")
    assert after.investigation is not None
    assert (after.investigation.began, after.investigation.iteration) == ((0, 9), 0)


def test_an_iteration_that_asks_and_escalates_is_not_counted() -> None:
    asks = [RoleQuestion(to="tester", question="How often?")]
    unfinished = iterated().model_copy(update={"ask": asks, "escalation": "May I stop the shop?"})
    assert done(ends(at(2), unfinished)) == 1


@pytest.mark.parametrize("part", ["error", "reproduction", "expected", "actual", "environment", "attempts"])
def test_an_incomplete_evidence_bundle_is_refused(part: str) -> None:
    bundle = a_bundle().model_dump(mode="json") | {part: [] if part == "attempts" else ""}
    with pytest.raises(ValidationError, match=f"evidence.{part}"):
        parse_outcome(Role.DEVELOPER, Task.FIX, plain(implemented("BLOCKED"), evidence=bundle))


@pytest.mark.parametrize("status", ["SPAWN_INVESTIGATOR", "ESCALATE"])
def test_the_tech_lead_must_name_two_criteria(status: str) -> None:
    outcome = reviewed("SPAWN_INVESTIGATOR")
    one_twice = {**REQUEST, "criteria": [Criterion.INTERMITTENT.value] * 2}
    for request in (None, {**REQUEST, "criteria": []}, {**REQUEST, "criteria": ["in_production"]}, one_twice):
        with pytest.raises(ValidationError, match="at least two criteria"):
            parse_outcome(Role.TECH_LEAD, Task.REVIEW, plain(outcome, status=status, investigation=request))
    taken = parse_outcome(Role.TECH_LEAD, Task.UNBLOCK, plain(outcome, status=status, investigation=REQUEST))
    assert len(TWO) == 2
    assert taken.status == status


@pytest.mark.parametrize("old", [implemented("BLOCKED"), reviewed("SPAWN_INVESTIGATOR"), reviewed("ESCALATE")])
def test_a_stored_outcome_loads_even_if_newer_rules_refuse_it(old: IssueOutcome) -> None:
    kept = old.model_dump(mode="json")
    for new in ("investigation", "evidence"):
        kept.pop(new, None)
    assert OUTCOME.validate_python(kept) == old
    assert TurnEnded.model_validate_json(ended(a_case(S.RECEIVED), old).model_dump_json()).outcome == old
    turn = (Role.DEVELOPER, Task.FIX) if old.kind == "implementation" else (Role.TECH_LEAD, Task.REVIEW)
    with pytest.raises(ValidationError):
        parse_outcome(*turn, kept)


def _iteration(status: str, **changes: object) -> dict[str, object]:
    return plain(iterated(status), **changes)


def _matrix(*hypotheses: object) -> list[object]:
    return [one.model_dump(mode="json") if hasattr(one, "model_dump") else one for one in hypotheses]


CAUSE = a_root_cause().model_dump(mode="json")
TWICE = [CAUSE["evidence"][0], {**CAUSE["evidence"][0], "shows": "the same again"}, CAUSE["evidence"][1]]


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (_iteration("ROOT_CAUSE_FOUND", root_cause=None), "ROOT_CAUSE_FOUND needs `root_cause`"),
        (
            _iteration("ROOT_CAUSE_FOUND", root_cause={**CAUSE, "evidence": CAUSE["evidence"][:2]}),
            "3 different pieces of evidence",
        ),
        (_iteration("ROOT_CAUSE_FOUND", root_cause={**CAUSE, "evidence": TWICE}), "3 different pieces of evidence"),
        (
            _iteration("ROOT_CAUSE_FOUND", hypothesis_matrix=_matrix(a_hypothesis())),
            "the root cause is H1, but the matrix confirms none",
        ),
        (
            _iteration("ROOT_CAUSE_FOUND", root_cause={**CAUSE, "hypothesis": "H2"}),
            r"the root cause is H2, but the matrix confirms \['H1'\]",
        ),
        (
            _iteration(
                "ROOT_CAUSE_FOUND", hypothesis_matrix=_matrix(a_hypothesis("H1", "confirmed"), a_hypothesis("H2"))
            ),
            "H2 is not eliminated",
        ),
        (_iteration("ROOT_CAUSE_FOUND", root_cause={**CAUSE, "fix": ""}), "root_cause.fix"),
        (_iteration("ROOT_CAUSE_FOUND", root_cause={**CAUSE, "validation": ""}), "root_cause.validation"),
        (_iteration("NEED_DEVELOPER_DIAGNOSTIC", diagnostic=None), "needs `diagnostic`"),
        (
            _iteration("NEED_DEVELOPER_DIAGNOSTIC", hypothesis_matrix=_matrix(a_hypothesis("H1", "eliminated"))),
            "the diagnostic tests H1, which is not open",
        ),
        *(
            (
                _iteration(
                    "NEED_DEVELOPER_DIAGNOSTIC", diagnostic={**a_diagnostic().model_dump(mode="json"), part: ""}
                ),
                f"diagnostic.{part}",
            )
            for part in ("file", "place", "instrumentation", "scenario", "collect", "if_true", "if_false")
        ),
        (_iteration("BLOCKED", needs=" "), "BLOCKED needs `needs`"),
        (_iteration("EXHAUSTED", hypothesis_matrix=_matrix(a_hypothesis("H1"))), "EXHAUSTED, but H1 is not eliminated"),
        (_iteration("SHRUG", hypothesis_matrix=_matrix(a_hypothesis(), a_hypothesis())), "H1 is in the matrix twice"),
        (_iteration("SHRUG", hypothesis_matrix=_matrix({"id": "X", "hypothesis": "?"})), "String should match pattern"),
    ],
)
def test_an_iteration_without_the_fields_of_its_status_is_refused(answer: dict[str, object], complaint: str) -> None:
    with pytest.raises(ValidationError, match=complaint):
        parse_outcome(Role.INVESTIGATOR, Task.ITERATE, answer)


def test_a_hypothesis_without_a_likelihood_has_fifty_percent() -> None:
    bare = {"id": "H1", "hypothesis": "A race."}
    found = parse_outcome(Role.INVESTIGATOR, Task.ITERATE, _iteration("SHRUG", hypothesis_matrix=[bare]))
    assert isinstance(found, InvestigationOutcome)
    (one,) = found.hypothesis_matrix
    assert (one.likelihood, one.percent, one.status) == ("Medium", 50, "pending")


@pytest.mark.parametrize(
    ("role", "task", "answer", "complaint"),
    [
        (Role.DEVELOPER, Task.DIAGNOSTIC, plain(diagnosed(), commands=[]), "needs the commands"),
        (Role.DEVELOPER, Task.DIAGNOSTIC, plain(diagnosed(), status="READY_FOR_QA"), "'DIAGNOSTIC_DONE' or 'BLOCKED'"),
        (Role.TECH_LEAD, Task.VALIDATE_ROOT_CAUSE, plain(cause_reviewed(), hypothesis=""), "the hypothesis to act on"),
        (Role.TECH_LEAD, Task.VALIDATE_ROOT_CAUSE, plain(cause_reviewed("NEEDS_INFO"), feedback=" "), "needs feedback"),
        (Role.PM, Task.UNBLOCK, plain(unblocked(), resources=" "), "CONTINUE needs resources"),
        (
            Role.PM,
            Task.UNBLOCK,
            plain(unblocked("NEEDS_CLARIFICATION"), questions=[" "]),
            "NEEDS_CLARIFICATION needs questions",
        ),
    ],
)
def test_answers_to_an_investigation_need_the_fields_of_their_status(
    role: Role, task: Task, answer: dict[str, object], complaint: str
) -> None:
    with pytest.raises(ValidationError, match=complaint):
        parse_outcome(role, task, answer)


def test_a_diagnostic_can_not_claim_that_the_work_is_done() -> None:
    """So code from a diagnostic can't get to a build, a review or a pull request."""
    for role, task in known_turns():
        if task is Task.DIAGNOSTIC:
            properties = outcome_schema(role, task)["properties"]
            assert isinstance(properties, dict)
            claims = {"observations", "kind", "status", "commands", "observed", "agrees", "summary", "root_cause"}
            assert set(properties) == claims | {"ask", "escalation"}
            named = ["ROOT_CAUSE_FOUND"] if role is Role.SENIOR_DEVELOPER else []
            assert properties["status"]["enum"] == ["DIAGNOSTIC_DONE", *named, "BLOCKED"]


def test_no_persons_approval_accepts_a_cause() -> None:
    """Only the tech lead accepts a cause; a person's `approve` of something else does not."""
    wait = Wait(reason=WaitingFor.APPROVAL, subject=Subject.ESCALATION, then=S.INVESTIGATING)
    case = an_investigated_case(S.WAITING_FOR_HUMAN_INPUT, iteration=2, wait=wait, waiting_for=wait.reason)
    assert apply_fact(case, Agreed(by="ann")).investigation == case.investigation


def test_the_pm_has_all_four_answers_and_the_tech_lead_too() -> None:
    for model, count in ((UnblockingOutcome, 4), (CauseReviewOutcome, 4)):
        assert len(model.model_json_schema()["properties"]["status"]["enum"]) == count


# --- rules that an investigation can't skip --------------------------------------------------------------------------


@pytest.mark.parametrize("reason", [WaitingFor.APPROVAL, WaitingFor.BUDGET, WaitingFor.MILESTONE])
def test_words_for_an_investigation_do_not_end_a_wait_for_a_command(reason: WaitingFor) -> None:
    wait = Wait(reason=reason, subject=Subject.SENSITIVE, then=S.ANALYZING_REQUIREMENTS)
    case = a_case(S.HUMAN_INPUT_RECEIVED, wait=wait)
    after = hears(case, ended(case, interpreted("INVESTIGATION_NEEDED")))
    assert after.state is S.WAITING_FOR_HUMAN_INPUT
    assert after.waiting.wait == wait


@pytest.mark.parametrize("asked", [{"approve_plan": True}, {"until": Milestone.PLAN}])
def test_an_accepted_cause_does_not_skip_a_plan_that_needs_approval(asked: dict[str, object]) -> None:
    case = an_investigated_case(S.REVIEWING_CODE, iteration=1, task=Task.VALIDATE_ROOT_CAUSE, stands="found")
    policy = Policy.model_validate(asked)
    fact = ended(case, cause_reviewed("APPROVED"))
    assert decide(apply_fact(case, fact), fact, policy).to is S.PLANNING_APPROACH


def test_words_that_lead_to_an_investigation_begin_a_new_round() -> None:
    case = a_case(S.HUMAN_INPUT_RECEIVED, transitions=200, attempt=3)
    after = hears(case, ended(case, interpreted("INVESTIGATION_NEEDED")))
    assert (after.state, after.limits.attempt) == (S.INVESTIGATING, 1)


def test_an_iteration_without_a_valid_outcome_counts() -> None:
    case = an_investigated_case(iteration=0)
    for count in BEFORE_THE_LAST:
        case = hears(case, TurnGaveUp(role=Role.INVESTIGATOR, reason="invalid twice", invalid=True))
        assert (case.state, case.investigation and case.investigation.iteration) == (S.INVESTIGATING, count)
    case = hears(case, TurnGaveUp(role=Role.INVESTIGATOR, reason="invalid twice", invalid=True))
    assert (case.state, case.progress.task) == (S.REVIEWING_CODE, Task.VALIDATE_ROOT_CAUSE)


def test_a_new_problem_stays_new_after_an_approval() -> None:
    case = an_investigated_case(S.REVIEWING_CODE, iteration=5, stands="approved", hypothesis="H1")
    asked = reviewed("SPAWN_INVESTIGATOR").model_copy(
        update={"investigation": a_request(new_problem=True), "escalation": "It costs a day."}
    )
    waiting = hears(case, ended(case, asked))
    assert waiting.state is S.WAITING_FOR_HUMAN_INPUT
    agreed = hears(waiting, Agreed(by="ada"))
    on = automatic_move(agreed)
    assert on is not None
    after = make_move(agreed, on, POLICY, MORNING)
    assert after.investigation is not None
    assert (after.state, after.investigation.number, after.investigation.iteration) == (S.INVESTIGATING, 2, 0)


def test_a_developer_can_not_begin_another_investigation_by_itself() -> None:
    case = an_investigated_case(S.IMPLEMENTING, iteration=5, stands="approved", hypothesis="H1")
    after = hears(case, ended(case, implemented("SPAWN_INVESTIGATOR")))
    assert after.state is S.REQUIRES_HUMAN_INTERVENTION
    assert after.investigation is not None
    assert after.investigation.number == 1


def test_no_waiver_lets_an_unfit_commit_pass() -> None:
    waived = (Grant(subject=Subject.NO_COMMAND, by="ada"),)
    case = a_case(S.RUNNING_TESTS, grants=waived, checkpoint=HEAD)
    red = BuildEnded(stage=Stage.HEAD, commit=HEAD, verdict="red", reason="a diagnostic's line", unfit=True)
    assert not is_green(apply_fact(case, red))
    assert is_green(apply_fact(case, red.model_copy(update={"verdict": "nothing_to_run", "unfit": False})))


# --- outcomes that are refused ---------------------------------------------------------------------------------------


def test_a_hypothesis_that_is_left_out_is_not_eliminated() -> None:
    before = [a_hypothesis("H1"), a_hypothesis("H2"), a_hypothesis("H3", "eliminated")]
    found = iterated("ROOT_CAUSE_FOUND", a_hypothesis("H1", "confirmed"))
    assert contradicted(found, before) == "ROOT_CAUSE_FOUND, but H2 is in the matrix and not eliminated"
    assert contradicted(found, before[::2]) == ""


@pytest.mark.parametrize(
    ("stands", "iteration", "hypothesis", "problem"),
    [
        ("found", 2, "H1", ""),
        ("found", 2, "H2", "the cause to be judged is H1, not H2"),
        ("found", 2, "H77", "H77 is not in the matrix"),
        ("incomplete", 5, "H2", ""),
        ("incomplete", 5, "H3", "H3 is eliminated"),
    ],
)
def test_an_eliminated_or_unclaimed_hypothesis_can_not_be_approved(
    stands: str, iteration: int, hypothesis: str, problem: str
) -> None:
    matrix = [a_hypothesis("H1", "confirmed"), a_hypothesis("H2"), a_hypothesis("H3", "eliminated")]
    found = iterated("ROOT_CAUSE_FOUND", matrix[0], matrix[2])
    known = investigated(turns(iterated("NEED_MORE_ANALYSIS", *matrix), found))
    case = an_investigated_case(S.REVIEWING_CODE, iteration=iteration, stands=stands)
    outcome = cause_reviewed("APPROVED").model_copy(update={"hypothesis": hypothesis})
    assert why_not_approvable(case, known, outcome) == problem


# --- a senior developer who finds the cause ---------------------------------------------------------------------------


def test_a_cause_that_a_senior_developer_names_goes_to_the_tech_lead() -> None:
    case = an_investigated_case(iteration=2, task=Task.DIAGNOSTIC, senior=True)
    fact = TurnEnded(
        role=Role.SENIOR_DEVELOPER,
        outcome=diagnosed("ROOT_CAUSE_FOUND"),
        checkpoint=HEAD,
        session=SessionId("s"),
    )
    known = apply_fact(case, fact)
    after = make_move(known, decide(known, fact, Policy()), Policy(), MORNING)
    assert (after.state, after.progress.task) == (S.REVIEWING_CODE, Task.VALIDATE_ROOT_CAUSE)
    assert after.investigation is not None
    assert (after.investigation.iteration, after.investigation.stands) == (2, "found")


def test_a_named_cause_is_the_one_that_the_tech_lead_judges() -> None:
    [investigation] = investigated(turns(iterated("NEED_DEVELOPER_DIAGNOSTIC"), diagnosed("ROOT_CAUSE_FOUND")))
    assert investigation.root_cause == a_root_cause()


@pytest.mark.parametrize(
    ("matrix", "problem"),
    [
        ([a_hypothesis("H1")], ""),
        ([a_hypothesis("H1"), a_hypothesis("H2", "eliminated")], ""),
        ([a_hypothesis("H2")], "ROOT_CAUSE_FOUND, but H1 is not open in the matrix"),
        ([a_hypothesis("H1"), a_hypothesis("H2")], "ROOT_CAUSE_FOUND, but H2 is in the matrix and not eliminated"),
    ],
)
def test_a_diagnostic_claims_only_the_last_open_hypothesis(matrix: list[Hypothesis], problem: str) -> None:
    assert why_not_claimable(investigated(turns(iterated("NEED_MORE_ANALYSIS", *matrix))), a_root_cause()) == problem
