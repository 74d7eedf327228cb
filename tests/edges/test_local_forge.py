"""The local forge on real repositories: it pushes only our own branch, and notices what people did."""

from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Literal

import pytest

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId, RepositoryId, Sha
from caseworker.core.base.repositories import LocalRepository, RemoteRepository, RepositoryRef
from caseworker.forges.local import LocalForge
from caseworker.forges.local_pulls import LocalPulls
from caseworker.forges.local_source import LocalSource
from caseworker.ports import BranchIsTheirs, Git, Issue, NewIssue, PullRequest, Workspace
from caseworker.workspaces.git import SafeGit
from tests.edges.counting import CountingGit
from tests.edges.repositories import Repository, git, local_workspaces, new_repository
from tests.permutations import mostly_slow

CASE = CaseId("local/calc#1")
ID = RepositoryId("local/calc")
BRANCH = "agent/issue-1"


class Shelf:
    """`Repositories` and `PullRecords` in memory."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.pulls: list[PullRequest] = []

    async def register(self, repository: RepositoryRef) -> RepositoryId:
        raise NotImplementedError

    async def ref(self, repository: RepositoryId) -> RepositoryRef:
        assert repository == ID
        return LocalRepository(path=self.path)

    async def new_issue(
        self, repository: RepositoryId, issue: NewIssue, *, taken: AbstractSet[int] = frozenset()
    ) -> Issue:
        raise NotImplementedError

    async def issue(self, repository: RepositoryId, number: int) -> Issue | None:
        raise NotImplementedError

    async def issues(self, repository: RepositoryId) -> list[Issue]:
        raise NotImplementedError

    async def create(self, pull: PullRequest) -> PullRequest:
        self.pulls.append(pull.model_copy(update={"number": len(self.pulls) + 1}))
        return self.pulls[-1]

    async def keep(self, pull: PullRequest) -> PullRequest:
        raise NotImplementedError

    async def numbered(self, repository: RepositoryId, number: int) -> PullRequest | None:
        raise NotImplementedError

    async def update(self, pull: PullRequest) -> PullRequest:
        self.pulls[pull.number - 1] = pull
        return pull

    async def find(self, repository: RepositoryId, head: str) -> PullRequest | None:
        return next((pull for pull in reversed(self.pulls) if pull.head == head), None)

    async def of(self, case: CaseId) -> list[PullRequest]:
        return [pull for pull in self.pulls if pull.case == case]

    async def open_ones(self) -> list[PullRequest]:
        return [pull for pull in self.pulls if pull.state == "open"]

    async def with_commit(self, commit: Sha) -> list[PullRequest]:
        return [pull for pull in self.pulls if pull.state == "open" and pull.head_sha == commit]

    async def set_state(
        self, repository: RepositoryId, number: int, state: Literal["open", "merged", "closed"]
    ) -> None:
        raise NotImplementedError


class World:
    """One repository, its case's workspace, and the forge between them, with a clock that the test sets."""

    def __init__(self, tmp_path: Path) -> None:
        self.now = 0.0
        self.repository = new_repository(tmp_path / "calc", {"calc.py": "x = 1\n", "notes.txt": "a\nb\nc\n"})
        self.workspaces = local_workspaces(tmp_path / "home")
        self.shelf = Shelf(self.repository.path)
        self.forge = self.forge_with(SafeGit())
        self.workspace: Workspace

    def forge_with(self, git: Git) -> LocalForge:
        pulls = LocalPulls(
            repositories=self.shelf, records=self.shelf, git=git, gone_seconds=60, clock=lambda: self.now
        )
        return LocalForge(source=LocalSource(git), pulls=pulls)

    @property
    def ref(self) -> LocalRepository:
        """The repository that is pushed to."""
        return LocalRepository(path=self.shelf.path)

    async def head(self) -> Sha | None:
        return await self.forge.source.branch_head(self.ref, BRANCH)

    async def work(self, files: dict[str, str], *, parent: Sha | None = None, name: str = "turn-1") -> Sha:
        self.workspace = await self.workspaces.prepare(CASE, self.repository.ref, None)
        await self.workspaces.reset(self.workspace, parent or self.workspace.base, scrub=False)
        for path, text in files.items():
            (self.workspace.path / path).write_text(text)
        return await self.workspaces.commit(self.workspace, "Fix it", parent=parent or self.workspace.base, name=name)

    async def push(self, commit: Sha, *, expected: Sha | None = None, branch: str = BRANCH) -> None:
        await self.forge.source.push(self.ref, self.workspace, commit, branch=branch, expected=expected)

    async def propose(self, files: dict[str, str] | None = None) -> Sha:
        commit = await self.work(files or {"calc.py": "x = 2\n"})
        await self.push(commit)
        await self.forge.pulls.open(
            PullRequest(
                repository=ID,
                number=0,
                case=CASE,
                title="Fix",
                body="",
                base="main",
                head=BRANCH,
                head_sha=commit,
                state="open",
                url="",
            )
        )
        return commit

    async def fetch(self) -> Sha | None:
        return await self.forge.source.fetch_branch(self.ref, self.workspace, branch=BRANCH)

    def person_pushes(self, files: dict[str, str]) -> Sha:
        self.repository.git("switch", "-q", BRANCH)
        theirs = Sha(self.repository.commit(files))
        self.repository.git("switch", "-q", "main")
        return theirs

    async def settled(self, *, after: float = 5) -> list[str]:
        self.now += after
        return [pull.state for pull in await self.forge.pulls.settled()]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


