"""A case's investigations, for people and programs: `matrix` and `export` show them."""

from caseworker.core.investigation.matrix import Investigation
from caseworker.core.issue.case import IssueCase
from caseworker.core.record.recorded_investigations import FAILED, investigations_of
from caseworker.core.telling.investigation_state import investigation_state
from caseworker.ports import Store, StoredAny, StoredCase


async def known_investigations(store: Store, stored: StoredAny) -> list[Investigation]:
    """All investigations of the case, oldest first. A bug has none."""
    if not isinstance(stored, StoredCase) or stored.case.investigation is None:
        return []
    turns = await store.turns.finished(stored.case.id)
    return investigations_of(stored.case, turns, await store.record.whole(stored.case.id, FAILED))


def investigation_document(stored: StoredAny, known: list[Investigation]) -> dict[str, object]:
    """The investigations as one JSON document, under the names of the design document. `investigation_state` is the
    newest; null: nothing was investigated."""
    states = [_state(stored.case, investigation) for investigation in known] if isinstance(stored, StoredCase) else []
    return {
        "case": stored.case.id,
        "title": stored.title,
        "investigation_state": states[-1] if states else None,
        "investigations": states,
    }


def _state(case: IssueCase, investigation: Investigation) -> dict[str, object]:
    return investigation_state(case, investigation).model_dump(mode="json")
