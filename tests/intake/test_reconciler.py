"""The reconciler tells cases what people did with their pull requests."""

from collections.abc import Sequence

from caseworker.core.base.ids import CaseId, RepositoryId
from caseworker.core.people.commands import MessageKind
from caseworker.forges.local import LocalForge
from caseworker.forges.local_source import LocalSource
from caseworker.intake.reconciler import Reconciler
from caseworker.ports import PullRequest
from caseworker.store.store import Store
from caseworker.workspaces.git import SafeGit
from tests.edges.store_examples import open_case, pull
from tests.intake.bell import RecordingBell


class Bell(RecordingBell):
    async def wake_sla_clock(self, case: CaseId) -> None:
        raise NotImplementedError

    async def make_way(self) -> set[CaseId]:
        raise NotImplementedError

    async def listening(self) -> set[CaseId]:
        raise NotImplementedError


class Merged:
    """`Pulls` in which all pull requests have been merged."""

    def __init__(self, pulls: Sequence[PullRequest]) -> None:
        self.pulls = pulls

    async def settled(self) -> list[PullRequest]:
        return [pull.model_copy(update={"state": "merged"}) for pull in self.pulls]

    async def find(self, repository: RepositoryId, head: str) -> PullRequest | None:
        raise NotImplementedError

    async def open(self, pull: PullRequest) -> PullRequest:
        raise NotImplementedError

    async def update(self, pull: PullRequest) -> PullRequest:
        raise NotImplementedError


async def test_a_merge_is_told_to_its_case(store: Store) -> None:
    case = await open_case(store)
    ours = await store.pulls.create(pull(case))
    bell, forge = Bell(), LocalForge(source=LocalSource(SafeGit()), pulls=Merged([ours]))
    await Reconciler(store=store, doorbell=bell, forge=forge).look_at_pull_requests()
    assert [(rung, kind) for rung, _, kind in bell.rung] == [(case, MessageKind.MERGED)]
    assert [found.state for found in await store.pulls.of(case)] == ["merged"]
    told = (await store.inbox.of(case))[-1].text
    assert told == f"Pull request {ours.number} was merged."


async def test_a_merge_without_a_case_is_told_to_nobody(store: Store) -> None:
    await open_case(store)
    other = await store.pulls.create(pull(None, head="their-branch"))
    bell, forge = Bell(), LocalForge(source=LocalSource(SafeGit()), pulls=Merged([other]))
    await Reconciler(store=store, doorbell=bell, forge=forge).look_at_pull_requests()
    assert bell.rung == []


async def test_the_merge_of_a_local_branch_is_told_as_a_branch(store: Store) -> None:
    case = await open_case(store)
    ours = await store.pulls.create(pull(case).model_copy(update={"url": "file:///srv/shop"}))
    forge = LocalForge(source=LocalSource(SafeGit()), pulls=Merged([ours]))
    await Reconciler(store=store, doorbell=Bell(), forge=forge).look_at_pull_requests()
    assert (await store.inbox.of(case))[-1].text == f"Branch {ours.head} was merged."
