"""What lets a change pass: waivers cover only what was asked about, and nothing unbuilt is reviewed or delivered."""

import pytest

from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.failed_steps import TurnGaveUp
from caseworker.core.base.ids import SessionId
from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Role, Task
from caseworker.core.evidence.builds import Stage
from caseworker.core.evidence.forbidden_paths import stored_names
from caseworker.core.issue.apply import apply_fact
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.decide import decide
from caseworker.core.issue.facts import (
    Agreed,
    BranchMoved,
    BudgetRaised,
    BuildEnded,
    Declined,
    Fact,
    RetryAsked,
    Spoke,
    TurnEnded,
)
from caseworker.core.issue.moves import make_move
from caseworker.core.issue.moves_by_people import automatic_move, reopened
from caseworker.core.issue.proof import is_green, may_be_delivered
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import Subject
from caseworker.core.outcomes.outcome import IssueOutcome
from caseworker.core.outcomes.pm import NextState
from caseworker.core.telling.pull_request import pull_request_body
from caseworker.core.telling.why import why
from tests.core.examples import (
    HEAD,
    MORNING,
    OTHER,
    ReviewStatus,
    a_build,
    a_case,
    a_file,
    a_proven_case,
    a_run,
    implemented,
    interpreted,
    judged,
    reviewed,
)

S = IssueState
POLICY = Policy()
OLD_FAILURE = BuildEnded(stage=Stage.HEAD, commit=HEAD, verdict="red", reason="`make lint` fails", base_fails_too=True)
OWN_FAILURE = OLD_FAILURE.model_copy(update={"commit": OTHER, "reason": "the new test fails", "base_fails_too": False})
NOTHING_TO_RUN = BuildEnded(stage=Stage.HEAD, commit=HEAD, verdict="nothing_to_run", reason="no test command")


def after(case: IssueCase, *facts: Fact) -> IssueCase:
    """The case after these facts, with the automatic moves after each."""
    for fact in facts:
        known = apply_fact(case, fact)
        case = make_move(known, decide(known, fact, POLICY), POLICY, MORNING)
        while (automatic := automatic_move(case)) is not None:
            case = make_move(case, automatic, POLICY, MORNING)
    return case


def turn(role: Role, outcome: IssueOutcome, case: IssueCase) -> TurnEnded:
    assert case.delivery.checkpoint is not None
    return TurnEnded(role=role, outcome=outcome, checkpoint=case.delivery.checkpoint, session=SessionId("s"))


def lead(status: ReviewStatus, case: IssueCase) -> TurnEnded:
    return turn(Role.TECH_LEAD, reviewed(status), case)


def goes_on(case: IssueCase, next: NextState | None = None) -> IssueCase:
    """The case after a person spoke and the pm answered CONTINUE."""
    heard = after(case, Spoke(by="ann"))
    return after(heard, turn(Role.PM, interpreted("CONTINUE", next), heard))


def waived(build: BuildEnded) -> IssueCase:
    return after(a_case(S.RUNNING_TESTS, issue_type="BUG_FIX", red=True), build, Agreed(by="ann"))


# --- waivers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("build", [OLD_FAILURE, NOTHING_TO_RUN])
def test_a_build_waiver_also_covers_the_next_build_that_fails_alike(build: BuildEnded) -> None:
    case = waived(build)
    assert (case.state, is_green(case)) == (S.REVIEWING_CODE, True)
    again = case.updated(state=S.RUNNING_TESTS, checkpoint=OTHER)
    assert after(again, build.model_copy(update={"commit": OTHER})).state is S.REVIEWING_CODE


@pytest.mark.parametrize("build", [OLD_FAILURE, NOTHING_TO_RUN])
def test_a_waiver_does_not_cover_a_build_that_fails_in_another_way(build: BuildEnded) -> None:
    broken = waived(build).updated(state=S.RUNNING_TESTS, checkpoint=OTHER, approved=OTHER)
    red = after(broken, OWN_FAILURE)
    assert (red.state, red.progress.task) == (S.RUNNING_TESTS, Task.JUDGE)
    assert not is_green(red)
    assert not may_be_delivered(red)


def test_a_waiver_of_old_failures_does_not_cover_a_build_without_tests() -> None:
    case = waived(OLD_FAILURE).updated(state=S.RUNNING_TESTS)
    asked = after(case, NOTHING_TO_RUN)
    assert asked.waiting.wait is not None
    assert asked.waiting.wait.subject is Subject.NO_COMMAND


