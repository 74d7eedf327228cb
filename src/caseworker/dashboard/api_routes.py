"""The API under /api/v1: the same read models as the pages, as JSON, and messages to cases."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Final

from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from caseworker.chats.button_words import ButtonPhrasing
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import RepositoryId
from caseworker.core.casefile.learnings import ranked
from caseworker.core.people.messages import TEXT_LIMIT, receipt
from caseworker.core.runs.outcome_kinds import OutcomeKind
from caseworker.dashboard.api_answers import document, problem, read_body, read_query
from caseworker.dashboard.api_models import (
    Buttons,
    DeliveryPage,
    HealthReport,
    LearningDone,
    LearningList,
    MessageReceipt,
    Needs,
    Promises,
    RecordPage,
    RepositoryList,
    SentLearningAct,
    SentMessage,
)
from caseworker.dashboard.backend import Backend, viewer_of
from caseworker.dashboard.buttons import buttons_for
from caseworker.dashboard.event_stream import Sent
from caseworker.dashboard.learning_press import press_on_learning
from caseworker.dashboard.press import send_message
from caseworker.dashboard.viewers import standing_of_viewer
from caseworker.ports import StoredAny
from caseworker.views.board import LAST_PAGE, Board, BoardQuery, read_board
from caseworker.views.cost_tables import read_costs
from caseworker.views.delivery_list import delivery_lines
from caseworker.views.deployment_health import read_health
from caseworker.views.needs import read_needs
from caseworker.views.promises import open_promises
from caseworker.views.receipt_watch import turns_begun
from caseworker.views.repository_list import read_repositories
from caseworker.views.whole_cases import whole_case

_MOST_BYTES: Final = 8 * TEXT_LIMIT


class NoQuery(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RecordQuery(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    after: int = Field(default=0, ge=0, le=2**31 - 1)
    limit: int = Field(default=100, ge=1, le=500)


class DeliveryQuery(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    outcome: OutcomeKind | None = None
    limit: int = Field(default=50, ge=1, le=200)


class Api:
    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._store = backend.store

    async def cases(self, request: Request) -> Response:
        query = read_query(request, BoardQuery)
        board: Board = await read_board(self._store, query, await self._visible(request))
        more = query.page < min(board.pages, LAST_PAGE)
        return document(request, board, next_page=str(request.url.include_query_params(page=query.page + 1)) * more)

    async def case(self, request: Request) -> Response:
        read_query(request, NoQuery)
        stored = await self._backend.case(request)
        return document(request, await whole_case(self._store, stored, ButtonPhrasing()))

    async def record(self, request: Request) -> Response:
        query, stored = read_query(request, RecordQuery), await self._backend.case(request)
        case = stored.case.id
        entries = await self._store.record.read(case, after=query.after, limit=query.limit)
        more = bool(entries) and entries[-1].sequence < await self._store.boards.newest(case)
        return document(
            request, RecordPage(case=case, entries=tuple(entries), next=entries[-1].sequence if more else None)
        )

    async def buttons(self, request: Request) -> Response:
        read_query(request, NoQuery)
        stored = await self._backend.case(request)
        found = buttons_for(stored, standing_of_viewer(viewer_of(request), stored))
        return document(request, Buttons(case=stored.case.id, buttons=tuple(found)))

    async def send(self, request: Request) -> Response:
        read_query(request, NoQuery)
        stored = await self._backend.case(request)
        sent = await read_body(request, SentMessage, most=_MOST_BYTES)
        try:
            message = await send_message(self._backend, viewer_of(request), stored, **sent.model_dump())
        except Refused as refused:
            return problem(409, "Not done", str(refused))
        case = stored.case.id
        if message is None:
            told = MessageReceipt(case=case, message=None, kind=None, receipt="sent before")
            return document(request, told)
        case = message.case  # that of a session that it has begun
        words = receipt(message, await turns_begun(self._store, case))
        answer = document(request, MessageReceipt(case=case, message=message.id, kind=message.kind, receipt=words))
        answer.status_code = 201
        return answer

    async def needs(self, request: Request) -> Response:
        read_query(request, NoQuery)
        found = await read_needs(self._store, ButtonPhrasing(), await self._visible(request))
        return document(request, Needs(needs=tuple(need for need, _ in found)))

    async def deliveries(self, request: Request) -> Response:
        query, viewer = read_query(request, DeliveryQuery), viewer_of(request)
        lines = await delivery_lines(self._store, outcome=query.outcome, limit=query.limit)
        seen = [line for line in lines if viewer.sees_all or viewer.sees(line.target.partition("#")[0])]
        return document(request, DeliveryPage(deliveries=tuple(seen)))

    async def sla(self, request: Request) -> Response:
        read_query(request, NoQuery)
        found = await open_promises(self._store, datetime.now(UTC), await self._visible(request))
        return document(request, Promises(promises=tuple(line for line, _ in found)))

    async def learnings(self, request: Request) -> Response:
        read_query(request, NoQuery)
        viewer = viewer_of(request)
        known = [one for one in ranked(await self._store.learnings.of()) if viewer.sees(one.repository)]
        return document(request, LearningList(learnings=tuple(known)))

    async def change_learning(self, request: Request) -> Response:
        read_query(request, NoQuery)
        sent = await read_body(request, SentLearningAct, most=_MOST_BYTES)
        number, viewer = request.path_params["learning"], viewer_of(request)
        try:
            done = await press_on_learning(self._backend, viewer, number, sent.action, sent.text)
        except Refused as refused:
            return problem(409, "Not done", str(refused))
        answer = document(request, LearningDone(learning=done.learning, receipt=str(done)))
        answer.status_code = 201
        return answer

    async def repositories(self, request: Request) -> Response:
        read_query(request, NoQuery)
        found = await read_repositories(self._store, self._backend.home, await self._visible(request))
        return document(request, RepositoryList(repositories=tuple(found)))

    async def costs(self, request: Request) -> Response:
        read_query(request, NoQuery)
        return document(request, await read_costs(self._store, await self._visible(request), now=datetime.now(UTC)))

    async def health(self, request: Request) -> Response:
        read_query(request, NoQuery)
        self._backend.operator(request)
        health = await read_health(self._store, datetime.now(UTC))
        return document(request, HealthReport(health=health, deployment=await self._backend.deployment()))

    async def events(self, request: Request) -> Response:
        stored = await self._backend.case(request)
        seen = request.headers.get("last-event-id") or request.query_params.get("after", "0")
        after = int(seen) if seen.isdecimal() and len(seen) < 10 else 0
        return self._backend.stream(request, self._entries(request, stored, after))

    async def _entries(self, request: Request, stored: StoredAny, after: int) -> AsyncIterator[Sent | None]:
        """The record from there on, each entry under its number, and then what is added to it."""
        case = stored.case.id
        with self._backend.changes.open_page(case) as open_page:
            while True:
                while fresh := await self._store.record.read(case, after=after):
                    for one in fresh:
                        yield Sent(id=str(one.sequence), data=json.dumps(one.model_dump(mode="json")))
                    after = fresh[-1].sequence
                if not await open_page.wait(15):
                    yield None
                viewer = await self._backend.viewer_now(request)
                if viewer is None or not viewer.sees(stored.repository):
                    return

    async def _visible(self, request: Request) -> frozenset[RepositoryId] | None:
        return await self._backend.visible(viewer_of(request))
