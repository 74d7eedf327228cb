"""Random walks of an issue case: with any turns, builds, people, clocks and crashes it follows the table, proves what
it delivers, says what it waits for, counts every iteration of an investigation, and ends or waits for a person."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Literal, get_args

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from caseworker.core.base.failed_steps import Deferred, EffectRefused, TurnGaveUp
from caseworker.core.base.ids import MessageId, SessionId, Sha
from caseworker.core.base.policy import Milestone, Policy
from caseworker.core.base.roles import Role, Task
from caseworker.core.evidence.builds import Stage
from caseworker.core.evidence.sensitive_paths import Touched
from caseworker.core.investigation.iterations import MOST_ITERATIONS
from caseworker.core.investigation.matrix import MOST_INVESTIGATIONS
from caseworker.core.issue.apply import apply_fact
from caseworker.core.issue.builds import wants_red_build
from caseworker.core.issue.case import IssueCase, limit_of
from caseworker.core.issue.decide import decide
from caseworker.core.issue.facts import (
    Agreed,
    BranchMoved,
    BudgetRaised,
    BuildEnded,
    CloseAsked,
    CommandFact,
    Declined,
    Fact,
    HandedBack,
    Merged,
    PullRequestReady,
    RerunAsked,
    RetryAsked,
    Spoke,
    TakenOver,
    TimedOut,
    TurnEnded,
)
from caseworker.core.issue.misfits import misfit_of
from caseworker.core.issue.moves import BY_PEOPLE, Move, make_move, next_reminder, reminded
from caseworker.core.issue.moves_by_people import automatic_move, reopened
from caseworker.core.issue.posts import Draft
from caseworker.core.issue.proof import is_green, may_be_delivered, undecided
from caseworker.core.issue.requirement_moves import PAST_THE_PLAN, lacks_plan
from caseworker.core.issue.states import PARKED, TERMINAL, WAITING, WORKING, IssueState, next_states
from caseworker.core.issue.subjects import Grant, Subject
from caseworker.core.issue.turns import at_work, turn_of
from caseworker.core.outcomes.answers import RoleQuestion, WorkOutcome
from caseworker.core.outcomes.investigation import INVESTIGATION_STATUSES, InvestigationRequest
from caseworker.core.outcomes.outcome import IssueOutcome
from caseworker.core.outcomes.pm import IssueType, NextState, Topic
from tests.core import examples as ex
from tests.core import investigation_examples as inv

S = IssueState
LUCK = st.integers(0, 9)
"""Rare events happen at 0. If they were frequent, every walk would be short."""
SHAS = [Sha(letter * 40) for letter in "abc"]


def outcomes(role: Role, task: Task, data: st.DataObject) -> IssueOutcome:
    """An outcome that a model may answer, mostly one that makes progress. A working role may escalate."""
    outcome = _answers(role, task, data)
    if not isinstance(outcome, WorkOutcome):
        return outcome
    asks = data.draw(st.sampled_from([*[[]] * 9, [RoleQuestion(to="analyst", question="Which?")]]))
    escalation = "It touches logins." if asks or data.draw(LUCK) == 0 else ""  # the flow answers a role that only asks
    return outcome.model_copy(update={"escalation": escalation, "ask": asks})


def _answers(role: Role, task: Task, data: st.DataObject) -> IssueOutcome:
    draw = data.draw
    match task:
        case Task.TRIAGE:
            status: Any = draw(st.sampled_from(["PROCEED"] * 6 + ["REJECT", "NEEDS_APPROVAL"]))
            kind = draw(st.sampled_from(IssueType))
            scope: Any = draw(st.sampled_from(["SMALL", "SMALL", "LARGE"]))
            return ex.triaged(status, kind, scope=scope, topics=draw(st.sampled_from([*[[]] * 6, [Topic.PERMISSIONS]])))
        case Task.PLAN:
            plan = ex.planned(draw(_statuses(ex.PlanStatus, "PLANNING_COMPLETE")))
            return plan.model_copy(update={"investigation": draw(_requests())})
        case Task.QUESTIONS:
            return ex.questioned(draw(_statuses(ex.QuestionsStatus, "NEEDS_CLARIFICATION")))
        case Task.INTERPRET:
            chosen = draw(st.sampled_from([None, None, *get_args(NextState)]))
            return ex.interpreted(draw(_statuses(ex.InterpretStatus, "CONTINUE")), chosen)
        case Task.ANALYZE:
            clarity: Any = draw(st.sampled_from(["READY"] * 3 + ["UNCLEAR"] * 2 + ["BLOCKED"]))
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
            return outcome.model_copy(update={"investigation": draw(_requests())})
        case Task.ITERATE:
            known = st.sampled_from([*INVESTIGATION_STATUSES, "NEED_MORE_ANALYSIS", "NEED_DEVELOPER_DIAGNOSTIC"])
            end = draw(st.one_of(known, st.just("SHRUG")))
            brings = end in ("NEED_MORE_ANALYSIS", "SHRUG") and draw(LUCK) == 0
            return inv.without_a_matrix(end) if brings else inv.iterated(end)
        case Task.DIAGNOSTIC:
            return inv.diagnosed(draw(_statuses(Literal["DIAGNOSTIC_DONE", "BLOCKED"], "DIAGNOSTIC_DONE")))
        case Task.VALIDATE_ROOT_CAUSE:
            return inv.cause_reviewed(draw(_statuses(inv.CauseStatus, "CHANGES_REQUESTED")))
        case Task.UNBLOCK if role is Role.PM:
            return inv.unblocked(draw(_statuses(inv.PmStatus, "CONTINUE")))
        case Task.REVIEW | Task.REVIEW_ARCHITECTURE | Task.REVIEW_INTEGRATION | Task.UNBLOCK:
            looks = st.sampled_from(["ARCHITECTURE_REVIEW", "INTEGRATION_REVIEW"])
            review = ex.reviewed(draw(st.one_of(_statuses(ex.ReviewStatus, "APPROVED"), looks)))
            return review.model_copy(update={"investigation": draw(_requests())})
        case _:
            raise AssertionError(f"no state gives {task} in an issue case")


def _requests() -> st.SearchStrategy[InvestigationRequest | None]:
    return st.sampled_from([None, inv.a_request(), inv.a_request(new_problem=True)])


def _statuses(closed: object, usual: str) -> st.SearchStrategy[Any]:
    every = list(get_args(closed))
    return st.sampled_from([usual] * len(every) + every)


TOUCHES: list[tuple[Touched, ...]] = [
    (),
    (),
    (Touched(topic=Topic.DATABASE_SCHEMA, paths=("db/schema.sql",)),),
    (Touched(topic=Topic.PERMISSIONS, paths=("acl.py",)),),
]


FORBIDDEN: list[tuple[str, ...]] = [(), (), (), ("setup.cfg",), ("setup.cfg", "api.py")]


class CaseMachine(RuleBasedStateMachine):
    """Plays the flow in a few lines. The record is a JSON text, which is read again after a crash."""

    case: IssueCase
    policy: Policy

    @initialize(
        attempts=st.integers(1, 4),
        until=st.sampled_from([Milestone.PR, Milestone.PR, *Milestone]),
        approve_plan=st.booleans(),
        analysed=st.sampled_from([False, False, True]),
        weighty=st.booleans(),
        state=st.sampled_from([*[S.RECEIVED] * 5, S.IMPLEMENTING, S.RUNNING_TESTS, S.REVIEWING_CODE, S.INVESTIGATING]),
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
        on_the_way |= {"planned": True, "until": Milestone.PR, "grants": [Grant(subject=Subject.PLAN, by="ann")]}
        known = {"checkpoint": ex.BASE} if state is S.RECEIVED else on_the_way
        if state is S.INVESTIGATING:
            known = {**known, "investigation": {"number": 1}}
        self.case = ex.case_with(base=ex.BASE, analysed=analysed, state=state, resume=state, **known)
        self.now = ex.MORNING
        self.record = self.case.model_dump_json()
        self.told: list[Draft] = []

    # --- the flow's part

    def hears(self, fact: Fact) -> None:
        if isinstance(fact, CommandFact) and misfit_of(self.case, fact) is not None:
            return
        known = apply_fact(self.case, fact)
        self.moves(decide(known, fact, self.policy), known)

    def moves(self, move: Move, known: IssueCase | None = None) -> None:
        before = self.case
        self.now += timedelta(minutes=1)
        after = make_move(known or before, move, self.policy, self.now)
        assert after.state in next_states(before.state) | {before.state}
        assert after.progress.transitions == before.progress.transitions + 1
        assert after.limits.attempt <= self.policy.attempts + 1
        assert after.reason.strip() == after.reason != ""
        assert (after.epoch, after.limits.round, after.progress.turns) >= (
            before.epoch,
            before.limits.round,
            before.progress.turns,
        )
        assert set(before.people.grants) <= set(after.people.grants)
        self.counts_on(before, after)
        if after.state is S.CREATING_PR:
            assert may_be_delivered(after)
            assert not after.evidence.forbidden
            assert not undecided(after)
        if move.say:
            self.told.append(move.say)
        self.case = after
        self.record = after.model_dump_json()

    def counts_on(self, before: IssueCase, after: IssueCase) -> None:
        """No move changes the iteration count except by one iteration; a new problem has its own count."""
        was, now = before.investigation, after.investigation
        if was is None or now is None:
            assert was is None
            assert now is None or (now.number, now.iteration) == (1, 0)
        elif now.number == was.number:
            assert now.iteration in (was.iteration, was.iteration + 1)
            assert now.unknown >= was.unknown
            assert now.began_after == was.began_after
        else:
            assert (now.number, now.iteration) == (was.number + 1, 0)

    # --- what happens

    @rule(data=st.data())
    def something_happens(self, data: st.DataObject) -> None:
        """One rule for all events, so that no walk leaves out the work: only work brings a case forward."""
        self.by_name[data.draw(st.sampled_from(self.possible()))](data)

    @property
    def by_name(self) -> dict[str, Callable[[st.DataObject], None]]:
        return {
            "work": self.the_work_goes_on,
            "give up": self.a_turn_gives_up,
            "defer": self.no_developer_is_free,
            "speak": self.somebody_speaks,
            "command": self.somebody_commands,
            "retry": self.somebody_wants_another_try,
            "reopen": self.somebody_opens_it_again,
            "pay": self.somebody_pays,
            "wait": self.time_passes,
            "crash": self.the_process_dies_or_continues_as_new,
        }

    def possible(self) -> list[str]:
        case = self.case
        found = ["crash", "pay"]
        if at_work(case):
            found += ["work"] * 20
        if self.works() and self.has_turn():
            found += ["give up", *(["defer"] * 5 if case.progress.task is Task.DIAGNOSTIC else [])]
        if case.state not in TERMINAL:
            found += ["command"] * (1 if at_work(case) else 4)
        if case.state in WAITING | PARKED:
            found += ["speak"] * 3 + ["wait"]
        if case.state in PARKED:
            found += ["retry"] * 3
        if case.state in (S.FAILED, S.CLOSED):
            found += ["reopen"] * 5
        return found

    def the_work_goes_on(self, data: st.DataObject) -> None:
        if self.case.progress.go is not None:
            self.code_takes_it_on()
        elif self.has_turn():
            self.a_turn_ends(data)
        elif self.case.state is S.RUNNING_TESTS:
            self.a_build_ends(data)
        else:
            self.it_is_delivered(data)

    def code_takes_it_on(self) -> None:
        automatic = automatic_move(self.case)
        assert automatic is not None
        before = self.case
        self.moves(automatic)
        assert self.case.state is not before.state  # or it would loop forever

    def a_turn_ends(self, data: st.DataObject) -> None:
        role, task = turn_of(self.case)
        outcome: IssueOutcome = outcomes(role, task, data)
        writes = task in (Task.IMPLEMENT, Task.FIX, Task.REFACTOR, Task.ADDRESS_FEEDBACK, Task.CREATE_TESTS)
        checkpoint = data.draw(st.sampled_from(SHAS)) if writes else self.case.delivery.checkpoint or ex.BASE
        self.case = self.case.updated(turns=self.case.progress.turns + 1)
        fact = TurnEnded(role=role, outcome=outcome, checkpoint=checkpoint, session=SessionId("s"))
        if wants_red_build(self.case, fact):
            self.case = apply_fact(self.case, fact)
            verdict: Any = data.draw(st.sampled_from(["red", "red", "green", "nothing_to_run"]))
            self.hears(BuildEnded(stage=Stage.RED, commit=checkpoint, verdict=verdict, reason="seen"))
        else:
            self.hears(fact)
            self.escalations_are_told(outcome)

    def escalations_are_told(self, outcome: IssueOutcome) -> None:
        escalation = outcome.escalation if isinstance(outcome, WorkOutcome) else ""
        if escalation:
            assert self.case.state not in WORKING
            assert escalation in self.case.reason or self.told[-1].also == escalation

    def no_developer_is_free(self, data: st.DataObject) -> None:
        before = self.case
        self.hears(Deferred(reason="No developer was free."))
        assert (self.case.state, self.case.progress.task) == (S.INVESTIGATING, None)
        assert self.case.investigation == before.investigation

    def a_turn_gives_up(self, data: st.DataObject) -> None:
        limit: Any = data.draw(st.sampled_from([None, "budget", "time"]))
        before = self.case
        self.hears(TurnGaveUp(role=turn_of(self.case)[0], reason="it was killed", limit=limit))
        assert self.case.investigation == before.investigation

    def a_build_ends(self, data: st.DataObject) -> None:
        assert self.case.delivery.checkpoint is not None
        verdict: Any = data.draw(st.sampled_from(["green", "green", "red", "nothing_to_run"]))
        base = data.draw(st.booleans())
        paths = data.draw(st.sampled_from(FORBIDDEN)) if verdict != "nothing_to_run" else ()
        forbidden = tuple(path for path in paths if path not in self.case.people.may_change)
        otherwise_red, verdict = verdict == "red" and not base, "red" if forbidden else verdict
        self.hears(
            BuildEnded(
                stage=Stage.HEAD,
                commit=self.case.delivery.checkpoint,
                verdict=verdict,
                reason="seen",
                feedback="it failed" if verdict == "red" else "",
                base_fails_too=base and verdict == "red" and not forbidden,
                unfit=bool(forbidden),
                forbidden=forbidden,
                otherwise_red=otherwise_red,
                touches=data.draw(st.sampled_from(TOUCHES)),
            )
        )

    def it_is_delivered(self, data: st.DataObject) -> None:
        assert self.case.delivery.checkpoint is not None
        what = data.draw(st.sampled_from(["ready", "ready", "refused", "moved", "conflict"]))
        commit = data.draw(st.sampled_from(SHAS))
        facts: dict[str, Fact] = {
            "ready": PullRequestReady(
                number=1,
                commit=self.case.delivery.checkpoint,
                late=data.draw(st.sampled_from([(), (), (MessageId(7),)])),
            ),
            "refused": EffectRefused(reason="the forge said no"),
            "moved": BranchMoved(theirs=commit, commit=commit),
            "conflict": BranchMoved(theirs=commit, commit=commit, conflict=("cart.py",)),
        }
        self.hears(facts[what])

    def somebody_speaks(self, data: st.DataObject) -> None:
        late = self.case.people.late
        self.hears(Spoke(by="ann", messages=(MessageId(1),)))
        assert set(late) <= set(self.case.people.remarks)

    def somebody_commands(self, data: st.DataObject) -> None:
        often = ["agree"] * 8 + ["decline"] * 2 + ["hand back"] * 4 + ["take", "triage again", "plan again"]
        which = data.draw(st.sampled_from([*often, "close", "merge"]))
        facts: dict[str, Fact] = {
            "agree": Agreed(by="ann"),
            "decline": Declined(by="ann"),
            "take": TakenOver(by="ann"),
            "hand back": HandedBack(by="ann", messages=data.draw(st.sampled_from([(), (MessageId(2),)]))),
            "triage again": RerunAsked(by="ann", milestone=Milestone.TRIAGE),
            "plan again": RerunAsked(by="ann", milestone=Milestone.PLAN),
            "close": CloseAsked(by="ann"),
            "merge": Merged(by="ann"),
        }
        self.hears(facts[which])
        if self.case.people.handed_back and data.draw(st.booleans()):
            self.what_was_pushed_meanwhile_is_taken_in(data)

    def what_was_pushed_meanwhile_is_taken_in(self, data: st.DataObject) -> None:
        commit = data.draw(st.sampled_from(SHAS))
        conflict = data.draw(st.sampled_from([(), ("cart.py",)]))
        self.case = apply_fact(self.case, BranchMoved(theirs=commit, commit=commit, conflict=conflict))

    def somebody_wants_another_try(self, data: st.DataObject) -> None:
        self.hears(RetryAsked(by="ann"))

    def somebody_opens_it_again(self, data: st.DataObject) -> None:
        before = self.case
        if before.state is S.FAILED and data.draw(LUCK) < 3:  # its work may include pushed commits
            commit = data.draw(st.sampled_from(SHAS))
            before = apply_fact(before, BranchMoved(theirs=commit, commit=commit))
        go = before.waiting.resume if data.draw(st.booleans()) else None  # words are interpreted first
        self.case = reopened(before).updated(reason="again", go=go)
        assert self.case.investigation == before.investigation
        assert (self.case.epoch, self.case.progress.transitions) == (before.epoch + 1, before.progress.transitions + 1)
        self.record = self.case.model_dump_json()

    def somebody_pays(self, data: st.DataObject) -> None:
        fact = BudgetRaised(by="ann", micros=data.draw(st.integers(1, 10)))
        if (
            self.case.state in WAITING
            and self.case.waiting.wait is not None
            and self.case.waiting.wait.reason.value == "budget"
        ):
            self.hears(fact)
        else:
            self.case = apply_fact(self.case, fact)
            self.record = self.case.model_dump_json()

    def time_passes(self, data: st.DataObject) -> None:
        if (
            self.case.state in WAITING
            and self.case.waiting.wait is not None
            and self.case.waiting.wait.until is not None
        ):
            self.hears(TimedOut())
        elif next_reminder(self.case, self.policy) is not None:
            self.case = reminded(self.case)
            self.record = self.case.model_dump_json()

    def the_process_dies_or_continues_as_new(self, data: st.DataObject) -> None:
        """Only the turn's number was not saved: it is used again."""
        turns = self.case.progress.turns
        self.case = IssueCase.model_validate_json(self.record)
        assert self.case.progress.turns <= turns

    # --- what always holds

    def works(self) -> bool:
        return at_work(self.case) and self.case.progress.go is None

    def has_turn(self) -> bool:
        return self.case.state not in (S.RUNNING_TESTS, S.CREATING_PR) or self.case.progress.task is not None

    @invariant()
    def it_is_somewhere_sensible(self) -> None:
        if not hasattr(self, "case"):
            return
        case = self.case
        if case.state in WAITING:
            assert case.waiting.wait is not None
            assert case.waits_for is case.waiting.wait.reason
        assert case.state is not S.FAILED or case.delivery.pull_request is None  # or the case would miss its merge
        if case.progress.go is not None:
            assert case.state in WORKING
            assert case.progress.go in next_states(case.state) | {case.state}
        if case.state in WORKING - BY_PEOPLE:
            stays = 2 * MOST_ITERATIONS  # moves within a state also count; other limits end them
            assert case.progress.transitions - case.limits.round_began <= self.policy.transitions + stays
        for subject in {grant.subject for grant in case.people.grants}:
            assert isinstance(subject, Subject)

    @invariant()
    def an_investigation_keeps_to_its_limits(self) -> None:
        if not hasattr(self, "case"):
            return
        REACHED.add(self.case.state)
        known = self.case.investigation
        if known is not None:
            assert 0 <= known.iteration <= MOST_ITERATIONS
            assert 1 <= known.number <= MOST_INVESTIGATIONS
            assert (known.stands == "approved") == bool(known.hypothesis) or known.stands != "approved"
        if self.case.state is S.INVESTIGATING:
            assert known is not None
            assert known.iteration < MOST_ITERATIONS  # or a sixth iteration would begin
            assert known.stands == "open"

    @invariant()
    def whoever_is_given_a_turn_has_something_to_look_at(self) -> None:
        """Diagnostics, cause reviews and unblock turns belong to an investigation."""
        if not hasattr(self, "case") or not self.works():
            return
        case = self.case
        if case.progress.task in (Task.DIAGNOSTIC, Task.VALIDATE_ROOT_CAUSE) or case.state is S.BLOCKED:
            assert case.investigation is not None
        if case.state is S.REVIEWING_CODE and case.progress.task is None:
            assert is_green(case)  # or a failing commit might be approved

    @invariant()
    def nothing_is_written_before_the_plan_that_is_wanted(self) -> None:
        """Neither words nor their interpretation pass that gate."""
        if hasattr(self, "case") and self.case.state in PAST_THE_PLAN:
            judges_a_cause = self.case.progress.task is Task.VALIDATE_ROOT_CAUSE
            assert judges_a_cause or not lacks_plan(self.case, self.policy)

    @invariant()
    def a_case_that_stops_at_its_triage_is_neither_analysed_nor_planned(self) -> None:
        if hasattr(self, "case") and limit_of(self.case, self.policy) is Milestone.TRIAGE:
            assert self.case.state not in (S.ANALYZING_REQUIREMENTS, S.PLANNING_APPROACH)

    @invariant()
    def what_asks_people_says_so(self) -> None:
        if hasattr(self, "case") and self.case.state is S.WAITING_FOR_REQUIREMENTS_CLARIFICATION:
            assert self.told


REACHED: set[IssueState] = set()
"""The states that all walks reached together."""


def test_random_walks_keep_all_rules_and_reach_every_state() -> None:
    REACHED.clear()
    walks = settings(
        max_examples=150, stateful_step_count=60, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
    for _ in range(4):  # 150 walks nearly always reach every state; by chance one may be missed
        run_state_machine_as_test(CaseMachine, settings=walks)
        if set(IssueState) == REACHED:
            break
    assert set(IssueState) == REACHED
