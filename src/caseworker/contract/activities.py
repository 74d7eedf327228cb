"""The signatures of all activities. Flows call these; `activities/` overrides them under the same names."""

from typing import NoReturn

from temporalio import activity

from caseworker.contract.wire import (
    BugTurnReply,
    BugTurnRequest,
    BuildReply,
    BuildRequest,
    CheckSla,
    ChecksReply,
    ClaimRequest,
    DeliveryReply,
    FilesFetched,
    FixReply,
    FollowUpReply,
    FollowUpRequest,
    MoveRequest,
    Postponed,
    PostRequest,
    PullReply,
    PushReply,
    PushRequest,
    SaveBug,
    SayRequest,
    SettleRequest,
    SinceRequest,
    StallRequest,
    TurnReply,
    TurnRequest,
)
from caseworker.core.base.ids import CaseId, MessageId, Sha
from caseworker.core.base.policy import Policy
from caseworker.core.bug.case import BugCase
from caseworker.core.issue.case import IssueCase
from caseworker.core.people.messages import Claimed
from caseworker.core.sla.clock import SlaFacts


def signature() -> NoReturn:
    raise NotImplementedError("a signature: caseworker.activities has the body")


class CaseActivities:
    """What every kind of case needs of the store, run as local activities. A claim that found messages runs again on
    the server."""

    @activity.defn
    async def claim_messages(self, request: ClaimRequest) -> list[Claimed]:
        signature()

    @activity.defn
    async def given_to(self, request: ClaimRequest) -> list[MessageId]:
        """The messages that a turn was given, before it began or while it worked, and that have no outcome yet."""
        signature()

    @activity.defn
    async def remarks_to(self, request: ClaimRequest) -> list[MessageId]:
        """The messages that a turn was given, before it began or while it worked, and that ask for something."""
        signature()

    @activity.defn
    async def settle_messages(self, request: SettleRequest) -> None:
        signature()

    @activity.defn
    async def record_stall(self, request: StallRequest) -> None:
        """Tell on the record that a turn has to wait, and until when."""
        signature()


class RecordActivities:
    """The record of an issue case: short activities that use only the store, run as local activities."""

    @activity.defn
    async def load_case(self, case: CaseId) -> IssueCase:
        signature()

    @activity.defn
    async def record_move(self, request: MoveRequest) -> None:
        signature()

    @activity.defn
    async def renew_policy(self, policy: Policy) -> Policy:
        """The policy with those settings of today that count for cases that were opened earlier."""
        signature()

    @activity.defn
    async def save_case(self, case: IssueCase) -> None:
        """Save the snapshot without a move; one that is older than the stored one is not saved."""
        signature()


class WorkspaceActivities:
    @activity.defn
    async def prepare_workspace(self, case: IssueCase) -> Sha:
        """Prepare the worktree. Returns the commit the case starts from."""
        signature()

    @activity.defn
    async def remove_workspace(self, case: CaseId) -> None:
        signature()


class TurnActivities:
    @activity.defn
    async def run_turn(self, request: TurnRequest) -> TurnReply:
        signature()


class BuildActivities:
    @activity.defn
    async def run_build(self, request: BuildRequest) -> BuildReply:
        signature()


class DeliveryActivities:
    @activity.defn
    async def push_branch(self, request: PushRequest) -> PushReply:
        signature()

    @activity.defn
    async def keep_branch(self, request: PushRequest) -> PushReply:
        """Push the work of a case that waits for a person to where that person finds it, each commit once."""
        signature()

    @activity.defn
    async def adopt_branch(self, request: PushRequest) -> PushReply:
        """Merge what a person has pushed to the case's branch with the case's work."""
        signature()

    @activity.defn
    async def open_pull_request(self, request: PushRequest) -> PullReply:
        signature()

    @activity.defn
    async def deliver(self, request: PushRequest) -> DeliveryReply:
        """Push the branch, and open or update its pull request."""
        signature()


class CheckActivities:
    @activity.defn
    async def read_checks(self, case: IssueCase) -> ChecksReply:
        """Read the pull request and the forge's checks of its commit."""
        signature()


class FollowUpActivities:
    @activity.defn
    async def open_follow_up(self, request: FollowUpRequest) -> FollowUpReply:
        """Open the follow-up of a completed case, or send messages to the open one. Repeated calls find the same."""
        signature()


class BugRecordActivities:
    """Short activities that use only the store, run as local activities. A claim that found messages runs again on the
    server."""

    @activity.defn
    async def load_bug(self, case: CaseId) -> BugCase:
        signature()

    @activity.defn
    async def read_report(self, bug: BugCase) -> BugCase:
        """Read severity, services and vagueness from the report's text."""
        signature()

    @activity.defn
    async def save_bug(self, request: SaveBug) -> None:
        signature()

    @activity.defn
    async def fence_turn(self, request: ClaimRequest) -> bool:
        """Keep any attempt at the turn from completing. True: the turn was complete already."""
        signature()

    @activity.defn
    async def has_files(self, case: CaseId) -> bool:
        """Whether people attached files to their messages."""
        signature()

    @activity.defn
    async def messages_since(self, request: SinceRequest) -> list[Claimed]:
        """All messages after a given one, claimed or not."""
        signature()


class BugActivities:
    @activity.defn
    async def wake_sla_clock(self, case: CaseId) -> None:
        """Start the SLA clock of a bug case, or make it look again."""
        signature()

    @activity.defn
    async def prepare_bug_workspace(self, bug: BugCase) -> Sha:
        """Prepare the worktree. Returns the commit the investigator reads."""
        signature()

    @activity.defn
    async def fetch_files(self, case: CaseId) -> FilesFetched:
        """Fetch the files that people attached."""
        signature()

    @activity.defn
    async def stop_fix(self, bug: BugCase) -> None:
        """Close the issue case that fixes the bug, for the developer who wants that."""
        signature()

    @activity.defn
    async def open_fix(self, bug: BugCase) -> FixReply:
        """Open the issue case that fixes the bug, or send it the newer findings."""
        signature()


class PostActivities:
    @activity.defn
    async def say(self, request: SayRequest) -> int:
        """Record posts, in order, up to the first one that a chat thread needs; returns how many. Uses only the store:
        run as a local activity."""
        signature()

    @activity.defn
    async def post(self, request: PostRequest) -> Postponed | None:
        """Publish one post on every thread of the case whose audience fits, and on the record."""
        signature()


class InvestigationActivities:
    @activity.defn
    async def run_investigation(self, request: BugTurnRequest) -> BugTurnReply:
        signature()


class SlaActivities:
    @activity.defn
    async def load_sla(self, case: CaseId) -> SlaFacts:
        """Uses only the store: run as a local activity."""
        signature()

    @activity.defn
    async def check_sla(self, request: CheckSla) -> Postponed | None:
        """Do the one thing that is due at that time, if any: tell people and record it. Null: it is done."""
        signature()
