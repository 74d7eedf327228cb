"""Workflow of a bug case: a conversation with a reporter and developers, from the report to a resolution or a fix.

The rules are in `core.bug.transitions`; this file has the order: look, say, work or wait.
"""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta

from temporalio import workflow
from temporalio.exceptions import ActivityError, is_cancelled_exception

with workflow.unsafe.imports_passed_through():
    from caseworker.contract.activities import (
        BugActivities,
        BugRecordActivities,
        InvestigationActivities,
        WorkspaceActivities,
    )
    from caseworker.contract.names import BUG_WORKFLOW
    from caseworker.contract.wire import (
        NO_INPUT,
        BugTurnEnded,
        BugTurnReply,
        BugTurnRequest,
        CaseInput,
        ClaimRequest,
        FixOpened,
        SaveBug,
        SinceRequest,
    )
    from caseworker.core.base.failed_steps import TurnGaveUp
    from caseworker.core.bug import transitions
    from caseworker.core.bug.acknowledge import acknowledge_during_turn
    from caseworker.core.bug.case import About, BugCase, BugState
    from caseworker.core.bug.file_wait import FileWait
    from caseworker.core.bug.fix_moves import fix_opened, fix_refused
    from caseworker.core.bug.moves import say, without_post
    from caseworker.core.bug.receipts import SETTLED_BY, TURN_FAILED
    from caseworker.core.bug.relays import files_lost, summarise, to_be_told_of
    from caseworker.core.people.messages import Audience, Claimed
    from caseworker.core.record.entries import BugMoved
    from caseworker.flows.activity_failures import Interrupted, cause_of, is_refusal
    from caseworker.flows.base.long_work import LongWork


