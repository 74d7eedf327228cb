"""The signatures of all activities. Flows call these; `activities/` overrides them under the same names."""

from typing import NoReturn

from temporalio import activity

from caseworker.contract.wire import (
    BugTurnReply,
    BugTurnRequest,
    BuildReply,
    BuildRequest,
    CheckSla,
    ClaimRequest,
    DeliveryReply,
    FixReply,
    FollowUpReply,
    FollowUpRequest,
    MoveRequest,
    PostRequest,
    PullReply,
    PushReply,
    PushRequest,
    SaveBug,
    SayRequest,
    SettleRequest,
    SinceRequest,
    TurnReply,
    TurnRequest,
)
from caseworker.core.base.ids import CaseId, MessageId, Sha
from caseworker.core.bug.case import BugCase
from caseworker.core.issue.case import IssueCase
from caseworker.core.people.messages import Claimed
from caseworker.core.sla.clock import SlaFacts


def _signature() -> NoReturn:
    raise NotImplementedError("a signature: caseworker.activities has the body")


class RecordActivities:
    """Short, and only the store: run as local activities; a claim that found something also as one of the server's."""

    @activity.defn
    async def load_case(self, case: CaseId) -> IssueCase:
        _signature()

    @activity.defn
    async def claim_messages(self, request: ClaimRequest) -> list[Claimed]:
        _signature()

    @activity.defn
    async def given_to(self, request: ClaimRequest) -> list[MessageId]:
        """What a turn was given, before it began or while it worked, and nobody has answered for yet."""
        _signature()

    @activity.defn
    async def remarks_to(self, request: ClaimRequest) -> list[MessageId]:
        """Of what a turn was given, before it began or while it worked: words that want something."""
        _signature()

    @activity.defn
    async def settle_messages(self, request: SettleRequest) -> None:
        _signature()

    @activity.defn
    async def record_move(self, request: MoveRequest) -> None:
        _signature()

    @activity.defn
    async def save_case(self, case: IssueCase) -> None:
        """Save the snapshot without a move; one that is older than the stored one is not saved."""
        _signature()


class WorkspaceActivities:
    @activity.defn
    async def prepare_workspace(self, case: IssueCase) -> Sha:
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
    async def keep_branch(self, request: PushRequest) -> PushReply:
        """The work of a case that waits for a person, where that person finds it: each commit once."""
        _signature()

    @activity.defn
    async def adopt_branch(self, request: PushRequest) -> PushReply:
        """What a person has pushed to the case's branch, made one with the case's work."""
        _signature()

    @activity.defn
    async def open_pull_request(self, request: PushRequest) -> PullReply:
        _signature()

    @activity.defn
    async def deliver(self, request: PushRequest) -> DeliveryReply:
        """The branch pushed, and its pull request opened or brought up to date."""
        _signature()


class FollowUpActivities:
    @activity.defn
    async def open_follow_up(self, request: FollowUpRequest) -> FollowUpReply:
        """The case that takes up what is left of a completed one, opened or told; again: the same one."""
        _signature()


class BugRecordActivities:
    """Short, and only the store: run as local activities; a claim that found something also as one of the server's."""

    @activity.defn
    async def load_bug(self, case: CaseId) -> BugCase:
        _signature()

    @activity.defn
    async def read_report(self, bug: BugCase) -> BugCase:
        """With severity, services and vagueness, as the report's own words say."""
        _signature()

    @activity.defn
    async def save_bug(self, request: SaveBug) -> None:
        _signature()

    @activity.defn
    async def fence_turn(self, request: ClaimRequest) -> bool:
        """No attempt at it can complete from now on. True: it was complete already."""
        _signature()

    @activity.defn
    async def messages_since(self, request: SinceRequest) -> list[Claimed]:
        """Everything said after a message, claimed or not."""
        _signature()


class BugActivities:
    @activity.defn
    async def keep_time(self, case: CaseId) -> None:
        """The SLA clock runs, and looks."""
        _signature()

    @activity.defn
    async def prepare_bug_workspace(self, bug: BugCase) -> Sha:
        """The commit the investigator reads."""
        _signature()

    @activity.defn
    async def open_fix(self, bug: BugCase) -> FixReply:
        """The issue case that fixes it, opened or told again."""
        _signature()


class PostActivities:
    @activity.defn
    async def say(self, request: SayRequest) -> int:
        """Say on the record what has no other thread to be said on, in order: how many posts, from the front. Only the
        store: run as a local activity."""
        _signature()

    @activity.defn
    async def post(self, request: PostRequest) -> None:
        """Say one post on every thread of the case whose audience fits, and on the record."""
        _signature()


class InvestigationActivities:
    @activity.defn
    async def run_investigation(self, request: BugTurnRequest) -> BugTurnReply:
        _signature()


class SlaActivities:
    @activity.defn
    async def load_sla(self, case: CaseId) -> SlaFacts:
        """Only the store: run as a local activity."""
        _signature()

    @activity.defn
    async def check_sla(self, request: CheckSla) -> None:
        """Do the one thing that is due at that time, if there is one: tell people, record it."""
        _signature()
