"""Loads a case's row, and reduces a message to what a flow may know of it."""

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId
from caseworker.core.people.messages import Claimed, Message
from caseworker.ports import Store, StoredAny, StoredBug, StoredCase, StoredPull


async def stored_any(store: Store, case: CaseId) -> StoredAny:
    """Load a case of any kind."""
    stored = await store.cases.find(case)
    if stored is None:
        raise Refused(f"There is no case {case} in the records.", todo="`caseworker cases` lists what there is.")
    return stored


async def stored_case(store: Store, case: CaseId) -> StoredCase:
    stored = await store.cases.load(case)
    if stored is None:
        raise Refused(f"There is no case {case} in the records.", todo="`caseworker cases` lists what there is.")
    return stored


def claimed(message: Message, *, was_read: bool = False) -> Claimed:
    return Claimed(
        id=message.id,
        command=message.command.bare(),
        author=message.author,
        standing=message.standing,
        was_read=was_read,
    )


async def stored_bug(store: Store, case: CaseId) -> StoredBug:
    stored = await store.bugs.load(case)
    if stored is None:
        raise Refused(f"There is no bug case {case} in the records.", todo="`caseworker cases` lists what there is.")
    return stored


async def stored_pull(store: Store, case: CaseId) -> StoredPull:
    stored = await store.pull_cases.load(case)
    if stored is None:
        raise Refused(f"There is no pull case {case} in the records.", todo="`caseworker cases` lists what there is.")
    return stored