async def test_a_push_makes_the_branch_and_leaves_a_dirty_checkout_alone(world: World) -> None:
    world.repository.write({"calc.py": "dirty\n", "mine.txt": "untracked\n"})
    world.repository.git("add", "mine.txt")
    before = world.repository.state()
    commit = await world.work({"calc.py": "x = 2\n"})
    assert await world.head() is None
    await world.push(commit)
    assert await world.head() == commit
    assert world.repository.state() == before


async def test_a_detached_or_bare_repository_can_be_pushed_to(world: World, tmp_path: Path) -> None:
    world.repository.git("switch", "-q", "--detach")
    before = world.repository.state()
    commit = await world.work({"calc.py": "x = 2\n"})
    await world.push(commit)
    assert world.repository.state() == before
    git(tmp_path, "clone", "-q", "--bare", str(world.repository.path), "bare.git")
    git(tmp_path / "bare.git", "update-ref", "-d", f"refs/heads/{BRANCH}")
    world.shelf.path = tmp_path / "bare.git"
    await world.push(commit)
    assert await world.head() == commit


async def test_a_shallow_repository_can_be_pushed_to(world: World, tmp_path: Path) -> None:
    world.repository.commit({"more.txt": "1"})
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{world.repository.path}", "shallow")
    world.shelf.path = tmp_path / "shallow"
    world.repository = Repository(tmp_path / "shallow")
    commit = await world.work({"calc.py": "x = 2\n"})
    await world.push(commit)
    assert git(tmp_path / "shallow", "show", f"{BRANCH}:calc.py") == "x = 2"


async def test_pushing_again_moves_our_branch_forward_or_sideways(world: World) -> None:
    first = await world.work({"calc.py": "x = 2\n"})
    await world.push(first)
    await world.push(first)  # repeated after an unknown result
    second = await world.work({"calc.py": "x = 3\n"}, parent=first, name="turn-2")
    await world.push(second, expected=first)
    other = await world.work({"calc.py": "x = 4\n"}, name="turn-3")
    await world.push(other, expected=second)
    assert await world.head() == other


async def test_a_persons_commit_on_the_branch_is_never_overwritten(world: World) -> None:
    first = await world.work({"calc.py": "x = 2\n"})
    await world.push(first)
    theirs = world.person_pushes({"calc.py": "x = 99\n"})
    second = await world.work({"calc.py": "x = 3\n"}, parent=first, name="turn-2")
    for expected in (first, None, theirs):  # even when the caller says that it saw that commit
        with pytest.raises(BranchIsTheirs, match="won't overwrite a person's work"):
            await world.push(second, expected=expected)
    assert await world.head() == theirs


