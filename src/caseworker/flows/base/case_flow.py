"""Base class of the case workflows: inbox claims, the snapshot, and the outbox.

It contains no rules: those are in core. It handles no text of people: a bell carries an id; a claim returns ids, kinds
and standings.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from caseworker.contract.activities import CaseActivities, PostActivities
    from caseworker.contract.wire import (
        AnyPost,
        CaseInput,
        ClaimRequest,
        Postponed,
        PostRequest,
        SayRequest,
        SettleRequest,
    )
    from caseworker.core.base.failed_steps import EffectRefused
    from caseworker.core.base.ids import MessageId
    from caseworker.core.bug.case import BugCase
    from caseworker.core.issue.case import IssueCase
    from caseworker.core.people.messages import Audience, Claimed
    from caseworker.core.people.receipts import Settled
    from caseworker.core.pull.case import PullCase
    from caseworker.flows.activity_failures import Interrupted, refusal_as_fact
    from caseworker.flows.base.flow import LONG_WAIT, RETRY_ALWAYS, SHORT_HISTORY, YOUNG_RUN, Flow, given

C = TypeVar("C", BugCase, IssueCase, PullCase)
P = TypeVar("P")
R = TypeVar("R")

_CLAIM_TIMEOUT = timedelta(seconds=10)
"""A claim takes milliseconds; after a kill in the middle of it the case waits this long."""


class CaseFlow(Flow, Generic[C]):
    def __init__(self, start: CaseInput, case: C) -> None:
        super().__init__(start)
        self._case: C = case
        self._saved: C = case
        self._not_before: dict[Audience, datetime] = {}  # when the channel of these people takes posts again
        self._cut_short: list[workflow.ActivityHandle[Any]] = []  # posts that a close has cancelled

    # --- the inbox

    async def _claim(self, turn: int) -> list[Claimed]:
        """Claim by the number of the coming turn: a repeated claim returns the same unanswered messages, and newer
        ones."""
        heard = self._bells
        request = ClaimRequest(case=self._id, turn=turn)
        claimed = await self._call_store(CaseActivities.claim_messages, request)
        # A local activity is in the history only when the workflow's task ends. If that task is lost after the messages
        # were answered, claiming again does not return them: a close would be receipted but not carried out. So what
        # was found is claimed once more by an activity of the server's (a timer would cost a second each time).
        if claimed:
            claimed = await workflow.execute_activity_method(
                CaseActivities.claim_messages,
                request,
                start_to_close_timeout=_CLAIM_TIMEOUT,
                retry_policy=RETRY_ALWAYS,
            )
        self._heard = heard
        return given(CaseActivities.claim_messages, claimed)

    async def _given(self, turn: int) -> list[MessageId]:
        """The messages that a failed turn was given, including those that a dead attempt heard."""
        return await self._call_store(CaseActivities.given_to, ClaimRequest(case=self._id, turn=turn))

    async def _settle(self, messages: Sequence[MessageId], outcome: str, *, refused: bool = False) -> None:
        if messages:
            request = SettleRequest(messages=list(messages), outcome=outcome, refused=refused)
            await self._call_store(CaseActivities.settle_messages, request)

    async def _settle_all(self, settled: Sequence[Settled]) -> None:
        for one in settled:
            await self._settle(one.messages, one.outcome, refused=one.refused)

    # --- the snapshot

    async def _become(self, after: C, *, note: str = "") -> None:
        """Set the case's new snapshot. A move is saved before anything follows from it."""
        before, self._case = self._case, after
        if after.progress.transitions != before.progress.transitions:
            await self._record_move(before, note)
            self._saved = after

    async def _save(self) -> None:
        """Save what changed since the last move: counters, and the outbox."""
        if self._case != self._saved:
            await self._record_snapshot()
            self._saved = self._case

    async def _record_move(self, before: C, note: str) -> None:
        """Save the snapshot together with the entry of its move. `note` is for a move within a state."""
        raise NotImplementedError

    async def _record_snapshot(self) -> None:
        raise NotImplementedError

    def _without_post(self, place: int) -> C:
        """The case after the post at that place of its outbox was made."""
        raise NotImplementedError

    # --- posts

    async def _speak(self) -> None:
        """Make the posts in the outbox, in order, each once. On the record that takes milliseconds. If a chat surface
        is slow, a close goes first, and the cancelled post is made later. Posts to a channel that has asked us to wait
        stay in the outbox; those to others are made."""
        if not self._case.outbox:
            return
        await self._save()  # the text is made from the case in the record
        while posts := self._posts_to_make():
            on_record = await self._call_store(PostActivities.say, SayRequest(case=self._id, posts=posts))
            for post in posts[:on_record]:
                self._case = self._without_post(self._case.outbox.index(post))
            if on_record < len(posts):
                await self._post(posts[on_record])
        await self._save()

    async def _post(self, post: AnyPost) -> None:
        postponed = await self._do(PostActivities.post, PostRequest(case=self._id, post=post))
        if postponed is not None:
            self._not_before[post.audience] = postponed.until
        else:
            self._not_before.pop(post.audience, None)
            self._case = self._without_post(self._case.outbox.index(post))

    def _posts_to_make(self) -> list[AnyPost]:
        now = workflow.now()
        return [post for post in self._case.outbox if self._not_before.get(post.audience, now) <= now]

    def _speaks_at(self) -> datetime | None:
        """When posts can be made that a rate limit holds back. Null: there are none."""
        times = [self._not_before[post.audience] for post in self._case.outbox if post.audience in self._not_before]
        return min(times, default=None)

    async def _all_said(self) -> bool:
        """True: the outbox is empty (found without waiting). Else wait until posts can be made, or a bell rings."""
        return not await self._waited_for_posts() and not self._case.outbox

    async def _waited_for_posts(self) -> bool:
        """Wait until posts can be made that a rate limit holds back, or a bell rings. False: there are none."""
        speaks_at = self._speaks_at()
        if speaks_at is None:
            return False
        await self._rings_within(speaks_at - workflow.now())
        return True

    async def _do(self, method: Callable[[Any, P], Awaitable[R]], argument: P) -> R:
        """Run an activity that a close or a takeover may cancel. A cancelled one is repeated later, after its first try
        has ended."""
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
        """Wait for a bell, or until that time. True: the time has come, and no bell rang. Before a long wait the run is
        continued as new, so that a waiting case has a short history. While posts are held back it waits for them only:
        silence has no consequence before people were told."""
        if await self._waited_for_posts():
            return False
        left = None if at is None else max(at - workflow.now(), timedelta())
        long_history = workflow.info().get_current_history_length() > SHORT_HISTORY
        if (left is None or left > LONG_WAIT) and long_history:
            if not await self._rings_within(YOUNG_RUN - (workflow.now() - workflow.info().start_time)):
                await self._save()
                self._continue_as_new_if(True)
            return False
        return not await self._rings_within(left)

    async def _unless_rung(
        self, method: Callable[[Any, P], Awaitable[R | Postponed]], argument: P
    ) -> R | EffectRefused:
        """Run an activity unless a message comes first, so that an unreachable forge doesn't delay people; then
        `Interrupted`."""
        handle = self._begin(method, argument)
        await workflow.wait_condition(lambda: handle.done() or self._bells != self._heard)
        if not handle.done():
            handle.cancel()
        return await self._when_allowed(await refusal_as_fact(handle))

    async def _run_allowed(
        self, method: Callable[[Any, P], Awaitable[R | Postponed]], argument: P, *, whatever_happens: bool = False
    ) -> R:
        """`_run_short` for a service that may ask us to wait."""
        reply = await self._run_short(method, argument, whatever_happens=whatever_happens)
        while whatever_happens and isinstance(reply, Postponed):
            await workflow.sleep(max(reply.until - workflow.now(), timedelta()))
            reply = await self._run_short(method, argument, whatever_happens=True)
        return await self._when_allowed(reply)

    async def _when_allowed(self, reply: R | Postponed) -> R:
        """The reply of an activity. If its service has asked us to wait, wait by a timer or until a bell rings, then
        begin anew with a look into the inbox (`Interrupted`)."""
        if isinstance(reply, Postponed):
            await self._rings_within(reply.until - workflow.now())
            raise Interrupted
        return reply
