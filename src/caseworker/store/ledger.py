"""What model calls may cost, reserved before a call, and what they did cost, settled after it."""

from typing import Final

from sqlalchemy import bindparam, func, insert, select, update

from caseworker.core.base.budget import Usage
from caseworker.core.base.errors import Defect, Refused
from caseworker.core.base.ids import CaseId
from caseworker.ports import Attempt, Spending
from caseworker.store.columns import now
from caseworker.store.connection import Connection
from caseworker.store.port import Port
from caseworker.store.rows import lock_case
from caseworker.store.tables import attempts, ledger

_ABANDONED_PART = 4
"""Of a call whose end nobody saw, one part in four of the reservation counts, rounded up: an unknown call has probably
sent its input and been charged for it, and hardly ever got the longest answer, which is most of what is reserved. To
count all of it would let a few crashes eat a budget; to count nothing would let crashes spend without end."""

_SPENT: Final = select(
    func.count(), func.sum(ledger.c.micros), *(func.sum(ledger.c[name]) for name in Usage.model_fields)
).where(ledger.c.case == bindparam("of_case"))
_SPENT_IN: Final = _SPENT.where(ledger.c.turn == bindparam("in_turn"))

_ABANDONED: Final = (
    update(ledger)
    .where(ledger.c.case == bindparam("of_case"), ledger.c.turn == bindparam("in_turn"))
    .where(ledger.c.attempt == bindparam("by_attempt"), ledger.c.state == "reserved")
    .values(state="abandoned", micros=(ledger.c.reserved_micros + (_ABANDONED_PART - 1)) // _ABANDONED_PART)
)


class StoredLedger(Port):
    async def reserve(
        self, attempt: Attempt, *, model: str, micros: int, cap_micros: int, rehearsed: bool
    ) -> int | None:
        row: dict[str, object] = {
            "case": attempt.case,
            "turn": attempt.turn,
            "attempt": attempt.number,
            "model": model,
            "rehearsed": rehearsed,
            "state": "reserved",
            "reserved_micros": micros,
            "micros": micros,
            "reserved_at": now(),
        }
        async with self._database.writing() as connection:
            await lock_case(connection, attempt.case)
            await _refuse_if_superseded(connection, attempt)
            spent = select(func.sum(ledger.c.micros)).where(ledger.c.case == attempt.case)
            if int(await connection.scalar(spent) or 0) + micros > cap_micros:
                return None
            added = insert(ledger).values(row | Usage().model_dump()).returning(ledger.c.id)
            return (await connection.execute(added)).scalar_one()

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

    async def spent(self, case: CaseId, turn: int | None = None) -> Spending:
        query, which = (_SPENT, {"of_case": case}) if turn is None else (_SPENT_IN, {"of_case": case, "in_turn": turn})
        async with self._database.reading() as connection:
            calls, micros, *tokens = (int(total or 0) for total in (await connection.execute(query, which)).one())
        usage = Usage.model_validate(dict(zip(Usage.model_fields, tokens, strict=True)))
        return Spending(calls=calls, usage=usage, micros=micros)


async def abandon_reservations(connection: Connection, case: CaseId, turn: int, attempt: int) -> None:
    await connection.execute(_ABANDONED, {"of_case": case, "in_turn": turn, "by_attempt": attempt})


async def _refuse_if_superseded(connection: Connection, attempt: Attempt) -> None:
    state = await connection.scalar(select(attempts.c.state).where(attempts.c.token == attempt.token))
    if state != "running":
        raise Refused(
            f"Attempt {attempt.number} at turn {attempt.turn} of {attempt.case} is over: it may call no model."
        )
