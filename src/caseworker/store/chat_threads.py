"""Turns and proposals of chat threads. A turn and what it does to a proposal are one transaction."""

from datetime import datetime
from typing import Final

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, func, select, update

from caseworker.core.runs.chat_modes import (
    MEMORY,
    NOTHING_PENDING,
    PROPOSAL_LIFE,
    CarryOut,
    ChatTurn,
    Payload,
    Proposal,
    Propose,
    Say,
    Start,
    Withdraw,
)
from caseworker.ports import Thread
from caseworker.store.chat_tables import chat_turns, proposals
from caseworker.store.connection import Connection
from caseworker.store.port import Port
from caseworker.store.rows import insert_or_stop

_TURN: Final = tuple(chat_turns.c[name] for name in ChatTurn.model_fields)
_PAYLOAD: Final[TypeAdapter[Payload]] = TypeAdapter(Payload)


class StoredChatThreads(Port):
    async def turns(self, thread: Thread, most: int = MEMORY) -> list[ChatTurn]:
        query = select(*_TURN).where(*_turn_of(thread)).order_by(chat_turns.c.id.desc()).limit(most)
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).mappings().all()
        return [ChatTurn.model_validate(dict(row)) for row in reversed(rows)]

    async def find(self, thread: Thread, comment: str) -> ChatTurn | None:
        async with self._database.reading() as connection:
            return await _find(connection, thread, comment)

    async def count(self, thread: Thread) -> int:
        query = select(func.count()).select_from(chat_turns).where(*_turn_of(thread))
        async with self._database.reading() as connection:
            return int(await connection.scalar(query) or 0)

    async def pending(self, thread: Thread, now: datetime) -> Proposal | None:
        names = ("id", "payload", "text", "proposed_at", "expires_at")
        query = select(*(proposals.c[name] for name in names)).where(
            *_proposal_of(thread), proposals.c.state == "open", proposals.c.expires_at > now
        )
        async with self._database.reading() as connection:
            row = (await connection.execute(query)).mappings().first()
        return None if row is None else Proposal.model_validate(dict(row))

    async def commit(self, thread: Thread, turn: ChatTurn) -> ChatTurn:
        async with self._database.writing() as connection:
            row = thread.model_dump() | turn.model_dump(mode="json", exclude={"at"}) | {"at": turn.at}
            added = insert_or_stop(connection, chat_turns).values(row).returning(chat_turns.c.id)
            number = await connection.scalar(added)
            if number is None:
                found = await _find(connection, thread, turn.comment)
                assert found is not None  # the unique constraint has just stopped us
                return found
            if await _apply(connection, thread, turn):
                return turn
            late = turn.model_copy(update={"act": Say(text=NOTHING_PENDING)})
            changed = {"act": late.act.model_dump(mode="json")}
            await connection.execute(update(chat_turns).where(chat_turns.c.id == number).values(changed))
            return late


async def _apply(connection: Connection, thread: Thread, turn: ChatTurn) -> bool:
    """False: somebody else has decided the proposal meanwhile, or made one."""
    match turn.act:
        case Say() | Start():
            return True
        case CarryOut(proposal=proposal):
            return await _decide(connection, proposal, "approved", turn)
        case Withdraw(proposal=proposal):
            return await _decide(connection, proposal, "declined", turn)
        case Propose():
            return await _propose(connection, thread, turn, turn.act)


async def _decide(connection: Connection, proposal: int, state: str, turn: ChatTurn) -> bool:
    still_open = (proposals.c.id == proposal) & (proposals.c.state == "open") & (proposals.c.expires_at > turn.at)
    decided = {"state": state, "decided_by": turn.author, "decided_in": turn.comment}
    changed = update(proposals).where(still_open).values(decided).returning(proposals.c.id)
    return await connection.scalar(changed) is not None


async def _propose(connection: Connection, thread: Thread, turn: ChatTurn, act: Propose) -> bool:
    expired = (*_proposal_of(thread), proposals.c.state == "open", proposals.c.expires_at <= turn.at)
    await connection.execute(update(proposals).where(*expired).values(state="expired"))
    if act.replaces is not None and not await _decide(connection, act.replaces, "replaced", turn):
        return False
    row = thread.model_dump() | {
        "payload": _PAYLOAD.dump_python(act.payload, mode="json"),
        "text": act.text,
        "proposed_in": turn.comment,
        "proposed_at": turn.at,
        "expires_at": turn.at + PROPOSAL_LIFE,
        "state": "open",
    }
    added = insert_or_stop(connection, proposals).values(row).returning(proposals.c.id)
    return await connection.scalar(added) is not None


async def _find(connection: Connection, thread: Thread, comment: str) -> ChatTurn | None:
    query = select(*_TURN).where(*_turn_of(thread), chat_turns.c.comment == comment)
    row = (await connection.execute(query)).mappings().first()
    return None if row is None else ChatTurn.model_validate(dict(row))


def _turn_of(thread: Thread) -> tuple[ColumnElement[bool], ...]:
    return (
        chat_turns.c.surface == thread.surface,
        chat_turns.c.channel == thread.channel,
        chat_turns.c.anchor == thread.anchor,
    )


def _proposal_of(thread: Thread) -> tuple[ColumnElement[bool], ...]:
    return (
        proposals.c.surface == thread.surface,
        proposals.c.channel == thread.channel,
        proposals.c.anchor == thread.anchor,
    )
