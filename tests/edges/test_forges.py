"""What every forge does alike: the same claims on a folder of this machine and on our own GitHub."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Protocol

import pytest

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId, RepositoryId, Sha
from caseworker.core.base.repositories import RepositoryRef
from caseworker.forges.local import LocalForge
from caseworker.forges.local_pulls import LocalPulls
from caseworker.forges.local_source import LocalSource
from caseworker.github_double.acts.merge_acts import merge_pull
from caseworker.github_double.acts.pull_acts import close_pull
from caseworker.github_double.acts.push_acts import set_ref, write_file
from caseworker.github_double.git_store import branches
from caseworker.ports import BranchIsTheirs, Forge, PullRequest, Workspace
from caseworker.store.store import Store, open_store
from caseworker.workspaces.git import SafeGit
from caseworker.workspaces.worktrees import GitWorkspaces
from tests.edges.github_shop import Shop, opened_shop
from tests.edges.repositories import new_repository

CASE = CaseId("acme/shop#1")
BRANCH = "agent/issue-1"


class Person(Protocol):
    """What a person does with the repository, in the way of its forge."""

    def commits(self, branch: str, name: str) -> Sha:
        """Adds a file to a branch and publishes it."""

    def makes_branch(self, branch: str) -> None: ...

    def deletes_branch(self, branch: str) -> None: ...

    def merges(self, number: int) -> None: ...


class LocalPerson:
    def __init__(self, folder: Path) -> None:
        self.repository = new_repository(folder, {"calc.py": "x = 1\n"})

    def commits(self, branch: str, name: str) -> Sha:
        self.repository.git("switch", "-q", branch)
        made = self.repository.commit({name: "theirs\n"})
        self.repository.git("switch", "-q", "main")
        return Sha(made)

    def makes_branch(self, branch: str) -> None:
        self.repository.git("branch", branch)

    def deletes_branch(self, branch: str) -> None:
        self.repository.git("branch", "-q", "-D", branch)

    def merges(self, number: int) -> None:
        self.repository.git("merge", "-q", "--no-ff", "--no-edit", BRANCH)


class GitHubPerson:
    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.olga = shop.people["olga"]

    def commits(self, branch: str, name: str) -> Sha:
        made = write_file(
            self.shop.state, self.olga, self.shop.repository, name, b"theirs\n", message="Theirs", branch=branch
        )
        return Sha(made)

    def makes_branch(self, branch: str) -> None:
        main = branches(self.shop.repository.path)["main"]
        set_ref(self.shop.state, self.olga, self.shop.repository, f"refs/heads/{branch}", main)

    def deletes_branch(self, branch: str) -> None:
        set_ref(self.shop.state, self.olga, self.shop.repository, f"refs/heads/{branch}", None)

    def merges(self, number: int) -> None:
        merge_pull(self.shop.state, self.olga, self.shop.repository.pulls[number])


class World:
    def __init__(self, *, forge: Forge, ref: RepositoryRef, store: Store, person: Person, home: Path) -> None:
        self.forge, self.ref, self.store, self.person = forge, ref, store, person
        self.workspaces = GitWorkspaces(home, source=forge.source, walls=False)
        self.workspace: Workspace
        self.id: RepositoryId

    async def work(self, files: dict[str, str], *, parent: Sha | None = None, name: str = "turn-1") -> Sha:
        self.workspace = await self.workspaces.prepare(CASE, self.ref, None)
        start = parent or self.workspace.base
        await self.workspaces.reset(self.workspace, start, scrub=False)
        for path, text in files.items():
            (self.workspace.path / path).write_text(text)
        return await self.workspaces.commit(self.workspace, "Fix it", parent=start, name=name)

    async def push(self, commit: Sha, *, expected: Sha | None = None, branch: str = BRANCH) -> None:
        await self.forge.source.push(self.ref, self.workspace, commit, branch=branch, expected=expected)

    async def head(self) -> Sha | None:
        return await self.forge.source.branch_head(self.ref, BRANCH)

    async def propose(self) -> PullRequest:
        commit = await self.work({"calc.py": "x = 2\n"})
        await self.push(commit)
        self.id = await self.store.repositories.register(self.ref)
        return await self.forge.pulls.open(self.draft(commit))

    def draft(self, commit: Sha) -> PullRequest:
        return PullRequest(
            repository=self.id,
            number=0,
            case=None,
            title="Fix",
            body="It.",
            base="main",
            head=BRANCH,
            head_sha=commit,
            state="open",
            url="",
        )


@pytest.fixture(params=["local", "github"])
async def world(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[World]:
    if request.param == "github":
        async with opened_shop(tmp_path) as shop:
            person: Person = GitHubPerson(shop)
            yield World(forge=shop.forge, ref=shop.ref, store=shop.store, person=person, home=tmp_path / "home")
        return
    store = await open_store(f"sqlite:///{tmp_path / 'caseworker.db'}")
    someone = LocalPerson(tmp_path / "calc")
    pulls = LocalPulls(repositories=store.repositories, records=store.pulls, git=SafeGit())
    forge = LocalForge(source=LocalSource(SafeGit()), pulls=pulls)
    yield World(forge=forge, ref=someone.repository.ref, store=store, person=someone, home=tmp_path / "home")
    await store.close()


async def test_the_head_is_the_default_branch_and_the_mirror_has_its_commit(world: World) -> None:
    head = await world.forge.source.head(world.ref)
    assert (head.branch, head.object_format) == ("main", "sha1")
    await world.work({})
    assert world.workspace.base == head.commit
    assert (world.workspace.path / "calc.py").read_text() == "x = 1\n"


async def test_a_push_makes_the_branch_and_may_be_repeated(world: World) -> None:
    commit = await world.work({"calc.py": "x = 2\n"})
    assert await world.head() is None
    for expected in (None, None, commit):
        await world.push(commit, expected=expected)
    assert await world.head() == commit


@pytest.mark.slow
async def test_a_push_replaces_our_own_commit(world: World) -> None:
    first = await world.work({"calc.py": "x = 2\n"})
    await world.push(first)
    other = await world.work({"calc.py": "x = 3\n"}, name="turn-2")
    await world.push(other, expected=first)
    assert await world.head() == other


async def test_a_persons_commit_is_never_overwritten(world: World) -> None:
    first = await world.work({"calc.py": "x = 2\n"})
    await world.push(first)
    theirs = world.person.commits(BRANCH, "theirs.txt")
    second = await world.work({"calc.py": "x = 3\n"}, parent=first, name="turn-2")
    for expected in (first, None, theirs):
        with pytest.raises(BranchIsTheirs, match="which Caseworker did not push; it won't overwrite a person's work"):
            await world.push(second, expected=expected)
    assert await world.head() == theirs


async def test_a_persons_commits_are_fetched_into_the_workspace(world: World) -> None:
    first = await world.work({"calc.py": "x = 2\n"})
    await world.push(first)
    theirs = world.person.commits(BRANCH, "theirs.txt")
    assert await world.forge.source.fetch_branch(world.ref, world.workspace, branch=BRANCH) == theirs
    assert await world.workspaces.changed(world.workspace, first, theirs) == ["theirs.txt"]
    assert await world.forge.source.fetch_branch(world.ref, world.workspace, branch="agent/issue-9") is None


@pytest.mark.slow
async def test_a_deleted_branch_is_made_again_only_if_it_was_seen_gone(world: World) -> None:
    first = await world.work({"calc.py": "x = 2\n"})
    await world.push(first)
    world.person.deletes_branch(BRANCH)
    second = await world.work({"calc.py": "x = 3\n"}, parent=first, name="turn-2")
    with pytest.raises(BranchIsTheirs, match=r"was deleted in .* since Caseworker pushed it"):
        await world.push(second, expected=first)
    await world.push(second)
    assert await world.head() == second


async def test_a_branch_that_we_did_not_make_is_theirs(world: World) -> None:
    world.person.makes_branch(BRANCH)
    with pytest.raises(BranchIsTheirs):
        await world.push(await world.work({"calc.py": "x = 2\n"}))


@pytest.mark.slow
@pytest.mark.parametrize("branch", ["main", "feature", "agentx"])
async def test_only_our_branches_are_pushed_to(world: World, branch: str) -> None:
    commit = await world.work({"calc.py": "x = 2\n"})
    with pytest.raises(Refused, match="only to branches under agent/"):
        await world.push(commit, branch=branch)


async def test_an_empty_change_is_not_pushed(world: World) -> None:
    commit = await world.work({})
    with pytest.raises(Refused, match="has changed nothing"):
        await world.push(commit)


async def test_the_numbers_of_existing_branches_are_taken(world: World) -> None:
    for name in ("agent/issue-3", "agent/issue-7/more", "agent/issue-x", "issue-5"):
        world.person.makes_branch(name)
    assert await world.forge.source.taken_numbers(world.ref) == {3, 7}


async def test_files_are_read_from_the_default_branch(world: World) -> None:
    assert await world.forge.source.file(world.ref, "calc.py") == b"x = 1\n"
    assert await world.forge.source.file(world.ref, "no/such.txt") is None


async def test_one_pull_request_is_opened_for_a_branch(world: World) -> None:
    opened = await world.propose()
    again = await world.forge.pulls.open(world.draft(opened.head_sha))
    assert again.number == opened.number == 1
    assert again.url == opened.url != ""
    found = await world.forge.pulls.find(world.id, BRANCH)
    assert found == opened
    assert await world.forge.pulls.find(world.id, "agent/issue-9") is None
    assert [one.number for one in await world.store.pulls.open_ones()] == [1]


@pytest.mark.slow
async def test_an_open_pull_request_gets_a_new_text_and_commit(world: World) -> None:
    opened = await world.propose()
    second = await world.work({"calc.py": "x = 3\n"}, parent=opened.head_sha, name="turn-2")
    await world.push(second, expected=opened.head_sha)
    wanted = opened.model_copy(update={"title": "Fix more", "body": "Both.", "head_sha": second})
    assert await world.forge.pulls.update(wanted) == wanted
    assert await world.store.pulls.find(world.id, BRANCH) == wanted


async def test_a_persons_merge_is_noticed_and_nothing_before_it(world: World) -> None:
    opened = await world.propose()
    assert await world.forge.pulls.settled() == []
    world.person.merges(opened.number)
    assert [(one.number, one.state) for one in await world.forge.pulls.settled()] == [(1, "merged")]


@pytest.mark.slow
async def test_a_closed_pull_request_on_github_is_noticed(tmp_path: Path) -> None:
    async with opened_shop(tmp_path) as shop:
        world = World(
            forge=shop.forge, ref=shop.ref, store=shop.store, person=GitHubPerson(shop), home=tmp_path / "home"
        )
        opened = await world.propose()
        close_pull(shop.state, shop.people["olga"], shop.repository.pulls[opened.number])
        assert [one.state for one in await shop.forge.pulls.settled()] == ["closed"]
