"""Collects what a dispatch is decided on: the person's standing, the target as it is now, the case and its runs."""

from collections.abc import Awaitable, Callable, Set
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from caseworker.core.base.policy import Policy
from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.issue.case import limit_of
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.issue.turns import at_work
from caseworker.core.people.forge_roles import standing_of
from caseworker.core.people.messages import Standing
from caseworker.core.people.registry import OF_MILESTONE, TargetKind
from caseworker.core.people.trigger import PHRASE
from caseworker.core.pull.case import PullState
from caseworker.core.runs.dispatch import CaseFacts, ParentFacts
from caseworker.core.runs.run import Run, RunState
from caseworker.intake.github_events import OnTarget, Person
from caseworker.ports import Store, StoredCase, StoredPull
from caseworker.ports.github import Classifier, GitHubReads, GitHubWrites, Target, thread_on

OnGitHub: TypeAlias = StoredCase | StoredPull
"""Cases that have a thread on GitHub of their own."""


@dataclass(frozen=True, kw_only=True)
class GitHubPlace:
    """What this deployment serves on GitHub, and for whom."""

    bot: str
    """The login of our App or token: what it writes is never answered."""
    is_person: bool = False
    """The login is a person's, who speaks under it, too: ours is only what carries our mark."""
    policy: Callable[[RemoteRepository], Awaitable[Policy]]
    """The policy for a new case of this repository."""
    serves: Callable[[RemoteRepository], bool] = lambda _: True
    owners: Set[str] = frozenset()
    phrase: str = PHRASE
    rehearsal: str | None = None


@dataclass(frozen=True, kw_only=True)
class GitHubPorts:
    reads: GitHubReads
    writes: GitHubWrites
    classifier: Classifier | None = None
    """None: only literal commands are understood."""


class GitHubFacts:
    """Asks the store and GitHub. Nothing is remembered: roles, labels and cases change."""

    def __init__(self, *, store: Store, reads: GitHubReads, place: GitHubPlace) -> None:
        self._store = store
        self._reads = reads
        self._place = place

    def is_us(self, person: Person) -> bool:
        return not self._place.is_person and person.login.casefold() == self._place.bot.casefold()

    async def target(self, event: OnTarget) -> Target | None:
        return await self._reads.target(event.repository, event.number)

    async def standing(self, event: OnTarget, person: Person, target: Target | None) -> Standing:
        role = await self._reads.role(event.repository, person.login)
        opened_it = target is not None and target.author.casefold() == person.login.casefold()
        return standing_of(person.login, role, self._place.owners, opened_it=opened_it)

    async def case(self, event: OnTarget) -> OnGitHub | None:
        """The case that takes what people write here. Below a pull request that is its pull case while a session is in
        flight, otherwise the issue case that opened it, if that goes on."""
        own = await self.own_case(event)
        if own is None or (isinstance(own, StoredPull) and own.case.is_over):
            parent = await self.parent(event)
            return own if parent is None or (own is not None and parent.case.is_over) else parent
        return own

    async def own_case(self, event: OnTarget) -> OnGitHub | None:
        """The case of the issue or pull request itself."""
        found = await self._store.threads.find(thread_on(event.repository, event.number))
        stored = None if found is None else await self._store.cases.find(found[0])
        return stored if isinstance(stored, StoredCase | StoredPull) else None

    async def session(self, event: OnTarget) -> StoredPull | None:
        """The pull case here, if its session is in flight."""
        own = await self.own_case(event)
        return own if isinstance(own, StoredPull) and not own.case.is_over else None

    async def parent(self, event: OnTarget) -> StoredCase | None:
        """The issue case that opened this pull request."""
        if event.target is not TargetKind.PULL:
            return None
        repository = await self._store.repositories.register(event.repository)
        pull = await self._store.pulls.numbered(repository, event.number)
        return None if pull is None or pull.case is None else await self._store.cases.load(pull.case)

    async def about(self, stored: OnGitHub | None) -> CaseFacts | None:
        return None if stored is None else case_facts(stored, await self._store.runs.of(stored.case.id))


def case_facts(stored: OnGitHub, runs: list[Run]) -> CaseFacts:
    in_flight = [run.workflow for run in runs if run.ended_at is None]
    known = CaseFacts(
        done=_done(runs),
        in_flight=in_flight[-1] if in_flight else None,
        last=runs[-1].workflow if runs else None,
        is_over=stored.case.is_over,
    )
    match stored:
        case StoredPull():
            return known.model_copy(update={"is_paused": stored.case.state is PullState.PAUSED})
        case StoredCase():
            waits = stored.case.waits_for is WaitingFor.MILESTONE
            limit = limit_of(stored.case, stored.policy) if waits else None
            has_pull = stored.case.delivery.pull_request is not None
            return known.model_copy(update={"waits_at": limit, "has_pull": has_pull})
        case _:
            assert_never(stored)


def parent_facts(parent: StoredCase | None) -> ParentFacts | None:
    return None if parent is None else ParentFacts(case=parent.case.id, is_at_work=at_work(parent.case))


def _done(runs: list[Run]) -> frozenset[WorkflowName]:
    """Workflows whose output is there: a run that went further has the output of those before it, too."""
    order = list(OF_MILESTONE.values())
    ended = [run.workflow for run in runs if run.state is RunState.SUCCEEDED and run.workflow in order]
    return frozenset(done for workflow in ended for done in order[: order.index(workflow) + 1])
