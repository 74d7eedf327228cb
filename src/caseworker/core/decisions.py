"""What a case does next: facts in, one move out, with the reason in words. Edges permit, evidence decides."""

from typing import Annotated, Final, Literal, assert_never

from pydantic import BaseModel, ConfigDict, Field

from caseworker.core.case import Case, WaitingFor
from caseworker.core.errors import Bug
from caseworker.core.evidence import Stage
from caseworker.core.ids import MessageId, SessionId, Sha
from caseworker.core.outcomes import (
    AnalysisOutcome,
    ImplementationOutcome,
    IssueOutcome,
    IssueType,
    ReviewOutcome,
    Task,
    TestsOutcome,
    TriageOutcome,
)
from caseworker.core.policy import Policy
from caseworker.core.states import WORKING, IssueState, Role, next_states

S = IssueState

CLEAR_ENOUGH: Final = 0.85
"""Requirements are unclear under this confidence: the one place where a model's own estimate counts."""

TURN_OF: Final[dict[IssueState, tuple[Role, Task]]] = {
    S.RECEIVED: (Role.PM, Task.TRIAGE),
    S.ANALYZING_REQUIREMENTS: (Role.ANALYST, Task.ANALYZE),
    S.CREATING_TESTS: (Role.TESTER, Task.CREATE_TESTS),
    S.IMPLEMENTING: (Role.DEVELOPER, Task.IMPLEMENT),
    S.FIXING_ISSUES: (Role.DEVELOPER, Task.FIX),
    S.REVIEWING_CODE: (Role.TECH_LEAD, Task.REVIEW),
}
"""Who is given which task in a working state."""


class _Fact(BaseModel):
    model_config = ConfigDict(frozen=True)


class TurnEnded(_Fact):
    kind: Literal["turn_ended"] = "turn_ended"
    role: Role
    outcome: IssueOutcome = Field(discriminator="kind")
    checkpoint: Sha
    session: SessionId
    heard: tuple[MessageId, ...] = ()
    """What was said to it while it worked."""


class TurnGaveUp(_Fact):
    kind: Literal["turn_gave_up"] = "turn_gave_up"
    role: Role
    reason: str


class BuildEnded(_Fact):
    kind: Literal["build_ended"] = "build_ended"
    stage: Stage
    commit: Sha
    verdict: Literal["green", "red", "nothing_to_run"]
    reason: str
    feedback: str = ""
    """For a red head: the failing command and the end of its output."""


class PullRequestReady(_Fact):
    kind: Literal["pull_request_ready"] = "pull_request_ready"
    number: int
    commit: Sha


class EffectRefused(_Fact):
    """The forge said no, for a reason that only a person can change."""

    kind: Literal["effect_refused"] = "effect_refused"
    reason: str


class Merged(_Fact):
    kind: Literal["merged"] = "merged"
    by: str


class CloseAsked(_Fact):
    kind: Literal["close_asked"] = "close_asked"
    by: str
    unmerged: bool = False
    """It was the pull request that was closed."""


Fact = Annotated[
    TurnEnded | TurnGaveUp | BuildEnded | PullRequestReady | EffectRefused | Merged | CloseAsked,
    Field(discriminator="kind"),
]


class Move(BaseModel):
    model_config = ConfigDict(frozen=True)
    to: IssueState
    reason: str
    waiting_for: WaitingFor | None = None


def learn(case: Case, fact: Fact) -> Case:
    """The case with the fact folded in. A new commit takes back what was proved of the old one."""
    match fact:
        case TurnEnded():
            known: dict[str, object] = {
                "checkpoint": fact.checkpoint,
                "sessions": {**case.sessions, fact.role.value: fact.session},
            }
            match fact.outcome:
                case TriageOutcome() as triage:
                    known |= {"issue_type": triage.type}
                case AnalysisOutcome() as analysis:
                    # A bug needs its regression test whatever the analyst says: only a person may waive it.
                    is_bug = case.issue_type is IssueType.BUG_FIX
                    known |= {"test_required": analysis.test_requirement.required or is_bug}
                case TestsOutcome() as tests:
                    known |= {
                        "tests": fact.checkpoint,
                        "test_file": tests.test_file,
                        "new_test": tests.test_command,
                    }
                case ReviewOutcome() as review:
                    known |= {
                        "approved": fact.checkpoint if review.status == "APPROVED" else None,
                        "feedback": review.feedback_for_writer or "",
                    }
                case ImplementationOutcome():
                    known |= {"feedback": ""}
                case _:
                    assert_never(fact.outcome)
            return case.model_copy(update=known)
        case BuildEnded(stage=Stage.HEAD):
            green = fact.commit if fact.verdict == "green" else None
            return case.model_copy(update={"green": green, "feedback": fact.feedback})
        case BuildEnded(stage=Stage.RED):
            return case.model_copy(update={"red": fact.verdict == "red"})
        case PullRequestReady():
            return case.model_copy(update={"pull_request": fact.number, "pushed": fact.commit})
        case BuildEnded() | TurnGaveUp() | EffectRefused() | Merged() | CloseAsked():
            return case
        case _:
            assert_never(fact)


def decide(case: Case, fact: Fact, policy: Policy) -> Move:
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
            assert_never(fact)


def take(case: Case, move: Move, policy: Policy) -> Case:
    """The case after the move. An edge not in the table, or a pull request without its proof, is a bug of ours."""
    if move.to not in next_states(case.state):
        raise Bug(f"{case.id}: {case.state} -> {move.to} is not an edge of the table")
    if move.to is S.CREATING_PR and not proven(case):
        raise Bug(f"{case.id}: a pull request needs a green build and an approved review of {case.checkpoint}")
    if case.transitions >= policy.transitions and move.to in WORKING:
        move = Move(to=S.FAILED, reason=f"Stopped after {case.transitions} transitions without an end in sight.")
    changes: dict[str, object] = {
        "state": move.to,
        "reason": move.reason,
        "waiting_for": move.waiting_for,
        "transitions": case.transitions + 1,
    }
    if move.to is S.FIXING_ISSUES:
        changes["attempt"] = case.attempt + 1
    return case.model_copy(update=changes)


def proven(case: Case) -> bool:
    """Green and approved, both of the very commit that would be pushed; and red first, where a test was asked for."""
    commit = case.checkpoint
    seen_red = case.red or case.issue_type is not IssueType.BUG_FIX
    is_a_change = commit is not None and commit != case.base
    return is_a_change and case.green == commit and case.approved == commit and seen_red


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
            assert_never(outcome)


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
