"""The ledger on both databases: spending never passes the cap, whatever happens to the calls."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from caseworker.core.base.budget import Usage
from caseworker.core.base.errors import DailyCap, Defect, Refused
from caseworker.core.base.ids import split_issue_case
from caseworker.core.people.caps import CapName
from caseworker.ports import Attempt, CaseAccount, RepositoryAccount, SingleQuestion, Spending
from caseworker.store.store import Store
from caseworker.store.tables import ledger
from tests.edges.store_examples import TRACE, begun, complete, failed_entry, open_case

CAP = 1_000
USED = Usage(input_tokens=10, output_tokens=20, cache_write_tokens=30, cache_read_tokens=40)


async def reserve(store: Store, attempt: Attempt, micros: int) -> int | None:
    return await store.ledger.reserve(attempt, model="haiku", micros=micros, cap_micros=CAP, rehearsed=False)


async def reserved(store: Store, attempt: Attempt, micros: int) -> int:
    reservation = await reserve(store, attempt, micros)
    assert reservation is not None
    return reservation


async def test_twenty_concurrent_reservations_never_pass_the_cap(store: Store) -> None:
    case = await open_case(store)
    attempt = await begun(store, case)
    results = await asyncio.gather(*(reserve(store, attempt, 150) for _ in range(20)))
    assert len([result for result in results if result is not None]) == 6
    assert (await store.ledger.spent(case)).micros == 900


async def test_the_cap_itself_may_be_reached(store: Store) -> None:
    attempt = await begun(store, await open_case(store))
    await reserved(store, attempt, CAP)
    assert await reserve(store, attempt, 1) is None


async def test_settling_replaces_the_reservation_by_the_true_cost_once(store: Store) -> None:
    case = await open_case(store)
    reservation = await reserved(store, await begun(store, case), 900)
    await store.ledger.settle(reservation, USED, 100)
    await store.ledger.settle(reservation, USED, 777)
    assert await store.ledger.spent(case) == Spending(calls=1, usage=USED, micros=100)


async def test_spending_is_known_per_case_and_per_turn(store: Store) -> None:
    case = await open_case(store)
    one = await begun(store, case, turn=1)
    await store.ledger.settle(await reserved(store, one, 300), USED, 200)
    await complete(store, one)
    await reserved(store, await begun(store, case, turn=2), 50)
    assert (await store.ledger.spent(case)).micros == 250
    assert await store.ledger.spent(case, turn=1) == Spending(calls=1, usage=USED, micros=200)
    assert await store.ledger.spent(case, turn=2) == Spending(calls=1, micros=50, reserved_micros=50)
    assert await store.ledger.spent(case, turn=3) == Spending()


async def test_a_quarter_of_a_killed_attempts_reservation_counts_rounded_up(store: Store) -> None:
    case = await open_case(store)
    killed = await begun(store, case)
    settled = await reserved(store, killed, 100)
    await store.ledger.settle(settled, USED, 60)
    await reserved(store, killed, 401)
    await begun(store, case)
    assert (await store.ledger.spent(case)).micros == 60 + 101


async def test_a_failed_attempts_reservations_count_in_the_same_way(store: Store) -> None:
    case = await open_case(store)
    attempt = await begun(store, case)
    await reserved(store, attempt, 400)
    await store.turns.fail(attempt, "killed", failed_entry(attempt))
    assert (await store.ledger.spent(case)).micros == 100


async def test_a_late_settlement_of_an_abandoned_call_counts_its_true_cost(store: Store) -> None:
    case = await open_case(store)
    reservation = await reserved(store, await begun(store, case), 400)
    await begun(store, case)
    await store.ledger.settle(reservation, USED, 333)
    assert (await store.ledger.spent(case)).micros == 333


async def test_a_superseded_attempt_may_reserve_nothing(store: Store) -> None:
    case = await open_case(store)
    old = await begun(store, case)
    await begun(store, case)
    with pytest.raises(Refused, match="Attempt 1 at turn 1 of local/shop#1 is over"):
        await reserve(store, old, 10)
    assert await store.ledger.spent(case) == Spending()


async def ask(store: Store, account: CaseAccount | RepositoryAccount, micros: int) -> int | None:
    asked = SingleQuestion(purpose="classify", account=account)
    return await store.ledger.reserve(asked, model="haiku", micros=micros, cap_micros=CAP, rehearsed=False)


async def put_back(store: Store, reservation: int, by: timedelta) -> None:
    """Makes a reservation look older."""
    async with store.database.writing() as connection:
        row = update(ledger).where(ledger.c.id == reservation)
        await connection.execute(row.values(reserved_at=datetime.now(UTC) - by))


async def test_a_question_of_a_case_and_its_turns_share_one_cap(store: Store) -> None:
    case = await open_case(store)
    account = CaseAccount(case=case, trace=TRACE)
    attempt = await begun(store, case)
    await reserved(store, attempt, 700)
    assert await ask(store, account, 301) is None
    assert await ask(store, account, 300) is not None
    assert await reserve(store, attempt, 1) is None
    assert await store.ledger.spent(case) == Spending(calls=2, micros=CAP, reserved_micros=CAP)
    assert await store.ledger.spent(case, turn=1) == Spending(calls=1, micros=700, reserved_micros=700)


async def test_questions_of_a_repository_have_their_own_cap_per_day(store: Store) -> None:
    case = await open_case(store)
    repository = split_issue_case(case)[0]
    account = RepositoryAccount(repository=repository)
    first = await ask(store, account, CAP)
    assert first is not None
    await store.ledger.settle(first, USED, CAP)
    assert await ask(store, account, 1) is None
    assert await store.ledger.spent_on_questions(repository) == Spending(calls=1, usage=USED, micros=CAP)
    assert await store.ledger.spent(case) == Spending()
    await put_back(store, first, timedelta(hours=25))
    assert await ask(store, account, CAP) is not None


async def test_twenty_questions_at_once_never_pass_the_cap(store: Store) -> None:
    account = RepositoryAccount(repository=split_issue_case(await open_case(store))[0])
    results = await asyncio.gather(*(ask(store, account, 150) for _ in range(20)))
    assert len([result for result in results if result is not None]) == 6


async def test_a_quarter_of_an_abandoned_question_counts_until_it_is_settled(store: Store) -> None:
    case = await open_case(store)
    asked = await ask(store, CaseAccount(case=case, trace=TRACE), 401)
    assert asked is not None
    await store.ledger.abandon(asked)
    assert (await store.ledger.spent(case)).micros == 101
    await store.ledger.settle(asked, USED, 333)
    await store.ledger.abandon(asked)
    assert (await store.ledger.spent(case)).micros == 333


async def test_an_old_reservation_of_a_question_counts_only_in_part(store: Store) -> None:
    case = await open_case(store)
    account = CaseAccount(case=case, trace=TRACE)
    lost = await ask(store, account, 800)
    assert lost is not None
    assert await ask(store, account, 800) is None
    await put_back(store, lost, timedelta(hours=2))
    assert await ask(store, account, 800) is not None
    assert (await store.ledger.spent(case)).micros == 200 + 800


async def test_ending_an_attempt_leaves_the_questions_of_its_case_alone(store: Store) -> None:
    case = await open_case(store)
    await begun(store, case)
    await ask(store, CaseAccount(case=case, trace=TRACE), 400)
    await begun(store, case)
    assert (await store.ledger.spent(case)).micros == 400


async def test_settling_without_a_reservation_is_a_defect(store: Store) -> None:
    with pytest.raises(Defect):
        await store.ledger.settle(4711, USED, 1)


async def test_amounts_of_money_may_exceed_32_bits(store: Store) -> None:
    case = await open_case(store)
    attempt = await begun(store, case)
    huge = 5_000_000_000
    assert await store.ledger.reserve(attempt, model="opus", micros=huge, cap_micros=huge, rehearsed=True)
    assert (await store.ledger.spent(case)).micros == huge


async def test_all_cases_together_never_pass_the_daily_cap(store: Store) -> None:
    capped = Store(store.database, daily_micros=500)
    attempts = [await begun(store, await open_case(store, f"case {number}")) for number in range(3)]
    results = await asyncio.gather(*(reserve(capped, attempt, 200) for attempt in attempts), return_exceptions=True)
    assert sorted(type(result).__name__ for result in results) == ["DailyCap", "int", "int"]


async def test_an_owner_raises_the_daily_cap_while_cases_wait_for_it(store: Store) -> None:
    capped = Store(store.database, daily_micros=500)
    attempt = await begun(store, await open_case(store))
    with pytest.raises(DailyCap, match="caseworker caps"):
        await reserve(capped, attempt, 600)

    await store.caps.set(CapName.DAILY_BUDGET, 900, by="ada")
    await reserved(capped, attempt, 600)
    await store.caps.set(CapName.DAILY_BUDGET, None, by="ada")

    assert await store.caps.all() == []
    with pytest.raises(DailyCap):
        await reserve(capped, attempt, 100)


async def test_what_was_spent_a_day_ago_leaves_room_again(store: Store) -> None:
    capped = Store(store.database, daily_micros=500)
    attempt = await begun(store, await open_case(store))
    await reserved(capped, attempt, 400)
    with pytest.raises(DailyCap, match="may spend"):
        await reserve(capped, attempt, 200)
    async with store.database.writing() as connection:
        await connection.execute(update(ledger).values(reserved_at=datetime.now(UTC) - timedelta(hours=25)))
    await reserved(capped, attempt, 200)
