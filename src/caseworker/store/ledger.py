"""What model calls may cost, reserved before a call, and what they did cost, settled after it."""

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Final, assert_never

from sqlalchemy import ColumnElement, bindparam, func, insert, select, text, update

from caseworker.core.base.budget import Usage, dollars
from caseworker.core.base.errors import DailyCap, Defect, Refused
from caseworker.core.base.ids import CaseId, RepositoryId
from caseworker.core.people.caps import CapName
from caseworker.ports import Attempt, CaseAccount, RepositoryAccount, SingleQuestion, Spending
from caseworker.store.columns import now
from caseworker.store.connection import Connection
from caseworker.store.database import Database
from caseworker.store.port import Port
from caseworker.store.rows import lock_case, lock_repository
from caseworker.store.stored_caps import value_of
from caseworker.store.tables import attempts, ledger

_ABANDONED_PART = 4
"""A call with an unknown end counts as a quarter of its reservation, rounded up. It was probably charged for its input,
but hardly ever for the longest answer, which is most of what is reserved. If all of it counted, a few crashes would use
up a budget; if nothing counted, crashes could spend without end."""
_DAY: Final = timedelta(hours=24)
_ADVISORY_LOCK: Final = 0x_CA5E_0004
"""The key of this lock among the advisory locks of a PostgreSQL database."""
_LOST: Final = timedelta(hours=1)
"""Age at which the reservation of a single question is given up: an answer takes minutes, so its process has died."""

_TOTALS: Final = select(
    func.count(),
    func.sum(ledger.c.micros),
    func.sum(ledger.c.micros).filter(ledger.c.state == "reserved"),
    *(func.sum(ledger.c[name]) for name in Usage.model_fields),
)
_SPENT: Final = _TOTALS.where(ledger.c.case == bindparam("of_case"))
_SPENT_IN: Final = _SPENT.where(ledger.c.turn == bindparam("in_turn"))
_SPENT_ON_QUESTIONS: Final = _TOTALS.where(
    ledger.c.repository == bindparam("of_repository"), ledger.c.reserved_at > bindparam("since")
)

_PART: Final = (ledger.c.reserved_micros + (_ABANDONED_PART - 1)) // _ABANDONED_PART
_ABANDON: Final = update(ledger).where(ledger.c.state == "reserved").values(state="abandoned", micros=_PART)
_ABANDON_ATTEMPT: Final = _ABANDON.where(
    ledger.c.case == bindparam("of_case"),
    ledger.c.turn == bindparam("in_turn"),
    ledger.c.attempt == bindparam("by_attempt"),
)
_ABANDON_ONE: Final = _ABANDON.where(ledger.c.id == bindparam("its_id"), ledger.c.purpose.is_not(None))
_ABANDON_LOST: Final = _ABANDON.where(ledger.c.purpose.is_not(None), ledger.c.reserved_at < bindparam("before"))


class StoredLedger(Port):
    def __init__(self, database: Database, *, daily_micros: int | None = None) -> None:
        """`daily_micros`: what all cases and questions together may cost in 24 hours. Null: there is no such cap."""
        super().__init__(database)
        self._daily_micros = daily_micros

    async def reserve(
        self, payer: Attempt | SingleQuestion, *, model: str, micros: int, cap_micros: int, rehearsed: bool
    ) -> int | None:
        call: dict[str, object] = {
            "model": model,
            "rehearsed": rehearsed,
            "state": "reserved",
            "reserved_micros": micros,
            "micros": micros,
            "reserved_at": now(),
        }
        async with self._database.writing() as connection:
            if await _spent_by(connection, payer) + micros > cap_micros:
                return None
            if not rehearsed and self._daily_micros is not None:
                allowed = await value_of(connection, CapName.DAILY_BUDGET, self._daily_micros)
                await _refuse_beyond(connection, allowed, micros)
            row = call | _columns(payer) | Usage().model_dump()
            return (await connection.execute(insert(ledger).values(row).returning(ledger.c.id))).scalar_one()

    async def settle(self, reservation: int, usage: Usage, micros: int) -> None:
        """Also after the reservation was abandoned: the truth is better than an estimate. Only once."""
        true_cost = {"state": "settled", "micros": micros, "settled_at": now()} | usage.model_dump()
        row = ledger.c.id == reservation
        async with self._database.writing() as connection:
            changed = update(ledger).where(row, ledger.c.state != "settled").values(true_cost).returning(ledger.c.id)
            if (
                await connection.scalar(changed) is None
                and await connection.scalar(select(ledger.c.id).where(row)) is None
            ):
                raise Defect(f"There is no reservation {reservation} to settle.")

    async def abandon(self, reservation: int) -> None:
        async with self._database.writing() as connection:
            await connection.execute(_ABANDON_ONE, {"its_id": reservation})

    async def spent(self, case: CaseId, turn: int | None = None) -> Spending:
        query, which = (_SPENT, {"of_case": case}) if turn is None else (_SPENT_IN, {"of_case": case, "in_turn": turn})
        async with self._database.reading() as connection:
            return _spending((await connection.execute(query, which)).one())

    async def spent_on_questions(self, repository: RepositoryId) -> Spending:
        async with self._database.reading() as connection:
            found = await connection.execute(_SPENT_ON_QUESTIONS, {"of_repository": repository, "since": now() - _DAY})
            return _spending(found.one())


