"""What people can do with a session: start, stop, resume, abort, take over, speak, raise the budget."""

from datetime import timedelta

import pytest

from caseworker.core.base.budget import MICROS
from caseworker.core.base.snapshot import Stalled
from caseworker.core.people.commands import (
    Abort,
    Approve,
    BringUpToDate,
    Close,
    Command,
    Edit,
    HandBack,
    RaiseBudget,
    Resume,
    Retry,
    Say,
    StartWork,
    Stop,
    Takeover,
)
from caseworker.core.people.messages import Standing
from caseworker.core.people.receipts import OVER, STRANGERS, Settled
from caseworker.core.pull.case import PauseCause, PullState, SessionEnd
from caseworker.core.pull.command_fit import pull_misfit
from caseworker.core.pull.decide import IN_FLIGHT, NOT_FOR_PULLS, NOT_RUNNING, READ_BEFORE, RESUMED, look
from caseworker.core.pull.pull_events import BranchUpdated, Published
from caseworker.core.pull.pull_moves import pause
from caseworker.core.pull.pull_posts import PullAbout
from caseworker.core.pull.work_moves import after_publish, after_update
from tests.core.pull.session_examples import HEAD, NEXT, NOW, POLICY, begun, claimed, later, looked
from tests.core.pull.test_acts import PENDING, REVIEW, TAKEN

S = PullState


def test_a_session_begins_with_its_deadline_and_a_look() -> None:
    case = begun(seconds=7_200)
    assert (case.state, case.session.deadline, case.epoch) == (S.LOOKING, NOW + timedelta(hours=2), 1)


def test_a_second_start_while_one_is_under_way_is_refused() -> None:
    found = look(begun(), [claimed(StartWork())], POLICY, NOW)
    assert [(one.outcome, one.refused) for one in found.settled] == [(IN_FLIGHT, True)]


def test_a_command_that_is_not_for_a_pull_request_is_refused() -> None:
    found = look(begun(), [claimed(Approve())], POLICY, NOW)
    assert [(one.outcome, one.refused) for one in found.settled] == [(NOT_FOR_PULLS, True)]


def test_a_new_session_after_the_end_has_a_new_epoch_and_fresh_limits() -> None:
    ended = looked(begun().updated(iterations=7), REVIEW)
    again = look(ended, [claimed(StartWork(workflow="resolve"))], POLICY, later(5)).after
    assert (again.epoch, again.session.workflow, again.session.iterations, again.session.end) == (2, "resolve", 0, None)
    assert again.watch.baseline is None


@pytest.mark.parametrize(("command", "cause"), [(Stop(), PauseCause.STOPPED), (Takeover(), PauseCause.TAKEN)])
def test_a_person_pauses_it_and_lets_it_go_on(command: Command, cause: PauseCause) -> None:
    paused = look(looked(begun(), PENDING), [claimed(command)], POLICY, NOW).after
    assert (paused.state, paused.session.pause) == (S.PAUSED, cause)
    for back in (Resume(), HandBack(), Retry()):
        again = look(paused, [claimed(back)], POLICY, NOW).after
        assert (again.state, again.session.pause, again.watch.baseline) == (S.LOOKING, None, None)


def test_a_deadline_that_passed_in_a_pause_begins_anew() -> None:
    paused = look(begun(seconds=60), [claimed(Stop())], POLICY, NOW).after
    again = look(paused, [claimed(Resume())], POLICY, later(30)).after
    assert again.session.deadline == later(30) + timedelta(seconds=POLICY.ship_seconds)


@pytest.mark.parametrize("command", [Abort(), Close()])
def test_abort_and_close_end_it(command: Command) -> None:
    after = look(begun(), [claimed(command)], POLICY, NOW).after
    assert after.session.end is SessionEnd.ABORTED


@pytest.mark.parametrize("command", [Stop(), Resume(), Abort(), Takeover(), HandBack(), Close()])
def test_commands_to_a_session_that_is_over_are_refused(command: Command) -> None:
    ended = looked(begun(), REVIEW)
    assert look(ended, [claimed(command)], POLICY, NOW).settled[0].outcome == NOT_RUNNING
    assert pull_misfit(ended, command) == NOT_RUNNING


def test_a_session_that_a_person_took_over_is_taken_up_from_the_new_head() -> None:
    taken = looked(looked(begun(), PENDING), TAKEN)
    assert (taken.session.end, taken.can_be_taken_up) == (SessionEnd.TAKEN_OVER, True)
    again = look(taken, [claimed(StartWork(resumes=True))], POLICY, NOW)
    assert (again.after.state, again.after.watch.baseline, again.settled[0].outcome) == (S.LOOKING, None, RESUMED)
    assert again.after.outbox[-1].about is PullAbout.RESUMED


