"""A case walked at random: whatever turns, builds, people, clocks and crashes do, it keeps to the table, proves what it
delivers, says what it waits for, and comes to an end or to a person."""

from datetime import timedelta
from typing import Any, Literal, get_args

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from caseworker.core.case import Case, Subject
from caseworker.core.decisions import decide
from caseworker.core.evidence import Stage
from caseworker.core.facts import (
    Agreed,
    BranchMoved,
    BudgetRaised,
    BuildEnded,
    CloseAsked,
    Declined,
    EffectRefused,
    Fact,
    HandedBack,
    Merged,
    PullRequestReady,
    RetryAsked,
    Spoke,
    TakenOver,
    TimedOut,
    TurnEnded,
    TurnGaveUp,
)
from caseworker.core.ids import MessageId, SessionId, Sha
from caseworker.core.knowing import learn
from caseworker.core.moves import BY_PEOPLE, Move, next_reminder, proven, reminded, take
from caseworker.core.outcomes import IssueOutcome, IssueType, NextState, Task, Topic
from caseworker.core.people_decisions import fits, passing_by, reopened
from caseworker.core.policy import Milestone, Policy
from caseworker.core.states import PARKED, TERMINAL, WAITING, WORKING, IssueState, next_states
from caseworker.core.turn_taking import turn_of
from tests.core import examples as ex

S = IssueState
LUCK = st.integers(0, 9)
"""What is rare happens at 0: else every walk is short."""
SHAS = [Sha(letter * 40) for letter in "abc"]


def outcomes(task: Task, draw: st.DrawFn) -> IssueOutcome:
    """What a model may answer: mostly what brings the case on."""
    match task:
        case Task.TRIAGE:
            status: Any = draw(st.sampled_from(["PROCEED"] * 6 + ["REJECT", "NEEDS_APPROVAL"]))
            kind = draw(st.sampled_from(IssueType))
            scope: Any = draw(st.sampled_from(["SMALL", "SMALL", "LARGE"]))
            return ex.triaged(status, kind, scope=scope, topics=draw(st.sampled_from([[], [], [Topic.PERMISSIONS]])))
        case Task.PLAN:
            return ex.planned(draw(_statuses(ex.PlanStatus, "PLANNING_COMPLETE")))
        case Task.QUESTIONS:
            return ex.questioned(draw(_statuses(Literal["NEEDS_CLARIFICATION", "CONTINUE"], "NEEDS_CLARIFICATION")))
        case Task.INTERPRET:
            chosen = draw(st.sampled_from([None, None, *get_args(NextState)]))
            return ex.interpreted(draw(_statuses(ex.InterpretStatus, "CONTINUE")), chosen)
        case Task.ANALYZE:
            clarity: Any = draw(st.sampled_from(["READY"] * 5 + ["UNCLEAR", "BLOCKED"]))
            return ex.analysed(
                clarity, confidence=draw(st.sampled_from([0.95, 0.95, 0.5])), test_required=draw(st.booleans())
            )
        case Task.CREATE_TESTS | Task.UPDATE_TESTS:
            return ex.wrote_test(draw(_statuses(ex.TestsStatus, "TESTS_READY")))
        case Task.JUDGE:
            return ex.judged(draw(_statuses(ex.JudgeStatus, "FAIL")))
        case Task.VALIDATE:
            return ex.validated(draw(_statuses(ex.ValidationStatus, "PASS")))
        case Task.IMPLEMENT | Task.FIX | Task.REFACTOR | Task.ADDRESS_FEEDBACK:
            outcome = ex.implemented(draw(_statuses(ex.WritingStatus, "READY_FOR_QA")))
            return outcome.model_copy(update={"escalation": draw(st.sampled_from(["", "", "", "It touches logins."]))})
        case _:
            return ex.reviewed(draw(_statuses(ex.ReviewStatus, "APPROVED")))


def _statuses(closed: object, usual: str) -> st.SearchStrategy[Any]:
    every = list(get_args(closed))
    return st.sampled_from([usual] * len(every) + every)


