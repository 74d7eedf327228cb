"""The rules of 0.1 and 0.2, under which some histories began: they are replayed with these, and go on with the new ones
when they next continue as new. Nothing is added here."""

from typing import Final, assert_never

from caseworker.core import issue_words as words
from caseworker.core.case import Case, WaitingFor
from caseworker.core.errors import Bug
from caseworker.core.evidence import Stage
from caseworker.core.facts import (
    BuildEnded,
    CloseAsked,
    EffectRefused,
    Fact,
    Merged,
    PullRequestReady,
    TurnEnded,
    TurnGaveUp,
)
from caseworker.core.moves import Move, proven
from caseworker.core.outcomes import (
    AnalysisOutcome,
    ImplementationOutcome,
    InterpretOutcome,
    IssueOutcome,
    IssueType,
    PlanOutcome,
    ReviewOutcome,
    Task,
    TestsOutcome,
    TriageOutcome,
)
from caseworker.core.policy import Policy
from caseworker.core.states import IssueState, Role

S = IssueState

CLEAR_ENOUGH: Final = 0.85
"""Requirements are unclear under this confidence: the one place where a model's own estimate counts."""

FIRST_TURN_OF: Final[dict[IssueState, tuple[Role, Task]]] = {
    S.RECEIVED: (Role.PM, Task.TRIAGE),
    S.ANALYZING_REQUIREMENTS: (Role.ANALYST, Task.ANALYZE),
    S.CREATING_TESTS: (Role.TESTER, Task.CREATE_TESTS),
    S.IMPLEMENTING: (Role.DEVELOPER, Task.IMPLEMENT),
    S.FIXING_ISSUES: (Role.DEVELOPER, Task.FIX),
    S.REVIEWING_CODE: (Role.TECH_LEAD, Task.REVIEW),
}


def decide_at_first(case: Case, fact: Fact, policy: Policy) -> Move:
    """The next move of a case that has just learned `fact`."""
    match fact:
        case TurnEnded():
            return _after_outcome(case, fact.outcome, policy)
        case TurnGaveUp():
            return Move(to=S.FAILED, reason=f"The {fact.role.value}'s turn failed: {fact.reason}")
        case BuildEnded(stage=Stage.RED):
            return _after_red(case, fact)
        case BuildEnded(stage=Stage.HEAD):
            return _after_head(case, fact, policy)
        case BuildEnded():
            raise Bug("the base's build is what others are compared with; nothing follows from it alone")
        case PullRequestReady():
            return Move(
                to=S.WAITING_FOR_HUMAN_INPUT,
                reason=f"Pull request {fact.number} is open; a person merges it.",
                waiting_for=WaitingFor.MERGE,
            )
        case EffectRefused():
            return Move(to=S.REQUIRES_HUMAN_INTERVENTION, reason=fact.reason)
        case Merged():
            return Move(to=S.COMPLETED, reason=f"Merged by {fact.by}.")
        case CloseAsked():
            how = "The pull request was closed without a merge" if fact.unmerged else "Closed"
            return Move(to=S.CLOSED, reason=f"{how} by {fact.by}.")
        case _:
            raise Bug(f"the first rules know no {fact.kind}")


