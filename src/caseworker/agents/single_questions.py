"""The `Model` port: a single question is one call of the Messages API, made by our own code, and at most one more to
repair an answer that does not fit. It passes the same accounting as the calls of agents. Bodies are never logged."""

import asyncio
from collections.abc import Iterable
from contextlib import aclosing
from typing import Final, TypeVar

import structlog
from pydantic import BaseModel, ValidationError

from caseworker.agents.accounting import Account, Cap, Stop, Trouble, refused_by, unsent
from caseworker.agents.claude import ModelSettings
from caseworker.agents.meter import Meter
from caseworker.agents.provider_words import read_refusal
from caseworker.agents.question_messages import (
    Malformed,
    Reply,
    answer_in,
    first_message,
    model_call,
    read_reply,
    repair,
)
from caseworker.agents.rehearsal import load_rehearsal
from caseworker.agents.upstreams import BrokenOff, ModelAnswer, ModelCall, NotScripted, Unreachable, Upstream
from caseworker.agents.upstreams.anthropic import AnthropicUpstream
from caseworker.agents.upstreams.rehearsed_question import RehearsedQuestion
from caseworker.core.base.errors import Refused
from caseworker.core.base.redaction import Redactor
from caseworker.core.record.entries import ModelAsked
from caseworker.ports import Answer, CaseAccount, Failed, Ledger, Question, Record, SingleQuestion

A = TypeVar("A", bound=BaseModel)

log = structlog.get_logger()

_BODY_LIMIT: Final = 4_000_000
"""Bytes of an answer: far more than a model writes in one."""


class SingleQuestions:
    def __init__(self, *, ledger: Ledger, record: Record, model: ModelSettings, secrets: Iterable[str] = ()) -> None:
        self._ledger = ledger
        self._record = record
        self._model = model
        self._redactor = Redactor([*secrets, model.key or ""])

    async def ask(self, question: Question[A]) -> Answer[A] | Failed:
        upstream = self._upstream(question)
        if isinstance(upstream, Failed):
            return upstream
        account = self._account(question, upstream)
        try:
            ended = await _within_its_time(question, upstream, account)
        finally:
            await upstream.close()
        if isinstance(ended, Failed):
            ended = Failed(why=ended.why, reason=self._redactor.text(ended.reason), retry=ended.retry)
        else:
            ended = self._redacted(ended)
        await self._tell(question, ended, account)
        return ended

    def _redacted(self, ended: Answer[A]) -> Answer[A] | Failed:
        """Without the secrets that the model may have read somewhere: answers become comments and pull requests."""
        told = ended.value.model_dump(mode="json")
        clean = self._redactor.value(told)
        if clean == told:
            return ended
        try:
            value = type(ended.value).model_validate(clean)
        except ValidationError:
            return Failed(why="malformed", reason="the answer had a secret where none can be removed")
        return Answer(value=value, calls=ended.calls, cost_micros=ended.cost_micros)

    def _upstream(self, question: Question[A]) -> Upstream | Failed:
        if question.rehearsal is not None:
            try:
                rehearsal = load_rehearsal(question.rehearsal, "the rehearsal")
            except Refused as error:
                return Failed(why="script", reason=str(error))
            return RehearsedQuestion(rehearsal, purpose=question.purpose, nth=question.nth, pace=self._model.pace)
        if self._model.key is None:
            return Failed(why="model", reason="there is no model key, and no rehearsal")
        return AnthropicUpstream(key=self._model.key, base_url=self._model.base_url)

    def _account(self, question: Question[A], upstream: Upstream) -> Account:
        of_a_case = isinstance(question.account, CaseAccount)
        return Account(
            ledger=self._ledger,
            payer=SingleQuestion(purpose=question.purpose, account=question.account),
            cap=Cap(
                micros=question.cap_micros,
                budget="the case's budget" if of_a_case else "the repository's budget for 24 hours",
            ),
            prices=self._model.prices,
            rehearsed=upstream.rehearsed,
        )

    async def _tell(self, question: Question[A], ended: Answer[A] | Failed, account: Account) -> None:
        """In the log, and in the record of the case that pays. A repository has no record: its ledger tells."""
        reason = ended.reason if isinstance(ended, Failed) else ""
        entry = ModelAsked(purpose=question.purpose, model=question.model, failed=reason, cost_micros=account.micros)
        log.info("model asked", purpose=entry.purpose, model=entry.model, failed=reason, cost_micros=entry.cost_micros)
        if isinstance(question.account, CaseAccount):
            await self._record.append(question.account.case, [entry], trace=question.account.trace)