async def abandon_reservations(connection: Connection, case: CaseId, turn: int, attempt: int) -> None:
    await connection.execute(_ABANDON_ATTEMPT, {"of_case": case, "in_turn": turn, "by_attempt": attempt})


async def _spent_by(connection: Connection, payer: Attempt | SingleQuestion) -> int:
    """The micro-dollars that count against the payer's cap. Locks its case or repository, so that no other call
    reserves at the same time."""
    if isinstance(payer, Attempt):
        await lock_case(connection, payer.case)
        await _refuse_if_superseded(connection, payer)
        return await _micros(connection, ledger.c.case == payer.case)
    match payer.account:
        case CaseAccount(case=case):
            await lock_case(connection, case)
            counted = theirs = ledger.c.case == case
        case RepositoryAccount(repository=repository):
            await lock_repository(connection, repository)
            theirs = ledger.c.repository == repository
            counted = theirs & (ledger.c.reserved_at > now() - _DAY)
        case _:
            assert_never(payer.account)
    await connection.execute(_ABANDON_LOST.where(theirs), {"before": now() - _LOST})
    return await _micros(connection, counted)


async def _refuse_beyond(connection: Connection, daily_micros: int, micros: int) -> None:
    if connection.dialect.name == "postgresql":  # of two payers, each would see room for itself
        await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _ADVISORY_LOCK})
    today = (ledger.c.reserved_at > now() - _DAY) & ledger.c.rehearsed.is_(False)
    if await _micros(connection, today) + micros > daily_micros:
        raise DailyCap(
            f"All cases together may spend {dollars(daily_micros)} in 24 hours, and have.",
            todo="They go on when there is room again, or when an owner raises it: `caseworker caps --daily 200`.",
        )


async def _micros(connection: Connection, counted: ColumnElement[bool]) -> int:
    return int(await connection.scalar(select(func.sum(ledger.c.micros)).where(counted)) or 0)


def _columns(payer: Attempt | SingleQuestion) -> dict[str, object]:
    if isinstance(payer, Attempt):
        return {"case": payer.case, "turn": payer.turn, "attempt": payer.number}
    match payer.account:
        case CaseAccount(case=case):
            return {"purpose": payer.purpose, "case": case}
        case RepositoryAccount(repository=repository):
            return {"purpose": payer.purpose, "repository": repository}
        case _:
            assert_never(payer.account)


def _spending(totals: Sequence[int | Decimal | None]) -> Spending:
    calls, micros, reserved, *tokens = (int(total or 0) for total in totals)
    usage = Usage.model_validate(dict(zip(Usage.model_fields, tokens, strict=True)))
    return Spending(calls=calls, usage=usage, micros=micros, reserved_micros=reserved)


async def _refuse_if_superseded(connection: Connection, attempt: Attempt) -> None:
    state = await connection.scalar(select(attempts.c.state).where(attempts.c.token == attempt.token))
    if state != "running":
        raise Refused(
            f"Attempt {attempt.number} at turn {attempt.turn} of {attempt.case} is over: it may call no model."
        )
