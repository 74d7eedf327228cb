"""The issue case: from a received issue to a merged pull request, one state and one agent at a time."""

from datetime import timedelta

from temporalio import workflow
from temporalio.exceptions import ActivityError, is_cancelled_exception

with workflow.unsafe.imports_passed_through():
    from caseworker.contract.activities import (
        BuildActivities,
        DeliveryActivities,
        RecordActivities,
        TurnActivities,
        WorkspaceActivities,
    )
    from caseworker.contract.names import ISSUE_WORKFLOW
    from caseworker.contract.wire import (
        BuildRequest,
        CaseInput,
        MoveRequest,
        Pushed,
        PushRequest,
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
    from caseworker.core.messages import Claimed, MessageKind
    from caseworker.core.outcomes import TestsOutcome
    from caseworker.core.record import Transitioned
    from caseworker.core.states import TERMINAL, WORKING, IssueState, Role
    from caseworker.flows.base import SHORT_HISTORY, CaseFlow, Interrupted, cause_of, is_refusal


_ALL_GIVEN = "a failed turn answers for all that it was given"


@workflow.defn(name=ISSUE_WORKFLOW)
class IssueWorkflow(CaseFlow):
    @workflow.init
    def __init__(self, start: CaseInput) -> None:
        super().__init__(start)
        self._case = Case(id=start.case)
        self._in_hand: list[Claimed] = []  # claimed by the coming turn and not yet answered for

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
            self._continue_as_new_if(workflow.info().get_current_history_length() > SHORT_HISTORY)
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
            if is_refusal(error):
                return EffectRefused(reason=cause_of(error))
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
            await self._settle(sorted({*_ids(read), *reply.heard}), words.read_by(role))
            return reply
        given = await self._given(turn) if workflow.patched(_ALL_GIVEN) else _ids(read)
        await self._settle(given, words.TURN_FAILED)
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
        messages = await self._claim(self._case.turns + 1)
        for message in messages:
            fact = _command(message)
            if fact is not None:
                await self._move_on(fact)
                await self._settle([message.id], words.OBEYED[message.kind])
                await self._settle([other.id for other in messages if other is not message], words.OVER)
                return True
        if self._case.state in WORKING:
            self._in_hand = messages
        else:
            await self._settle(_ids(messages), words.kept(self._case))
        return False

    async def _finish(self) -> None:
        """No return before a look that found nothing, with no bell since and no await in between."""
        if self._case.state is IssueState.FAILED and self._case.checkpoint != self._case.base:
            request = PushRequest(case=self._case, commit=self._checkpoint)
            await self._perform(DeliveryActivities.push_branch, request, whatever_happens=True)
        await self._perform(WorkspaceActivities.remove_workspace, self._case.id, whatever_happens=True)
        while True:
            late = await self._claim(self._case.turns + 1)
            if not late and self._bells == self._heard:
                return
            await self._settle(_ids(late), words.OVER)

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


def _ids(messages: list[Claimed]) -> list[MessageId]:
    return [message.id for message in messages]