# --- built before it is reviewed -------------------------------------------------------------------------------------


def test_an_unblock_turn_resumes_after_words_and_approves_nothing() -> None:
    stuck = after(waived(OLD_FAILURE).updated(state=S.RUNNING_TESTS, checkpoint=OTHER), OWN_FAILURE)
    stuck = stuck.updated(state=S.REVIEWING_CODE, task=Task.UNBLOCK, attempt=3)
    parked = after(stuck, lead("NEEDS_INFO", stuck))
    assert parked.state is S.REQUIRES_HUMAN_INTERVENTION
    looks = goes_on(parked)
    assert (looks.state, looks.progress.task) == (S.REVIEWING_CODE, Task.UNBLOCK)
    assert after(looks, lead("APPROVED", looks)).state is S.REQUIRES_HUMAN_INTERVENTION
    assert after(looks, lead("UNBLOCKING_GUIDANCE", looks)).state is S.FIXING_ISSUES


def test_an_unblock_turn_that_met_a_limit_resumes() -> None:
    stuck = a_case(S.REVIEWING_CODE, task="unblock", built=HEAD)
    late = after(stuck, TurnGaveUp(role=Role.TECH_LEAD, reason="60 minutes", limit="time"), RetryAsked(by="ann"))
    assert (late.state, late.progress.task) == (S.REVIEWING_CODE, Task.UNBLOCK)
    spent = TurnGaveUp(role=Role.TECH_LEAD, reason="5 dollars", limit="budget")
    paid = after(stuck, spent, BudgetRaised(by="ann", micros=1))
    assert (paid.state, paid.progress.task) == (S.REVIEWING_CODE, Task.UNBLOCK)


@pytest.mark.parametrize("left", [S.REVIEWING_CODE, S.VALIDATING_SOLUTION, S.REVIEWING_INTEGRATION, S.CREATING_PR])
@pytest.mark.parametrize("retried", [True, False])
def test_a_commit_not_seen_green_is_built_before_its_review(left: IssueState, *, retried: bool) -> None:
    parked = a_case(S.REQUIRES_HUMAN_INTERVENTION, resume=left, built=HEAD, issue_type="BUG_FIX", red=True)
    on = after(parked, RetryAsked(by="ann")) if retried else goes_on(parked)
    assert on.state is S.RUNNING_TESTS
    assert "was not seen green" in on.reason


def test_the_pm_can_not_send_an_unbuilt_commit_to_review() -> None:
    parked = a_case(S.REQUIRES_HUMAN_INTERVENTION, resume=S.FIXING_ISSUES, built=HEAD)
    assert goes_on(parked, "reviewing_code").state is S.RUNNING_TESTS
    green = parked.updated(green=HEAD)
    assert goes_on(green, "reviewing_code").state is S.REVIEWING_CODE


def test_approving_a_commit_that_is_not_green_parks_the_case() -> None:
    case = a_case(S.REVIEWING_CODE, issue_type="BUG_FIX", red=True, built=HEAD)
    parked = after(case, lead("APPROVED", case))
    assert (parked.state, "Another try builds it again" in parked.reason) == (S.REQUIRES_HUMAN_INTERVENTION, True)
    assert after(parked, RetryAsked(by="ann")).state is S.RUNNING_TESTS


# --- forbidden paths -------------------------------------------------------------------------------------------------

FORBIDDEN = BuildEnded(
    stage=Stage.HEAD,
    commit=HEAD,
    verdict="red",
    reason="`setup.cfg` was changed, and the analysis says: Don't touch setup.cfg.",
    unfit=True,
    forbidden=("setup.cfg",),
)
GREEN = BuildEnded(stage=Stage.HEAD, commit=HEAD, verdict="green", reason="all passed", unproved="")


def told_to_take_it_back(build: BuildEnded = FORBIDDEN) -> IssueCase:
    """A case whose developer was told to revert, says it is done, and waits for the next build."""
    red = after(a_case(S.RUNNING_TESTS, issue_type="BUG_FIX", red=True), build)
    assert red.progress.task is Task.JUDGE
    fixing = after(red, turn(Role.TESTER, judged(), red))
    assert fixing.state is S.FIXING_ISSUES
    return after(fixing, turn(Role.DEVELOPER, implemented(), fixing))


