"""The signatures of all activities. Flows call these; `activities/` overrides them under the same names."""

from typing import NoReturn

from temporalio import activity

from caseworker.contract.wire import (
    BuildReply,
    BuildRequest,
    Claimed,
    ClaimRequest,
    MoveRequest,
    PullReply,
    PushReply,
    PushRequest,
    SettleRequest,
    TurnReply,
    TurnRequest,
)
from caseworker.core.case import Case
from caseworker.core.ids import CaseId, Sha


def _signature() -> NoReturn:
    raise NotImplementedError("a signature: caseworker.activities has the body")


class RecordActivities:
    """Short, and only the store: run as local activities."""

    @activity.defn
    async def load_case(self, case: CaseId) -> Case:
        _signature()

    @activity.defn
    async def claim_messages(self, request: ClaimRequest) -> list[Claimed]:
        _signature()

    @activity.defn
    async def settle_messages(self, request: SettleRequest) -> None:
        _signature()

    @activity.defn
    async def record_move(self, request: MoveRequest) -> None:
        _signature()


class WorkspaceActivities:
    @activity.defn
    async def prepare_workspace(self, case: Case) -> Sha:
        """The commit the case starts from."""
        _signature()

    @activity.defn
    async def remove_workspace(self, case: CaseId) -> None:
        _signature()


class TurnActivities:
    @activity.defn
    async def run_turn(self, request: TurnRequest) -> TurnReply:
        _signature()


class BuildActivities:
    @activity.defn
    async def run_build(self, request: BuildRequest) -> BuildReply:
        _signature()


class DeliveryActivities:
    @activity.defn
    async def push_branch(self, request: PushRequest) -> PushReply:
        _signature()

    @activity.defn
    async def open_pull_request(self, request: PushRequest) -> PullReply:
        _signature()
