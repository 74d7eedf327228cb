"""Checks the claims of a turn of an issue case against its files and its record."""

from caseworker.activities.turn.attempts import Try
from caseworker.core.base.ids import Sha
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.record.cited import EVENTS
from caseworker.core.record.claim_entries import ClaimsChecked
from caseworker.core.record.claims import claims_in, not_seen
from caseworker.ports import Store, Workspace, Workspaces


class ClaimsCheck:
    def __init__(self, *, store: Store, workspaces: Workspaces) -> None:
        self._store = store
        self._workspaces = workspaces

    async def entries(
        self, this: Try, outcome: Outcome, workspace: Workspace, before: Sha, after: Sha
    ) -> list[ClaimsChecked]:
        """The entry that names what was not seen. `before`, `after`: the commits that the turn began with and made."""
        claims = claims_in(outcome, f"{workspace.path}/")
        if not claims.places and not claims.names_runs:
            return []
        commits = dict.fromkeys((before, after))
        trees = [await self._workspaces.texts(workspace, commit, claims.paths) for commit in commits]
        record = await self._store.record.whole(this.case, EVENTS) if claims.names_runs else []
        found = not_seen(claims, record, trees)
        return [ClaimsChecked(turn=this.turn, role=this.role, not_seen=list(found))] if found else []
