"""The model API as one attempt sees it: a Unix socket that counts, reserves, asks upstream, and settles.

It alone has the key (inside its upstream). Closing it fences the attempt. Bodies are never logged or kept.
"""

import asyncio
import contextlib
import socket
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Final, assert_never

import structlog
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from caseworker.agents.accounting import Account, Cap, Stop, Trouble, refused_by, unsent, used_up
from caseworker.agents.admission import objection
from caseworker.agents.http_server import OneCaller, broken_off, embedded_server, failure, read_call, refusal
from caseworker.agents.lean_calls import lean
from caseworker.agents.meter import Meter
from caseworker.agents.price_list import PriceList
from caseworker.agents.provider_words import read_refusal
from caseworker.agents.upstreams import BrokenOff, ModelAnswer, ModelCall, NotScripted, Unreachable, Upstream
from caseworker.agents.witness import AnswerReader, Witness
from caseworker.core.base.errors import Transient
from caseworker.ports import Attempt, Ledger

log = structlog.get_logger()

_PASSING_ERRORS: Final = ("overloaded_error", "api_error", "rate_limit_error", "timeout_error")


@dataclass(frozen=True, kw_only=True)
class Allowance:
    """Whose calls these are, which model they may ask, and how many of them there may be."""

    attempt: Attempt
    model: str
    cap_micros: int
    calls: int
    prices: PriceList = field(default_factory=PriceList)


@dataclass(frozen=True, kw_only=True)
class _Unanswered:
    """The response that the agent gets when the provider has not answered."""

    told: Response
    uncharged: bool
    """Whether it is certain that the provider takes nothing for the call."""


