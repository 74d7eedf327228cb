"""Making a triage or a plan again, by a label or a comment on a forge."""

import pytest

from caseworker.core.base.ids import SessionId
from caseworker.core.base.policy import Milestone, Policy
from caseworker.core.base.roles import Role
from caseworker.core.issue.apply import apply_fact
from caseworker.core.issue.case import IssueCase, Wait, limit_of
from caseworker.core.issue.decide import decide
from caseworker.core.issue.facts import Agreed, CommandFact, Fact, RerunAsked, TakenOver, TurnEnded
from caseworker.core.issue.misfits import misfit_of
from caseworker.core.issue.moves import make_move
from caseworker.core.issue.moves_by_people import automatic_move
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import Subject, WaitingFor
from caseworker.core.outcomes.outcome import IssueOutcome
from tests.core.examples import HEAD, MORNING, a_case, analysed, planned, triaged

S = IssueState
WAITS = S.WAITING_FOR_HUMAN_INPUT
TRIAGE_ONLY = Policy(until=Milestone.TRIAGE)
TRIAGE_AGAIN = RerunAsked(by="ann", milestone=Milestone.TRIAGE)
PLAN_AGAIN = RerunAsked(by="ann", milestone=Milestone.PLAN)


def after(case: IssueCase, *facts: Fact, policy: Policy = TRIAGE_ONLY) -> IssueCase:
    """The case after these facts, with the automatic moves after each."""
    for fact in facts:
        assert not isinstance(fact, CommandFact) or misfit_of(case, fact) is None
        known = apply_fact(case, fact)
        case = make_move(known, decide(known, fact, policy), policy, MORNING)
        while (automatic := automatic_move(case)) is not None:
            case = make_move(case, automatic, policy, MORNING)
    return case


def ended(outcome: IssueOutcome, role: Role = Role.PM) -> TurnEnded:
    return TurnEnded(role=role, outcome=outcome, checkpoint=HEAD, session=SessionId("s-1"))


def at_triage() -> IssueCase:
    return after(a_case(), ended(triaged()))


def at_plan(policy: Policy = TRIAGE_ONLY) -> IssueCase:
    on = after(at_triage(), Agreed(by="ann", until=Milestone.PLAN), ended(analysed(), Role.ANALYST), policy=policy)
    return after(on, ended(planned()), policy=policy)


def test_a_plan_made_again_ends_at_the_same_milestone() -> None:
    again = after(at_plan(), PLAN_AGAIN)
    assert (again.state, again.reason) == (S.PLANNING_APPROACH, "It goes on: ann wants the plan made again.")
    assert not again.requirements.planned
    done = after(again, ended(planned()))
    assert (done.state, done.waits_for, limit_of(done, TRIAGE_ONLY)) == (WAITS, WaitingFor.MILESTONE, Milestone.PLAN)
    assert done.requirements.planned
    assert done.limits.round == 2


@pytest.mark.parametrize("case", [at_triage(), at_plan()], ids=["triaged", "planned"])
def test_a_triage_made_again_waits_at_the_triage(case: IssueCase) -> None:
    again = after(case, TRIAGE_AGAIN)
    assert again.state is S.RECEIVED
    done = after(again, ended(triaged()))
    assert (done.state, done.waits_for, limit_of(done, TRIAGE_ONLY)) == (WAITS, WaitingFor.MILESTONE, Milestone.TRIAGE)


def test_a_new_triage_wants_a_new_plan() -> None:
    again = after(at_plan(), TRIAGE_AGAIN, ended(triaged()), Agreed(by="ann", until=Milestone.PLAN))
    assert after(again, ended(analysed(), Role.ANALYST)).state is S.PLANNING_APPROACH


def test_the_approval_of_a_plan_is_not_one_of_the_next_plan() -> None:
    careful = Policy(until=Milestone.TRIAGE, approve_plan=True)
    waits = at_plan(careful)
    granted = apply_fact(waits, Agreed(by="ann", until=Milestone.PLAN))
    assert granted.granted(Subject.PLAN)
    assert not apply_fact(granted, PLAN_AGAIN).granted(Subject.PLAN)


MERGE = Wait(reason=WaitingFor.MERGE)
REFUSED: list[tuple[IssueCase, RerunAsked, str]] = [
    (at_triage(), PLAN_AGAIN, "it has not come as far as the plan yet"),
    (a_case(S.IMPLEMENTING, planned=True), PLAN_AGAIN, "it does not wait at a milestone"),
    (a_case(S.CLOSED), TRIAGE_AGAIN, "the case is over: trying it again opens it"),
    (
        a_case(WAITS, wait=MERGE.model_dump(), waiting_for=MERGE.reason, pull_request=7, planned=True),
        PLAN_AGAIN,
        "pull request 7 is there already: say what should be different",
    ),
    (after(at_plan(), TakenOver(by="bob")), PLAN_AGAIN, "bob has taken it over: handing it back lets the agents go on"),
]


@pytest.mark.parametrize(("case", "fact", "why"), REFUSED, ids=[row[2][:20] for row in REFUSED])
def test_where_nothing_is_made_again_and_why(case: IssueCase, fact: RerunAsked, why: str) -> None:
    assert misfit_of(case, fact) == why
