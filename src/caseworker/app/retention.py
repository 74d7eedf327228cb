"""Removes cases that are over with all their traces: when a person asks, or `retention_days` after the last change."""

from datetime import UTC, datetime, timedelta

import structlog

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId
from caseworker.ports import Store, Workspaces

log = structlog.get_logger()


async def purge_case(store: Store, workspaces: Workspaces, case: CaseId) -> None:
    """Deletes its records, its worktree and the commits that were kept for it. `Refused` if it may not be removed yet.

    Branches, pull requests and what was said elsewhere stay where they are."""
    await store.cases.remove(case)
    await workspaces.remove(case)


class Retention:
    """Removes what ended longer ago than the deployment keeps."""

    def __init__(self, *, store: Store, workspaces: Workspaces, days: float) -> None:
        self._store, self._workspaces = store, workspaces
        self._kept = timedelta(days=days)

    async def look(self) -> None:
        for case in await self._store.cases.over_since(datetime.now(UTC) - self._kept):
            try:
                await purge_case(self._store, self._workspaces, case)
            except Refused as why:
                log.info("a case is kept longer", case=case, why=str(why))
            else:
                log.info("case removed: its retention time is over", case=case)
