"""Why a case is in its state, computed from its records."""

from collections.abc import Sequence

from caseworker.core.bug.close_reason import closing_words
from caseworker.core.casefile.pipeline import why_closed, with_reason
from caseworker.core.evidence.builds import Stage
from caseworker.core.issue.case import cap_of
from caseworker.core.people.phrasing import Phrasing
from caseworker.core.record.entries import Recorded
from caseworker.core.telling.bound_words import bound_words
from caseworker.core.telling.bug_why import why_bug
from caseworker.core.telling.build_texts import latest
from caseworker.core.telling.fact_sources import Fact
from caseworker.core.telling.moved_branch import moved_words
from caseworker.core.telling.unseen import CLAIMS, unseen_claims, unseen_facts
from caseworker.core.telling.why import Why, why
from caseworker.ports import Store, StoredBug, StoredCase
from caseworker.views.branch_tips import tip_of
from caseworker.views.requests import what_is_asked
from caseworker.views.targets import merged_into
from caseworker.views.workflow_contexts import context_of


async def why_issue(store: Store, stored: StoredCase, phrasing: Phrasing, record: Sequence[Recorded] = ()) -> Why:
    """`record`: where the sources of facts are looked up. Empty: facts have none."""
    spent = await store.ledger.spent(stored.case.id)
    asked = await what_is_asked(store, stored, outcomes=(), buttons=phrasing.has_buttons)
    rehearsed = stored.rehearsal is not None
    builds = await store.builds.of(stored.case.id)
    head = latest(builds, Stage.HEAD)
    told = why(
        stored.case,
        stored.policy,
        phrasing,
        spent=spent.spent_micros,
        rehearsed=rehearsed,
        head=head,
        into=await merged_into(store, stored.case.id),
        record=record,
    )
    unseen = unseen_claims(await store.record.whole(stored.case.id, CLAIMS))
    moved = moved_words(stored.case, await tip_of(store, stored), phrasing)
    evidence = [*([Fact(text=f"Branch: {moved}")] if moved else []), *told.evidence, *unseen_facts(unseen)]
    reason = why_closed(stored.case, await store.inbox.of(stored.case.id))
    because = with_reason(told.because, reason)
    context = await context_of(store, stored)
    cap = cap_of(stored.case, stored.policy)
    bound = bound_words(stored.policy, base=stored.case.delivery.base, cap=cap, builds=builds, record=record)
    changed = {"because": because, "asked": asked, "context": context, "evidence": evidence, "bound_to": bound}
    return told.model_copy(update=changed)


async def explain_bug(store: Store, stored: StoredBug, phrasing: Phrasing, record: Sequence[Recorded] = ()) -> Why:
    told = why_bug(stored.case, phrasing, record)
    reason = closing_words(stored.case, await store.inbox.of(stored.case.id))
    return told.model_copy(update={"because": with_reason(told.because, reason)})
