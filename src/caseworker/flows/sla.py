"""Workflow of a bug case's SLA clock: sleeps until a promise is due or a bell rings, does one thing, and looks again.

The rules are in `core.sla`. What was done is in the record, so this flow keeps no state and can start anywhere.
"""

from datetime import datetime, timedelta

from temporalio import workflow
from temporalio.exceptions import ActivityError

with workflow.unsafe.imports_passed_through():
    from caseworker.contract.activities import SlaActivities
    from caseworker.contract.names import LOOK_AGAIN, SLA_WORKFLOW
    from caseworker.contract.wire import NO_INPUT, CaseInput, CheckSla
    from caseworker.core.sla.clock import Due, due
    from caseworker.flows.activity_failures import is_refusal
    from caseworker.flows.base.flow import LONG_WAIT, SHORT_HISTORY, Flow


@workflow.defn(name=SLA_WORKFLOW)
class SLATrackingWorkflow(Flow):
    @workflow.init
    def __init__(self, start: CaseInput = NO_INPUT) -> None:
        super().__init__(start)
        self._not_before: datetime | None = None  # when the developers' channel takes posts again

    @workflow.signal(name=LOOK_AGAIN)
    def look_again(self) -> None:
        self._bells += 1

    @workflow.run
    async def run(self, start: CaseInput = NO_INPUT) -> None:
        """Ends when every promise is settled, after a look with no bell since and no await in between."""
        try:
            while True:
                found = await self._look()
                if found is not None:
                    await self._until(found)
                elif self._bells == self._heard:
                    return
        except ActivityError as error:
            if not is_refusal(error):  # refused: the case does not exist any more
                raise

    async def _look(self) -> Due | None:
        heard = self._bells
        facts = await self._call_store(SlaActivities.load_sla, self._id)
        self._heard = heard
        return due(facts, self._policy, workflow.now())

    async def _until(self, found: Due) -> None:
        left = max(found.at, self._not_before or found.at) - workflow.now()
        if left > timedelta():
            long_wait = (
                left > LONG_WAIT
                and self._not_before is None
                and workflow.info().get_current_history_length() > SHORT_HISTORY
            )
            self._continue_as_new_if(long_wait or self._history_is_long())
            await self._rings_within(left)
        elif found.result is not None:
            request = CheckSla(case=self._id, now=workflow.now())
            postponed = await self._run_short(SlaActivities.check_sla, request, whatever_happens=True)
            self._not_before = postponed.until if postponed else None
