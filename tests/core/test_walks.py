"""A case walked at random: whatever it is told, it keeps to the table, proves what it delivers, and comes to an end."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caseworker.core.case import Case
from caseworker.core.decisions import (
    TURN_OF,
    BuildEnded,
    CloseAsked,
    EffectRefused,
    Fact,
    Merged,
    PullRequestReady,
    TurnEnded,
    TurnGaveUp,
    decide,
    learn,
    proven,
    take,
)
from caseworker.core.errors import Bug
from caseworker.core.evidence import Stage
from caseworker.core.ids import SessionId, Sha
from caseworker.core.outcomes import IssueType, Outcome, Task
from caseworker.core.policy import Policy
from caseworker.core.states import WORKING, IssueState, Role, next_states
from tests.core.examples import BASE, CASE, analysed, implemented, reviewed, triaged, wrote_test

S = IssueState

ANY_SHA = [Sha(letter * 40) for letter in "abc"]
SHAS = st.sampled_from(ANY_SHA)
VERDICTS = st.sampled_from(["green", "green", "red", "red", "nothing_to_run"])
OUTCOMES: dict[Task, st.SearchStrategy[Outcome]] = {
    Task.TRIAGE: st.sampled_from([triaged(), triaged(), triaged(), triaged("REJECT"), triaged("NEEDS_APPROVAL")]),
    Task.ANALYZE: st.builds(analysed, confidence=st.floats(0.8, 1), test_required=st.booleans()),
    Task.CREATE_TESTS: st.sampled_from([wrote_test("TESTS_NEED_WORK"), wrote_test("REQUIREMENT_GAP")]),
    Task.IMPLEMENT: st.sampled_from(
        [implemented(), implemented(), implemented(), implemented("PARTIAL"), implemented("BLOCKED")]
    ),
    Task.FIX: st.sampled_from(
        [implemented(), implemented(), implemented(), implemented("PARTIAL"), implemented("BLOCKED")]
    ),
    Task.REVIEW: st.sampled_from([reviewed(), reviewed(), reviewed("CHANGES_REQUESTED"), reviewed("NEEDS_INFO")]),
}
GIVEN_UP = st.builds(TurnGaveUp, role=st.sampled_from(Role), reason=st.just("it was killed"))
REFUSED = st.just(EffectRefused(reason="the forge said no"))
BEGINNINGS = st.builds(
    Case,
    id=st.just(CASE),
    state=st.sampled_from([S.RECEIVED, S.RECEIVED, *sorted(TURN_OF), S.RUNNING_TESTS]),
    base=st.just(BASE),
    checkpoint=SHAS,
    issue_type=st.sampled_from(IssueType),
    green=st.none() | SHAS,
    approved=st.none() | SHAS,
    red=st.booleans(),
)
BY_PEOPLE: st.SearchStrategy[Fact] = st.one_of(st.just(Merged(by="ann")), st.just(CloseAsked(by="ann")))
POLICIES = st.builds(Policy, attempts=st.integers(1, 4), transitions=st.integers(1, 60))


def builds(stage: Stage, case: Case | None = None) -> st.SearchStrategy[Fact]:
    commit = commits(case)
    return st.builds(BuildEnded, stage=st.just(stage), commit=commit, verdict=VERDICTS, reason=st.just("seen"))


def turns(role: Role, outcomes: st.SearchStrategy[Outcome], case: Case | None = None) -> st.SearchStrategy[Fact]:
    session = st.just(SessionId("s-1"))
    return st.builds(TurnEnded, role=st.just(role), outcome=outcomes, checkpoint=commits(case), session=session)


def commits(case: Case | None) -> st.SearchStrategy[Sha]:
    """The case's own more often than another: a walk in which nothing is ever proven would show little."""
    return SHAS if case is None or case.checkpoint is None else st.sampled_from([case.checkpoint] * 4 + ANY_SHA)


@st.composite
def facts_for(draw: st.DrawFn, case: Case) -> Fact:
    """What the world may answer the flow in this state: mostly what was asked for, now and then trouble."""
    if case.state not in WORKING:
        return draw(BY_PEOPLE)
    if draw(st.integers(0, 19)) == 19:
        return draw(st.one_of(GIVEN_UP, REFUSED, BY_PEOPLE))
    if case.state is S.RUNNING_TESTS:
        return draw(builds(Stage.HEAD, case))
    if case.state is S.CREATING_PR:
        return draw(st.builds(PullRequestReady, number=st.integers(1, 9), commit=SHAS))
    role, task = TURN_OF[case.state]
    if task is Task.CREATE_TESTS and draw(st.integers(0, 5)):
        return draw(builds(Stage.RED, case))
    return draw(turns(role, OUTCOMES[task], case))


