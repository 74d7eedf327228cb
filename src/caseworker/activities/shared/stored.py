"""Loads a case's row, and says what a flow may know of a message."""

from caseworker.core.base.budget import micros_of
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId
from caseworker.core.people.grammar import milestone_in, reopens
from caseworker.core.people.messages import Claimed, Message, MessageKind
from caseworker.ports import Store, StoredAny, StoredBug, StoredCase


async def stored_any(store: Store, case: CaseId) -> StoredAny:
    """Of whichever kind."""
    stored = await store.cases.find(case)
    if stored is None:
        raise Refused(f"There is no case {case} in the records.", todo="`caseworker cases` lists what there is.")
    return stored


async def stored_case(store: Store, case: CaseId) -> StoredCase:
    stored = await store.cases.load(case)
    if stored is None:
        raise Refused(f"There is no case {case} in the records.", todo="`caseworker cases` lists what there is.")
    return stored


def claimed(message: Message) -> Claimed:
    return Claimed(
        id=message.id,
        kind=message.kind,
        author=message.author,
        standing=message.standing,
        resolution=message.resolution,
        micros=micros_of(message.text) if message.kind is MessageKind.BUDGET else 0,
        until=milestone_in(message.text) if message.kind is MessageKind.APPROVE else None,
        reopens=reopens(message.kind, message.text),
    )


async def stored_bug(store: Store, case: CaseId) -> StoredBug:
    stored = await store.bugs.load(case)
    if stored is None:
        raise Refused(f"There is no bug case {case} in the records.", todo="`caseworker cases` lists what there is.")
    return stored
