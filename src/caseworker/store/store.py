"""Opens the database, migrates it, and makes all ports of the store on it."""

from caseworker.store.attachments import StoredAttachments
from caseworker.store.board_queries import StoredBoards
from caseworker.store.bugs import StoredBugs
from caseworker.store.builds import StoredBuilds
from caseworker.store.cases import StoredCases
from caseworker.store.chat_threads import StoredChatThreads
from caseworker.store.database import Database, connect
from caseworker.store.delivery_log import StoredDeliveries
from caseworker.store.dispatches import StoredDispatches
from caseworker.store.effects import StoredEffects
from caseworker.store.inbox import StoredInbox
from caseworker.store.learnings import StoredLearnings
from caseworker.store.ledger import StoredLedger
from caseworker.store.places import StoredPlaces
from caseworker.store.port import to_the_end
from caseworker.store.pull_cases import StoredPullCases
from caseworker.store.pulls import StoredPulls
from caseworker.store.record import StoredRecord
from caseworker.store.repositories import StoredRepositories
from caseworker.store.runs import StoredRuns
from caseworker.store.stored_caps import StoredCaps
from caseworker.store.stored_rules import StoredReviewLearnings
from caseworker.store.threads import StoredThreads
from caseworker.store.tracking_rows import StoredTracking
from caseworker.store.transcripts import StoredTranscripts
from caseworker.store.turns import StoredTurns
from caseworker.store.upgrade import migrate
from caseworker.store.write_budget import StoredWriteBudget


class Store:
    """All records, on one database."""

    def __init__(self, database: Database, *, daily_micros: int | None = None) -> None:
        self.database = database
        self.repositories = StoredRepositories(database)
        self.cases = StoredCases(database)
        self.boards = StoredBoards(database)
        self.bugs = StoredBugs(database)
        self.pull_cases = StoredPullCases(database)
        self.runs = StoredRuns(database)
        self.deliveries = StoredDeliveries(database)
        self.dispatches = StoredDispatches(database)
        self.tracking_comments = StoredTracking(database)
        self.threads = StoredThreads(database)
        self.attachments = StoredAttachments(database)
        self.inbox = StoredInbox(database)
        self.record = StoredRecord(database)
        self.turns = StoredTurns(database)
        self.effects = StoredEffects(database)
        self.builds = StoredBuilds(database)
        self.pulls = StoredPulls(database)
        self.ledger = StoredLedger(database, daily_micros=daily_micros)
        self.transcripts = StoredTranscripts(database)
        self.learnings = StoredLearnings(database)
        self.caps = StoredCaps(database)
        self.places = StoredPlaces(database)
        self.write_budget = StoredWriteBudget(database)
        self.chat_threads = StoredChatThreads(database)
        self.review_learnings = StoredReviewLearnings(database)

    async def close(self) -> None:
        await self.database.close()


async def open_store(url: str, *, daily_micros: int | None = None) -> Store:
    """Opens and migrates the database. Raises `Refused` if it is newer than this program. `daily_micros`: what model
    calls through this store may cost all in all within 24 hours."""
    database = connect(url)
    try:
        await to_the_end(migrate)(database)
    except BaseException:
        await database.close()
        raise
    return Store(database, daily_micros=daily_micros)
