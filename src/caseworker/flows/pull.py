"""Workflow of a pull case: it looks after one open pull request, until only people are left.

The rules are in `core.pull.transitions`; this file has the order: look into the inbox, say, look at
the pull request, work or wait.
"""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, TypeVar, assert_never

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from caseworker.contract import wire
    from caseworker.contract.activities import WorkspaceActivities
    from caseworker.contract.names import PULL_WORKFLOW
    from caseworker.contract.pull_activities import (
        PullActivities,
        PullBuildActivities,
        PullRecordActivities,
        PullTurnActivities,
    )
    from caseworker.core.base.failed_steps import EffectRefused
    from caseworker.core.base.roles import Role, Task
    from caseworker.core.people.messages import Claimed
    from caseworker.core.people.receipts import TURN_FAILED, read_by
    from caseworker.core.pull import transitions
    from caseworker.core.pull.case import PullCase, PullState
    from caseworker.core.pull.pull_events import (
        BranchUpdated,
        FailuresRead,
        HeadMoved,
        NotPossible,
        Published,
        PullPrepared,
        PullTurnEnded,
        PushWithheld,
        Seen,
        WorkKept,
    )
    from caseworker.core.pull.pull_moves import without_post
    from caseworker.core.record.entries import PullMoved
    from caseworker.flows.activity_failures import Interrupted, failed_pull_turn, refusal_as_fact
    from caseworker.flows.base.long_work import LongWork

P = TypeVar("P")
R = TypeVar("R")
_LONGEST_BUILD = timedelta(hours=4)


