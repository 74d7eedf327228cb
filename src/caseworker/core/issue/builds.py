"""The moves after a build, and after the tester's judgement of a red one."""

from datetime import timedelta
from typing import Final, assert_never

from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Role, Task
from caseworker.core.evidence.forbidden_paths import listed
from caseworker.core.issue import words
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.facts import BuildEnded, Fact, TurnEnded
from caseworker.core.issue.moves import Move
from caseworker.core.issue.proof import is_green, needs_red, tests_fail_on_base, was_red
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import Subject
from caseworker.core.issue.usual_moves import blocked, cure, repair, unblock, waiver
from caseworker.core.outcomes.tester import JudgeOutcome, TestsOutcome

S = IssueState

LONGEST_BUILD: Final = timedelta(hours=6)
_MOST_TEST_TRIES: Final = 2
_MOST_FLAKY_RUNS: Final = 2


def is_correction(case: IssueCase) -> bool:
    """Whether the tester corrects a test that was seen to fail, or need not be, after the change was built."""
    return case.state is S.UPDATING_TESTS and case.evidence.built is not None and was_red(case)


def wants_red_build(case: IssueCase, fact: Fact) -> bool:
    """Whether the tester has written a test that counts once it was seen to fail on the base."""
    return (
        not is_correction(case)
        and isinstance(fact, TurnEnded)
        and isinstance(fact.outcome, TestsOutcome)
        and fact.outcome.status == "TESTS_READY"
        and not fact.outcome.escalation
    )


def wants_base_build(case: IssueCase, head: Fact) -> bool:
    """Whether the base has to be built, to compare a red build with it. It is built once."""
    return isinstance(head, BuildEnded) and head.verdict == "red" and not case.evidence.base_built


def stops_before_work(case: IssueCase, base: BuildEnded) -> bool:
    """Whether the base could not run, and no person has waived that."""
    return base.verdict == "could_not_run" and not case.granted(Subject.NOT_RUN)


def after_red(case: IssueCase, fact: BuildEnded) -> Move:
    if fact.verdict == "red":
        return Move(to=S.IMPLEMENTING, reason=f"Red first: {fact.reason}.")
    if not needs_red(case):
        return Move(to=S.IMPLEMENTING, reason=f"The test is there ({fact.reason}); it need not fail first.")
    if was_red(case):
        return Move(to=S.IMPLEMENTING, reason=f"{fact.reason}; a person has waived the red test.")
    again = S.UPDATING_TESTS if case.state is S.CREATING_TESTS else S.CREATING_TESTS
    if fact.verdict in ("green", "not_run", "could_not_run") and case.limits.test_tries < _MOST_TEST_TRIES:
        return Move(to=again, reason=f"{words.not_red(fact.verdict, fact.reason)}.")
    reason = f"There is no test that fails without the fix: {fact.reason}."
    return waiver(Subject.NO_RED_TEST, reason, S.IMPLEMENTING)


def could_not_run(case: IssueCase, fact: BuildEnded) -> Move:
    """The case stops before more is spent, until a person has put right what stopped its tests, or has waived them."""
    return cure(case, f"{fact.reason}.", Subject.NOT_RUN)


def after_head(case: IssueCase, fact: BuildEnded) -> Move:
    match fact.verdict:
        case "green" if tests_fail_on_base(case) or not fact.unproved:
            return Move(to=S.REVIEWING_CODE, reason=f"Green: {fact.reason}.")
        case "green" if case.limits.test_tries < _MOST_TEST_TRIES:
            return Move(to=S.UPDATING_TESTS, reason=f"Green, and the tests prove nothing: {fact.unproved}.")
        case "green":
            reason = f"There is no test that fails without the change: {fact.unproved}."
            return waiver(Subject.NO_RED_TEST, reason, S.REVIEWING_CODE)
        case "nothing_to_run" | "not_run" if is_green(case):
            return Move(to=S.REVIEWING_CODE, reason=f"{fact.reason}; a person has waived that.")
        case "nothing_to_run" | "not_run":
            return waiver(Subject.NO_COMMAND, f"Nothing proves the change: {fact.reason}.", S.REVIEWING_CODE)
        case "could_not_run" if is_green(case):
            return Move(to=S.REVIEWING_CODE, reason=f"{fact.reason}; a person has waived that.")
        case "could_not_run":
            return could_not_run(case, fact)
        case "red" if _keeps_forbidden_change(case, fact):
            told = f"{fact.reason.rstrip('.')}. The developer was told to take it back, and has kept it"
            asks = f"{told}: only a person can let {listed(fact.forbidden)} be changed."
            return waiver(Subject.FORBIDDEN, asks, S.RUNNING_TESTS)
        case "red" if fact.base_fails_too and case.granted(Subject.RED_BASE):
            return Move(
                to=S.REVIEWING_CODE, reason=f"Red as before the change: {fact.reason}; a person has waived that."
            )
        case "red" if fact.base_fails_too:
            reason = f"The same checks fail before the change, and can't be compared: {fact.reason}."
            return waiver(Subject.RED_BASE, reason, S.REVIEWING_CODE)
        case "red":
            return Move(
                to=case.state, task=Task.JUDGE, reason=f"Red: {fact.reason}. The tester says whose fault it is."
            )
        case _:
            assert_never(fact.verdict)


def _keeps_forbidden_change(case: IssueCase, fact: BuildEnded) -> bool:
    """Whether forbidden paths are the only problem, and the developer was told to revert all of them but did not."""
    return bool(fact.forbidden) and not fact.otherwise_red and set(fact.forbidden) <= set(case.people.warned_of)


def after_judgement(case: IssueCase, outcome: JudgeOutcome, to: IssueState, policy: Policy) -> Move:
    match outcome.status:
        case "FLAKY" if case.limits.flaky <= _MOST_FLAKY_RUNS:
            return Move(to=case.state, reason=f"By chance, says the tester: {outcome.summary} It is run again.")
        case "TESTS_NEED_WORK" if case.limits.attempt < policy.attempts:
            return Move(to=to, reason=f"The test is wrong, says the tester: {outcome.summary}", attempt=True)
        case "FAIL_ESCALATE" if not case.limits.guided:
            return unblock(case, f"The tester: {outcome.summary}")
        case "BLOCKED":
            return blocked(Role.TESTER, outcome.summary)
        case "FAIL" | "FAIL_ESCALATE" | "TESTS_NEED_WORK" | "FLAKY":
            return repair(case, policy, f"Red: {outcome.summary}", S.FIXING_ISSUES)
        case _:
            assert_never(outcome.status)