async def test_a_persons_commit_below_ours_is_not_dropped_later(world: World) -> None:
    first = await world.work({"calc.py": "x = 2\n"})
    await world.push(first)
    theirs = world.person_pushes({"notes.txt": "theirs\n"})
    assert await world.fetch() == theirs
    on_top = await world.work({"calc.py": "x = 3\n"}, parent=theirs, name="turn-2")
    await world.push(on_top, expected=theirs)
    beside = await world.work({"calc.py": "x = 4\n"}, name="turn-3")
    with pytest.raises(BranchIsTheirs):
        await world.push(beside, expected=on_top)
    assert await world.head() == on_top


async def test_the_commit_where_a_case_started_is_not_dropped(world: World) -> None:
    first = await world.work({"calc.py": "x = 2\n"})
    await world.push(first)
    main = Sha(world.repository.commit({"more.txt": "1\n"}))
    await world.workspaces.prepare(CaseId("local/calc#2"), world.repository.ref, None)  # keeps it under a ref
    world.repository.git("branch", "-f", BRANCH, "main")
    second = await world.work({"calc.py": "x = 3\n"}, parent=first, name="turn-2")
    with pytest.raises(BranchIsTheirs):
        await world.push(second, expected=main)


async def test_a_branch_is_fetched_with_what_people_have_pushed(world: World) -> None:
    first = await world.work({"calc.py": "x = 2\n"})
    assert await world.fetch() is None
    await world.push(first)
    assert await world.fetch() == first
    theirs = world.person_pushes({"notes.txt": "theirs\n"})
    before = world.repository.state()
    for _ in range(2):
        assert await world.fetch() == theirs
    assert await world.workspaces.changed(world.workspace, first, theirs) == ["notes.txt"]
    assert world.repository.state() == before


async def test_a_deleted_branch_is_made_again_only_if_the_caller_saw_it_gone(world: World) -> None:
    first = await world.work({"calc.py": "x = 2\n"})
    await world.push(first)
    world.repository.git("branch", "-q", "-D", BRANCH)
    second = await world.work({"calc.py": "x = 3\n"}, parent=first, name="turn-2")
    with pytest.raises(Refused) as refused:
        await world.push(second, expected=first)
    assert str(refused.value) == (
        f"{BRANCH} was deleted in {world.repository.path} since Caseworker pushed it. "
        "Then type: caseworker retry calc/1"
    )
    await world.push(second)
    assert await world.head() == second


async def test_an_existing_branch_is_refused_with_what_to_do(world: World) -> None:
    world.repository.git("branch", BRANCH)
    commit = await world.work({"calc.py": "x = 2\n"})
    with pytest.raises(Refused) as refused:
        await world.push(commit)
    path, there = world.repository.path, world.repository.head()[:12]
    assert str(refused.value) == (
        f"{BRANCH} in {path} is at {there}, which Caseworker did not push; it won't overwrite a person's work. "
        f"Merge it, or rename or delete it (git -C {path} branch -m {BRANCH} <other name>). "
        "Then type: caseworker retry calc/1"
    )


async def test_a_repository_that_is_not_on_this_disk_is_refused(world: World) -> None:
    shop = RemoteRepository(host="github.com", owner="acme", name="shop")
    with pytest.raises(Refused, match=r"^github\.com/acme/shop is not a folder of this machine\."):
        await world.forge.source.head(shop)


async def test_the_numbers_of_existing_branches_are_taken(world: World) -> None:
    assert await world.forge.source.taken_numbers(world.ref) == set()
    for name in ("agent/issue-1", "agent/issue-42", "agent/issue-7/more", "agent/issue-x", "agent/issue-1x", "issue-5"):
        world.repository.git("branch", name)
    assert await world.forge.source.taken_numbers(world.ref) == {1, 7, 42}


async def test_an_empty_change_is_not_pushed_because_it_would_look_merged(world: World) -> None:
    commit = await world.work({})
    assert commit == world.workspace.base
    with pytest.raises(Refused, match=r"^local/calc#1 has changed nothing\. Say what"):
        await world.push(commit)
    assert await world.head() is None