def _after_outcome(case: Case, outcome: IssueOutcome, policy: Policy) -> Move:
    match outcome:
        case TriageOutcome(status="PROCEED") if case.analysed:
            return Move(to=S.CREATING_TESTS, reason="It comes with its analysis; a test comes first.")
        case TriageOutcome(status="PROCEED"):
            return Move(to=S.ANALYZING_REQUIREMENTS, reason="The issue is worth working on.")
        case TriageOutcome(status="REJECT"):
            return Move(to=S.CLOSED, reason=f"Not worth doing: {outcome.reason}")
        case TriageOutcome():
            return _ask(f"A person has to agree first: {outcome.reason}")
        case AnalysisOutcome(status="READY") if outcome.confidence >= CLEAR_ENOUGH and not outcome.questions:
            if case.test_required:
                return Move(to=S.CREATING_TESTS, reason="The requirements are clear; a test comes first.")
            return Move(to=S.IMPLEMENTING, reason="The requirements are clear; no new test is needed.")
        case AnalysisOutcome():
            return _ask(" ".join(["The requirements are unclear.", *outcome.questions]))
        case TestsOutcome(status="TESTS_READY"):
            raise Bug("a tester's claim is judged by the red build, not here")
        case TestsOutcome():
            return _ask(f"The tester could not write the test: {outcome.summary}")
        case ImplementationOutcome(status="READY_FOR_QA") if case.checkpoint == case.base:
            return _ask("The developer says it is done, but nothing was changed.")
        case ImplementationOutcome(status="READY_FOR_QA"):
            return Move(to=S.RUNNING_TESTS, reason="The change is written; now it is built and tested.")
        case ImplementationOutcome():
            return _ask(f"The developer could not finish ({outcome.status}): {outcome.summary}")
        case ReviewOutcome(status="APPROVED"):
            if not proven(case):
                return _ask("The review approves a commit whose build was not seen green.")
            return Move(to=S.CREATING_PR, reason="The review approves the commit whose build is green.")
        case ReviewOutcome(status="CHANGES_REQUESTED"):
            return _repair(case, policy, "The review asks for changes.")
        case ReviewOutcome():
            return _ask(f"The reviewer needs to know more: {outcome.feedback_for_writer or ''}".strip())
        case _:
            raise Bug(f"the first rules know no {outcome.kind} turn")


def _after_red(case: Case, fact: BuildEnded) -> Move:
    if fact.verdict == "red":
        return Move(to=S.IMPLEMENTING, reason=f"Red first: {fact.reason}.")
    if fact.verdict == "green" and case.issue_type is not IssueType.BUG_FIX:
        return Move(to=S.IMPLEMENTING, reason=f"The test is there ({fact.reason}); this is not a bug fix.")
    return _ask(f"There is no test that fails without the fix: {fact.reason}.")


def _after_head(case: Case, fact: BuildEnded, policy: Policy) -> Move:
    match fact.verdict:
        case "green":
            return Move(to=S.REVIEWING_CODE, reason=f"Green: {fact.reason}.")
        case "red":
            return _repair(case, policy, f"Red: {fact.reason}.")
        case "nothing_to_run":
            return _ask(f"Nothing proves the change: {fact.reason}.")
        case _:
            assert_never(fact.verdict)


def _repair(case: Case, policy: Policy, reason: str) -> Move:
    if case.attempt >= policy.attempts:
        return Move(to=S.FAILED, reason=f"{reason} All {policy.attempts} attempts are used.")
    return Move(to=S.FIXING_ISSUES, reason=f"{reason} Attempt {case.attempt + 1} of {policy.attempts}.")


def _ask(reason: str) -> Move:
    return Move(to=S.REQUIRES_HUMAN_INTERVENTION, reason=reason)


def as_before_investigations(fact: Fact, move: Move) -> Move:
    """The rules of 0.3: whatever asked for an investigation waited for a person, and a blocked developer blocked."""
    if not isinstance(fact, TurnEnded):
        return move
    match fact.outcome:
        case InterpretOutcome(status="INVESTIGATION_NEEDED", reply=why):
            return _ask(f"It needs an investigation: {why}")
        case _ if S.INVESTIGATING not in (move.to, move.then):
            return move
        case ImplementationOutcome(status="BLOCKED", summary=why):
            return Move(to=S.BLOCKED, reason=f"The {words.of_role(fact.role)} can't go on: {why}")
        case ImplementationOutcome(summary=why) | PlanOutcome(reason=why):
            return _ask(f"It needs an investigation: {why}")
        case ReviewOutcome(feedback_for_writer=why):
            return _ask(f"It needs an investigation: {why or ''}")
        case _:
            return move
