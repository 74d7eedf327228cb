"""Activities of the SLA clock of a bug case. Each reminder and each result is sent and recorded once, by its key."""

from temporalio import activity

from caseworker.activities.shared.context import refusals_told, short_work, traced, unless_limited
from caseworker.activities.shared.load_case import stored_bug
from caseworker.activities.shared.posts import Posting
from caseworker.contract.activities import SlaActivities
from caseworker.contract.wire import CheckSla, Postponed
from caseworker.core.base.ids import CaseId
from caseworker.core.people.messages import Audience
from caseworker.core.people.posts import Post
from caseworker.core.record.entries import SlaChecked
from caseworker.core.sla.clock import SLA_ENTRIES, Due, SlaFacts, due, epochs_of, to_settle
from caseworker.core.sla.words import people_to_tell, words_for
from caseworker.ports import Store, StoredBug


async def sla_epochs(store: Store, stored: StoredBug) -> tuple[SlaFacts, ...]:
    """The SLA facts of each epoch of the case, read from its record; the last is the present epoch."""
    telling = await store.record.whole(stored.case.id, SLA_ENTRIES)
    return epochs_of(stored.case.id, opened_at=stored.opened_at, severity=stored.case.report.severity, record=telling)


class SlaKeeping(SlaActivities):
    def __init__(self, *, store: Store, posting: Posting) -> None:
        self._store = store
        self._posting = posting

    @activity.defn
    async def load_sla(self, case: CaseId) -> SlaFacts:
        with refusals_told():
            stored = await stored_bug(self._store, case)
            return to_settle(await sla_epochs(self._store, stored))

    @activity.defn
    async def check_sla(self, request: CheckSla) -> Postponed | None:
        """Decide by the facts of this moment, so that what an earlier try has done is not due any more."""
        with refusals_told():
            stored = await stored_bug(self._store, request.case)
        with traced(stored.trace, request.case):
            async with short_work(self._store, stored):
                facts = to_settle(await sla_epochs(self._store, stored))
                found = due(facts, stored.policy, request.now)
                if found is not None and found.result is not None and found.at <= request.now:
                    return await unless_limited(self._settle(stored, facts, found, request))
                return None

    async def _settle(self, stored: StoredBug, facts: SlaFacts, found: Due, request: CheckSla) -> None:
        """Post first, then record: after a crash in between, repeating the post under the same key is a no-op."""
        assert found.result is not None
        text = self._words(stored, facts, found, request) if found.told else ""
        if text:
            about = f"sla_{found.target}"
            post = Post(about=about, audience=Audience.DEVELOPERS, epoch=facts.epoch, number=found.number)
            await self._posting.say(stored, post, lambda phrasing: text)
        entry = SlaChecked(
            target=found.target,
            result=found.result,
            severity=facts.severity,
            due=found.promised,
            level=found.level,
            text=text,
        )
        key = f"sla/{facts.epoch}/{found.target}/{found.number}"
        await self._store.record.append(stored.case.id, [entry], trace=stored.trace, key=key)

    def _words(self, stored: StoredBug, facts: SlaFacts, found: Due, request: CheckSla) -> str:
        owners = stored.policy.owners_of(stored.case.report.services)
        people = people_to_tell(found, stored.policy, owners)
        return words_for(found, facts, title=stored.title, people=people, now=request.now)