ANY_FACT: st.SearchStrategy[Fact] = st.one_of(
    *[turns(role, OUTCOMES[task]) for role, task in TURN_OF.values()],
    builds(Stage.RED),
    builds(Stage.HEAD),
    st.builds(PullRequestReady, number=st.integers(1, 9), commit=SHAS),
    GIVEN_UP,
    REFUSED,
    BY_PEOPLE,
)


def step(case: Case, fact: Fact, policy: Policy) -> Case:
    known = learn(case, fact)
    return take(known, decide(known, fact, policy), policy)


def check(before: Case, after: Case, policy: Policy) -> None:
    assert after.state in next_states(before.state)
    assert after.state is not S.CREATING_PR or proven(after)
    assert after.transitions == before.transitions + 1
    # A person may still merge or close what is parked, whatever the limit.
    assert after.transitions <= policy.transitions + 1 or before.state not in WORKING
    assert before.attempt <= after.attempt <= policy.attempts
    assert (after.turns, after.builds, after.epoch) >= (before.turns, before.builds, before.epoch)
    assert after.reason.strip() == after.reason != ""


@settings(max_examples=400)
@given(data=st.data(), policy=POLICIES, case=BEGINNINGS)
def test_a_case_at_work_keeps_to_the_table_and_ends_or_waits_within_its_limits(
    data: st.DataObject, policy: Policy, case: Case
) -> None:
    while case.state in WORKING:  # ends: `check` bounds the transitions
        after = step(case, data.draw(facts_for(case)), policy)
        check(case, after, policy)
        case = after


@given(facts=st.lists(ANY_FACT, max_size=12), policy=POLICIES, case=BEGINNINGS)
def test_a_case_told_what_does_not_belong_to_its_state_stays_within_the_table_or_says_that_it_is_a_bug(
    facts: list[Fact], policy: Policy, case: Case
) -> None:
    for fact in facts:
        try:
            after = step(case, fact, policy)
        except Bug:
            continue
        check(case, after, policy)
        case = after


@given(data=st.data(), case=BEGINNINGS)
def test_no_history_makes_a_pull_request_of_an_unproven_commit(data: st.DataObject, case: Case) -> None:
    after = step(case, data.draw(facts_for(case)), Policy())
    if after.state is S.CREATING_PR:
        assert after.checkpoint == after.green == after.approved
        assert after.red or after.issue_type is not IssueType.BUG_FIX or not after.test_required


@given(policy=POLICIES)
def test_a_developer_who_never_gets_it_right_fails_the_case(policy: Policy) -> None:
    case = Case(id=CASE, state=S.IMPLEMENTING, base=BASE, checkpoint=BASE)
    sha = Sha("a" * 40)
    while case.state in WORKING:
        written = TurnEnded(role=Role.DEVELOPER, outcome=implemented(), checkpoint=sha, session=SessionId("s-1"))
        case = step(case, written, policy)
        if case.state is S.RUNNING_TESTS:
            case = step(case, BuildEnded(stage=Stage.HEAD, commit=sha, verdict="red", reason="seen"), policy)
    assert case.state is S.FAILED
    assert case.attempt <= policy.attempts


def test_the_straight_path_of_a_bug_is_proven_step_by_step() -> None:
    """That the walks above are not empty: this one arrives."""
    sha = Sha("a" * 40)
    facts: list[Fact] = [
        TurnEnded(role=Role.PM, outcome=triaged(), checkpoint=BASE, session=SessionId("1")),
        TurnEnded(role=Role.ANALYST, outcome=analysed(), checkpoint=BASE, session=SessionId("2")),
        BuildEnded(stage=Stage.RED, commit=BASE, verdict="red", reason="seen"),
        TurnEnded(role=Role.DEVELOPER, outcome=implemented(), checkpoint=sha, session=SessionId("3")),
        BuildEnded(stage=Stage.HEAD, commit=sha, verdict="green", reason="seen"),
        TurnEnded(role=Role.TECH_LEAD, outcome=reviewed(), checkpoint=sha, session=SessionId("4")),
        PullRequestReady(number=1, commit=sha),
        Merged(by="ann"),
    ]
    case, seen = Case(id=CASE, base=BASE, checkpoint=BASE), []
    for fact in facts:
        case = step(case, fact, Policy())
        seen.append(case.state)
    assert seen == [
        S.ANALYZING_REQUIREMENTS,
        S.CREATING_TESTS,
        S.IMPLEMENTING,
        S.RUNNING_TESTS,
        S.REVIEWING_CODE,
        S.CREATING_PR,
        S.WAITING_FOR_HUMAN_INPUT,
        S.COMPLETED,
    ]


def test_what_is_over_stays_over() -> None:
    for state in (S.COMPLETED, S.FAILED, S.CLOSED):
        with pytest.raises(Bug, match="is not an edge of the table"):
            step(Case(id=CASE, state=state), Merged(by="ann"), Policy())
