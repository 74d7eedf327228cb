"""Base class of the case workflows: inbox claims, the snapshot, the outbox, and long work with news in between.

It contains no rules: those are in core. No word of a person is in here: a bell carries an id, a claim brings ids, kinds
and standings.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, is_cancelled_exception

with workflow.unsafe.imports_passed_through():
    from caseworker.contract.activities import PostActivities, RecordActivities
    from caseworker.contract.names import TURNS_QUEUE
    from caseworker.contract.wire import (
        AnyPost,
        CaseInput,
        ClaimRequest,
        PostRequest,
        SayRequest,
        SettleRequest,
        TurnDied,
    )
    from caseworker.core.base.ids import MessageId
    from caseworker.core.bug.case import BugCase
    from caseworker.core.issue.case import IssueCase
    from caseworker.core.issue.facts import EffectRefused
    from caseworker.core.people.messages import Claimed
    from caseworker.core.people.receipts import Settled
    from caseworker.flows.base.flow import LONG_WAIT, PATIENTLY, SHORT_HISTORY, YOUNG_RUN, Flow
    from caseworker.flows.failures import Interrupted, cause_of, is_refusal, is_the_workers, refusal_as_fact

C = TypeVar("C", BugCase, IssueCase)
P = TypeVar("P")
R = TypeVar("R")

_ONCE = RetryPolicy(maximum_attempts=1)
_LONGEST_PAUSE = 300.0
_CLAIM_TIMEOUT = timedelta(seconds=10)
"""It takes milliseconds; after a kill in the middle of it the case waits for so long."""


class CaseFlow(Flow, Generic[C]):
    def __init__(self, start: CaseInput, case: C) -> None:
        super().__init__(start)
        self._case: C = case
        self._saved: C = case
        self._cut_short: list[workflow.ActivityHandle[Any]] = []  # posts that a close came before

    # --- the inbox

    async def _claim(self, turn: int) -> list[Claimed]:
        """By the number of the coming turn: claiming again gives the same unanswered messages, and newer ones."""
        heard = self._bells
        request = ClaimRequest(case=self._id, turn=turn)
        claimed = await self._call_store(RecordActivities.claim_messages, request)
        # A local activity is in the history only when the workflow's task ends. If that task were lost after the
        # messages were answered for, claiming again would not give them: a close would count and not close. So what
        # was found is claimed once more by an activity of the server's (a timer would cost a second each time).
        if claimed:
            claimed = await workflow.execute_activity_method(
                RecordActivities.claim_messages, request, start_to_close_timeout=_CLAIM_TIMEOUT, retry_policy=PATIENTLY
            )
        self._heard = heard
        return claimed

    async def _given(self, turn: int) -> list[MessageId]:
        """What a turn that failed had in its hands, also what an attempt heard that can't tell any more."""
        return await self._call_store(RecordActivities.given_to, ClaimRequest(case=self._id, turn=turn))

    async def _settle(self, messages: Sequence[MessageId], outcome: str, *, refused: bool = False) -> None:
        if messages:
            request = SettleRequest(messages=list(messages), outcome=outcome, refused=refused)
            await self._call_store(RecordActivities.settle_messages, request)

    async def _settle_all(self, settled: Sequence[Settled]) -> None:
        for one in settled:
            await self._settle(one.messages, one.outcome, refused=one.refused)

    # --- the snapshot

    async def _become(self, after: C, *, note: str = "") -> None:
        """The case as it is from now on. A move is on the record before anything follows from it."""
        before, self._case = self._case, after
        if after.progress.transitions != before.progress.transitions:
            await self._record_move(before, note)
            self._saved = after

    async def _save(self) -> None:
        """What changed since the last move: counters, and what is still to be said."""
        if self._case != self._saved:
            await self._record_snapshot()
            self._saved = self._case

    async def _record_move(self, before: C, note: str) -> None:
        """Saves the snapshot together with the entry of its move. `note` is for a move within a state."""
        raise NotImplementedError

    async def _record_snapshot(self) -> None:
        raise NotImplementedError

    def _first_said(self) -> C:
        """The case after the first post of its outbox was said."""
        raise NotImplementedError

    # --- speaking

    async def _speak(self) -> None:
        """Says what is in the outbox, in order, each post once. On the record that is a matter of milliseconds; a close
        comes first should a chat surface be slow, and what was cut short is said later."""
        if not self._case.outbox:
            return
        await self._save()  # whoever writes the words reads the case from the record
        while posts := list[AnyPost](self._case.outbox):
            on_record = await self._call_store(PostActivities.say, SayRequest(case=self._id, posts=posts))
            for _ in posts[:on_record]:
                self._case = self._first_said()
            if on_record < len(posts):
                await self._do(PostActivities.post, PostRequest(case=self._id, post=posts[on_record]))
                self._case = self._first_said()
        await self._save()

    async def _do(self, method: Callable[[Any, P], Awaitable[R]], argument: P) -> R:
        """A close or a takeover comes first, should the world be slow. What was cut short is done later, and not before
        the first try at it is gone."""
        for begun in self._cut_short:
            await workflow.wait_condition(begun.done)
        self._cut_short.clear()
        handle = self._begin(method, argument)
        await workflow.wait_condition(lambda: handle.done() or self._closing)
        if not handle.done():
            handle.cancel()
            self._cut_short.append(handle)
            raise Interrupted
        return await handle

    async def _wait_until(self, at: datetime | None) -> bool:
        """Waits for a bell, or until that time. True: the time has come, and no bell rang. Before a long wait the run
        is continued as new, so that a waiting case has a short history."""
        left = None if at is None else max(at - workflow.now(), timedelta())
        long_history = workflow.info().get_current_history_length() > SHORT_HISTORY
        if (left is None or left > LONG_WAIT) and long_history:
            if not await self._rings_within(YOUNG_RUN - (workflow.now() - workflow.info().start_time)):
                await self._save()
                self._continue_as_new_if(True)
            return False
        return not await self._rings_within(left)

    async def _unless_rung(self, method: Callable[[Any, P], Awaitable[R]], argument: P) -> R | EffectRefused:
        """A word of people comes first, however long the forge is away; `Interrupted` then."""
        handle = self._begin(method, argument)
        await workflow.wait_condition(lambda: handle.done() or self._bells != self._heard)
        if not handle.done():
            handle.cancel()
        return await refusal_as_fact(handle)

    # --- long work

    async def _run_long(
        self, method: Callable[[Any, P], Awaitable[R | TurnDied]], argument: P, *, limit: timedelta, heartbeat: float
    ) -> R | TurnDied:
        """Long work of an agent or a build. What it does is a transaction, so one that died is simply begun again:
        a few times if it was its own fault, and for as long as it takes if the worker or the world was away."""
        failures, pause = 0, 1.0
        while True:
            ended = await self._one_attempt(method, argument, limit=limit, heartbeat=heartbeat)
            if not isinstance(ended, TurnDied):
                return ended
            failures += not ended.passing
            if failures > self._policy.turn_retries:
                return ended
            await self._pause(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
            self._continue_as_new_if(self._history_is_long())

    async def _one_attempt(
        self, method: Callable[[Any, P], Awaitable[R | TurnDied]], argument: P, *, limit: timedelta, heartbeat: float
    ) -> R | TurnDied:
        """It beats, and a close cancels it and waits until it is gone."""
        handle = workflow.start_activity_method(
            method,
            argument,
            task_queue=TURNS_QUEUE,
            start_to_close_timeout=limit,
            heartbeat_timeout=timedelta(seconds=heartbeat),
            retry_policy=_ONCE,
            cancellation_type=workflow.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
        )
        while not handle.done():
            await workflow.wait_condition(lambda: handle.done() or self._closing or self._has_news())
            if self._closing and not handle.done():
                handle.cancel()
                break
            if not handle.done() and self._has_news():
                await self._meanwhile(handle.done)
        try:
            return await handle
        except ActivityError as error:
            if is_cancelled_exception(error) or is_refusal(error):
                raise
            return TurnDied(reason=cause_of(error), passing=is_the_workers(error))

    async def _pause(self, seconds: float) -> None:
        try:
            await workflow.wait_condition(lambda: self._closing, timeout=seconds)
        except TimeoutError:
            return
        raise Interrupted

    # --- while long work is under way

    def _has_news(self) -> bool:
        """Whether something came that `_meanwhile` should see to."""
        return False

    async def _meanwhile(self, is_over: Callable[[], bool]) -> None:
        """See to it; afterwards `_has_news` must be false.

        `is_over` tells whether the work has ended since: one workflow task can bring a message and that end together,
        and then the next look answers the message.
        """
