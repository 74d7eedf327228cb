"""A home with one pull case in any state that a test needs: the real store, and no host."""

from pathlib import Path

from caseworker.app.settings import Settings
from caseworker.core.base.ids import CaseId, pull_case
from caseworker.core.base.policy import Policy
from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.base.workflow_names import PullWork
from caseworker.core.people.commands import StartWork
from caseworker.core.people.messages import NewMessage, Standing
from caseworker.core.record.entries import Entry
from caseworker.ports import NewPullCase, Store
from caseworker.ports.github import thread_on
from caseworker.store.store import open_store
from tests.edges.store_examples import TRACE

SHOP = RemoteRepository(host="github.com", owner="acme", name="shop")


class PullDesk:
    def __init__(self, home: Path, work: PullWork = "ship") -> None:
        home.mkdir()
        self.work = work
        self.settings = Settings.model_validate({"home": home})

    async def begin(self, *entries: Entry, **known: object) -> CaseId:
        """Open the case in the given state."""
        store = await open_store(self.settings.database)
        try:
            return await begin(store, self.work, *entries, **known)
        finally:
            await store.close()

    @property
    def host_was_started(self) -> bool:
        return (self.settings.home / "host.json").exists()


async def begin(store: Store, work: PullWork, *entries: Entry, **known: object) -> CaseId:
    return await begin_at(store, SHOP, 9, work, *entries, **known)


async def begin_at(
    store: Store, at: RemoteRepository, number: int, work: PullWork, *entries: Entry, **known: object
) -> CaseId:
    repository = await store.repositories.register(at)
    case = pull_case(repository, number)
    new = NewPullCase(
        repository=repository,
        number=number,
        title="Count in cents",
        url="https://github.com/acme/shop/pull/9",
        author="rita",
        policy=Policy(),
        rehearsal=None,
        trace=TRACE,
        thread=thread_on(at, number),
    )
    first = NewMessage(
        case=case,
        surface="terminal",
        external_id="first",
        author="ann",
        standing=Standing.OWNER,
        command=StartWork(workflow=work),
        text=f"Please {work} this pull request.",
        trace=TRACE,
    )
    assert await store.pull_cases.open(new, work, first)
    stored = await store.pull_cases.load(case)
    assert stored is not None
    moved = stored.case.updated(transitions=1, **known)
    await store.pull_cases.save(moved, entries, trace=TRACE)
    return case
