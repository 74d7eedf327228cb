"""Port to what is known about red checks of a pull request, and to running them again."""

from collections.abc import Sequence
from typing import Literal, Protocol, TypeAlias

from caseworker.core.base.ids import Sha
from caseworker.core.base.repositories import RepositoryRef
from caseworker.core.pull.ci_minutes import CiMinutes
from caseworker.core.pull.failures import FailedCheck, WorkflowAttempt
from caseworker.core.pull.pull_facts import PullFacts

RerunOutcome: TypeAlias = Literal["begun", "begun_before", "still_running", "refused"]
"""`begun_before`: there is a newer attempt already, whoever asked for it. `still_running`: other jobs of this attempt
have not ended; ask again then. `refused`: the forge does not run it again, as after 30 days or 50 attempts."""


class PullFailures(Protocol):
    async def failed(self, repository: RepositoryRef, facts: PullFacts) -> Sequence[FailedCheck]:
        """The checks of these facts that failed, required ones first, with all that is known of them.

        Of many, only the first ones have log and annotations; the others say so in `unread`. Read-only. `Transient`: it
        could not be read.
        """

    async def rerun(self, repository: RepositoryRef, attempt: WorkflowAttempt) -> RerunOutcome:
        """Have the failed jobs of a workflow run tried again, once per attempt: a repeated call finds the new one."""

    async def minutes(self, repository: RepositoryRef, commits: Sequence[Sha]) -> CiMinutes:
        """What the workflow runs on these commits took, with all their attempts."""
