"""How long a turn waits for files, and what people are told meanwhile."""

from datetime import UTC, datetime, timedelta

import pytest

from caseworker.core.base.ids import MessageId
from caseworker.core.bug.file_wait import FileWait
from caseworker.core.bug.relays import to_be_told_of
from caseworker.core.people.commands import Say
from caseworker.core.people.messages import Claimed, Standing

NOW = datetime(2026, 11, 17, 9, 40, tzinfo=UTC)


def later(**time: float) -> datetime:
    return NOW + timedelta(**time)


def message(number: int) -> Claimed:
    return Claimed(id=MessageId(number), command=Say(), author="rita", standing=Standing.REPORTER)


def test_without_files_that_wait_nothing_is_awaited() -> None:
    wait = FileWait(later(seconds=30), NOW).after(None, NOW)
    assert (wait.is_worth_it, wait.is_due(later(days=1)), wait.earlier_than(None)) == (False, False, None)


@pytest.mark.parametrize(("minutes", "waits"), [(1, True), (5, True), (6, False)])
def test_a_turn_waits_at_most_five_minutes(minutes: int, waits: bool) -> None:
    wait = FileWait().after(later(minutes=minutes), NOW)
    assert (wait.is_worth_it, wait.is_too_long) == (waits, not waits)


def test_the_five_minutes_count_from_the_first_refusal() -> None:
    first = FileWait().after(later(minutes=3), NOW)
    assert first.after(later(minutes=6), later(minutes=3)).is_too_long


def test_a_file_is_tried_again_when_its_server_allows_it_and_not_before() -> None:
    wait = FileWait().after(later(hours=1), NOW)
    assert not wait.is_due(later(minutes=59))
    assert wait.is_due(later(hours=1))
    assert wait.earlier_than(later(hours=2)) == later(hours=1)
    assert wait.earlier_than(later(minutes=2)) == later(minutes=2)


def test_people_are_told_of_lost_files_in_the_order_of_their_messages() -> None:
    lost, waiting = [message(1), message(3)], [message(2)]
    short, long = FileWait().after(later(minutes=1), NOW), FileWait().after(later(hours=1), NOW)
    assert [one.id for one in to_be_told_of(lost, waiting, short)] == [1]
    assert [one.id for one in to_be_told_of(lost, waiting, long)] == [1, 2, 3]
    assert [one.id for one in to_be_told_of(lost, [], FileWait())] == [1, 3]
