"""Two faulty bug flows, which the proof must find. They are registered under the real flow's name, here only."""

from datetime import timedelta

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from caseworker.contract.activities import WorkspaceActivities
    from caseworker.contract.names import BUG_WORKFLOW, CLOSE_REQUESTED, INCOMING_MESSAGE
    from caseworker.contract.wire import NO_INPUT, CaseInput
    from caseworker.core.base.ids import MessageId
    from caseworker.core.people.messages import Claimed
    from caseworker.flows.bug import BugInvestigationWorkflow

BY_ID_QUEUE = "prove-claims-by-id"


@workflow.defn(name=BUG_WORKFLOW)
class QueueInMemory(BugInvestigationWorkflow):
    """Takes only what the signals brought, and never asks the store for waiting messages."""

    @workflow.init
    def __init__(self, start: CaseInput = NO_INPUT) -> None:
        super().__init__(start)
        self._queue: list[MessageId] = []
        self._taken: list[MessageId] = []  # taken by the coming turn, which may look more than once
        self._taken_by = 0

    @workflow.signal(name=INCOMING_MESSAGE)
    def incoming_message(self, message: MessageId | None = None) -> None:
        self._bells += 1
        self._queue += [message] if message is not None else []

    @workflow.signal(name=CLOSE_REQUESTED)
    def close_requested(self, message: MessageId | None = None) -> None:
        self._bells += 1
        self._closing = True
        self._queue += [message] if message is not None else []

    async def _claim(self, turn: int) -> list[Claimed]:
        heard = self._bells
        if turn != self._taken_by:
            self._taken, self._taken_by = [], turn
        self._taken += self._queue
        self._queue = []
        found: list[Claimed] = await workflow.execute_activity(
            "claim_by_id",
            args=[self._id, turn, self._taken],
            task_queue=BY_ID_QUEUE,
            start_to_close_timeout=timedelta(seconds=60),
            result_type=list[Claimed],
        )
        self._heard = heard
        return found

    @workflow.run
    async def run(self, start: CaseInput = NO_INPUT) -> None:
        await super().run(start)


@workflow.defn(name=BUG_WORKFLOW)
class NoLastLook(BugInvestigationWorkflow):
    """Returns after the clean-up, without looking into the inbox again."""

    @workflow.init
    def __init__(self, start: CaseInput = NO_INPUT) -> None:
        super().__init__(start)

    @workflow.run
    async def run(self, start: CaseInput = NO_INPUT) -> None:
        await super().run(start)

    async def _finish(self) -> bool:
        await self._wake_sla_clock()
        await self._run_short(WorkspaceActivities.remove_workspace, self._id, whatever_happens=True)
        await self._save()
        return True
