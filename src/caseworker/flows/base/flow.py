"""Base class of all workflows: wake-up signals, waits, and the ways to call activities. It contains no rules."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import cache
from typing import Any, TypeVar, get_args, get_type_hints

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ApplicationError

with workflow.unsafe.imports_passed_through():
    from caseworker.contract.wire import NO_INPUT, CaseInput
    from caseworker.core.base.ids import CaseId, MessageId

P = TypeVar("P")
R = TypeVar("R")

_STORE_TIMEOUT = timedelta(seconds=60)
RETRY_ALWAYS = RetryPolicy(initial_interval=timedelta(milliseconds=200), maximum_interval=timedelta(seconds=20))
_LONGEST_LOCAL_PAUSE = timedelta(seconds=1)
"""Before another try of a local activity. Longer pauses are timers of Temporal's server, because a worker can't shut
down while it has a local activity to retry."""
_SHORT_HEARTBEAT = timedelta(seconds=10)
SHORT_HISTORY = 30
"""A run with fewer events is not continued as new before a wait."""
LONG_WAIT = timedelta(hours=1)
YOUNG_RUN = timedelta(seconds=1)
"""The server delays the successor of a younger run, and with it the answers to people."""


def given(method: Callable[..., object], result: R) -> R:
    """The result of an activity, if there is one. Anybody on the machine can tell Temporal that an activity has ended
    with none: then this run of the workflow fails, and starts again from the record."""
    if result is None and not _may_be_none(method):
        raise ApplicationError(f"{method.__name__} has no result: Caseworker did not send this.", type="Foreign")
    return result


@cache
def _may_be_none(method: Callable[..., object]) -> bool:
    returned = get_type_hints(method)["return"]
    return returned is type(None) or type(None) in get_args(returned)


class Flow:
    def __init__(self, start: CaseInput) -> None:
        if start == NO_INPUT:  # anybody on the machine can start a workflow under the id of a case
            raise ApplicationError("Caseworker did not start this.", type="Foreign", non_retryable=True)
        self._id: CaseId = start.case
        self._policy = start.policy
        self._bells = 0
        self._heard = 0  # how many bells had rung when we last looked into the inbox
        self._closing = False

    @workflow.signal
    def incoming_message(self, message: MessageId | None = None) -> None:
        """Without a message it is not from us: Temporal takes signals from anybody on the machine."""
        self._bells += message is not None

    @workflow.signal
    def close_requested(self, message: MessageId | None = None) -> None:
        self._bells += message is not None
        self._closing = self._closing or message is not None

    # --- waiting

    async def _rings_within(self, time: timedelta | None) -> bool:
        if time is not None and time <= timedelta():
            return self._bells != self._heard
        try:
            await workflow.wait_condition(lambda: self._bells != self._heard, timeout=time)
        except TimeoutError:
            return False
        return True

    # --- a long history

    def _history_is_long(self) -> bool:
        info = workflow.info()
        return info.is_continue_as_new_suggested() or (info.get_current_history_length() >= self._policy.history_events)

    def _continue_as_new_if(self, wanted: bool) -> None:
        """Call it only from the main coroutine, with no bell since the last look. Messages in hand are claimed by the
        coming turn's number, so the next run finds them again."""
        if wanted and self._bells == self._heard and not self._closing:
            workflow.continue_as_new(CaseInput(case=self._id, policy=self._policy))

    # --- calling activities

    async def _call_store(
        self, method: Callable[[Any, P], Awaitable[R]], argument: P, *, summary: str | None = None
    ) -> R:
        """Call the store as a local activity of a few milliseconds, retried while the store is away. Temporal's web UI
        shows the summary beside it."""
        return await workflow.execute_local_activity_method(
            method,
            argument,
            start_to_close_timeout=_STORE_TIMEOUT,
            retry_policy=RETRY_ALWAYS,
            local_retry_threshold=_LONGEST_LOCAL_PAUSE,
            summary=summary,
        )

    async def _run_short(
        self, method: Callable[[Any, P], Awaitable[R]], argument: P, *, whatever_happens: bool = False
    ) -> R:
        """Run short outside work, idempotent by its key, retried until it is done or refused, or the case is closed."""
        handle = self._begin(method, argument)
        await workflow.wait_condition(lambda: handle.done() or (self._closing and not whatever_happens))
        if not handle.done():
            handle.cancel()
        return given(method, await handle)

    def _begin(self, method: Callable[[Any, P], Awaitable[R]], argument: P) -> workflow.ActivityHandle[R]:
        return workflow.start_activity_method(
            method,
            argument,
            start_to_close_timeout=timedelta(minutes=30),
            heartbeat_timeout=_SHORT_HEARTBEAT,
            retry_policy=RETRY_ALWAYS,
            # Wait until it has ended: the same effect must not be tried by two at once.
            cancellation_type=workflow.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
        )
