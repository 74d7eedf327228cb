"""A home with one issue case in any state that a test needs: the real store, and no host."""

from pathlib import Path

from caseworker.app.settings import Settings
from caseworker.core.base.ids import CaseId
from caseworker.core.issue.case import IssueCase
from caseworker.core.record.entries import Entry, Noted
from caseworker.ports import Store
from caseworker.store.store import open_store
from caseworker.store.tables import cases
from tests.core.examples import with_known
from tests.edges.store_examples import TRACE, open_case


class IssueDesk:
    def __init__(self, home: Path) -> None:
        home.mkdir()
        self.settings = Settings.model_validate({"home": home})
        self.case = CaseId("")

    async def begin(self, *entries: Entry, **known: object) -> CaseId:
        """Open the case in the given state."""
        store = await open_store(self.settings.database)
        try:
            self.case = await open_case(store)
            await move(store, self.case, Noted(text="moved by a test"), *entries, **known)
        finally:
            await store.close()
        return self.case

    async def end(self) -> None:
        """Everything that follows from its end is done, too."""
        store = await open_store(self.settings.database)
        try:
            async with store.database.writing() as connection:
                await connection.execute(cases.update().where(cases.c.id == self.case).values(over=True))
        finally:
            await store.close()

    async def messages(self) -> list[tuple[str, str]]:
        store = await open_store(self.settings.database)
        try:
            return [(message.kind.value, message.text) for message in (await store.inbox.of(self.case))[1:]]
        finally:
            await store.close()

    @property
    def host_was_started(self) -> bool:
        return (self.settings.home / "host.json").exists()


async def move(store: Store, case: CaseId, *entries: Entry, **known: object) -> IssueCase:
    stored = await store.cases.load(case)
    assert stored is not None
    transitions = stored.case.progress.transitions + 1
    after = with_known(stored.case, transitions=transitions, **known)
    await store.cases.move(after, entries, stored.file, trace=TRACE)
    return after
