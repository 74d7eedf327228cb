"""A case's investigations, for people and programs: `matrix` and `export` show them."""

from caseworker.core.investigation.matrix import Inquiry
from caseworker.core.issue.case import IssueCase
from caseworker.core.record.inquiries import FAILED, inquiries_of
from caseworker.core.telling.investigation_state import investigation_state
from caseworker.ports import Store, StoredAny, StoredCase


async def known_inquiries(store: Store, stored: StoredAny) -> list[Inquiry]:
    """All investigations of the case, oldest first. A bug has none."""
    if not isinstance(stored, StoredCase) or stored.case.investigation is None:
        return []
    turns = await store.turns.finished(stored.case.id)
    return inquiries_of(stored.case, turns, await store.record.whole(stored.case.id, FAILED))


def investigation_document(stored: StoredAny, known: list[Inquiry]) -> dict[str, object]:
    """The investigations as one JSON document, under the names of the design document. `investigation_state` is the
    newest; null: nothing was investigated."""
    states = [_state(stored.case, inquiry) for inquiry in known] if isinstance(stored, StoredCase) else []
    return {
        "case": stored.case.id,
        "title": stored.title,
        "investigation_state": states[-1] if states else None,
        "investigations": states,
    }


def _state(case: IssueCase, inquiry: Inquiry) -> dict[str, object]:
    return investigation_state(case, inquiry).model_dump(mode="json")
