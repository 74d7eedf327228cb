"""Loads the investigations of an issue case."""

from caseworker.core.investigation.matrix import Inquiry
from caseworker.core.issue.case import IssueCase
from caseworker.core.record.inquiries import FAILED, inquiries_of
from caseworker.ports import Store


async def load_inquiries(store: Store, case: IssueCase) -> list[Inquiry]:
    """All investigations of the case, oldest first."""
    if case.investigation is None:
        return []
    return inquiries_of(case, await store.turns.finished(case.id), await store.record.whole(case.id, FAILED))
