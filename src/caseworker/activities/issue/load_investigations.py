"""Loads the investigations of an issue case."""

from caseworker.core.investigation.matrix import Investigation
from caseworker.core.issue.case import IssueCase
from caseworker.core.record.recorded_investigations import FAILED, investigations_of
from caseworker.ports import Store


async def load_investigations(store: Store, case: IssueCase) -> list[Investigation]:
    """All investigations of the case, oldest first."""
    if case.investigation is None:
        return []
    return investigations_of(case, await store.turns.finished(case.id), await store.record.whole(case.id, FAILED))
