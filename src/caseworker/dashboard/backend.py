"""What the handlers of pages and API share: the store, the way for messages, the changes, and where this is."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, Response

from caseworker.core.base.errors import Transient
from caseworker.core.base.ids import CaseId, RepositoryId
from caseworker.dashboard.change_watch import ChangeWatch
from caseworker.dashboard.deployment import DeploymentLook, unknown_deployment
from caseworker.dashboard.event_stream import EventStream, OpenStreams, Sent
from caseworker.dashboard.forge_access import ForgeAccess
from caseworker.dashboard.log_ins import Sessions
from caseworker.dashboard.page_markup import page
from caseworker.dashboard.request_wall import Place
from caseworker.dashboard.viewers import Viewer
from caseworker.intake.conversation import Conversation
from caseworker.intake.new_cases import NewCases
from caseworker.ports import Store, StoredAny

Handler = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, kw_only=True)
class Backend:
    store: Store
    conversation: Conversation
    home: Path
    place: Place
    sessions: Sessions
    changes: ChangeWatch = field(repr=False)
    streams: OpenStreams = field(default_factory=OpenStreams, repr=False)
    deployment: DeploymentLook = unknown_deployment
    new_cases: NewCases | None = None
    """Null: no session can be begun here."""
    forge: ForgeAccess | None = None
    """Null: nobody logs in with GitHub here."""

    async def who(self, connection: HTTPConnection) -> tuple[Viewer | None, bool]:
        """Who asks, as of now, and whether a cookie says so. `Transient`: GitHub can't be asked for their roles."""
        scheme, _, secret = connection.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self.sessions.by_token(secret.strip()), False
        cookie = connection.cookies.get(self.place.cookie)
        viewer = None if cookie is None else self.sessions.find(cookie)
        if viewer is not None and viewer.by_forge:
            viewer = None if self.forge is None else await self.forge.viewer(viewer.name, session=viewer.session)
        return viewer, True

    async def viewer_now(self, connection: HTTPConnection) -> Viewer | None:
        """The viewer of an open page as of now. Null: unknown, or GitHub can't be asked: the stream has to end."""
        try:
            viewer, _ = await self.who(connection)
        except Transient:
            return None
        return viewer

    async def visible(self, viewer: Viewer) -> frozenset[RepositoryId] | None:
        """The repositories that this viewer may see. Null: all."""
        if viewer.sees_all:
            return None
        return viewer.visible({one.repository for one in await self.store.boards.counts()})

    def operator(self, request: HTTPConnection) -> Viewer:
        """The viewer of what is about all repositories. For others it is not there."""
        viewer = viewer_of(request)
        if not viewer.sees_all:
            raise HTTPException(403, "This is about all repositories together, and you may see only some of them.")
        return viewer

    def stream(self, request: HTTPConnection, events: AsyncIterator[Sent | None]) -> EventStream:
        return self.streams.open(viewer_of(request).name, events)

    async def case(self, request: HTTPConnection) -> StoredAny:
        """The case of this address. One that the viewer may not see is not found."""
        case: CaseId = request.path_params["case"]
        stored = await self.store.cases.find(case)
        if stored is None or not viewer_of(request).sees(stored.repository):
            raise HTTPException(404, f"There is no case {case}.")
        return stored


def viewer_of(request: HTTPConnection) -> Viewer:
    viewer = request.state.viewer
    assert isinstance(viewer, Viewer), "the guard lets nobody else in"
    return viewer


def is_partial(request: Request) -> bool:
    """Whether the script asks for a part of a page."""
    return "hx-request" in request.headers


def html(template: str, request: Request, status: int = 200, *, values: Mapping[str, object]) -> HTMLResponse:
    known = {"viewer": request.state.viewer, "path": request.url.path, **values}
    return HTMLResponse(page(template, **known), status_code=status)
