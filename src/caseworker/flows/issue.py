"""The issue case: from a received issue to a merged pull request, one state and one agent at a time."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, TypeVar

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, ApplicationError, is_cancelled_exception
from temporalio.exceptions import TimeoutError as ActivityTimedOut

with workflow.unsafe.imports_passed_through():
    from caseworker.contract.activities import (
        BuildActivities,
        DeliveryActivities,
        RecordActivities,
        TurnActivities,
        WorkspaceActivities,
    )
    from caseworker.contract.names import ISSUE_WORKFLOW, REFUSED, TURNS_QUEUE, WORKER_DIED
    from caseworker.contract.wire import (
        BuildRequest,
        CaseInput,
        Claimed,
        ClaimRequest,
        MoveRequest,
        Pushed,
        PushRequest,
        SettleRequest,
        TurnDied,
        TurnReply,
        TurnRequest,
    )
    from caseworker.core import words
    from caseworker.core.case import Case
    from caseworker.core.decisions import (
        TURN_OF,
        BuildEnded,
        CloseAsked,
        EffectRefused,
        Fact,
        Merged,
        TurnEnded,
        TurnGaveUp,
        decide,
        learn,
        take,
    )
    from caseworker.core.evidence import Stage
    from caseworker.core.ids import MessageId, Sha
    from caseworker.core.messages import MessageKind
    from caseworker.core.outcomes import TestsOutcome
    from caseworker.core.record import Transitioned
    from caseworker.core.states import TERMINAL, WORKING, IssueState, Role

P = TypeVar("P")
R = TypeVar("R")

_STORE_TIMEOUT = timedelta(seconds=60)
_PATIENTLY = RetryPolicy(initial_interval=timedelta(milliseconds=200), maximum_interval=timedelta(seconds=20))
_ONCE = RetryPolicy(maximum_attempts=1)
_SHORT_HEARTBEAT = timedelta(seconds=10)
_LONGEST_PAUSE = 300.0
_SHORT_HISTORY = 30


class Interrupted(Exception):
    """A person closed the case while something ran; what ran has been stopped."""


@workflow.defn(name=ISSUE_WORKFLOW)
class IssueWorkflow:
    @workflow.init
    def __init__(self, start: CaseInput) -> None:
        self._policy = start.policy
        self._case = Case(id=start.case)
        self._bells = 0
        self._heard = 0  # how many bells had rung when we last looked into the inbox
        self._closing = False
        self._in_hand: list[Claimed] = []  # claimed by the coming turn and not yet answered for

    @workflow.signal
    def incoming_message(self, message: MessageId) -> None:
        self._bells += 1

    @workflow.signal
    def close_requested(self, message: MessageId) -> None:
        self._bells += 1
        self._closing = True

    @workflow.run
    async def run(self, start: CaseInput) -> None:
        self._case = await self._record(RecordActivities.load_case, start.case)
        while self._case.state not in TERMINAL:
            if await self._read_inbox():
                continue
            try:
                await self._advance()
            except Interrupted:
                continue
        await self._finish()

    async def _advance(self) -> None:
        """One step, right after a look into the inbox that moved nothing."""
        if self._case.state in WORKING:
            self._continue_as_new_if(self._history_is_long())
            await self._move_on(await self._work())
        else:
            self._continue_as_new_if(workflow.info().get_current_history_length() > _SHORT_HISTORY)
            await workflow.wait_condition(lambda: self._bells != self._heard)

    async def _work(self) -> Fact:
        try:
            match self._case.state:
                case IssueState.RECEIVED:
                    await self._prepare()
                    return await self._turn()
                case IssueState.CREATING_TESTS:
                    return await self._create_tests()
                case IssueState.RUNNING_TESTS:
                    return await self._build(Stage.HEAD)
                case IssueState.CREATING_PR:
                    return await self._create_pull_request()
                case _:
                    return await self._turn()
        except ActivityError as error:
            if is_cancelled_exception(error):
                raise Interrupted from error
            if _is_refusal(error):
                return EffectRefused(reason=_cause(error))
            raise

    # --- the steps of a case

    async def _prepare(self) -> None:
        if self._case.base is None:
            base = await self._perform(WorkspaceActivities.prepare_workspace, self._case)
            self._case = self._case.model_copy(update={"base": base, "checkpoint": base})

    async def _create_tests(self) -> Fact:
        """Red first: the tester's word counts only once the new test was seen to fail on the base."""
        fact = await self._turn()
        if not isinstance(fact, TurnEnded) or not isinstance(fact.outcome, TestsOutcome):
            return fact
        if fact.outcome.status != "TESTS_READY":
            return fact
        self._case = learn(self._case, fact)
        base = await self._build(Stage.BASE)
        return await self._build(Stage.RED) if isinstance(base, BuildEnded) else base

    async def _create_pull_request(self) -> Fact:
        request = PushRequest(case=self._case, commit=self._checkpoint)
        pushed = await self._perform(DeliveryActivities.push_branch, request)
        if not isinstance(pushed, Pushed):
            return pushed
        return await self._perform(DeliveryActivities.open_pull_request, request)

    async def _turn(self) -> Fact:
        """One agent turn. What the inbox held was claimed by its number, so the record is ahead of the agent."""
        role, task = TURN_OF[self._case.state]
        turn = self._case.turns + 1
        request = TurnRequest(case=self._case, turn=turn, role=role, task=task, policy=self._policy)
        reply: TurnReply = await self._labour(
            TurnActivities.run_turn,
            request,
            limit=timedelta(seconds=self._policy.turn_seconds + 300),
            heartbeat=self._policy.turn_heartbeat_seconds,
        )
        self._case = self._case.model_copy(update={"turns": turn})
        read, self._in_hand = self._in_hand, []
        if isinstance(reply, TurnEnded):
            await self._settle(read, words.read_by(role))
            return reply
        await self._settle(read, words.TURN_FAILED)
        return TurnGaveUp(role=role, reason=reply.reason)

    async def _build(self, stage: Stage) -> Fact:
        number = self._case.builds + 1
        commit = self._case.base if stage is Stage.BASE else self._checkpoint
        assert commit is not None
        request = BuildRequest(case=self._case, number=number, stage=stage, commit=commit, policy=self._policy)
        ended = await self._labour(
            BuildActivities.run_build, request, limit=timedelta(hours=6), heartbeat=self._policy.heartbeat_seconds
        )
        self._case = self._case.model_copy(update={"builds": number})
        if isinstance(ended, TurnDied):
            return TurnGaveUp(role=Role.TESTER, reason=f"the build could not be run: {ended.reason}")
        return ended

    # --- the inbox

    async def _read_inbox(self) -> bool:
        """Look, obey commands, answer for words where nobody works. True if the case moved."""
        self._closing = False  # before the look: a close that comes in during it must still interrupt what follows
        messages = await self._claim()
        for message in messages:
            fact = _command(message)
            if fact is not None:
                await self._move_on(fact)
                await self._settle([message], words.OBEYED[message.kind])
                await self._settle([other for other in messages if other is not message], words.OVER)
                return True
        if self._case.state in WORKING:
            self._in_hand = messages
        else:
            await self._settle(messages, words.kept(self._case))
        return False

    async def _claim(self) -> list[Claimed]:
        """By the number of the coming turn: claiming again gives the same unanswered messages, and newer ones."""
        heard = self._bells
        request = ClaimRequest(case=self._case.id, turn=self._case.turns + 1)
        claimed = await self._record(RecordActivities.claim_messages, request)
        self._heard = heard
        return claimed

    async def _settle(self, messages: list[Claimed], outcome: str) -> None:
        if messages:
            request = SettleRequest(messages=[message.id for message in messages], outcome=outcome)
            await self._record(RecordActivities.settle_messages, request)

    async def _finish(self) -> None:
        """No return before a look that found nothing, with no bell since and no await in between."""
        if self._case.state is IssueState.FAILED and self._case.checkpoint != self._case.base:
            request = PushRequest(case=self._case, commit=self._checkpoint)
            await self._perform(DeliveryActivities.push_branch, request, whatever_happens=True)
        await self._perform(WorkspaceActivities.remove_workspace, self._case.id, whatever_happens=True)
        while True:
            late = await self._claim()
            if not late and self._bells == self._heard:
                return
            await self._settle(late, words.OVER)

    # --- moving

    async def _move_on(self, fact: Fact) -> None:
        before = self._case.state
        known = learn(self._case, fact)
        self._case = take(known, decide(known, fact, self._policy), self._policy)
        entry = Transitioned(
            number=self._case.transitions, from_state=before, to_state=self._case.state, reason=self._case.reason
        )
        await self._record(RecordActivities.record_move, MoveRequest(after=self._case, entry=entry))

    @property
    def _checkpoint(self) -> Sha:
        assert self._case.checkpoint is not None
        return self._case.checkpoint

    def _history_is_long(self) -> bool:
        info = workflow.info()
        return info.is_continue_as_new_suggested() or (info.get_current_history_length() >= self._policy.history_events)

    def _continue_as_new_if(self, wanted: bool) -> None:
        """Only from the main coroutine and with no bell since the last look. What is in hand is claimed by the coming
        turn's number, so the next run finds it again."""
        if wanted and self._bells == self._heard and not self._closing:
            workflow.continue_as_new(CaseInput(case=self._case.id, policy=self._policy))

    # --- asking the world

    async def _record(self, method: Callable[[Any, P], Awaitable[R]], argument: P) -> R:
        """The store only, a few milliseconds: a local activity, patient while the store is away."""
        return await workflow.execute_local_activity_method(
            method, argument, start_to_close_timeout=_STORE_TIMEOUT, retry_policy=_PATIENTLY
        )

    async def _perform(
        self, method: Callable[[Any, P], Awaitable[R]], argument: P, *, whatever_happens: bool = False
    ) -> R:
        """Short work on the outside, idempotent by its key, repeated until it is done, refused, or the case closed."""
        handle = workflow.start_activity_method(
            method,
            argument,
            start_to_close_timeout=timedelta(minutes=30),
            heartbeat_timeout=_SHORT_HEARTBEAT,
            retry_policy=_PATIENTLY,
        )
        await workflow.wait_condition(lambda: handle.done() or (self._closing and not whatever_happens))
        if not handle.done():
            handle.cancel()
        return await handle

    async def _labour(
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
        await workflow.wait_condition(lambda: handle.done() or self._closing)
        if not handle.done():
            handle.cancel()
        try:
            return await handle
        except ActivityError as error:
            if is_cancelled_exception(error) or _is_refusal(error):
                raise
            return TurnDied(reason=_cause(error), passing=_is_the_workers(error))

    async def _pause(self, seconds: float) -> None:
        try:
            await workflow.wait_condition(lambda: self._closing, timeout=seconds)
        except TimeoutError:
            return
        raise Interrupted


def _command(message: Claimed) -> Fact | None:
    match message.kind:
        case MessageKind.CLOSE:
            return CloseAsked(by=message.author)
        case MessageKind.PULL_CLOSED:
            return CloseAsked(by=message.author, unmerged=True)
        case MessageKind.MERGED:
            return Merged(by=message.author)
        case _:
            return None


def _is_refusal(error: ActivityError) -> bool:
    return isinstance(error.cause, ApplicationError) and error.cause.type == REFUSED


def _is_the_workers(error: ActivityError) -> bool:
    """It was killed, shut down, or cut off from the server: no fault of what it was doing."""
    match error.cause:
        case ActivityTimedOut():
            return True
        case ApplicationError(type=kind):
            return kind in (WORKER_DIED, "WorkerShutdown")
        case _:
            return False


def _cause(error: ActivityError) -> str:
    cause = error.cause or error
    return cause.message if isinstance(cause, ApplicationError) else str(cause) or type(cause).__name__
