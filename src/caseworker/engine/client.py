"""The Temporal client, and the `Doorbell` port: it signals a case's workflow with a message id, never with text."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from temporalio.client import Client, TLSConfig
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.service import RPCError

from caseworker.contract.names import (
    CLOSE_REQUESTED,
    FLOWS_QUEUE,
    INCOMING_MESSAGE,
    LOOK_AGAIN,
    SLA_WORKFLOW,
    case_of,
    is_clock,
    sla_workflow_id,
    workflow_id,
)
from caseworker.contract.wire import CaseInput
from caseworker.core.base.case_kinds import CaseKind
from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.ids import CaseId, MessageId
from caseworker.core.base.policy import Policy
from caseworker.core.kinds import KINDS
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.messages import INTERRUPTING
from caseworker.engine.impostors import end_impostors
from caseworker.engine.payload_codec import sealing_converter
from caseworker.engine.temporal_address import Address


async def connect(address: Address, *, timeout: float = 10.0) -> Client:
    tls: bool | TLSConfig = address.tls
    if address.client_certificate is not None:
        tls = TLSConfig(client_cert=address.client_certificate, client_private_key=address.client_key)
    try:
        return await Client.connect(
            address.target,
            namespace=address.namespace,
            api_key=address.api_key,
            tls=tls,
            data_converter=sealing_converter(address.keys) if address.keys else pydantic_data_converter,
            connect_timeout=timedelta(seconds=timeout),
        )
    except (RuntimeError, RPCError) as error:  # temporalio wraps refused connections in RuntimeError
        raise Transient(
            f"Temporal does not answer at {address.target} (namespace {address.namespace}): {error}"
        ) from error


@dataclass(frozen=True, kw_only=True)
class Start:
    """What the record says of a case that its workflow is started with."""

    kind: CaseKind
    policy: Policy


class TemporalDoorbell:
    """Signals the workflow of a case, and starts it if it does not run. The message itself stays in the store."""

    def __init__(self, client: Client, start_of: Callable[[CaseId], Awaitable[Start]]) -> None:
        self._client = client
        self._start_of = start_of

    async def ring(self, case: CaseId, message: MessageId, kind: MessageKind) -> None:
        signal = CLOSE_REQUESTED if kind in INTERRUPTING else INCOMING_MESSAGE
        start = await self._start_of(case)
        try:
            await self._client.start_workflow(
                KINDS[start.kind].workflow,
                CaseInput(case=case, policy=start.policy),
                id=workflow_id(case),
                task_queue=FLOWS_QUEUE,
                start_signal=signal,
                start_signal_args=[message],
            )
        except (RPCError, RuntimeError) as error:
            raise Transient(f"The bell of {case} could not be rung: {error}") from error

    async def wake_sla_clock(self, case: CaseId) -> None:
        start = await self._start_of(case)
        try:
            await self._client.start_workflow(
                SLA_WORKFLOW,
                CaseInput(case=case, policy=start.policy),
                id=sla_workflow_id(case),
                task_queue=FLOWS_QUEUE,
                start_signal=LOOK_AGAIN,
            )
        except (RPCError, RuntimeError) as error:
            raise Transient(f"The clock of {case} could not be set: {error}") from error

    async def make_way(self) -> set[CaseId]:
        names = await end_impostors(self._client)
        for case in [case_of(name) for name in names if is_clock(name)]:
            with suppress(Refused):  # a case that a stranger made up
                if KINDS[(await self._start_of(case)).kind].has_clock:
                    await self.wake_sla_clock(case)
        return {case_of(name) for name in names if not is_clock(name)}

    async def listening(self) -> set[CaseId]:
        types = ", ".join(f"'{kind.workflow}'" for kind in KINDS.values())
        running = f"WorkflowType IN ({types}) AND ExecutionStatus = 'Running'"
        try:
            return {case_of(found.id) async for found in self._client.list_workflows(running)}
        except (RPCError, RuntimeError) as error:
            raise Transient(f"Temporal could not say which cases it has: {error}") from error
