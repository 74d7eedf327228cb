"""What a case does next, as a table: facts in, one move out, with the reason in words."""

from typing import Literal

import pytest

from caseworker.core.case import Case, WaitingFor
from caseworker.core.decisions import (
    BuildEnded,
    CloseAsked,
    EffectRefused,
    Fact,
    Merged,
    Move,
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
from caseworker.core.outcomes import IssueType, Outcome
from caseworker.core.policy import Policy
from caseworker.core.states import TERMINAL, WORKING, IssueState, Role, next_states
from tests.core.examples import (
    BASE,
    HEAD,
    OTHER,
    a_case,
    a_proven_case,
    analysed,
    implemented,
    reviewed,
    triaged,
    wrote_test,
)

S = IssueState
POLICY = Policy()


def turn(outcome: Outcome, *, role: Role = Role.DEVELOPER, checkpoint: Sha = HEAD) -> TurnEnded:
    return TurnEnded(role=role, outcome=outcome, checkpoint=checkpoint, session=SessionId("s-1"))


def built(
    verdict: Literal["green", "red", "nothing_to_run"],
    stage: Stage = Stage.HEAD,
    *,
    commit: Sha = HEAD,
    reason: str = "`make test` said so",
    feedback: str = "",
) -> BuildEnded:
    return BuildEnded(stage=stage, commit=commit, verdict=verdict, reason=reason, feedback=feedback)


BUG = a_case(S.CREATING_TESTS, issue_type="BUG_FIX")
FEATURE = a_case(S.CREATING_TESTS, issue_type="NEW_FEATURE")
TRIAGED_FEATURE = a_case(S.ANALYZING_REQUIREMENTS, issue_type="NEW_FEATURE")
PERSON = S.REQUIRES_HUMAN_INTERVENTION

TABLE: list[tuple[str, Case, Fact, IssueState, str]] = [
    ("triage: go", a_case(), turn(triaged()), S.ANALYZING_REQUIREMENTS, "The issue is worth working on."),
    ("triage: no", a_case(), turn(triaged("REJECT")), S.CLOSED, "Not worth doing: A clear bug."),
    (
        "triage: ask first",
        a_case(),
        turn(triaged("NEEDS_APPROVAL")),
        PERSON,
        "A person has to agree first: A clear bug.",
    ),
    (
        "analysis: clear",
        a_case(S.ANALYZING_REQUIREMENTS),
        turn(analysed()),
        S.CREATING_TESTS,
        "The requirements are clear; a test comes first.",
    ),
    (
        "analysis: clear, no test",
        TRIAGED_FEATURE,
        turn(analysed(test_required=False)),
        S.IMPLEMENTING,
        "The requirements are clear; no new test is needed.",
    ),
    (
        "analysis: just clear enough",
        TRIAGED_FEATURE,
        turn(analysed(confidence=0.85)),
        S.CREATING_TESTS,
        "The requirements are clear; a test comes first.",
    ),
    (
        "analysis: ready by its own word, but not sure",
        TRIAGED_FEATURE,
        turn(analysed(confidence=0.849)),
        PERSON,
        "The requirements are unclear.",
    ),
    (
        "analysis: ready by its own word, but with questions",
        TRIAGED_FEATURE,
        turn(analysed(questions=["Which page?", "Since when?"])),
        PERSON,
        "The requirements are unclear. Which page? Since when?",
    ),
    (
        "analysis: unclear",
        TRIAGED_FEATURE,
        turn(analysed("UNCLEAR", questions=["Which page?"])),
        PERSON,
        "The requirements are unclear. Which page?",
    ),
    ("analysis: blocked", TRIAGED_FEATURE, turn(analysed("BLOCKED")), PERSON, "The requirements are unclear."),
    (
        "tests: more work",
        BUG,
        turn(wrote_test("TESTS_NEED_WORK", "No runner.")),
        PERSON,
        "The tester could not write the test: No runner.",
    ),
    (
        "tests: a gap",
        BUG,
        turn(wrote_test("REQUIREMENT_GAP", "What is a total?")),
        PERSON,
        "The tester could not write the test: What is a total?",
    ),
    (
        "red build: red",
        BUG,
        built("red", Stage.RED),
        S.IMPLEMENTING,
        "Red first: `make test` said so.",
    ),
    (
        "red build: green for a bug",
        BUG,
        built("green", Stage.RED),
        PERSON,
        "There is no test that fails without the fix: `make test` said so.",
    ),
    (
        "red build: green for a feature",
        FEATURE,
        built("green", Stage.RED),
        S.IMPLEMENTING,
        "The test is there (`make test` said so); this is not a bug fix.",
    ),
    (
        "red build: nothing to run for a feature",
        FEATURE,
        built("nothing_to_run", Stage.RED),
        PERSON,
        "There is no test that fails without the fix: `make test` said so.",
    ),
    (
        "implementation: ready",
        a_case(S.IMPLEMENTING),
        turn(implemented()),
        S.RUNNING_TESTS,
        "The change is written; now it is built and tested.",
    ),
    (
        "implementation: partial",
        a_case(S.IMPLEMENTING),
        turn(implemented("PARTIAL")),
        PERSON,
        "The developer could not finish (PARTIAL): The discount was never subtracted; now it is.",
    ),
    (
        "implementation: blocked",
        a_case(S.FIXING_ISSUES),
        turn(implemented("BLOCKED")),
        PERSON,
        "The developer could not finish (BLOCKED): The discount was never subtracted; now it is.",
    ),
    (
        "head: green",
        a_case(S.RUNNING_TESTS),
        built("green"),
        S.REVIEWING_CODE,
        "Green: `make test` said so.",
    ),
    (
        "head: red, first attempt",
        a_case(S.RUNNING_TESTS, attempt=1),
        built("red"),
        S.FIXING_ISSUES,
        "Red: `make test` said so. Attempt 2 of 3.",
    ),
    (
        "head: red, last attempt",
        a_case(S.RUNNING_TESTS, attempt=3),
        built("red"),
        S.FAILED,
        "Red: `make test` said so. All 3 attempts are used.",
    ),
    (
        "head: nothing to run",
        a_case(S.RUNNING_TESTS),
        built("nothing_to_run"),
        PERSON,
        "Nothing proves the change: `make test` said so.",
    ),
    (
        "review: approved and green",
        a_proven_case(approved=None),
        turn(reviewed()),
        S.CREATING_PR,
        "The review approves the commit whose build is green.",
    ),
    (
        "review: approved, green was another commit",
        a_proven_case(green=OTHER),
        turn(reviewed()),
        PERSON,
        "The review approves a commit whose build was not seen green.",
    ),
    (
        "review: changes, second attempt",
        a_proven_case(attempt=2),
        turn(reviewed("CHANGES_REQUESTED")),
        S.FIXING_ISSUES,
        "The review asks for changes. Attempt 3 of 3.",
    ),
    (
        "review: changes, last attempt",
        a_proven_case(attempt=3),
        turn(reviewed("CHANGES_REQUESTED")),
        S.FAILED,
        "The review asks for changes. All 3 attempts are used.",
    ),
    (
        "review: needs to know",
        a_proven_case(),
        turn(reviewed("NEEDS_INFO")),
        PERSON,
        "The reviewer needs to know more: What of a discount over 100 %?",
    ),
    (
        "a turn gave up",
        a_case(S.IMPLEMENTING),
        TurnGaveUp(role=Role.DEVELOPER, reason="the agent process was killed"),
        S.FAILED,
        "The developer's turn failed: the agent process was killed",
    ),
    (
        "a refused effect",
        a_proven_case(S.CREATING_PR),
        EffectRefused(reason="The branch was moved by somebody else."),
        PERSON,
        "The branch was moved by somebody else.",
    ),
    ("merged", a_case(S.WAITING_FOR_HUMAN_INPUT), Merged(by="ann"), S.COMPLETED, "Merged by ann."),
    (
        "closed",
        a_case(S.IMPLEMENTING),
        CloseAsked(by="ann"),
        S.CLOSED,
        "Closed by ann.",
    ),
    (
        "closed without a merge",
        a_proven_case(S.WAITING_FOR_HUMAN_INPUT),
        CloseAsked(by="ann", unmerged=True),
        S.CLOSED,
        "The pull request was closed without a merge by ann.",
    ),
]


@pytest.mark.parametrize(("case", "fact", "state", "reason"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_each_fact_has_its_move(case: Case, fact: Fact, state: IssueState, reason: str) -> None:
    known = learn(case, fact)
    move = decide(known, fact, POLICY)
    assert move == Move(to=state, reason=reason)
    assert take(known, move, POLICY).state is state


def test_an_open_pull_request_waits_for_a_merge() -> None:
    fact = PullRequestReady(number=7, commit=HEAD)
    known = learn(a_proven_case(S.CREATING_PR), fact)
    after = take(known, decide(known, fact, POLICY), POLICY)
    assert (after.state, after.waiting_for) == (S.WAITING_FOR_HUMAN_INPUT, WaitingFor.MERGE)
    assert after.reason == "Pull request 7 is open; a person merges it."
    assert (after.pull_request, after.pushed) == (7, HEAD)


def test_waiting_for_a_merge_is_forgotten_once_it_came() -> None:
    waiting = a_proven_case(S.WAITING_FOR_HUMAN_INPUT, waiting_for="merge")
    assert take(waiting, decide(waiting, Merged(by="ann"), POLICY), POLICY).waiting_for is None


def test_a_testers_claim_is_never_decided_without_the_red_build() -> None:
    with pytest.raises(Bug, match="a tester's claim is judged by the red build, not here"):
        decide(BUG, turn(wrote_test()), POLICY)


# --- what a case learns


def test_a_case_learns_the_checkpoint_and_the_session_of_each_turn() -> None:
    after = learn(learn(a_case(checkpoint=BASE), turn(triaged(), role=Role.PM)), turn(analysed(), role=Role.ANALYST))
    assert after.checkpoint == HEAD
    assert after.sessions == {"pm": "s-1", "analyst": "s-1"}


def test_a_case_learns_what_it_needs_of_each_outcome() -> None:
    assert learn(a_case(), turn(triaged(type=IssueType.NEW_FEATURE))).issue_type is IssueType.NEW_FEATURE
    assert learn(a_case(), turn(analysed(test_required=False))).test_required is False
    after = learn(a_case(), turn(wrote_test()))
    assert (after.test_file, after.new_test) == ("test_cart.py", "python -m unittest test_cart")
    assert learn(a_case(feedback="repair it"), turn(implemented())).feedback == ""
    assert learn(a_case(), turn(reviewed("CHANGES_REQUESTED"))).feedback == "What of a discount over 100 %?"


def test_a_rejection_takes_an_approval_back() -> None:
    assert learn(a_proven_case(), turn(reviewed("CHANGES_REQUESTED"))).approved is None


def test_a_red_build_takes_green_back_and_says_what_to_repair() -> None:
    after = learn(a_proven_case(), built("red", feedback="`make test` failed"))
    assert (after.green, after.feedback) == (None, "`make test` failed")


def test_red_is_what_the_red_build_saw_last() -> None:
    seen = learn(BUG, built("red", Stage.RED))
    assert seen.red
    assert not learn(seen, built("green", Stage.RED)).red


@pytest.mark.parametrize(
    "fact",
    [
        TurnGaveUp(role=Role.PM, reason="x"),
        EffectRefused(reason="x"),
        Merged(by="ann"),
        CloseAsked(by="ann"),
        built("green", Stage.BASE),
    ],
)
def test_other_facts_teach_the_case_nothing(fact: Fact) -> None:
    assert learn(a_proven_case(), fact) == a_proven_case()


# --- proof


def test_a_case_is_proven_by_red_green_and_approval_of_its_checkpoint() -> None:
    assert proven(a_proven_case())


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
        {"red": False},
    ],
)
def test_a_bug_is_not_proven_when_anything_is_missing_or_names_another_commit(known: dict[str, object]) -> None:
    assert not proven(a_proven_case(IssueState.REVIEWING_CODE, **known))


def test_a_feature_needs_no_red_test() -> None:
    assert proven(a_proven_case(red=False, issue_type="NEW_FEATURE"))


def test_a_new_commit_takes_back_green_and_approved() -> None:
    assert not proven(learn(a_proven_case(S.FIXING_ISSUES), turn(implemented(), checkpoint=OTHER)))


def test_a_review_that_changed_the_code_approves_nothing_that_was_built() -> None:
    fact = turn(reviewed(), role=Role.TECH_LEAD, checkpoint=OTHER)
    known = learn(a_proven_case(), fact)
    assert decide(known, fact, POLICY).to is PERSON


# --- taking the move


@pytest.mark.parametrize("state", IssueState)
def test_an_edge_that_is_not_in_the_table_is_refused(state: IssueState) -> None:
    for target in frozenset(IssueState) - next_states(state):
        with pytest.raises(Bug, match=f"owner/repo#42: {state} -> {target} is not an edge of the table"):
            take(a_proven_case(state), Move(to=target, reason="why not"), POLICY)


@pytest.mark.parametrize("state", sorted(state for state in WORKING if S.CREATING_PR in next_states(state)))
def test_a_pull_request_without_its_proof_is_refused_from_wherever_it_may_be_made(state: IssueState) -> None:
    with pytest.raises(Bug, match=f"a pull request needs a green build and an approved review of {HEAD}"):
        take(a_proven_case(state, green=OTHER), Move(to=S.CREATING_PR, reason="trust me"), POLICY)
    assert take(a_proven_case(state), Move(to=S.CREATING_PR, reason="seen"), POLICY).state is S.CREATING_PR


def test_a_move_is_counted_and_its_reason_kept() -> None:
    after = take(a_case(transitions=4), Move(to=S.ANALYZING_REQUIREMENTS, reason="go"), POLICY)
    assert (after.state, after.reason, after.transitions) == (S.ANALYZING_REQUIREMENTS, "go", 5)


def test_each_repair_uses_an_attempt_until_they_run_out() -> None:
    case = a_case(S.RUNNING_TESTS)
    for attempt in (2, 3):
        case = take(case, decide(case, built("red"), POLICY), POLICY)
        assert (case.state, case.attempt) == (S.FIXING_ISSUES, attempt)
        case = take(case, decide(case, turn(implemented()), POLICY), POLICY)
    case = take(case, decide(case, built("red"), POLICY), POLICY)
    assert (case.state, case.attempt) == (S.FAILED, 3)


def test_the_policy_says_how_many_attempts_there_are() -> None:
    assert decide(a_case(S.RUNNING_TESTS), built("red"), Policy(attempts=1)).to is S.FAILED


def test_the_last_transition_of_a_round_fails_the_case() -> None:
    after = take(a_case(transitions=60), Move(to=S.ANALYZING_REQUIREMENTS, reason="go"), POLICY)
    assert (after.state, after.reason) == (S.FAILED, "Stopped after 60 transitions without an end in sight.")
    assert take(a_case(transitions=59), Move(to=S.ANALYZING_REQUIREMENTS, reason="go"), POLICY).state not in TERMINAL


@pytest.mark.parametrize("end", [S.CLOSED, S.COMPLETED])
def test_a_case_at_its_limit_can_still_be_ended_by_a_person(end: IssueState) -> None:
    assert take(a_case(S.IMPLEMENTING, transitions=60), Move(to=end, reason="a person"), POLICY).state is end
