"""Looks for changes in the store once for all open pages, and wakes those that show what has changed.

One loop per process: 50 open pages cost as much as one. While no page is open it does not look at all."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Final

import structlog

from caseworker.core.base.errors import Transient
from caseworker.core.base.ids import CaseId
from caseworker.ports import Store

log = structlog.get_logger()

LOOK_SECONDS: Final = 0.25
_MARGIN: Final = timedelta(seconds=30)
"""How far the clocks of workers may differ."""


class OpenPage:
    """One open page. `has_changed` is set when something that it shows has changed."""

    def __init__(self, case: CaseId | None) -> None:
        self.case = case
        self.has_changed = asyncio.Event()

    async def wait(self, seconds: float) -> bool:
        """False: nothing has changed for so long."""
        try:
            async with asyncio.timeout(seconds):
                await self.has_changed.wait()
        except TimeoutError:
            return False
        self.has_changed.clear()
        return True


class ChangeWatch:
    def __init__(self, store: Store, *, look_seconds: float = LOOK_SECONDS) -> None:
        self._store = store
        self._seconds = look_seconds
        self._pages: set[OpenPage] = set()
        self._somebody = asyncio.Event()
        self._sequences: dict[CaseId, int] = {}
        self._receipts: dict[CaseId, tuple[int, int, int]] = {}
        self._versions: Counter[CaseId] = Counter()
        self._naps = 0
        """How often the last open page was closed: after that, changes are not watched for a while."""
        self._looked_at: datetime | None = None
        self.version = 0
        """How often any case was seen to change."""
        self.looks = 0

    def version_of(self, case: CaseId | None = None) -> tuple[int, int]:
        """The version of a case, or of the board. A page made for one version can be shown to everybody."""
        return self._naps, self.version if case is None else self._versions[case]

    @property
    def open_pages(self) -> int:
        return len(self._pages)

    @contextmanager
    def open_page(self, case: CaseId | None = None) -> Iterator[OpenPage]:
        """For one open page: of a case, or of the board."""
        page = OpenPage(case)
        self._pages.add(page)
        self._somebody.set()
        try:
            yield page
        finally:
            self._pages.discard(page)
            if not self._pages:
                self._somebody.clear()
                self._naps += 1

    async def run(self) -> None:
        """Runs until it is cancelled."""
        while True:
            await self._somebody.wait()
            try:
                await self.look()
            except Transient as error:
                log.warning("the dashboard could not look for changes; it tries again", error=str(error))
            await asyncio.sleep(self._seconds)

    async def look(self) -> None:
        self.looks += 1
        changed = await self._changed()
        watched = {page.case for page in self._pages if page.case is not None}
        if watched:
            found = await self._store.boards.receipts(watched)
            changed |= {case for case in watched if self._receipts.get(case) != found.get(case)}  # removed: no counts
            self._receipts = dict(found)
        if not changed:
            return
        self.version += 1
        self._versions.update(changed)
        for page in self._pages:
            if page.case is None or page.case in changed:
                page.has_changed.set()

    async def _changed(self) -> set[CaseId]:
        """Cases whose record has grown since the last look."""
        now = datetime.now(UTC)
        found = await self._store.boards.changed((self._looked_at or now) - _MARGIN)
        self._looked_at = now
        changed = {one.case for one in found if self._sequences.get(one.case) != one.sequence}
        self._sequences.update({one.case: one.sequence for one in found})
        return changed
