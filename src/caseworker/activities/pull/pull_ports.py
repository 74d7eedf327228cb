"""What the activities of a pull case use besides the store: the forge's side of pull requests, and their branches."""

from dataclasses import dataclass
from typing import Protocol

from caseworker.core.base.redaction import Redactor
from caseworker.core.base.repositories import RepositoryRef
from caseworker.core.pull.case import PullCase
from caseworker.core.pull.pull_facts import PullFacts
from caseworker.core.telling.verdict_words import ReadyCheck
from caseworker.ports import Builder, Store, StoredPull, Workspaces
from caseworker.ports.pull_branches import PullBranches, PullPlace
from caseworker.ports.pull_failures import PullFailures
from caseworker.ports.pull_probe import PullProbe
from caseworker.ports.pull_threads import PullThreads


class VerdictReports(Protocol):
    async def report(self, repository: RepositoryRef, check: ReadyCheck, *, key: str) -> bool:
        """Show the verdict on the head, as a check run or a status. False: this account may write neither."""

    async def whoami(self) -> str:
        """The login under which we write."""


class PullForge(Protocol):
    """A forge's side of pull requests."""

    @property
    def probe(self) -> PullProbe: ...
    @property
    def failures(self) -> PullFailures: ...
    @property
    def verdicts(self) -> VerdictReports: ...
    @property
    def threads(self) -> PullThreads: ...
    @property
    def redactor(self) -> Redactor:
        """Takes the secrets of this deployment out of what is posted."""


@dataclass(frozen=True, kw_only=True)
class PullPorts:
    store: Store
    workspaces: Workspaces
    builder: Builder
    branches: PullBranches
    forge: PullForge

    async def look(self, stored: StoredPull) -> PullFacts:
        return await self.forge.probe.look(await self.store.repositories.ref(stored.repository), stored.number)

    async def place(self, stored: StoredPull, case: PullCase) -> PullPlace:
        return PullPlace(
            repository=await self.store.repositories.ref(stored.repository),
            number=stored.number,
            branch=case.sight.head_branch,
            base_branch=case.sight.base_branch,
            is_fork=case.sight.is_fork,
        )