class Gateway:
    def __init__(self, *, path: Path, upstream: Upstream, ledger: Ledger, allowance: Allowance) -> None:
        self.path = path
        self.calls = 0
        self.token_counts = 0
        self.stopped: Stop | None = None
        self.trouble: Trouble | None = None
        self.witness = Witness()
        """What the model said in the answers that passed here."""
        self._upstream = upstream
        self._allowance = allowance
        self._account = Account(
            ledger=ledger,
            payer=allowance.attempt,
            cap=Cap(micros=allowance.cap_micros, budget="the case's budget"),
            prices=allowance.prices,
            rehearsed=upstream.rehearsed,
        )
        self._server = embedded_server(self._app(), OneCaller())
        self._closed = False
        self._serving: asyncio.Task[None] | None = None

    async def __aenter__(self) -> "Gateway":
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(str(self.path))
        listener.listen(64)  # from here on a call waits instead of being refused
        self._serving = asyncio.create_task(self._server.serve(sockets=[listener]), name="model-gateway")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """The fence: a process that still holds the socket's path gets no answer any more."""
        self.path.unlink(missing_ok=True)
        self._closed = True
        # A request that is cancelled in the middle of an answer first settles what it saw of it.
        for answering in self._server.server_state.tasks:
            answering.cancel()
        self._server.leave()
        if self._serving is not None:
            await asyncio.wait([self._serving])
        await self._upstream.close()

    def _app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/v1/messages", self._messages, methods=["POST"]),
                Route("/v1/messages/count_tokens", self._count_tokens, methods=["POST"]),
            ]
        )

    async def _messages(self, request: Request) -> Response:
        call = await read_call(request, "/v1/messages")
        if isinstance(call, Response):
            return call
        if self.stopped is None and self.calls >= self._allowance.calls:
            self.stopped = Stop(why="calls", reason=f"the turn used all of its {self._allowance.calls} model calls")
        if self.stopped is not None:
            return refusal(self.stopped.reason)
        if reason := objection(call, self._allowance.model):
            # Not stopped: it need not have been the agent itself. If it was, this is how its turn ended.
            self.trouble = Trouble(reason=reason, passing=False)
            return refusal(reason)
        call = lean(call)
        self.calls += 1  # before the first await, so that calls made side by side can't pass the limit together
        reservation = await self._account.reserve(call)
        match reservation:
            case Stop():
                self.stopped = reservation
                return refusal(reservation.reason)
            case Trouble():
                self.trouble = reservation
                return failure(reservation.reason)
            case int():
                return _Relay(self, call, reservation)
            case _:
                assert_never(reservation)

    async def _count_tokens(self, request: Request) -> Response:
        """Free of charge, so nothing is reserved. There may be as many of them as calls, and none after the last."""
        call = await read_call(request, "/v1/messages/count_tokens")
        if isinstance(call, Response):
            return call
        if self.stopped is not None:
            return refusal(self.stopped.reason)
        if self.token_counts >= self._allowance.calls:
            return refusal(f"the turn has asked for a number of tokens {self.token_counts} times, which is its limit")
        self.token_counts += 1
        if reason := objection(call, self._allowance.model):
            return refusal(reason)
        answer = await self._ask(call)
        if isinstance(answer, _Unanswered):
            return answer.told
        try:
            body = b"".join([chunk async for chunk in answer.body])
        except BrokenOff as error:
            return failure(str(error))
        return Response(body, status_code=answer.status, headers=dict(answer.headers))

    async def _ask(self, call: ModelCall) -> ModelAnswer | _Unanswered:
        try:
            answer = await self._upstream.send(call)
        except (NotScripted, Unreachable, BrokenOff) as error:
            found = unsent(error)
            if isinstance(found, Stop):
                self.stopped = found
                return _Unanswered(told=refusal(found.reason), uncharged=True)
            self.trouble = found
            return _Unanswered(told=failure(found.reason), uncharged=isinstance(error, Unreachable))
        limit = used_up(answer)
        if limit is not None:
            self.stopped = limit
            await answer.body.aclose()
            return _Unanswered(told=refusal(limit.reason), uncharged=True)
        if not answer.uncharged:
            self.trouble = None
            return answer
        words, answer = await read_refusal(answer)
        refused = refused_by(answer, words)
        if isinstance(refused, Stop):  # told as final: the agent's program would try again after a 401
            self.stopped = refused
            return _Unanswered(told=refusal(refused.reason), uncharged=True)
        self.trouble = refused
        return answer

    async def relay(self, call: ModelCall, reservation: int, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the answer through as it comes, and settle what was seen of it, however this ends."""
        meter = Meter(streamed=call.streamed, request_bytes=len(call.body))
        begun = False
        uncharged = self._upstream.rehearsed
        try:
            answer = await self._ask(call)
            uncharged = uncharged or answer.uncharged
            if isinstance(answer, _Unanswered):
                await answer.told(scope, receive, send)
                return
            headers = [(name.encode(), value.encode()) for name, value in answer.headers.items()]
            begun = True
            await send({"type": "http.response.start", "status": answer.status, "headers": headers})
            reader = AnswerReader(self.witness, streamed=call.streamed)
            await self._pump(answer, (meter, reader), Request(scope, receive), send)
        except asyncio.CancelledError:
            if not self._closed:  # the fence ends quietly; anything else is the server's to report
                raise
            if not begun:
                await refusal("this attempt is over")(scope, receive, send)
        finally:
            # Cut off before the answer began, a call may have been charged all the same. Then its reservation stays:
            # the store counts a part of it when the attempt ends.
            if uncharged or meter.began:
                await self._settle(reservation, call, meter)

    async def _pump(
        self, answer: ModelAnswer, readers: tuple[Meter, AnswerReader], request: Request, send: Send
    ) -> None:
        meter, reader = readers
        last = b""
        async with contextlib.aclosing(answer.body) as body:
            try:
                async for chunk in body:
                    if not answer.uncharged:
                        meter.feed(chunk)
                        reader.feed(chunk)
                        self._note_error(meter.error)
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
                    # Nobody listens: more tokens would be paid for nothing. An answer in one piece is paid already, and
                    # has to be read whole, because its usage is at its end.
                    if meter.streamed and await request.is_disconnected():
                        return
                meter.end()
            except BrokenOff as error:
                self.trouble = Trouble(reason=str(error), passing=True)
                last = broken_off(str(error))
        await send({"type": "http.response.body", "body": last, "more_body": False})

    async def _settle(self, reservation: int, call: ModelCall, meter: Meter) -> None:
        """An answer has been passed on by now. Where its cost can't be saved, its reservation stays, as for a call that
        was cut off."""
        try:
            await self._account.settle(reservation, call, meter)
        except Transient as error:
            log.warning("the cost of a model call could not be saved", reason=str(error))

    def _note_error(self, kind: str | None) -> None:
        """An overloaded provider may say so after its stream has begun, with a good status."""
        if kind is not None:
            reason = f"the model's API broke off its answer ({kind})"
            self.trouble = Trouble(reason=reason, passing=kind in _PASSING_ERRORS)


class _Relay(Response):
    """Hands the connection to the gateway: Starlette's own streaming would leave the settling to a later moment."""

    def __init__(self, gateway: Gateway, call: ModelCall, reservation: int) -> None:
        super().__init__()
        self._gateway, self._call, self._reservation = gateway, call, reservation

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._gateway.relay(self._call, self._reservation, scope, receive, send)