@workflow.defn(name=PULL_WORKFLOW)
class PullWorkflow(LongWork[PullCase]):
    _stops_at_limits = True
    _hears_when_stalled = True

    @workflow.init
    def __init__(self, start: wire.CaseInput = wire.NO_INPUT) -> None:
        super().__init__(start, PullCase(id=start.case))
        self._in_hand: list[Claimed] = []  # claimed by the coming turn and not yet answered for
        self._seen = 0  # bells when the head was seen last during long work
        self._moved: HeadMoved | None = None  # a push that has stopped long work

    @workflow.run
    async def run(self, start: wire.CaseInput = wire.NO_INPUT) -> None:
        self._case = self._saved = await self._call_store(PullRecordActivities.load_pull, start.case)
        while True:
            try:
                await self._look()
                await self._keep_work()
                await self._speak()
                if self._case.is_over:
                    if await self._finish() and await self._all_said():
                        return
                elif self._case.state in (PullState.WAITING, PullState.PAUSED):
                    await self._wait()
                else:
                    self._continue_as_new_if(self._history_is_long())
                    await self._work()
            except Interrupted:
                continue

    # --- people

    async def _look(self) -> None:
        """Read the inbox: each message is obeyed, settled, or given to the coming turn."""
        self._closing = False  # before the look: a stop that comes in during it must still interrupt what follows
        claimed = await self._claim(self._case.progress.turns + 1)
        found = transitions.look(self._case, claimed, self._policy, workflow.now())
        await self._become(found.after)
        await self._settle_all(found.settled)
        settled = {message for one in found.settled for message in one.messages}
        self._in_hand = [message for message in claimed if message.id not in settled]
        if self._case.is_over:
            await self._settle_all(transitions.settle_rest(self._in_hand))
            self._in_hand = []

    async def _finish(self) -> bool:
        """True: the flow may return, after a look that found nothing, with no bell since and no await in between."""
        await self._show()
        await self._run_short(WorkspaceActivities.remove_workspace, self._id, whatever_happens=True)
        await self._save()
        late = await self._claim(self._case.progress.turns + 1)
        return not late and self._bells == self._heard

    async def _wait(self) -> None:
        """Wait for an event of the forge, a message, or the time of the next look. Costs nothing."""
        await self._show()
        was_paused = self._case.state is PullState.PAUSED
        is_time = await self._wait_until(transitions.wake_at(self._case, self._policy))
        if was_paused and not is_time:
            return  # the inbox says whether it goes on
        if was_paused:
            await self._become(transitions.after_silence(self._case, self._policy, workflow.now()))
        else:
            await self._look_at_pull()

    # --- work, by state

    async def _work(self) -> None:
        moved, self._moved = self._moved, None
        if moved is not None and self._case.work.started_from is not None:
            await self._after(moved)
            return
        match self._case.state:
            case PullState.LOOKING:
                await self._look_at_pull()
            case PullState.READING_FAILURES:
                await self._read_failures()
            case PullState.REVIEWING:
                assert self._case.reading is not None, "the state of a session that reads"
                await self._turn(self._case.reading.role, self._case.reading.task)
            case PullState.RESOLVING:
                await self._turn(Role.DEVELOPER, Task.RESOLVE_PULL)
            case PullState.BUILDING:
                await self._build()
            case PullState.UPDATING:
                await self._update()
            case PullState.PUBLISHING:
                await self._publish()
            case PullState.WAITING | PullState.PAUSED | PullState.ENDED:
                raise AssertionError("no work is done in this state")
            case _:
                assert_never(self._case.state)

    async def _look_at_pull(self) -> None:
        seen: Seen | NotPossible = await self._ask(PullActivities.look_at_pull)
        await self._after(seen)
        await self._save()  # people are shown when it looked last

    async def _update(self) -> None:
        updated: BranchUpdated | HeadMoved | NotPossible = await self._ask(PullActivities.bring_base_in)
        await self._after(updated)

    async def _read_failures(self) -> None:
        read: FailuresRead | NotPossible = await self._ask(PullActivities.read_failures)
        await self._after(read)
        if self._case.state is PullState.READING_FAILURES and isinstance(read, FailuresRead):
            again = transitions.to_rerun(self._case)
            await self._run_allowed(PullActivities.rerun_checks, self._request())
            await self._become(transitions.after_rerun(self._case, again, workflow.now()))

    async def _build(self) -> None:
        commit = self._case.commit
        assert commit is not None, "a build follows a look"
        number = self._case.progress.builds + 1
        request = wire.PullBuildRequest(case=self._case, number=number, commit=commit, policy=self._policy)
        heartbeat = self._policy.heartbeat_seconds
        ended = await self._run_watched(PullBuildActivities.run_pull_build, request, _LONGEST_BUILD, heartbeat)
        self._case = self._case.updated(builds=number)
        if isinstance(ended, wire.TurnDied | EffectRefused):
            await self._after(NotPossible(reason=f"The build could not be run: {ended.reason}"))
        else:
            await self._become(transitions.after_build(self._case, ended, self._policy, workflow.now()))

    async def _publish(self) -> None:
        """Say which approvals a push voids, then push and post."""
        if self._case.is_to_be_pushed:
            outlook: wire.PushOutlook | NotPossible = await self._ask(PullActivities.foresee_push)
            if isinstance(outlook, NotPossible):
                await self._after(outlook)
                return
            assert self._case.work.checkpoint is not None
            commit, is_certain = self._case.work.checkpoint, outlook.is_certain
            self._case = transitions.announce_push(self._case, commit, outlook.voids, is_certain=is_certain)
            await self._speak()
        published: Published | HeadMoved | PushWithheld | NotPossible = await self._ask(PullActivities.publish)
        await self._after(published)

    async def _keep_work(self) -> None:
        """Put work that was set aside on a branch of ours, before people are told that the session has stopped."""
        if self._case.has_work_to_keep:
            kept: WorkKept | NotPossible = await self._ask(PullActivities.keep_work)
            self._case = transitions.after_keep(self._case, kept)
            await self._save()

    async def _prepare(self) -> bool:
        """Check the head out, unless the work in hand began already. False: the case has moved instead."""
        if self._case.work.base is not None:
            return True
        ready: PullPrepared | HeadMoved | NotPossible = await self._ask(PullActivities.prepare_pull)
        if isinstance(ready, PullPrepared):
            self._case = self._case.updated(base=ready.base)
            return True
        await self._after(ready)
        return False

    async def _turn(self, role: Role, task: Task) -> None:
        if not await self._prepare():
            return
        turn = self._case.progress.turns + 1
        request = wire.PullTurnRequest(case=self._case, turn=turn, role=role, task=task, policy=self._policy)
        limit, heartbeat = timedelta(seconds=self._policy.turn_seconds + 300), self._policy.turn_heartbeat_seconds
        reply: wire.PullTurnReply | EffectRefused = await self._run_watched(
            PullTurnActivities.run_pull_turn, request, limit, heartbeat
        )
        self._case = self._case.updated(turns=turn)
        read, self._in_hand = self._in_hand, []
        if isinstance(reply, PullTurnEnded):
            await self._become(transitions.after_turn(self._case, reply, self._policy, workflow.now()))
            await self._settle(sorted({*(one.id for one in read), *reply.heard}), read_by(role))
            return
        given = await self._given(turn)
        await self._become(transitions.after_failed_turn(self._case, failed_pull_turn(reply), workflow.now()))
        await self._settle(given, TURN_FAILED)

    async def _run_watched(
        self, method: Callable[[Any, P], Awaitable[R | wire.TurnDied]], request: P, limit: timedelta, heartbeat: float
    ) -> R | wire.TurnDied | EffectRefused:
        self._seen = self._bells
        return await refusal_as_fact(self._run_long(method, request, limit=limit, heartbeat=heartbeat))

    def _has_news(self) -> bool:
        return self._bells != self._seen and self._case.work.started_from is not None

    async def _meanwhile(self, is_over: Callable[[], bool]) -> None:
        """A person's push makes the work in hand worthless: it is stopped, and not paid for to its end."""
        self._seen = self._bells
        seeing = self._begin(PullActivities.see_head, self._request())
        await workflow.wait_condition(lambda: seeing.done() or is_over() or self._closing)
        if not seeing.done():
            seeing.cancel()
            self._cut_short.append(seeing)
        elif isinstance(found := await seeing, HeadMoved):
            self._moved, self._closing = found, True

    # --- the forge

    def _request(self) -> wire.PullRequestWork:
        return wire.PullRequestWork(case=self._case, policy=self._policy)

    async def _ask(
        self, method: Callable[[Any, wire.PullRequestWork], Awaitable[R | wire.Postponed]]
    ) -> R | NotPossible:
        """One step on the forge. A service that asks us to wait is waited for by a timer, and a refusal is an event."""
        await self._save()
        reply = await refusal_as_fact(self._run_allowed(method, self._request()))
        return NotPossible(reason=reply.reason) if isinstance(reply, EffectRefused) else reply

    async def _after(self, fact: transitions.Fact) -> None:
        await self._become(transitions.after(self._case, fact, self._policy, workflow.now()))

    async def _show(self) -> None:
        """Show the verdict as a check run on the head, once for each verdict."""
        shown = transitions.verdict_shown(self._case)
        if shown and shown != self._case.sight.reported:
            await self._run_allowed(PullActivities.report_verdict, self._request())
            self._case = self._case.updated(reported=shown)
            await self._save()

    # --- keeping

    async def _record_move(self, before: PullCase, note: str) -> None:
        after = self._case
        move = PullMoved(
            number=after.progress.transitions, from_state=before.state, to_state=after.state, reason=after.reason
        )
        shown = f"{before.state} → {after.state}"
        await self._call_store(PullRecordActivities.save_pull, wire.SavePull(after=after, move=move), summary=shown)

    async def _record_snapshot(self) -> None:
        await self._call_store(PullRecordActivities.save_pull, wire.SavePull(after=self._case))

    def _without_post(self, place: int) -> PullCase:
        return without_post(self._case, self._case.outbox[place])
