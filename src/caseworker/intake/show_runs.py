"""Shows runs on GitHub: one tracking comment each, written again as the run goes on.

Looks at what is, not at what happened: after a kill at any point, the next look finds what is left to do. Several
hosts may run it: each run is leased to one.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Final, assert_never

import structlog

from caseworker.core.base.errors import RateLimited, Refused, Transient
from caseworker.core.base.ids import RunId
from caseworker.core.base.redaction import Redactor
from caseworker.core.base.repositories import RepositoryRef
from caseworker.core.runs.run import ENDED, Run
from caseworker.core.telling.tracking_comment import Tracked, is_due, marker, tracking_comment
from caseworker.core.telling.tracking_reconciliation import Adopt, Create, Keep, PostedComment, Reconciled, reconcile
from caseworker.ports import Comments, Store, StoredAny
from caseworker.ports.github import SURFACE
from caseworker.ports.tracking_comments import Tracking

log = structlog.get_logger()

Tell = Callable[[StoredAny, Run], Awaitable[Tracked]]
_LIFE: Final = timedelta(minutes=2)
"""A comment whose run works is written this often, even if nothing is new."""
_LIFE_WAITING: Final = timedelta(hours=1)
"""The same while the run waits for a person."""


@dataclass(frozen=True, kw_only=True)
class Looks:
    """Pauses in seconds."""

    between: float = 2.0
    """Between two looks for runs that are due."""
    again: float = 3.0
    """Until a run is due again."""
    failed: float = 20.0
    refused: float = 600.0
    """Until the next try after GitHub has refused."""


@dataclass(frozen=True, kw_only=True)
class _Place:
    """The comment to be written, and where."""

    tracking: Tracking
    repository: RepositoryRef
    number: int
    body: str


class RunComments:
    def __init__(
        self, *, store: Store, comments: Comments, tell: Tell, redactor: Redactor, looks: Looks | None = None
    ) -> None:
        """`tell` reads from the records what a comment says."""
        self._store = store
        self._comments = comments
        self._tell = tell
        self._redactor = redactor
        self._looks = looks or Looks()

    async def run(self) -> None:
        """Runs until cancelled."""
        while True:
            try:
                found = await self.show_one()
            except Transient as error:
                log.warning("tracking comments not read: tried again later", error=str(error))
                found = False
            if not found:
                await asyncio.sleep(self._looks.between)

    async def show_one(self) -> bool:
        """Show one run that is due. False: none is."""
        tracking = await self._store.tracking_comments.claim(SURFACE)
        if tracking is None:
            return False
        again = self._looks.again
        try:
            await self._show(tracking)
        except RateLimited as limited:
            again = max(self._looks.failed, limited.seconds)
        except Transient as error:
            log.warning("tracking comment not written: tried again soon", run=tracking.run, error=str(error))
            again = self._looks.failed
        except Refused as refused:
            log.warning("tracking comment refused: tried again later", run=tracking.run, error=str(refused))
            again = self._looks.refused
        except Exception:  # a defect in one comment must not stop the others
            log.exception("tracking comment not written", run=tracking.run)
            again = self._looks.refused
        await self._store.tracking_comments.release(tracking, again_in=again)
        return True

    async def _show(self, tracking: Tracking) -> None:
        # The run first: it ends together with the case's last move, and its end is shown once.
        run = next(run for run in await self._store.runs.of(tracking.case) if run.id == tracking.run)
        stored = await self._store.cases.find(tracking.case)
        assert stored is not None, "a run belongs to a case"
        tracked, at, ended = await self._tell(stored, run), datetime.now(UTC), run.state in ENDED
        digest = self._digest(run, tracked, at)
        if not ended and not _is_due(run, tracked, tracking, digest, at):
            return
        shown = tracked.model_copy(update={"looked_at": at})
        body = tracking_comment(run, shown, now=at, redactor=self._redactor)
        repository = await self._store.repositories.ref(stored.repository)
        place = _Place(tracking=tracking, repository=repository, number=int(tracking.thread.anchor), body=body)
        is_tidy = await self._write(place, scan=ended or not tracking.is_tidy)
        # An end is shown once nothing is left to tidy up, or to tell.
        shows = run.state if ended and is_tidy and tracked.is_whole else None
        await self._store.tracking_comments.wrote(tracking, digest, is_tidy=is_tidy, shows=shows)

    def _digest(self, run: Run, tracked: Tracked, at: datetime) -> str:
        """A digest of the comment without the times that change at each look."""
        timeless = run.model_copy(update={"wall_clock_ms": 0})
        return sha256(tracking_comment(timeless, tracked, now=at, redactor=self._redactor).encode()).hexdigest()

    async def _write(self, place: _Place, *, scan: bool) -> bool:
        """Write the body to the run's one comment. True: nothing else of ours is left that should not be there."""
        comment = place.tracking.comment
        if comment is not None and not scan:
            try:
                await self._comments.change(place.repository, str(comment), place.body)
            except Refused:  # perhaps somebody has deleted it
                log.info("tracking comment not changed: looking for it", run=place.tracking.run)
            else:
                return True
        return await self._write_found(place)

    async def _write_found(self, place: _Place) -> bool:
        tracking, is_tidy = place.tracking, True
        earlier = await self._store.tracking_comments.earlier(tracking)
        found = await self._scan(place, earlier)
        if isinstance(found.step, Create):
            key = marker(tracking.run)
            made = await self._comments.write(place.repository, place.number, place.body, key=key, look=False)
            found = await self._scan(place, earlier)
            if isinstance(found.step, Create):  # GitHub does not list it yet
                found = Reconciled(step=Adopt(comment=int(made.id), instead_of=tracking.comment))
                is_tidy = False
        match found.step:
            case Adopt(comment=comment, instead_of=instead_of):
                if not await self._store.tracking_comments.reserve(tracking, comment, instead_of=instead_of):
                    raise Transient("Another host has written this comment meanwhile.")
            case Keep(comment=comment):
                pass
            case Create():
                raise AssertionError("it was created above")
            case _:
                assert_never(found.step)
        await self._comments.change(place.repository, str(comment), place.body)
        for other in found.delete:
            await self._comments.remove(place.repository, str(other))
        return is_tidy

    async def _scan(self, place: _Place, earlier: frozenset[RunId]) -> Reconciled:
        me = await self._comments.whoami()
        posted = [
            PostedComment(id=int(one.id), body=one.text, is_ours=one.author == me, created_at=one.written_at)
            for one in await self._comments.of(place.repository, place.number)
        ]
        return reconcile(place.tracking.run, posted, stored=place.tracking.comment, earlier=earlier)


def _is_due(run: Run, tracked: Tracked, tracking: Tracking, digest: str, at: datetime) -> bool:
    if is_due(run, body=digest, written=tracking.digest, written_at=tracking.written_at, now=at):
        return True
    life = _LIFE if tracked.awaited is None else _LIFE_WAITING
    return not tracking.is_tidy or (tracking.written_at is not None and at - tracking.written_at >= life)
