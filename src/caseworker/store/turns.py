"""Turns and their attempts. Only the current attempt of a turn can complete it, and only once."""

import secrets
from typing import Final
from uuid import uuid4

from sqlalchemy import bindparam, exists, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from caseworker.core.base.ids import CaseId, SessionId, TraceId
from caseworker.core.base.roles import Role, Task
from caseworker.core.casefile.model import CaseFile
from caseworker.core.record.entries import Entry
from caseworker.ports import Attempt, FinishedTurn, RunningAttempt
from caseworker.store.cases import write_file
from caseworker.store.columns import now
from caseworker.store.connection import Connection
from caseworker.store.learnings import add_learnings, repository_of
from caseworker.store.ledger import abandon_reservations
from caseworker.store.port import Port
from caseworker.store.rows import append_entries, epoch_of, lock_case
from caseworker.store.tables import attempts, cases, turns
from caseworker.store.transcripts import delete_sessions


class StoredTurns(Port):
    async def begin(
        self, case: CaseId, turn: int, *, role: Role, task: Task, worker: str, activity: bytes, trace: TraceId
    ) -> Attempt | FinishedTurn:
        async with self._database.writing() as connection:
            await lock_case(connection, case)
            known = {"case": case, "turn": turn, "role": role, "task": task}
            await connection.execute(_BEGUN[connection.dialect.name == "sqlite"], known)
            finished = await _finished(connection, case, turn)
            if finished:
                return finished[0]
            await _supersede(connection, case)
            attempt = await _next_attempt(connection, case, turn)
            row = attempt.model_dump() | {
                "state": "running",
                "reason": "",
                "worker": worker,
                "activity": activity,
                "trace": trace,
                "started_at": now(),
            }
            await connection.execute(_ATTEMPTED, row)
            return attempt

    async def is_current(self, attempt: Attempt) -> bool:
        async with self._database.reading() as connection:
            return await connection.scalar(_IS_RUNNING, {"its_token": attempt.token}) is True

    async def complete(self, attempt: Attempt, finished: FinishedTurn, file: CaseFile | None, *entries: Entry) -> bool:
        async with self._database.writing() as connection:
            await lock_case(connection, attempt.case)
            this = {"of_case": attempt.case, "this_turn": attempt.turn, "its_token": attempt.token}
            if await connection.scalar(_FENCED, this | {"the_result": finished.model_dump(mode="json")}) is None:
                return False
            trace = await _end(connection, attempt, state="completed", reason="")
            if file is not None:
                await write_file(connection, attempt.case, file)
            await append_entries(connection, attempt.case, entries, trace=trace)
            repository = await repository_of(connection, attempt.case)
            await add_learnings(connection, repository, attempt.case, finished.outcome.observations)
            return True

    async def fail(self, attempt: Attempt, reason: str, entry: Entry) -> None:
        """Records the failure of the current attempt. Does nothing if the attempt was superseded."""
        async with self._database.writing() as connection:
            await lock_case(connection, attempt.case)
            if await connection.scalar(_IS_RUNNING, {"its_token": attempt.token}):
                trace = await _end(connection, attempt, state="failed", reason=reason)
                await delete_sessions(connection, [attempt.session])
                await append_entries(connection, attempt.case, [entry], trace=trace)

    async def fence(self, case: CaseId, turn: int) -> bool:
        async with self._database.writing() as connection:
            await lock_case(connection, case)
            await _supersede(connection, case)
            return bool(await _finished(connection, case, turn))

    async def close_up(self, case: CaseId, entry: Entry, *, trace: TraceId) -> None:
        async with self._database.writing() as connection:
            await lock_case(connection, case)
            await _supersede(connection, case)
            key = f"closed_up/{await epoch_of(connection, case)}"  # once per epoch: a reopened case is closed up again
            await append_entries(connection, case, [entry], trace=trace, key=key)
            await connection.execute(update(cases).where(cases.c.id == case).values(over=True))

    async def finished(self, case: CaseId) -> list[FinishedTurn]:
        async with self._database.reading() as connection:
            return await _finished(connection, case)

    async def running(self) -> list[RunningAttempt]:
        found = attempts.c
        query = (
            select(found.case, found.turn, found.number, found.worker, found.activity)
            .where(found.state == "running")
            .order_by(found.started_at, found.case, found.turn)
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
        return [
            RunningAttempt(case=CaseId(case), turn=turn, number=number, worker=worker, activity=activity)
            for case, turn, number, worker, activity in rows
        ]


# All these statements are built once: every turn runs them.
_RUNNING: Final = (attempts.c.token == bindparam("its_token")) & (attempts.c.state == "running")
_IS_RUNNING: Final = select(exists().where(_RUNNING))
_BEGUN: Final = {
    True: sqlite.insert(turns).on_conflict_do_nothing(),
    False: postgresql.insert(turns).on_conflict_do_nothing(),
}
"""True: for SQLite. False: for PostgreSQL."""
_ATTEMPTED: Final = insert(attempts)
_FENCED: Final = (
    update(turns)
    .where(turns.c.case == bindparam("of_case"), turns.c.turn == bindparam("this_turn"), turns.c.result.is_(None))
    .where(exists().where(_RUNNING))
    .values(result=bindparam("the_result", type_=turns.c.result.type))
    .returning(turns.c.turn)
)
_ENDED: Final = (
    update(attempts)
    .where(_RUNNING)
    .values(state=bindparam("its_end"), reason=bindparam("why"), ended_at=bindparam("at"))
    .returning(attempts.c.trace)
)
_SUPERSEDED: Final = (
    update(attempts)
    .where(attempts.c.case == bindparam("of_case"), attempts.c.state == "running")
    .values(state="superseded", ended_at=bindparam("at"))
    .returning(attempts.c.turn, attempts.c.number, attempts.c.session)
)
_NEWEST: Final = select(func.max(attempts.c.number)).where(
    attempts.c.case == bindparam("of_case"), attempts.c.turn == bindparam("this_turn")
)
_FINISHED: Final = (
    select(turns.c.result)
    .where(turns.c.case == bindparam("of_case"), turns.c.result.is_not(None))
    .order_by(turns.c.turn)
)
_FINISHED_ONE: Final = _FINISHED.where(turns.c.turn == bindparam("this_turn"))


async def _finished(connection: Connection, case: CaseId, turn: int | None = None) -> list[FinishedTurn]:
    if turn is None:
        results = await connection.scalars(_FINISHED, {"of_case": case})
    else:
        results = await connection.scalars(_FINISHED_ONE, {"of_case": case, "this_turn": turn})
    return [FinishedTurn.model_validate(result) for result in results]


async def _supersede(connection: Connection, case: CaseId) -> None:
    """Ends the case's running attempts, with their transcripts and reserved money.

    Attempts of any turn: a case has at most one agent, so whatever else is marked as running is dead or not wanted.
    """
    ended = await connection.execute(_SUPERSEDED, {"of_case": case, "at": now()})
    for turn, number, session in ended.all():
        await delete_sessions(connection, [SessionId(session)])
        await abandon_reservations(connection, case, turn, number)


async def _next_attempt(connection: Connection, case: CaseId, turn: int) -> Attempt:
    number = (await connection.scalar(_NEWEST, {"of_case": case, "this_turn": turn}) or 0) + 1
    session = SessionId(str(uuid4()))  # random: nobody can name the session of another turn
    return Attempt(case=case, turn=turn, number=number, token=secrets.token_urlsafe(24), session=session)


async def _end(connection: Connection, attempt: Attempt, *, state: str, reason: str) -> TraceId:
    """Ends the attempt and returns its trace. Calls that are not settled yet are given up.

    If one of them is settled later after all, its true cost still counts.
    """
    ended = {"its_token": attempt.token, "its_end": state, "why": reason, "at": now()}
    trace = (await connection.execute(_ENDED, ended)).scalar_one()
    await abandon_reservations(connection, attempt.case, attempt.turn, attempt.number)
    return TraceId(trace)