@workflow.defn(name=BUG_WORKFLOW)
class BugInvestigationWorkflow(LongWork[BugCase]):
    _hears_when_stalled = True

    @workflow.init
    def __init__(self, start: CaseInput = NO_INPUT) -> None:
        super().__init__(start, BugCase(id=start.case))
        self._sla_epoch = 0  # the epoch for which the SLA clock was last started
        self._look_for_files = True  # whether messages were taken whose files may have to be fetched
        self._files = FileWait()
        self._seen = 0  # how many bells had rung when people were last answered during a turn

    @workflow.run
    async def run(self, start: CaseInput = NO_INPUT) -> None:
        self._case = self._saved = await self._call_store(BugRecordActivities.load_bug, start.case)
        self._sla_epoch = self._case.epoch
        if workflow.info().continued_run_id is None:
            await self._wake_sla_clock()
        while True:
            await self._look()
            try:
                await self._say_and_fix()
                if self._case.report.severity is not None:  # before, the report is acknowledged first
                    await self._tell_of_files(await self._fetch_files())
                if self._case.epoch != self._sla_epoch:
                    await self._wake_sla_clock()
                if not self._case.is_over:
                    await self._go_on()
                elif await self._finish() and await self._all_said():
                    return
            except Interrupted:
                continue

    async def _go_on(self) -> None:
        if self._case.state is BugState.INVESTIGATING:
            await self._save()
            self._continue_as_new_if(self._history_is_long())
            await self._investigate()
        else:
            await self._wait()

    # --- the inbox

    async def _look(self) -> None:
        """Read the inbox: each message is obeyed, answered, or given to the coming turn."""
        self._closing = False  # before the look: a close that comes in during it must still interrupt what follows
        at_work = self._case.state is BugState.INVESTIGATING
        claimed = await self._claim(self._case.progress.turns + 1)
        if not claimed and not at_work and await self._fence():
            claimed = await self._claim(self._case.progress.turns + 1)
        self._look_for_files = self._look_for_files or bool(claimed)
        found = transitions.look(self._case, claimed, self._policy, workflow.now())
        await self._become(found.after)
        if at_work and found.after.state is not BugState.INVESTIGATING:
            await self._fence()
        await self._settle_all(found.settled)

    async def _fetch_files(self) -> list[Claimed]:
        """Fetch what people attached, as soon as their messages are taken, or when a server that asked us to wait lets
        us try again. Returns the messages with files that are lost, or that the coming turn has to begin without."""
        wanted = self._look_for_files or self._files.is_due(workflow.now())
        self._look_for_files = False
        if not wanted or not await self._call_store(BugRecordActivities.has_files, self._id):
            return []
        fetched = await self._do(BugActivities.fetch_files, self._id)
        self._files = self._files.after(fetched.again_at, workflow.now())
        return to_be_told_of(fetched.lost, fetched.waiting, self._files)

    async def _tell_of_files(self, lost: list[Claimed]) -> None:
        await self._become(files_lost(self._case, lost))
        await self._speak()

    async def _fence(self) -> bool:
        """Keep attempts at the coming turn from completing. True: the turn had completed unheard of; it is counted,
        since its number would claim nothing."""
        request = ClaimRequest(case=self._id, turn=self._case.progress.turns + 1)
        used = await self._call_store(BugRecordActivities.fence_turn, request)
        if used:
            self._case = self._case.updated(turns=request.turn)
        return used

    async def _finish(self) -> bool:
        """True: the flow may return, after a look that found nothing, with no bell since and no await in between."""
        await self._wake_sla_clock()
        await self._run_short(WorkspaceActivities.remove_workspace, self._id, whatever_happens=True)
        await self._save()
        await self._fence()
        late = await self._claim(self._case.progress.turns + 1)
        return not late and self._bells == self._heard

    # --- working

    async def _investigate(self) -> None:
        try:
            if self._case.report.severity is None:
                await self._receive()
            if self._files.is_worth_it:  # a turn begins with the files of its messages; then look again
                await self._rings_within(self._files.left(workflow.now()))
                return
            if self._case.progress.base is None:
                base = await self._run_short(BugActivities.prepare_bug_workspace, self._case)
                self._case = self._case.updated(base=base)
            await self._turn()
        except ActivityError as error:
            if is_cancelled_exception(error):
                raise Interrupted from error
            if not is_refusal(error):
                raise
            await self._give_up(cause_of(error))

    async def _receive(self) -> None:
        """Acknowledge the report to the reporter, read it, and tell the developers."""
        if self._case.epoch == 1:  # after a reopening the reporter was told that it is open again
            await self._become(say(self._case, About.ACKNOWLEDGED, Audience.REPORTER, 1))
            await self._say_and_fix()
        lost = await self._fetch_files()
        self._case = await self._call_store(BugRecordActivities.read_report, self._case)
        await self._become(summarise(self._case))
        await self._say_and_fix()
        await self._tell_of_files(lost)
        await self._wake_sla_clock()

    async def _turn(self) -> None:
        """Run one turn of the investigator. The messages in the inbox are claimed by its number."""
        turn = self._case.progress.turns + 1
        self._seen = self._heard
        reply: BugTurnReply = await self._run_long(
            InvestigationActivities.run_investigation,
            BugTurnRequest(bug=self._case, turn=turn, policy=self._policy),
            limit=timedelta(seconds=self._policy.turn_seconds + 300),
            heartbeat=self._policy.turn_heartbeat_seconds,
        )
        if not isinstance(reply, BugTurnEnded):
            await self._give_up(reply.reason, out_of_money=isinstance(reply, TurnGaveUp) and reply.out_of_money)
            return
        self._case = self._case.updated(turns=turn)
        ended = transitions.after_turn(self._case, reply, self._policy, workflow.now())
        await self._become(ended.after)
        await self._settle([message.id for message in reply.heard], SETTLED_BY[ended.step])

    async def _give_up(self, reason: str, *, out_of_money: bool = False) -> None:
        given = await self._given(self._case.progress.turns + 1)
        self._case = self._case.updated(turns=self._case.progress.turns + 1)
        now = workflow.now()
        failed = transitions.after_failed_turn(self._case, reason, self._policy, now, out_of_money=out_of_money)
        await self._become(failed)
        await self._settle(given, TURN_FAILED)

    def _has_news(self) -> bool:
        return self._bells != self._seen

    async def _meanwhile(self, is_over: Callable[[], bool]) -> None:
        """Acknowledge messages that people send during a turn; the agent or the next turn reads them."""
        self._seen = self._bells
        said = await self._call_store(
            BugRecordActivities.messages_since, SinceRequest(case=self._id, after=self._case.people.answered)
        )
        if is_over():
            return
        await self._become(acknowledge_during_turn(self._case, said))
        self._look_for_files = self._look_for_files or bool(said)
        with suppress(Interrupted):  # the waiting flow stops the turn
            await self._say_and_fix()
            await self._tell_of_files(await self._fetch_files())

    # --- waiting

    async def _wait(self) -> None:
        """Wait for a bell, or until silence has a consequence."""
        if await self._wait_until(self._files.earlier_than(transitions.wake_at(self._case, self._policy))):
            await self._become(transitions.after_silence(self._case, self._policy, workflow.now()))

    # --- posts and snapshots

    async def _say_and_fix(self) -> None:
        """Make the posts; then open the fix that was asked for."""
        await self._speak()
        if self._case.repair.stopped_by is not None:
            await self._do(BugActivities.stop_fix, self._case)
            self._case = self._case.updated(stopped_by=None)
            await self._save()
        if self._case.repair.fix_wanted:
            reply = await self._do(BugActivities.open_fix, self._case)
            if isinstance(reply, FixOpened):
                await self._become(fix_opened(self._case, reply.case))
            else:
                await self._become(fix_refused(self._case, reply.reason, self._policy, workflow.now()))
            await self._speak()

    async def _wake_sla_clock(self) -> None:
        self._sla_epoch = self._case.epoch
        await self._run_short(BugActivities.wake_sla_clock, self._id, whatever_happens=True)

    async def _record_move(self, before: BugCase, note: str) -> None:
        after = self._case
        move = BugMoved(
            number=after.progress.transitions, from_state=before.state, to_state=after.state, reason=after.reason
        )
        shown = f"{before.state} → {after.state}"
        await self._call_store(BugRecordActivities.save_bug, SaveBug(after=after, move=move), summary=shown)

    async def _record_snapshot(self) -> None:
        await self._call_store(BugRecordActivities.save_bug, SaveBug(after=self._case))

    def _without_post(self, place: int) -> BugCase:
        return without_post(self._case, self._case.outbox[place], self._policy, workflow.now())
