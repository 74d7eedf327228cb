"""All ports of the store over one database, opened and brought up to date."""

from dataclasses import dataclass

from caseworker.ports import (
    Attachments,
    Bugs,
    Builds,
    Cases,
    Effects,
    Inbox,
    Learnings,
    Ledger,
    Places,
    PullRecords,
    Record,
    Repositories,
    Threads,
    Transcripts,
    Turns,
)
from caseworker.store.attachments import StoredAttachments
from caseworker.store.bugs import StoredBugs
from caseworker.store.builds import StoredBuilds
from caseworker.store.cases import StoredCases
from caseworker.store.database import Database, connect
from caseworker.store.effects import StoredEffects
from caseworker.store.inbox import StoredInbox
from caseworker.store.learnings import StoredLearnings
from caseworker.store.ledger import StoredLedger
from caseworker.store.places import StoredPlaces
from caseworker.store.port import to_the_end
from caseworker.store.pulls import StoredPulls
from caseworker.store.record import StoredRecord
from caseworker.store.repositories import StoredRepositories
from caseworker.store.threads import StoredThreads
from caseworker.store.transcripts import StoredTranscripts
from caseworker.store.turns import StoredTurns
from caseworker.store.upgrade import migrate


@dataclass(frozen=True, kw_only=True)
class Store:
    database: Database
    repositories: Repositories
    cases: Cases
    bugs: Bugs
    threads: Threads
    attachments: Attachments
    inbox: Inbox
    record: Record
    turns: Turns
    effects: Effects
    builds: Builds
    pulls: PullRecords
    ledger: Ledger
    transcripts: Transcripts
    learnings: Learnings
    places: Places

    async def close(self) -> None:
        await self.database.close()


async def open_store(url: str) -> Store:
    """Opened, and migrated to the newest revision. Raises `Refused` for a database that is newer than this program."""
    database = connect(url)
    try:
        await to_the_end(migrate)(database)
    except BaseException:
        await database.close()
        raise
    return Store(
        database=database,
        repositories=StoredRepositories(database),
        cases=StoredCases(database),
        bugs=StoredBugs(database),
        threads=StoredThreads(database),
        attachments=StoredAttachments(database),
        inbox=StoredInbox(database),
        record=StoredRecord(database),
        turns=StoredTurns(database),
        effects=StoredEffects(database),
        builds=StoredBuilds(database),
        pulls=StoredPulls(database),
        ledger=StoredLedger(database),
        transcripts=StoredTranscripts(database),
        learnings=StoredLearnings(database),
        places=StoredPlaces(database),
    )