def test_a_session_that_has_done_its_part_is_not_taken_up() -> None:
    assert not looked(begun(), REVIEW).can_be_taken_up


def test_money_lets_a_session_go_on_that_ran_out_of_it() -> None:
    broke = pause(begun(), PauseCause.BUDGET, "No money.", NOW)
    after = look(broke, [claimed(RaiseBudget(micros=5 * MICROS))], POLICY, NOW).after
    assert (after.state, after.people.extra_micros) == (S.LOOKING, 5 * MICROS)


def test_words_of_the_team_wake_it_and_are_left_to_the_next_turn() -> None:
    found = look(looked(begun(), PENDING), [claimed(Say())], POLICY, NOW)
    assert (found.after.state, found.after.people.spoke, found.settled) == (S.LOOKING, True, ())
    assert looked(found.after, PENDING).state is S.RESOLVING


def test_words_that_a_turn_has_read_in_their_thread_ask_for_no_further_turn() -> None:
    late = claimed(Say()).model_copy(update={"was_read": True})
    found = look(looked(begun(), PENDING), [late], POLICY, NOW)
    assert (found.after.state, found.after.people.spoke) == (S.WAITING, False)
    assert found.settled == (Settled(messages=(late.id,), outcome=READ_BEFORE),)


def test_an_edit_of_words_that_a_turn_has_read_is_news() -> None:
    edited = claimed(Edit()).model_copy(update={"was_read": True})
    assert look(looked(begun(), PENDING), [edited], POLICY, NOW).after.people.spoke


def test_thanks_wake_nobody() -> None:
    found = look(looked(begun(), PENDING), [claimed(Say(asks=False))], POLICY, NOW)
    assert (found.after.state, len(found.settled)) == (S.WAITING, 1)


@pytest.mark.parametrize("standing", [Standing.OTHER, Standing.REPORTER])
def test_words_of_others_are_kept_and_wake_nobody(standing: Standing) -> None:
    found = look(looked(begun(), PENDING), [claimed(Say(), standing=standing)], POLICY, NOW)
    assert (found.after.state, found.settled[0].outcome) == (S.WAITING, STRANGERS)


def test_words_to_a_session_that_is_over_are_kept() -> None:
    found = look(looked(begun(), REVIEW), [claimed(Say())], POLICY, NOW)
    assert found.settled[0].outcome == OVER


def test_an_owner_asks_for_a_rebase_while_the_session_waits() -> None:
    waiting = looked(begun(), PENDING)
    asked = look(waiting, [claimed(BringUpToDate(), id=5)], POLICY, NOW).after
    assert (asked.state, asked.people.asked_update) == (S.LOOKING, 5)
    updating = looked(asked)
    assert updating.state is S.UPDATING
    alone = after_update(updating, BranchUpdated(how="left_alone"), NOW)
    assert alone.people.asked_update is None
    assert [(post.about, post.obeys) for post in alone.outbox] == [(PullAbout.UP_TO_DATE, (5,))]


def test_a_rebase_that_was_asked_for_is_remembered_until_it_is_pushed() -> None:
    asked = look(begun(), [claimed(BringUpToDate(), id=5)], POLICY, NOW).after
    rebased = after_update(looked(asked), BranchUpdated(how="rebased", commit=NEXT, base=HEAD), NOW)
    assert rebased.people.asked_update == 5
    pushed = after_publish(rebased, Published(commit=NEXT, commits=(NEXT,), at=NOW), NOW)
    assert (pushed.people.asked_update, pushed.outbox[-1].obeys) == (None, (5,))


def test_a_review_rebases_nothing() -> None:
    [settled] = look(begun("review"), [claimed(BringUpToDate())], POLICY, NOW).settled
    assert (settled.outcome, settled.refused) == ("a review pushes nothing", True)


def test_retry_ends_the_wait_for_a_service_and_keeps_the_work() -> None:
    stalled = Stalled(reason="the provider can't be reached", since=NOW, next_try=later(5))
    case = looked(begun(), PENDING).updated(stalled=stalled)
    found = look(case, [claimed(Retry())], POLICY, NOW)
    assert found.after == case.updated(stalled=None)
    assert [(one.outcome, one.refused) for one in found.settled] == [(RESUMED, False)]
