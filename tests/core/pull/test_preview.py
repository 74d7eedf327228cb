"""What a session would do first and what it may cost, and whether only people can move it."""

from collections.abc import Callable

import pytest

from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Policy
from caseworker.core.base.workflow_names import PullWork
from caseworker.core.people.commands import StartWork
from caseworker.core.pull.case import PauseCause, PullCase, PullState, SessionEnd, new_pull_case
from caseworker.core.pull.preview import preview, waits_for_people
from caseworker.core.pull.pull_facts import Demands, PullFacts
from caseworker.core.pull.verdict import judge
from tests.core.pull.pull_examples import NOW, READY, draft, failing, pending, review_wanted, threads

S = PullState
CASE = CaseId("acme/shop!7")
ALL, NOTHING = 5_000_000, 0


def same(facts: PullFacts) -> PullFacts:
    return facts


@pytest.mark.parametrize(
    ("work", "change", "state", "end", "most"),
    [
        ("review", same, S.REVIEWING, None, ALL),
        ("ship", failing, S.READING_FAILURES, None, ALL),
        ("ship", threads, S.RESOLVING, None, ALL),
        ("ship", pending, S.WAITING, None, NOTHING),
        ("ship", draft, S.ENDED, SessionEnd.READY, NOTHING),
        ("ship", same, S.ENDED, SessionEnd.READY, NOTHING),
        ("resolve", review_wanted, S.ENDED, SessionEnd.DONE, NOTHING),
    ],
)
def test_the_first_act_of_a_session_and_its_price(
    work: PullWork, change: Callable[[PullFacts], PullFacts], state: PullState, end: SessionEnd | None, most: int
) -> None:
    case = new_pull_case(CASE, work)
    would = preview(case, StartWork(workflow=work), change(READY), Policy(), NOW)
    assert (would.state, would.end, would.most_micros) == (state, end, most)
    assert would.is_turn is (state in (S.REVIEWING, S.RESOLVING))


def test_a_verdict_is_made_with_the_waiting_times_of_the_session() -> None:
    pushed = READY.model_copy(update={"checks": (), "demands": Demands()})
    fresh = pushed.model_copy(update={"subject": pushed.subject.model_copy(update={"head_since": NOW})})
    case, command = new_pull_case(CASE, "ship"), StartWork()
    assert preview(case, command, fresh, Policy(), NOW).verdict.leading == "pending_checks"
    assert preview(case, command, fresh, Policy(checks_begin_seconds=0), NOW).verdict.outcome == "ready"


def test_earlier_spending_reduces_the_previewed_cost() -> None:
    case = new_pull_case(CASE, "review")
    command = StartWork(workflow="review")
    assert preview(case, command, READY, Policy(), NOW, spent_micros=4_000_000).most_micros == 1_000_000
    assert preview(case, command, READY, Policy(), NOW, spent_micros=6_000_000).most_micros == 0


def test_a_session_that_ended_is_begun_anew_and_one_in_flight_goes_on() -> None:
    ended = new_pull_case(CASE, "ship").updated(began_at=NOW, state=S.ENDED, end=SessionEnd.BLOCKED)
    assert preview(ended, StartWork(workflow="review"), READY, Policy(), NOW).state is S.REVIEWING
    in_flight = ended.updated(state=S.WAITING, end=None)
    assert preview(in_flight, StartWork(workflow="review"), pending(READY), Policy(), NOW).state is S.WAITING


def waiting(*changes: Callable[[PullFacts], PullFacts]) -> PullCase:
    facts = READY
    for change in changes:
        facts = change(facts)
    return new_pull_case(CASE, "ship").updated(state=S.WAITING, verdict=judge(facts, now=NOW))


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        (new_pull_case(CASE, "ship"), False),
        (waiting(), False),
        (waiting(pending), False),
        (waiting(review_wanted), True),
        (waiting(review_wanted, pending), False),
        (new_pull_case(CASE, "ship").updated(state=S.ENDED, end=SessionEnd.DONE), True),
        (new_pull_case(CASE, "ship").updated(state=S.PAUSED, pause=PauseCause.STOPPED), True),
        (new_pull_case(CASE, "ship").updated(state=S.PAUSED, pause=PauseCause.QUOTA, resume_at=NOW), False),
    ],
)
def test_when_only_people_can_move_a_session(case: PullCase, expected: bool) -> None:
    assert waits_for_people(case) is expected
