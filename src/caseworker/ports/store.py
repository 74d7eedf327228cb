"""The store: all records together."""

from typing import Protocol

from caseworker.ports.case_records import Attachments, Bugs, Cases, Inbox, Record, Repositories, Threads
from caseworker.ports.ledgers import Ledger
from caseworker.ports.work_records import (
    Builds,
    Effects,
    Learnings,
    Places,
    PullRecords,
    Transcripts,
    Turns,
)


class Store(Protocol):
    """The records, all of them, in one database."""

    @property
    def repositories(self) -> Repositories: ...
    @property
    def cases(self) -> Cases: ...
    @property
    def bugs(self) -> Bugs: ...
    @property
    def threads(self) -> Threads: ...
    @property
    def attachments(self) -> Attachments: ...
    @property
    def inbox(self) -> Inbox: ...
    @property
    def record(self) -> Record: ...
    @property
    def turns(self) -> Turns: ...
    @property
    def effects(self) -> Effects: ...
    @property
    def builds(self) -> Builds: ...
    @property
    def pulls(self) -> PullRecords: ...
    @property
    def ledger(self) -> Ledger: ...
    @property
    def transcripts(self) -> Transcripts: ...
    @property
    def learnings(self) -> Learnings: ...
    @property
    def places(self) -> Places: ...