async def test_a_checked_out_branch_is_refused_with_what_to_do(world: World, tmp_path: Path) -> None:
    first = await world.work({"calc.py": "x = 2\n"})
    await world.push(first)
    second = await world.work({"calc.py": "x = 3\n"}, parent=first, name="turn-2")
    world.repository.git("worktree", "add", "-q", str(tmp_path / "elsewhere"), BRANCH)
    with pytest.raises(Refused) as refused:
        await world.push(second, expected=first)
    assert str(refused.value) == (
        f"{BRANCH} is checked out in {tmp_path}/elsewhere; moving it would change what you are working on. "
        f"Switch to another branch (git -C {tmp_path}/elsewhere switch -); what you have committed there "
        "is taken over. Then type: caseworker retry calc/1"
    )
    await world.push(first, expected=first)  # it is there already: nothing moves


async def test_a_checked_out_branch_without_a_commit_is_refused_too(world: World) -> None:
    commit = await world.work({"calc.py": "x = 2\n"})
    world.repository.git("symbolic-ref", "HEAD", f"refs/heads/{BRANCH}")
    with pytest.raises(Refused, match=f"{BRANCH} is checked out in {world.repository.path}; moving it would"):
        await world.push(commit)
    assert await world.head() is None


async def test_a_repeated_first_push_succeeds_and_overwrites_nothing(world: World, tmp_path: Path) -> None:
    commit = await world.work({"calc.py": "x = 2\n"})
    for _ in range(2):
        await world.push(commit)
    world.repository.git("worktree", "add", "-q", str(tmp_path / "elsewhere"), BRANCH)
    await world.push(commit)
    other = await world.work({"calc.py": "x = 3\n"}, name="turn-2")
    with pytest.raises(Refused, match=f"is checked out in {tmp_path}/elsewhere; moving"):
        await world.push(other)
    assert await world.head() == commit


async def test_the_branch_is_matched_exactly_in_a_folder_of_any_name(world: World, tmp_path: Path) -> None:
    first = await world.work({"calc.py": "x = 2\n"})
    world.repository.git("worktree", "add", "-q", "-b", f"{BRANCH}0", str(tmp_path / "not it"))
    world.repository.git("branch", "agent/a-branch")
    await world.push(first)
    world.repository.git("worktree", "add", "-q", str(tmp_path / "a folder with spaces"), BRANCH)
    second = await world.work({"calc.py": "x = 3\n"}, parent=first, name="turn-2")
    with pytest.raises(Refused, match=rf"is checked out in {tmp_path}/a folder with spaces; moving"):
        await world.push(second, expected=first)


@pytest.mark.parametrize("branch", ["main", "feature", "refs/heads/agent/x", "agentx", "../agent/x"])
async def test_only_branches_under_agent_are_pushed_to(world: World, branch: str) -> None:
    commit = await world.work({"calc.py": "x = 2\n"})
    with pytest.raises(Refused, match="only to branches under agent/"):
        await world.push(commit, branch=branch)


async def test_a_base_branch_under_agent_is_refused_too(world: World) -> None:
    world.repository.git("switch", "-q", "-c", "agent/base")
    commit = await world.work({"calc.py": "x = 2\n"})
    with pytest.raises(Refused, match="not to agent/base"):
        await world.push(commit, branch="agent/base", expected=world.workspace.base)


