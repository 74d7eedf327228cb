"""Collects what a dispatch is decided on: the person's standing, the target as it is now, the case and its runs."""

from collections.abc import Awaitable, Callable, Set
from dataclasses import dataclass
from typing import Final

from caseworker.core.base.policy import Policy
from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.issue.case import limit_of
from caseworker.core.issue.states import TERMINAL
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.people.forge_roles import standing_of
from caseworker.core.people.messages import Standing
from caseworker.core.people.trigger import PHRASE
from caseworker.core.runs.dispatch import MILESTONE_OF, CaseFacts
from caseworker.core.runs.run import Run, RunState
from caseworker.core.runs.workflow_names import WorkflowName
from caseworker.intake.github_events import OnTarget, Person, name_of
from caseworker.ports import Store, StoredCase, Thread
from caseworker.ports.github import Classifier, GitHubReads, GitHubWrites, Target

SURFACE: Final = "github"


@dataclass(frozen=True, kw_only=True)
class GitHubPlace:
    """What this deployment serves on GitHub, and for whom."""

    bot: str
    """The login of our App or token: what it writes is never answered."""
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
        return person.login.casefold() == self._place.bot.casefold()

    async def target(self, event: OnTarget) -> Target | None:
        return await self._reads.target(event.repository, event.number)

    async def standing(self, event: OnTarget, person: Person, target: Target | None) -> Standing:
        role = await self._reads.role(event.repository, person.login)
        opened_it = target is not None and target.author.casefold() == person.login.casefold()
        return standing_of(person.login, role, self._place.owners, opened_it=opened_it)

    async def case(self, event: OnTarget) -> StoredCase | None:
        found = await self._store.threads.find(thread_of(event))
        return None if found is None else await self._store.cases.load(found[0])

    async def about(self, stored: StoredCase | None) -> CaseFacts | None:
        return None if stored is None else case_facts(stored, await self._store.runs.of(stored.case.id))


def case_facts(stored: StoredCase, runs: list[Run]) -> CaseFacts:
    in_flight = [run.workflow for run in runs if run.ended_at is None]
    waits = stored.case.waits_for is WaitingFor.MILESTONE
    return CaseFacts(
        done=_done(runs),
        in_flight=in_flight[-1] if in_flight else None,
        last=runs[-1].workflow if runs else None,
        waits_at=limit_of(stored.case, stored.policy) if waits else None,
        has_pull=stored.case.delivery.pull_request is not None,
        is_over=is_over(stored),
    )


def _done(runs: list[Run]) -> frozenset[WorkflowName]:
    """Workflows whose output is there: a run that went further has the output of those before it, too."""
    order = list(MILESTONE_OF)
    ended = [run.workflow for run in runs if run.state is RunState.SUCCEEDED and run.workflow in order]
    return frozenset(done for workflow in ended for done in order[: order.index(workflow) + 1])


def is_over(stored: StoredCase) -> bool:
    return stored.case.state in TERMINAL


def thread_of(event: OnTarget) -> Thread:
    return issue_thread(event.repository, event.number)


def issue_thread(repository: RemoteRepository, number: int) -> Thread:
    """The discussion below an issue or pull request."""
    return Thread(surface=SURFACE, channel=name_of(repository), anchor=str(number))
