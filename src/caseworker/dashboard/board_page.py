"""The board, and what needs a person: pages and their live parts."""

from collections.abc import AsyncIterator
from urllib.parse import urlencode

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response

from caseworker.dashboard.event_stream import EventStream, Sent
from caseworker.dashboard.office import Office, html, viewer_of
from caseworker.dashboard.shown import page
from caseworker.dashboard.viewers import Viewer
from caseworker.views.board import Board, BoardQuery, read_board


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


class BoardPage:
    def __init__(self, office: Office) -> None:
        self._office = office
        self._shown: dict[tuple[int, str], str] = {}
        """The newest board of each filter, for all pages that show it."""

    async def show(self, request: Request) -> Response:
        board = await self._read(query_of(request), viewer_of(request))
        live = f"/live/board?{request.url.query}"
        return html("board.html", request, values={"board": board, "address": address, "live": live})

    async def live(self, request: Request) -> Response:
        return EventStream(self._events(query_of(request), viewer_of(request), request.headers.get("last-event-id")))

    async def _events(self, query: BoardQuery, viewer: Viewer, last: str | None) -> AsyncIterator[Sent | None]:
        with self._office.pulse.ear() as ear:
            sent = last
            while True:
                shown = Sent(data=await self._rows(query, viewer))
                if shown.digest != sent:
                    sent = shown.digest
                    yield Sent(data=shown.data, id=sent)
                if not await ear.wait(15):
                    yield None

    async def _rows(self, query: BoardQuery, viewer: Viewer) -> str:
        key = (self._office.pulse.version, f"{query.model_dump_json()} {viewer.repositories}")
        if key not in self._shown:
            self._shown = {known: html for known, html in self._shown.items() if known[0] == key[0]}
            board = await self._read(query, viewer)
            self._shown[key] = page("board_rows.html", board=board, address=address)
        return self._shown[key]

    async def _read(self, query: BoardQuery, viewer: Viewer) -> Board:
        return await read_board(self._office.store, query, await self._office.visible(viewer))
