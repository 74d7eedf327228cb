"""Explores the issue cases that the rules can reach from a new one, by every end of a turn and of a build, every act of
people, and silence. Cases that differ only in what no rule asks about are visited once."""

from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, get_args

from caseworker.core.base.failed_steps import Deferred, EffectRefused, TurnGaveUp
from caseworker.core.base.ids import MessageId, SessionId, Sha
from caseworker.core.base.policy import Milestone, Policy
from caseworker.core.base.roles import Role, Task
from caseworker.core.evidence.builds import Stage
from caseworker.core.evidence.check_verdict import CheckResult
from caseworker.core.issue.apply import apply_fact
from caseworker.core.issue.builds import wants_red_build
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.decide import decide
from caseworker.core.issue.facts import (
    Agreed,
    BranchMoved,
    BudgetRaised,
    BuildEnded,
    ChecksSeen,
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
from caseworker.core.issue.moves import Move, make_move
from caseworker.core.issue.moves_by_people import automatic_move, reopened
from caseworker.core.issue.proof import may_be_delivered
from caseworker.core.issue.routing import routed
from caseworker.core.issue.states import PARKED, WAITING, IssueState
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.issue.transitions import after_checks, wants_checks
from caseworker.core.issue.turns import at_work, turn_of
from caseworker.core.outcomes.investigation import INVESTIGATION_STATUSES
from caseworker.core.outcomes.outcome import IssueOutcome, statuses_of
from caseworker.core.outcomes.pm import DefectPlace, IssueType, NextState, Topic
from tests.core import examples as ex
from tests.core import investigation_examples as inv

S = IssueState
Edge = tuple[IssueState, IssueState]
Row = tuple[Role, str, IssueState]
ANSWERS: dict[Task, Callable[[Any], IssueOutcome]] = {
    Task.PLAN: ex.planned,
    Task.QUESTIONS: ex.questioned,
    Task.CREATE_TESTS: ex.wrote_test,
    Task.UPDATE_TESTS: ex.wrote_test,
    Task.JUDGE: ex.judged,
    Task.VALIDATE: ex.validated,
    Task.IMPLEMENT: ex.implemented,
    Task.FIX: ex.implemented,
    Task.REFACTOR: ex.implemented,
    Task.ADDRESS_FEEDBACK: ex.implemented,
    Task.REVIEW: ex.reviewed,
    Task.REVIEW_ARCHITECTURE: ex.reviewed,
    Task.REVIEW_INTEGRATION: ex.reviewed,
    Task.DIAGNOSTIC: inv.diagnosed,
    Task.VALIDATE_ROOT_CAUSE: inv.cause_reviewed,
    Task.ITERATE: inv.iterated,
}


@dataclass
class Exploration:
    """The edges and the rows of the routing table that were seen to be taken."""

    edges: set[Edge] = field(default_factory=set)
    rows: set[Row] = field(default_factory=set)
    """Rows whose own target was entered, or is where the case continues after a person was asked."""

    causes: set[str] = field(default_factory=set)
    """The same for the rows of the tech lead's review of a cause, by status."""

    tried: Counter[tuple[object, ...]] = field(default_factory=Counter)

    @property
    def size(self) -> int:
        return len(self.edges) + len(self.rows) + len(self.causes)


def explore(policies: list[Policy], *, until: Exploration, most: int) -> Exploration:
    """From a new case under each policy: first what was reached by something new, then one case of every kind in turn.
    It ends when all of `until` was seen, or after `most` cases."""
    found = Exploration()
    for policy in policies:
        found.tried.clear()
        start = ex.case_with(base=ex.BASE, checkpoint=ex.BASE)
        known, waiting, visited, new = {_place(start)}, dict[object, deque[IssueCase]](), 0, deque([start])
        while visited < most and (new or any(waiting.values())):
            for case in [new.popleft()] if new else [cases.popleft() for cases in waiting.values() if cases]:
                visited += 1
                seen = found.size
                for after in _steps(case, policy, found):
                    if not {_place(after), _trait(after)} <= known:
                        is_new = found.size > seen or _trait(after) not in known
                        known |= {_place(after), _trait(after)}
                        (new if is_new else waiting.setdefault(_kind(after), deque())).append(after)
                    seen = found.size
            if until.edges <= found.edges and until.rows <= found.rows and until.causes <= found.causes:
                return found
    return found


def _trait(case: IssueCase) -> tuple[object, ...]:
    wait, known = case.waiting.wait, case.requirements
    goes_to = case.progress.go or (wait is not None and case.state in WAITING and wait.then)
    proof = (may_be_delivered(case), case.evidence.red, known.test_required, known.weighty, known.issue_type)
    return case.state, case.progress.task, goes_to, case.limits.senior, proof


def _kind(case: IssueCase) -> tuple[object, ...]:
    wait = case.waiting.wait
    waits_for = wait and (wait.reason, wait.subject, wait.then)
    about = (
        case.requirements.weighty,
        case.limits.senior,
        case.limits.guided,
        case.delivery.pull_request,
        may_be_delivered(case),
    )
    return case.state, case.progress.task, case.progress.go, case.waiting.resume, waits_for, about


def _name(fact: Fact) -> tuple[str, str]:
    """The sort of fact: all of it, but for what a turn leaves behind."""
    if isinstance(fact, TurnEnded):
        return fact.kind, fact.outcome.model_dump_json()
    return fact.kind, fact.model_dump_json()


def _place(case: IssueCase) -> tuple[object, ...]:
    """What the rules ask about, without counters that only grow."""
    wait = case.waiting.wait
    progress, evidence = case.progress, case.evidence
    return (
        *(case.state, progress.task, progress.go, case.waiting.resume, case.waiting.resume_task, case.waiting.ended_as),
        wait and (wait.reason, wait.subject, wait.then, wait.task, wait.before and wait.before.reason),
        *(case.requirements, case.limits.attempt, case.limits.guided, case.limits.senior),
        *(evidence.built is None, evidence.green == case.delivery.checkpoint, evidence.red, case.delivery.pull_request),
        *(bool(case.people.taken_by), case.people.until, case.delivery.joined, case.delivery.checkpoint),
        case.investigation and (case.investigation.iteration, case.investigation.stands),
    )


def _steps(case: IssueCase, policy: Policy, found: Exploration) -> Iterator[IssueCase]:
    if case.state in (S.FAILED, S.CLOSED):
        again = reopened(case).updated(reason="again")
        yield again
        yield again.updated(go=case.waiting.resume)
        return
    if at_work(case) and case.progress.go is not None:
        move = automatic_move(case)
        assert move is not None
        yield _moved(case, case, move, policy, found)
        return
    if wants_checks(case):
        red = CheckResult(name="test", state="failed")
        seen = ChecksSeen(commit=case.head, at=ex.MORNING, results=(red,), feedback="see")
        after = after_checks(case, seen, policy, ex.MORNING)
        found.edges.add((case.state, after.state))
        yield after
    for fact in _facts(case):
        found.tried[_kind(case), _name(fact)] += 1
        is_possible = not isinstance(fact, CommandFact) or misfit_of(case, fact) is None
        if is_possible and found.tried[_kind(case), _name(fact)] <= OFTEN:
            known = apply_fact(case, fact)
            if wants_red_build(case, fact):
                yield from _red_builds(case, known, fact, policy, found)
                continue
            move = decide(known, fact, policy)
            yield _moved(case, known, move, policy, found, fact)


def _red_builds(
    case: IssueCase, known: IssueCase, fact: Fact, policy: Policy, found: Exploration
) -> Iterator[IssueCase]:
    verdicts: tuple[Any, ...] = ("red", "green", "nothing_to_run")
    for verdict in verdicts:
        build = BuildEnded(stage=Stage.RED, commit=ex.HEAD, verdict=verdict, reason="seen")
        built = apply_fact(known, build)
        yield _moved(case, built, decide(built, build, policy), policy, found, fact)


def _moved(
    case: IssueCase, known: IssueCase, move: Move, policy: Policy, found: Exploration, fact: Fact | None = None
) -> IssueCase:
    after = make_move(known, move, policy, ex.MORNING)
    if after.state is not case.state:
        found.edges.add((case.state, after.state))
    if isinstance(fact, TurnEnded) and not (fact.role is Role.TECH_LEAD and case.progress.task is not None):
        target = routed(fact.role, fact.outcome.status, case.state)
        stays = target is case.state
        if stays or target is after.state or (move.then is target and after.state in WAITING):
            found.rows.add((fact.role, fact.outcome.status, case.state))
    if isinstance(fact, TurnEnded) and case.progress.task is Task.VALIDATE_ROOT_CAUSE:
        status = fact.outcome.status
        if routed(fact.role, status, case.state, case.progress.task) is after.state:
            found.causes.add(status)
    return after


def _facts(case: IssueCase) -> Iterator[Fact]:
    yield from (CloseAsked(by="ann"), Merged(by="ann"), TakenOver(by="ann"), HandedBack(by="ann"))
    yield HandedBack(by="ann", messages=(MessageId(1),))
    if case.state in WAITING | PARKED and not at_work(case):
        yield from (Agreed(by="ann"), Declined(by="ann"), RetryAsked(by="ann"))
        yield from (RerunAsked(by="ann", milestone=one) for one in (Milestone.TRIAGE, Milestone.PLAN))
        yield from ([] if case.people.taken_by else [Spoke(by="ann", messages=(MessageId(1),))])
        yield from ([TimedOut()] if case.state in WAITING and case.waiting.wait else [])
    if case.waits_for is WaitingFor.BUDGET:
        yield BudgetRaised(by="ann", micros=1)
    if at_work(case) and (case.progress.task is not None or case.state not in (S.RUNNING_TESTS, S.CREATING_PR)):
        yield from _ends_of_turns(case)
    elif case.state is S.RUNNING_TESTS:
        yield from _builds(case)
    elif case.state is S.CREATING_PR:
        yield PullRequestReady(number=1, commit=case.head, checked=True)
        yield EffectRefused(reason="the forge said no")
        yield BranchMoved(theirs=ex.OTHER, commit=ex.OTHER)
        yield BranchMoved(theirs=ex.OTHER, commit=ex.OTHER, conflict=("cart.py",))


def _builds(case: IssueCase) -> Iterator[Fact]:
    verdicts: tuple[Any, ...] = ("green", "red", "nothing_to_run")
    for verdict in verdicts:
        yield BuildEnded(stage=Stage.HEAD, commit=case.head, verdict=verdict, reason="seen", feedback="see")


def _ends_of_turns(case: IssueCase) -> Iterator[Fact]:
    role, task = turn_of(case)
    limits: tuple[Any, ...] = (None, "budget", "time")
    yield from (TurnGaveUp(role=role, reason="it was killed", limit=limit) for limit in limits)
    if case.state is S.INVESTIGATING:
        yield TurnGaveUp(role=role, reason="it answered nonsense", invalid=True)
    if task is Task.DIAGNOSTIC:
        yield Deferred(reason="No developer was free.")
    writes = task in (Task.IMPLEMENT, Task.FIX, Task.REFACTOR, Task.ADDRESS_FEEDBACK, Task.CREATE_TESTS)
    checkpoint: Sha = ex.HEAD if writes else case.head
    for outcome in outcomes_of(role, task):
        yield TurnEnded(role=role, outcome=outcome, checkpoint=checkpoint, session=SessionId("s"))


def outcomes_of(role: Role, task: Task) -> Iterator[IssueOutcome]:
    """An outcome for every status of this turn, and for what else the rules ask about."""
    statuses: Any = INVESTIGATION_STATUSES if task is Task.ITERATE else statuses_of(role, task)
    for status in statuses:
        match task:
            case Task.TRIAGE:
                yield from _triages(status)
            case Task.ANALYZE:
                yield ex.analysed(status)
                yield ex.analysed(status, test_required=False)
            case Task.INTERPRET:
                chosen: tuple[Any, ...] = (None, *get_args(NextState)) if status == "CONTINUE" else (None,)
                yield from (ex.interpreted(status, state) for state in chosen)
            case Task.UNBLOCK if role is Role.PM:
                yield inv.unblocked(status)
            case Task.UNBLOCK:
                yield ex.reviewed(status)
            case _:
                yield ANSWERS[task](status)


def _triages(status: Any) -> Iterator[IssueOutcome]:
    place = DefectPlace(path="cart.py", line=12, problem="It adds.", expected="It subtracts.")
    yield ex.triaged(status)
    yield ex.triaged(status, IssueType.REFACTOR_STYLE)
    yield ex.triaged(status, scope="LARGE")
    yield ex.triaged(status, topics=[Topic.PERMISSIONS])
    yield ex.triaged(status).model_copy(update={"defect": place})


OFTEN = 2
"""How often the same sort of fact happens to the same kind of case."""
POLICIES = [Policy(), Policy(attempts=1), Policy(transitions=5)]