def test_a_developer_reverts_a_forbidden_change_before_people_are_asked() -> None:
    assert after(told_to_take_it_back(), GREEN).state is S.REVIEWING_CODE


def test_people_are_asked_about_a_forbidden_change_that_was_kept() -> None:
    asked = after(told_to_take_it_back(), FORBIDDEN)
    assert asked.waiting.wait is not None
    assert asked.waiting.wait.subject is Subject.FORBIDDEN
    assert asked.reason == (
        "`setup.cfg` was changed, and the analysis says: Don't touch setup.cfg. The developer was told to take it "
        "back, and has kept it: only a person can let `setup.cfg` be changed."
    )


def test_an_allowed_path_is_rebuilt_recorded_and_in_the_pull_request() -> None:
    built = after(told_to_take_it_back(), FORBIDDEN, Agreed(by="ann"))
    assert (built.state, built.people.may_change) == (S.RUNNING_TESTS, ("setup.cfg",))
    green = after(built, GREEN)
    assert after(green, lead("APPROVED", green)).state is S.CREATING_PR
    told = "Waived by ann: a change of what was not to be changed (`setup.cfg`). Whoever merges is told so."
    assert told in [fact.text for fact in why(green, POLICY, TerminalPhrasing()).evidence]
    assert "- Waived by `ann`: a change of what was not to be changed (`setup.cfg`)" in pull_request_body(
        a_file(), green, [a_build(a_run())], changed=[], cost="$1"
    )


def test_allowing_one_path_does_not_allow_another() -> None:
    case = after(told_to_take_it_back(), FORBIDDEN, Agreed(by="ann"), GREEN)
    case = case.updated(state=S.RUNNING_TESTS)
    other = FORBIDDEN.model_copy(update={"forbidden": ("api.py",), "reason": "`api.py` was changed"})
    assert after(case, other).progress.task is Task.JUDGE  # a developer is told first
    warned = case.updated(warned_of=("setup.cfg", "api.py"))
    asked = after(warned, other)
    assert asked.waiting.wait is not None
    assert asked.waiting.wait.subject is Subject.FORBIDDEN
    assert after(asked, Agreed(by="ann")).people.may_change == ("setup.cfg", "api.py")


def test_a_forbidden_change_that_also_fails_is_repaired_first() -> None:
    assert (
        after(told_to_take_it_back(), FORBIDDEN.model_copy(update={"otherwise_red": True})).progress.task is Task.JUDGE
    )


def test_a_diagnostic_line_can_not_be_waived() -> None:
    left = FORBIDDEN.model_copy(update={"forbidden": (), "otherwise_red": True, "reason": "a line of a measurement"})
    again = after(told_to_take_it_back(left), left)
    assert (again.state, again.progress.task) == (S.RUNNING_TESTS, Task.JUDGE)


def test_rejecting_a_forbidden_change_has_it_reverted() -> None:
    back = after(told_to_take_it_back(), FORBIDDEN, Declined(by="ann"))
    assert (back.state, back.limits.attempt, back.people.may_change) == (S.FIXING_ISSUES, 1, ())


def test_many_paths_have_few_stored_names_that_change_with_them() -> None:
    paths = [f"vendor/{number}.py" for number in range(30)]
    named = stored_names(paths)
    assert len(named) == 21
    assert [path for several in named.values() for path in several] == [*paths[:20], *sorted(paths[20:])]
    assert list(stored_names(paths[:20])) == paths[:20]
    assert list(named)[-1] not in stored_names([*paths, "vendor/more.py"])


# --- proven before it is delivered -----------------------------------------------------------------------------------


@pytest.mark.parametrize("speaks", [True, False])
def test_a_case_that_failed_in_delivery_resumes_by_testing_pushed_commits(*, speaks: bool) -> None:
    delivered = a_proven_case(S.CREATING_PR, transitions=POLICY.transitions)
    failed = after(delivered, BranchMoved(theirs=OTHER, commit=OTHER))
    assert (failed.state, failed.waiting.resume) == (S.FAILED, S.CREATING_PR)
    again = reopened(apply_fact(failed, RetryAsked(by="ann")))
    if speaks:
        on = after(again, turn(Role.PM, interpreted("CONTINUE"), again))
    else:
        automatic = automatic_move(again.updated(go=again.waiting.resume))
        assert automatic is not None
        on = make_move(again, automatic, POLICY, MORNING)
    assert on.state is S.RUNNING_TESTS