class CaseMachine(RuleBasedStateMachine):
    """The flow's part is played here in a few lines: the record is a JSON text, a crash reads it again."""

    case: Case
    policy: Policy

    @initialize(
        attempts=st.integers(1, 4),
        until=st.sampled_from(Milestone),
        approve_plan=st.booleans(),
        analysed=st.booleans(),
        weighty=st.booleans(),
        state=st.sampled_from([S.RECEIVED, S.RECEIVED, S.IMPLEMENTING, S.RUNNING_TESTS, S.REVIEWING_CODE]),
    )
    def begin(
        self,
        attempts: int,
        until: Milestone,
        approve_plan: bool,
        analysed: bool,
        weighty: bool,
        state: IssueState,
    ) -> None:
        self.policy = Policy(attempts=attempts, until=until, approve_plan=approve_plan, transitions=25)
        on_the_way = {"checkpoint": SHAS[0], "built": SHAS[0], "green": SHAS[0], "weighty": weighty, "red": True}
        known = {"checkpoint": ex.BASE} if state is S.RECEIVED else on_the_way
        self.case = Case.model_validate(
            {"id": ex.CASE, "base": ex.BASE, "analysed": analysed, "state": state, "resume": state, **known}
        )
        self.now = ex.MORNING
        self.record = self.case.model_dump_json()
        self.told: list[str] = []

    # --- the flow's part

    def hears(self, fact: Fact) -> None:
        if fits(self.case, fact) is not None:
            return
        known = learn(self.case, fact)
        self.moves(decide(known, fact, self.policy), known)

    def moves(self, move: Move, known: Case | None = None) -> None:
        before = self.case
        self.now += timedelta(minutes=1)
        after = take(known or before, move, self.policy, self.now)
        assert after.state in next_states(before.state) | {before.state}
        assert after.transitions == before.transitions + 1
        assert after.attempt <= self.policy.attempts + 1
        assert after.reason.strip() == after.reason != ""
        assert (after.epoch, after.round, after.turns) >= (before.epoch, before.round, before.turns)
        assert set(before.grants) <= set(after.grants)
        if after.state is S.CREATING_PR:
            assert proven(after)
        if move.say:
            self.told.append(move.say)
        self.case = after
        self.record = after.model_dump_json()

    # --- what happens

    @precondition(lambda self: self.case.state in WORKING and self.case.go is not None)
    @rule()
    def code_takes_it_on(self) -> None:
        passing = passing_by(self.case)
        assert passing is not None
        self.moves(passing)

    @precondition(lambda self: self.works() and self.has_turn())
    @rule(data=st.data(), commit=st.sampled_from(SHAS))
    def a_turn_ends(self, data: st.DataObject, commit: Sha) -> None:
        role, task = turn_of(self.case)
        outcome: IssueOutcome = data.draw(st.composite(lambda draw: outcomes(task, draw))())
        writes = task in (Task.IMPLEMENT, Task.FIX, Task.REFACTOR, Task.ADDRESS_FEEDBACK, Task.CREATE_TESTS)
        checkpoint = commit if writes else self.case.checkpoint or ex.BASE
        self.case = self.case.model_copy(update={"turns": self.case.turns + 1})
        fact = TurnEnded(role=role, outcome=outcome, checkpoint=checkpoint, session=SessionId("s"))
        if outcome.status == "TESTS_READY" and (self.case.state is S.CREATING_TESTS or self.case.built is None):
            self.case = learn(self.case, fact)
            verdict: Any = data.draw(st.sampled_from(["red", "red", "green", "nothing_to_run"]))
            self.hears(BuildEnded(stage=Stage.RED, commit=checkpoint, verdict=verdict, reason="seen"))
        else:
            self.hears(fact)

    @precondition(lambda self: self.works() and self.has_turn())
    @rule(limit=st.sampled_from([None, "budget", "time"]), luck=LUCK)
    def a_turn_gives_up(self, limit: Any, luck: int) -> None:
        if luck:
            return
        self.hears(TurnGaveUp(role=turn_of(self.case)[0], reason="it was killed", limit=limit))

    @precondition(lambda self: self.works() and self.case.state is S.RUNNING_TESTS and self.case.task is None)
    @rule(verdict=st.sampled_from(["green", "green", "red", "nothing_to_run"]), base=st.booleans())
    def a_build_ends(self, verdict: Any, base: bool) -> None:
        assert self.case.checkpoint is not None
        self.hears(
            BuildEnded(
                stage=Stage.HEAD,
                commit=self.case.checkpoint,
                verdict=verdict,
                reason="seen",
                feedback="it failed" if verdict == "red" else "",
                base_fails_too=base and verdict == "red",
            )
        )

    @precondition(lambda self: self.works() and self.case.state is S.CREATING_PR)
    @rule(what=st.sampled_from(["ready", "ready", "refused", "moved", "conflict"]), commit=st.sampled_from(SHAS))
    def it_is_delivered(self, what: str, commit: Sha) -> None:
        assert self.case.checkpoint is not None
        facts: dict[str, Fact] = {
            "ready": PullRequestReady(number=1, commit=self.case.checkpoint),
            "refused": EffectRefused(reason="the forge said no"),
            "moved": BranchMoved(theirs=commit, commit=commit),
            "conflict": BranchMoved(theirs=commit, commit=commit, conflict=("cart.py",)),
        }
        self.hears(facts[what])

    @precondition(lambda self: self.case.state not in WORKING | TERMINAL)
    @rule()
    def somebody_speaks(self) -> None:
        self.hears(Spoke(by="ann", messages=(MessageId(1),)))

    @rule(which=st.sampled_from(["agree", "agree", "decline", "take", "hand back", "close", "merge"]), luck=LUCK)
    def somebody_commands(self, which: str, luck: int) -> None:
        if luck > 1 and which not in ("agree", "hand back"):
            return
        facts: dict[str, Fact] = {
            "agree": Agreed(by="ann"),
            "decline": Declined(by="ann"),
            "take": TakenOver(by="ann"),
            "hand back": HandedBack(by="ann"),
            "close": CloseAsked(by="ann"),
            "merge": Merged(by="ann"),
        }
        if self.case.state not in TERMINAL:
            self.hears(facts[which])

    @precondition(lambda self: self.case.state in PARKED)
    @rule()
    def somebody_wants_another_try(self) -> None:
        self.hears(RetryAsked(by="ann"))

    @precondition(lambda self: self.case.state in (S.FAILED, S.CLOSED))
    @rule()
    def somebody_opens_it_again(self) -> None:
        before = self.case
        self.case = reopened(before).model_copy(update={"reason": "again", "go": before.resume})
        assert (self.case.epoch, self.case.transitions) == (before.epoch + 1, before.transitions + 1)
        self.record = self.case.model_dump_json()

    @rule(micros=st.integers(1, 10))
    def somebody_pays(self, micros: int) -> None:
        fact = BudgetRaised(by="ann", micros=micros)
        if self.case.state in WAITING and self.case.wait is not None and self.case.wait.reason.value == "budget":
            self.hears(fact)
        else:
            self.case = learn(self.case, fact)
            self.record = self.case.model_dump_json()

    @precondition(lambda self: self.case.state in WAITING | PARKED)
    @rule()
    def time_passes(self) -> None:
        if self.case.state in WAITING and self.case.wait is not None and self.case.wait.until is not None:
            self.hears(TimedOut())
        elif next_reminder(self.case, self.policy) is not None:
            self.case = reminded(self.case)
            self.record = self.case.model_dump_json()

    @rule()
    def the_process_dies_or_continues_as_new(self) -> None:
        """What is not saved is the turn's number: it is claimed anew, and given again."""
        turns = self.case.turns
        self.case = Case.model_validate_json(self.record)
        assert self.case.turns <= turns

    # --- what always holds

    def works(self) -> bool:
        return self.case.state in WORKING and self.case.go is None

    def has_turn(self) -> bool:
        code = self.case.state in (S.RUNNING_TESTS, S.CREATING_PR) and self.case.task is None
        return not code and self.case.state is not S.INVESTIGATING

    @invariant()
    def it_is_somewhere_sensible(self) -> None:
        if not hasattr(self, "case"):
            return
        case = self.case
        if case.state in WAITING:
            assert case.wait is not None
            assert case.waiting_for is case.wait.reason
        if case.go is not None:
            assert case.state in WORKING
            assert case.go in next_states(case.state) | {case.state}
        assert case.state is not S.INVESTIGATING
        if case.state in WORKING - BY_PEOPLE:
            assert case.transitions - case.round_began <= self.policy.transitions + 1
        for subject in {grant.subject for grant in case.grants}:
            assert isinstance(subject, Subject)

    @invariant()
    def what_asks_people_says_so(self) -> None:
        if hasattr(self, "case") and self.case.state is S.WAITING_FOR_REQUIREMENTS_CLARIFICATION:
            assert self.told


TestWalks = CaseMachine.TestCase
TestWalks.settings = settings(max_examples=150, stateful_step_count=60, deadline=None)
