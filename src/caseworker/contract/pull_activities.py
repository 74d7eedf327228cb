"""The signatures of the activities of pull cases."""

from temporalio import activity

from caseworker.contract.activities import signature
from caseworker.contract.wire import (
    FailuresReply,
    HeadReply,
    KeepReply,
    OutlookReply,
    Postponed,
    PreparedReply,
    PublishReply,
    PullBuildReply,
    PullBuildRequest,
    PullRequestWork,
    PullTurnReply,
    PullTurnRequest,
    SavePull,
    SeenReply,
    UpdateReply,
)
from caseworker.core.base.ids import CaseId
from caseworker.core.pull.case import PullCase


class PullRecordActivities:
    """Short activities that use only the store, run as local activities."""

    @activity.defn
    async def load_pull(self, case: CaseId) -> PullCase:
        signature()

    @activity.defn
    async def save_pull(self, request: SavePull) -> None:
        signature()


class PullActivities:
    """What code does with a pull request. Each may be repeated: it looks before it acts again."""

    @activity.defn
    async def look_at_pull(self, request: PullRequestWork) -> SeenReply:
        """Read the pull request and judge it."""
        signature()

    @activity.defn
    async def see_head(self, request: PullRequestWork) -> HeadReply:
        """Whether the head is still the one that the work in hand began from."""
        signature()

    @activity.defn
    async def prepare_pull(self, request: PullRequestWork) -> PreparedReply:
        """Check out the head that was seen, in the case's worktree."""
        signature()

    @activity.defn
    async def read_failures(self, request: PullRequestWork) -> FailuresReply:
        """Read the failed checks of the head: their logs, the same checks on the base, all results on this commit."""
        signature()

    @activity.defn
    async def rerun_checks(self, request: PullRequestWork) -> Postponed | None:
        """Start flakes and failures of the service again, each once per attempt."""
        signature()

    @activity.defn
    async def bring_base_in(self, request: PullRequestWork) -> UpdateReply:
        """Bring the base into the branch, by git alone. Nothing is pushed."""
        signature()

    @activity.defn
    async def foresee_push(self, request: PullRequestWork) -> OutlookReply:
        """Which approvals a push would void."""
        signature()

    @activity.defn
    async def publish(self, request: PullRequestWork) -> PublishReply:
        """Push what is in hand, then post its findings or replies, each once."""
        signature()

    @activity.defn
    async def keep_work(self, request: PullRequestWork) -> KeepReply:
        """Put work that was set aside on a branch of ours, once."""
        signature()

    @activity.defn
    async def report_verdict(self, request: PullRequestWork) -> Postponed | None:
        """Show the verdict as a check run on the head."""
        signature()


class PullTurnActivities:
    @activity.defn
    async def run_pull_turn(self, request: PullTurnRequest) -> PullTurnReply:
        signature()


class PullBuildActivities:
    @activity.defn
    async def run_pull_build(self, request: PullBuildRequest) -> PullBuildReply:
        """Build and test the commit that is to be pushed, and compare it with the base."""
        signature()