async def _within_its_time(question: Question[A], upstream: Upstream, account: Account) -> Answer[A] | Failed:
    try:
        async with asyncio.timeout(question.seconds):
            return await _converse(question, upstream, account)
    except TimeoutError:
        reason = f"there was no answer within {question.seconds:g} s"
        return Failed(why="seconds", reason=reason, retry=True)


async def _converse(question: Question[A], upstream: Upstream, account: Account) -> Answer[A] | Failed:
    messages = [first_message(question.text)]
    reply = await _call(model_call(question, messages), upstream, account)
    if isinstance(reply, Failed):
        return reply
    found = answer_in(reply, question.answer)
    if not isinstance(found, Malformed):
        return Answer(value=found, calls=1, cost_micros=account.micros)
    reply = await _call(model_call(question, [*messages, *repair(reply, found)]), upstream, account)
    if isinstance(reply, Failed):
        return reply
    found = answer_in(reply, question.answer)
    if isinstance(found, Malformed):
        return Failed(why="malformed", reason=f"the answer was malformed twice: {found.problem}")
    return Answer(value=found, calls=2, cost_micros=account.micros)


async def _call(call: ModelCall, upstream: Upstream, account: Account) -> Reply | Failed:
    reservation = await _reserve(call, account)
    if not isinstance(reservation, int):
        return _failed(reservation)
    meter = Meter(streamed=False, request_bytes=len(call.body))
    uncharged = upstream.rehearsed
    try:
        answer = await upstream.send(call)
        uncharged = uncharged or answer.uncharged
        words, answer = await read_refusal(answer) if answer.uncharged else ("", answer)
        body = await _read(answer, meter)
        trouble = refused_by(answer, words)
    except (NotScripted, Unreachable, BrokenOff) as error:
        uncharged = uncharged or isinstance(error, Unreachable)
        return _failed(unsent(error))
    finally:
        # Also when the time is up, or the caller is cancelled. Before an answer begins its cost is not known.
        if uncharged or meter.began:
            await account.settle(reservation, call, meter)
        else:
            await account.abandon(reservation)
    return _failed(trouble) if trouble is not None else _read_reply(body)


async def _reserve(call: ModelCall, account: Account) -> int | Stop | Trouble:
    """Reserves the cost of a call. Cancelled meanwhile, it takes the reservation back: nothing was sent yet."""
    reserving = asyncio.ensure_future(account.reserve(call))
    try:
        return await asyncio.shield(reserving)
    except asyncio.CancelledError:
        await asyncio.wait([reserving])
        made = reserving.result()
        if isinstance(made, int):
            await account.settle(made, call, Meter(streamed=False, request_bytes=0))
        raise


async def _read(answer: ModelAnswer, meter: Meter) -> bytes:
    """Also of an error, to its end: the connection is free then."""
    body = bytearray()
    async with aclosing(answer.body) as chunks:
        async for chunk in chunks:
            body += chunk
            if len(body) > _BODY_LIMIT:
                raise BrokenOff(f"the model's API answered with more than {_BODY_LIMIT:,} bytes")
    if not answer.uncharged:
        meter.feed(bytes(body))
        meter.end()
    return bytes(body)


def _read_reply(body: bytes) -> Reply | Failed:
    reply = read_reply(body)
    if reply is None:
        return Failed(why="model", reason="the model's API answered with something that is no message", retry=True)
    if reply.stop_reason == "refusal":
        return Failed(why="model", reason="the model refused to answer")
    return reply


def _failed(found: Stop | Trouble) -> Failed:
    if isinstance(found, Trouble):
        return Failed(why="model", reason=found.reason, retry=found.passing)
    if found.why == "calls" or found.why == "quota" or found.why == "key":  # mypy narrows no `in`
        return Failed(why="model", reason=found.reason)
    return Failed(why=found.why, reason=found.reason)
