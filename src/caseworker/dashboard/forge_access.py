"""People who logged in with GitHub: which repositories they see, and their rank on each, by their role there.

Roles are asked for with a short cache: who loses a role loses it here within a minute."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from typing import Final

from caseworker.core.base.errors import Transient
from caseworker.core.base.ids import RepositoryId
from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.people.forge_roles import RepositoryRole, is_owner, standing_of
from caseworker.core.people.messages import Standing
from caseworker.dashboard.access_tokens import Rank
from caseworker.dashboard.viewers import Viewer
from caseworker.ports import Store
from caseworker.ports.web_login import WebLogin

FRESH_SECONDS: Final = 60.0
STALE_SECONDS: Final = 15 * 60.0
"""How long what was known counts while GitHub can't be asked."""
_AT_ONCE: Final = 8


@dataclass(frozen=True)
class _Known:
    ranks: Mapping[RepositoryId, Rank]
    at: float


class ForgeAccess:
    def __init__(
        self,
        *,
        login: WebLogin,
        store: Store,
        owners: Set[str] = frozenset(),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`owners`: logins of the deployment's owners, who see and may do everything."""
        self.login = login
        self._store = store
        self._owners = owners
        self._clock = clock
        self._known: dict[str, _Known] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._turnstile = asyncio.Semaphore(_AT_ONCE)

    async def viewer(self, login: str, *, session: str = "") -> Viewer | None:
        """Null: they may see nothing here. `Transient`: GitHub can't be asked."""
        if is_owner(login, self._owners):
            return Viewer(name=login, rank=Rank.OWNER, by_forge=True, session=session)
        ranks = await self._ranks(login.casefold())
        if not ranks:
            return None
        return Viewer(name=login, rank=Rank.READER, repositories=(), by_forge=True, ranks=ranks, session=session)

    async def _ranks(self, login: str) -> Mapping[RepositoryId, Rank]:
        async with self._locks[login]:
            known, now = self._known.get(login), self._clock()
            if known is not None and now - known.at < FRESH_SECONDS:
                return known.ranks
            try:
                ranks = await self._ask(login)
            except Transient:
                if known is not None and now - known.at < STALE_SECONDS:
                    return known.ranks
                raise
            self._known[login] = _Known(ranks, now)
            return ranks

    async def _ask(self, login: str) -> Mapping[RepositoryId, Rank]:
        known = sorted({one.repository for one in await self._store.boards.counts()})
        roles = await asyncio.gather(*(self._role(repository, login) for repository in known))
        return {
            repository: _rank(login, role)
            for repository, role in zip(known, roles, strict=True)
            if role is not RepositoryRole.NONE
        }

    async def _role(self, repository: RepositoryId, login: str) -> RepositoryRole:
        ref = await self._store.repositories.ref(repository)
        if not isinstance(ref, RemoteRepository):
            return RepositoryRole.NONE
        async with self._turnstile:
            return await self.login.role(ref, login)


def _rank(login: str, role: RepositoryRole) -> Rank:
    """By the standing that a comment of theirs would have on GitHub."""
    match standing_of(login, role, frozenset(), opened_it=False):
        case Standing.OWNER:
            return Rank.OWNER
        case Standing.DEVELOPER:
            return Rank.DEVELOPER
        case Standing.REPORTER | Standing.OTHER:
            return Rank.READER