async def test_hooks_of_the_repository_do_not_run(world: World, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    for name in ("pre-receive", "update", "post-receive", "reference-transaction", "post-update", "pre-push"):
        hook = world.repository.path / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {ran}\nexit 1\n")
        hook.chmod(0o755)
    await world.push(await world.work({"calc.py": "x = 2\n"}))
    assert await world.head() is not None
    assert not ran.exists()


async def test_an_open_pull_request_stays_open_while_nobody_merges(world: World) -> None:
    await world.propose()
    assert await world.settled() == []
    world.repository.commit({"other.txt": "1"})
    assert await world.settled() == []
    assert await world.settled() == []
    found = await world.forge.pulls.find(ID, BRANCH)
    assert found is not None
    assert (found.number, found.url) == (1, f"file://{world.repository.path}#{BRANCH}")


async def test_unchanged_pull_requests_are_checked_with_one_call_for_all(world: World) -> None:
    await world.propose()
    (first,) = world.shelf.pulls
    for number in (2, 3):
        branch = f"agent/issue-{number}"
        commit = await world.work({"notes.txt": f"{number}\n"}, name=f"turn-{number}")
        await world.push(commit, branch=branch)
        await world.forge.pulls.open(first.model_copy(update={"head": branch, "head_sha": commit}))
    counting = CountingGit()
    world.forge = world.forge_with(counting)
    assert await world.settled() == []
    assert counting.asked == {"cat-file": 1, "for-each-ref": 1}
    assert await world.settled() == []
    assert counting.asked == {"cat-file": 2, "for-each-ref": 1}
    world.repository.git("merge", "-q", "--no-ff", "--no-edit", "agent/issue-2")
    settled = await world.forge.pulls.settled()
    assert [(pull.number, pull.state) for pull in settled] == [(2, "merged")]


async def test_an_open_pull_request_gets_a_new_text_and_the_new_commit(world: World) -> None:
    first = await world.propose()
    second = await world.work({"calc.py": "x = 3\n"}, name="turn-2")
    await world.push(second, expected=first)
    found = await world.forge.pulls.find(ID, BRANCH)
    assert found is not None
    updated = found.model_copy(update={"title": "Fix more", "body": "Both.", "head_sha": second})
    assert await world.forge.pulls.update(updated) == updated
    assert await world.forge.pulls.find(ID, BRANCH) == updated
    world.repository.git("merge", "-q", BRANCH)
    assert await world.settled() == ["merged"]


MERGES: dict[str, list[tuple[str, ...]]] = {
    "merged": [("merge", "-q", "--no-ff", "--no-edit", BRANCH)],
    "merged and the branch deleted": [("merge", "-q", "--no-ff", "--no-edit", BRANCH), ("branch", "-D", BRANCH)],
    "fast-forwarded": [("reset", "-q", "--hard", BRANCH)],
    "squashed": [("merge", "-q", "--squash", BRANCH), ("commit", "-q", "-m", "Squashed")],
    "squashed and the branch deleted": [
        ("merge", "-q", "--squash", BRANCH),
        ("commit", "-q", "-m", "Squashed"),
        ("branch", "-D", BRANCH),
    ],
    "picked": [("cherry-pick", BRANCH)],
}


@pytest.mark.parametrize("how", MERGES)
@pytest.mark.parametrize("base", mostly_slow([("moved on",), ("as it was",), ("changed again since",)], always=1))
async def test_a_merge_of_any_kind_is_noticed(world: World, how: str, base: str) -> None:
    await world.propose()
    if base == "moved on" and how != "fast-forwarded":
        world.repository.commit({"other.txt": "1"})
    for arguments in MERGES[how]:
        world.repository.git(*arguments)
    if base == "changed again since":
        world.repository.commit({"calc.py": "x = 2\ny = 3\n"})
    assert await world.settled() == ["merged"]


async def test_a_rebased_merge_of_several_commits_is_noticed(world: World) -> None:
    first = await world.propose()
    second = await world.work({"notes.txt": "a\nb\nc\nd\n"}, parent=first, name="turn-2")
    await world.push(second, expected=first)
    world.repository.commit({"other.txt": "1"})
    world.repository.git("cherry-pick", first, second)
    world.repository.commit({"calc.py": "x = 5\n"})
    assert await world.settled() == ["merged"]


async def test_a_persons_extra_commits_that_are_merged_with_ours_count(world: World) -> None:
    await world.propose()
    world.repository.git("switch", "-q", BRANCH)
    world.repository.commit({"calc.py": "x = 2  # two\n"})
    world.repository.git("switch", "-q", "main")
    assert await world.settled() == []
    world.repository.git("merge", "-q", "--squash", BRANCH)
    world.repository.git("commit", "-q", "-m", "Squashed")
    world.repository.git("branch", "-D", BRANCH)
    assert await world.settled() == ["merged"]


@pytest.mark.parametrize("main", ["as it was", "moved on"])
async def test_a_branch_moved_to_the_base_is_no_merge(world: World, main: str) -> None:
    await world.propose()
    if main == "moved on":
        world.repository.commit({"other.txt": "1"})
    world.repository.git("branch", "-f", BRANCH, "main")
    assert await world.settled() == []
    world.repository.commit({"more.txt": "1"})
    assert await world.settled() == []
    assert await world.settled(after=1000) == []


async def test_a_merged_commit_counts_wherever_its_branch_went(world: World) -> None:
    commit = await world.propose()
    start = world.repository.head()
    world.repository.git("merge", "-q", "--no-ff", "--no-edit", BRANCH)
    world.repository.git("branch", "-f", BRANCH, start)
    assert world.repository.head() != commit
    assert await world.settled() == ["merged"]


async def test_a_person_may_rebase_the_branch_add_to_it_and_squash_it(world: World) -> None:
    await world.propose()
    world.repository.commit({"other.txt": "1"})
    world.repository.git("rebase", "-q", "main", BRANCH)
    world.repository.commit({"calc.py": "x = 2  # two\n"})
    world.repository.git("switch", "-q", "main")
    assert await world.settled() == []
    world.repository.git("merge", "-q", "--squash", BRANCH)
    world.repository.git("commit", "-q", "-m", "Squashed")
    assert await world.settled() == ["merged"]


async def test_a_branch_deleted_without_a_merge_closes_its_pull_request_after_a_minute(world: World) -> None:
    await world.propose()
    world.repository.commit({"other.txt": "1"})
    assert await world.settled(after=1000) == []
    world.repository.git("branch", "-D", BRANCH)
    assert await world.settled(after=1000) == []
    assert await world.settled(after=59) == []
    assert await world.settled(after=1) == ["closed"]
    assert await world.settled() == ["closed"]  # until it is saved


async def test_a_branch_that_reappears_was_not_deleted(world: World) -> None:
    commit = await world.propose()
    world.repository.git("branch", "-D", BRANCH)
    assert await world.settled() == []
    world.repository.git("branch", BRANCH, commit)
    assert await world.settled(after=1000) == []
    world.repository.git("branch", "-D", BRANCH)
    assert await world.settled(after=1000) == []
    assert await world.settled(after=60) == ["closed"]


async def test_a_branch_deleted_before_its_squash_commit_counts_as_merged(world: World) -> None:
    await world.propose()
    world.repository.git("merge", "-q", "--squash", BRANCH)
    world.repository.git("branch", "-q", "-D", BRANCH)
    assert await world.settled() == []
    world.repository.git("commit", "-q", "-m", "Squashed")
    assert await world.settled(after=1000) == ["merged"]


async def test_a_renamed_branch_still_belongs_to_its_pull_request(world: World) -> None:
    await world.propose()
    world.repository.git("branch", "-m", BRANCH, "mine")
    assert await world.settled() == []
    assert await world.settled(after=1000) == []
    world.repository.git("switch", "-q", "mine")
    world.repository.commit({"calc.py": "x = 2  # two\n"})
    world.repository.git("switch", "-q", "main")
    assert await world.settled(after=1000) == []
    world.repository.git("merge", "-q", "--squash", "mine")
    world.repository.git("branch", "-q", "-D", "mine")
    assert await world.settled() == []
    world.repository.git("commit", "-q", "-m", "Squashed")
    assert await world.settled() == ["merged"]


async def test_a_renamed_branch_that_is_deleted_closes_the_pull_request(world: World) -> None:
    await world.propose()
    world.repository.git("branch", "-m", BRANCH, "mine")
    assert await world.settled() == []
    world.repository.git("branch", "-q", "-D", "mine")
    assert await world.settled(after=1000) == []
    assert await world.settled(after=60) == ["closed"]


async def test_a_missing_repository_is_skipped(world: World, tmp_path: Path) -> None:
    await world.propose()
    world.repository.path.rename(tmp_path / "moved")
    assert await world.settled() == []
    (tmp_path / "moved").rename(world.repository.path)
    world.repository.git("merge", "-q", BRANCH)
    assert await world.settled() == ["merged"]
