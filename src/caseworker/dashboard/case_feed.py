"""What open pages of cases are sent, read and made once for all of them: 50 pages of a case cost as much as one."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Final, Generic, TypeVar

from caseworker.core.base.ids import CaseId
from caseworker.core.record.entries import Recorded
from caseworker.dashboard.change_watch import ChangeWatch
from caseworker.dashboard.page_markup import page
from caseworker.ports import Store
from caseworker.views.story_items import StoryItem

K = TypeVar("K")
V = TypeVar("V")
_KEPT: Final = 500


class _Kept(Generic[K, V]):
    """The newest so many values. A value that is being made is waited for, not made twice."""

    def __init__(self) -> None:
        self._made: OrderedDict[K, asyncio.Future[V]] = OrderedDict()

    async def get(self, key: K, make: Callable[[], Awaitable[V]]) -> V:
        known = self._made.get(key)
        if known is not None and not known.cancelled():
            return await asyncio.shield(known)
        self._made[key] = future = asyncio.ensure_future(_made(make))
        future.add_done_callback(lambda done: self._made.pop(key, None) if _failed(done) else None)
        if len(self._made) > _KEPT:
            self._made.popitem(last=False)
        return await asyncio.shield(future)


async def _made(make: Callable[[], Awaitable[V]]) -> V:
    return await make()


def _failed(done: "asyncio.Future[V]") -> bool:
    return done.cancelled() or done.exception() is not None


class CaseFeed:
    def __init__(self, store: Store, changes: ChangeWatch) -> None:
        self._store = store
        self._changes = changes
        self._entries: _Kept[tuple[CaseId, tuple[int, int], int], list[Recorded]] = _Kept()
        self._parts: _Kept[tuple[CaseId, tuple[int, int], str], dict[str, str]] = _Kept()
        self._shown: OrderedDict[tuple[CaseId, int, float], str] = OrderedDict()

    async def after(self, case: CaseId, number: int) -> list[Recorded]:
        """Entries of the record after this one."""
        key = (case, self._changes.version_of(case), number)
        return await self._entries.get(key, lambda: self._store.record.read(case, after=number))

    async def parts(self, case: CaseId, rights: str, make: Callable[[], Awaitable[dict[str, str]]]) -> dict[str, str]:
        return await self._parts.get((case, self._changes.version_of(case), rights), make)

    def shown(self, case: CaseId, item: StoryItem) -> str:
        key = (case, item.sequence, item.wait_seconds)
        if key not in self._shown:
            self._shown[key] = page("live_item.html", item=item, case=case)
            if len(self._shown) > _KEPT:
                self._shown.popitem(last=False)
        return self._shown[key]
