"""Why a case is in its state, computed from its records."""

from caseworker.core.people.phrasing import Phrasing
from caseworker.core.telling.why import Why, why
from caseworker.ports import Store, StoredCase
from caseworker.views.requests import what_is_asked
from caseworker.views.workflow_contexts import context_of


async def why_issue(store: Store, stored: StoredCase, phrasing: Phrasing) -> Why:
    spent = await store.ledger.spent(stored.case.id)
    asked = await what_is_asked(store, stored, outcomes=())
    rehearsed = stored.rehearsal is not None
    told = why(stored.case, stored.policy, phrasing, spent=spent.micros, rehearsed=rehearsed)
    return told.model_copy(update={"asked": asked, "context": await context_of(store, stored)})
