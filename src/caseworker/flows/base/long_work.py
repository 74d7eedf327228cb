"""Base class of the case workflows that run agents and builds: attempts, pauses between them, and news meanwhile.

It contains no rules: those are in core.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any, Generic, TypeVar

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, is_cancelled_exception

with workflow.unsafe.imports_passed_through():
    from caseworker.contract.activities import CaseActivities
    from caseworker.contract.names import TURNS_QUEUE
    from caseworker.contract.wire import StallRequest, TurnDied
    from caseworker.core.base.snapshot import Stalled
    from caseworker.flows.activity_failures import Interrupted, cause_of, is_passing, is_refusal
    from caseworker.flows.base.case_flow import C, CaseFlow
    from caseworker.flows.base.flow import given

P = TypeVar("P")
R = TypeVar("R")

_NO_RETRY = RetryPolicy(maximum_attempts=1)
_LONGEST_PAUSE = 300.0


class LongWork(CaseFlow[C], Generic[C]):
    _stops_at_limits = False
    """Whether a turn that met the model's usage limit ends there. Otherwise the limit is waited for."""
    _hears_when_stalled = False
    """Whether a message ends the pause of a turn whose service can't be reached."""

    async def _run_long(
        self, method: Callable[[Any, P], Awaitable[R | TurnDied]], argument: P, *, limit: timedelta, heartbeat: float
    ) -> R | TurnDied:
        """Run long work of an agent or a build. It is a transaction, so a dead attempt is simply repeated: a few times
        if it was its own fault, without limit if the worker or a service was away, or the disk full."""
        failures, pause = 0, 1.0
        while True:
            ended = await self._one_attempt(method, argument, limit=limit, heartbeat=heartbeat)
            if not isinstance(ended, TurnDied):
                self._case = self._case.updated(stalled=None)
                return ended
            failures += not ended.passing
            if failures > self._policy.turn_retries:
                return ended
            if ended.until is not None and self._stops_at_limits:
                return ended
            if ended.outside is not None and self._is_given_up():
                self._case = self._case.updated(stalled=None)
                return ended
            seconds = (ended.until - workflow.now()).total_seconds() if ended.until else pause
            if ended.outside is not None:
                await self._stall(ended.reason, seconds)
            await self._pause(seconds)
            pause = min(2 * pause, _LONGEST_PAUSE)
            self._continue_as_new_if(self._history_is_long())

    def _is_given_up(self) -> bool:
        stalled = self._case.stalled
        limit = timedelta(seconds=self._policy.unreachable_seconds)
        return stalled is not None and workflow.now() - stalled.since >= limit

    async def _stall(self, reason: str, seconds: float) -> None:
        """Show people that a turn has to wait, and until when."""
        now, known = workflow.now(), self._case.stalled
        next_try = now + timedelta(seconds=seconds)
        stalled = Stalled(reason=reason, since=known.since if known is not None else now, next_try=next_try)
        self._case = self._case.updated(stalled=stalled)
        await self._save()
        await self._call_store(
            CaseActivities.record_stall, StallRequest(case=self._id, reason=reason, next_try=next_try)
        )

    async def _one_attempt(
        self, method: Callable[[Any, P], Awaitable[R | TurnDied]], argument: P, *, limit: timedelta, heartbeat: float
    ) -> R | TurnDied:
        """Run one attempt with heartbeats. A close cancels it and waits until it has ended."""
        handle = workflow.start_activity_method(
            method,
            argument,
            task_queue=TURNS_QUEUE,
            start_to_close_timeout=limit,
            heartbeat_timeout=timedelta(seconds=heartbeat),
            retry_policy=_NO_RETRY,
            cancellation_type=workflow.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
        )
        while not handle.done():
            if await self._posts_come_first(lambda: handle.done() or self._closing or self._has_news()):
                with suppress(Interrupted):  # the loop stops the attempt
                    await self._speak()
            if self._closing and not handle.done():
                handle.cancel()
                break
            if not handle.done() and self._has_news():
                await self._meanwhile(handle.done)
        try:
            return given(method, await handle)
        except ActivityError as error:
            if is_cancelled_exception(error) or is_refusal(error):
                raise
            return TurnDied(reason=cause_of(error), passing=is_passing(error))

    async def _posts_come_first(self, condition: Callable[[], bool]) -> bool:
        """Wait for the condition. True: before it, posts can be made that a rate limit held back."""
        speaks_at = self._speaks_at()
        left = None if speaks_at is None else max(speaks_at - workflow.now(), timedelta())
        try:
            await workflow.wait_condition(condition, timeout=left)
        except TimeoutError:
            return True
        return False

    async def _pause(self, seconds: float) -> None:
        try:
            await workflow.wait_condition(lambda: self._closing or self._is_called(), timeout=seconds)
        except TimeoutError:
            return
        raise Interrupted

    def _is_called(self) -> bool:
        return self._hears_when_stalled and self._case.stalled is not None and self._bells != self._heard

    # --- while long work is under way

    def _has_news(self) -> bool:
        return False

    async def _meanwhile(self, is_over: Callable[[], bool]) -> None:
        """Handle the news; afterwards `_has_news` must be false. `is_over` tells whether the work has ended since: one
        workflow task can bring a message and that end together, and then the next look answers the message."""
