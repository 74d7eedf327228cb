"""A page with one part that is shown anew when it changes: the board, and all lists."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from caseworker.dashboard.backend import Backend, html
from caseworker.dashboard.event_stream import Sent
from caseworker.dashboard.page_markup import page

QUIET_SECONDS: Final = 15.0
Read = Callable[[Request], Awaitable[dict[str, object]]]


@dataclass(frozen=True, kw_only=True)
class Region:
    name: str
    """Of its template, and of its stream's address."""
    title: str
    read: Read
    """The values of the template, for this viewer and this address."""
    every: float = QUIET_SECONDS
    """Seconds after which it is read again, even if no case has changed."""


class RegionPage:
    def __init__(self, backend: Backend, region: Region) -> None:
        self._backend = backend
        self._region = region
        self._shown: dict[tuple[tuple[int, int], str], str] = {}
        """The newest HTML of each address and viewer's rights, for all pages that show it."""

    @property
    def name(self) -> str:
        return self._region.name

    async def show(self, request: Request) -> Response:
        values: dict[str, object] = {
            "rows": f"{self.name}_rows.html",
            "title": self._region.title,
            "name": self.name,
            "query_string": request.url.query,
        }
        return html("list.html", request, values=await self._region.read(request) | values)

    async def live(self, request: Request) -> Response:
        return self._backend.stream(request, self._events(request, request.headers.get("last-event-id")))

    async def _events(self, request: Request, sent: str | None) -> AsyncIterator[Sent | None]:
        """An event's id is a digest of what is shown: a page that comes back is sent it only if it has changed."""
        with self._backend.changes.open_page() as open_page:
            while True:
                shown = Sent(data=await self._rows(request))
                if shown.digest != sent:
                    sent = shown.digest
                    yield Sent(data=shown.data, id=sent)
                if not await open_page.wait(self._region.every):
                    self._shown.clear()
                    yield None
                viewer = await self._backend.viewer_now(request)
                if viewer is None:
                    return  # logged out meanwhile
                request.state.viewer = viewer

    async def _rows(self, request: Request) -> str:
        viewer = request.state.viewer
        key = (
            self._backend.changes.version_of(),
            f"{request.url.query} {viewer.name} {viewer.rank} {viewer.repositories} {viewer.ranks}",
        )
        if key not in self._shown:
            self._shown = {known: html for known, html in self._shown.items() if known[0] == key[0]}
            values = await self._region.read(request)
            self._shown[key] = page(f"{self._region.name}_rows.html", viewer=viewer, **values)
        return self._shown[key]
