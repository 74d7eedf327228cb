"""The pages besides the case: board, needs you, deliveries, SLA, learnings, repositories, costs, health."""

from datetime import UTC, datetime
from urllib.parse import urlencode

from pydantic import ValidationError
from starlette.requests import Request

from caseworker.chats.button_words import ButtonPhrasing
from caseworker.core.casefile.learnings import contradicted, ranked
from caseworker.core.runs.outcome_kinds import OutcomeKind
from caseworker.dashboard.backend import Backend, viewer_of
from caseworker.dashboard.buttons import buttons_for, done_elsewhere
from caseworker.dashboard.learning_press import may_change_learnings
from caseworker.dashboard.region_page import Region
from caseworker.dashboard.viewers import standing_of_viewer
from caseworker.ports import StoredBug
from caseworker.views.board import BoardQuery, read_board
from caseworker.views.cost_tables import read_costs
from caseworker.views.delivery_list import delivery_lines
from caseworker.views.deployment_health import read_health
from caseworker.views.needs import read_needs
from caseworker.views.promises import open_promises
from caseworker.views.repository_list import read_repositories

_DELIVERIES = 100


def query_of(request: Request) -> BoardQuery:
    """A value that can't be understood is left out: an old bookmark still shows a board."""
    given = {name: value for name, value in request.query_params.items() if value}
    try:
        return BoardQuery.model_validate(given)
    except ValidationError as error:
        wrong = {str(one["loc"][0]) for one in error.errors()}
        return BoardQuery.model_validate({name: value for name, value in given.items() if name not in wrong})


def address(query: BoardQuery, **changes: object) -> str:
    """The board's address with this filter, without what is the default."""
    wanted = {**query.model_dump(mode="json", exclude_defaults=True), **changes}
    asked = urlencode({name: value for name, value in wanted.items() if value not in (None, "", 1)})
    return f"/?{asked}" if asked else "/"


class Lists:
    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._store = backend.store

    def regions(self) -> dict[str, Region]:
        """By address."""
        return {
            "/": Region(name="board", title="Board", read=self.board),
            "/needs-you": Region(name="needs", title="Needs you", read=self.needs),
            "/deliveries": Region(name="deliveries", title="Deliveries", read=self.deliveries, every=3),
            "/sla": Region(name="sla", title="SLA", read=self.sla),
            "/learnings": Region(name="learnings", title="Learnings", read=self.learnings),
            "/repositories": Region(name="repositories", title="Repositories", read=self.repositories),
            "/costs": Region(name="costs", title="Costs", read=self.costs),
            "/status": Region(name="status", title="Health", read=self.status, every=3),
        }

    async def board(self, request: Request) -> dict[str, object]:
        visible = await self._backend.visible(viewer_of(request))
        return {"board": await read_board(self._store, query_of(request), visible), "address": address}

    async def needs(self, request: Request) -> dict[str, object]:
        viewer = viewer_of(request)
        found = await read_needs(self._store, ButtonPhrasing(), await self._backend.visible(viewer))
        shown = [
            (need, buttons_for(entry.stored, standing_of_viewer(viewer, entry.stored)), entry.sequence)
            for need, entry in found
        ]
        elsewhere = {entry.stored.case.id: done_elsewhere(entry.stored) for _, entry in found}
        bugs = [entry.stored.case.id for _, entry in found if isinstance(entry.stored, StoredBug)]
        fixes = {bug: [child.case.id for child in await self._store.cases.children(bug)] for bug in bugs}
        return {"needs": shown, "elsewhere": elsewhere, "fixes": fixes}

    async def deliveries(self, request: Request) -> dict[str, object]:
        named = request.query_params.get("outcome", "")
        outcome = OutcomeKind(named) if named in list(OutcomeKind) else None
        viewer = viewer_of(request)
        lines = await delivery_lines(self._store, outcome=outcome, limit=_DELIVERIES)
        seen = [line for line in lines if viewer.sees_all or viewer.sees(line.target.partition("#")[0])]
        return {"lines": seen, "outcome": outcome, "kinds": list(OutcomeKind)}

    async def sla(self, request: Request) -> dict[str, object]:
        visible = await self._backend.visible(viewer_of(request))
        return {"promises": await open_promises(self._store, datetime.now(UTC), visible)}

    async def learnings(self, request: Request) -> dict[str, object]:
        viewer = viewer_of(request)
        known = [one for one in ranked(await self._store.learnings.of()) if viewer.sees(one.repository)]
        may = {one.repository: may_change_learnings(viewer, one.repository) for one in known}
        denied = contradicted(known)
        return {"learnings": sorted(known, key=lambda one: one.repository), "may": may, "denied": denied}

    async def repositories(self, request: Request) -> dict[str, object]:
        visible = await self._backend.visible(viewer_of(request))
        return {"repositories": await read_repositories(self._store, self._backend.home, visible)}

    async def costs(self, request: Request) -> dict[str, object]:
        visible = await self._backend.visible(viewer_of(request))
        return {"costs": await read_costs(self._store, visible, now=datetime.now(UTC))}

    async def status(self, request: Request) -> dict[str, object]:
        self._backend.operator(request)
        return {
            "health": await read_health(self._store, datetime.now(UTC)),
            "deployment": await self._backend.deployment(),
            "open_pages": self._backend.changes.open_pages,
        }
