"""People are told what a worktree lacks, in every kind of case, and git lists the files of its base once for it."""

import shutil
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from temporalio.testing import ActivityEnvironment

from caseworker.activities.bug.bug_work import BugWork
from caseworker.activities.pull.pull_branch import PullBranchWork
from caseworker.activities.pull.pull_ports import PullPorts
from caseworker.contract.wire import PullRequestWork
from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Policy
from caseworker.core.record.entries import Noted
from caseworker.forges.github.probe import GitHubProbe
from caseworker.ports import GitAnswer
from caseworker.store.store import Store, open_store
from caseworker.workspaces.git import SafeGit
from tests.edges import test_pull_turns as pull_turns
from tests.edges.pull_desk import github_desk
from tests.edges.repositories import local_workspaces, new_repository
from tests.edges.store_examples import bug_report, reported, stored_bug

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22e\nsize 12345\n"
LACKING = {".gitattributes": "*.png diff=png\n", "tests/face.png": POINTER}
TOLD = (
    "Files in Git LFS are there as pointers only: `tests/face.png`. `git lfs pull` in your checkout brings them to the "
    "next case; without a checkout, leave tests that read them out of `[commands] test`."
)


class CountingGit(SafeGit):
    def __init__(self) -> None:
        super().__init__()
        self.listings: list[Sequence[str]] = []

    async def __call__(self, *arguments: str, **more: Any) -> GitAnswer:
        if arguments[0] == "ls-tree":
            self.listings.append(arguments)
        return await super().__call__(*arguments, **more)


@pytest.fixture
async def store(tmp_path: Path, migrated_file: Path) -> AsyncIterator[Store]:
    shutil.copy(migrated_file, tmp_path / "caseworker.db")
    opened = await open_store(f"sqlite:///{tmp_path / 'caseworker.db'}")
    yield opened
    await opened.close()


async def notes(store: Store, case: CaseId) -> list[str]:
    return [one.entry.text for one in await store.record.read(case) if isinstance(one.entry, Noted)]


async def test_a_bug_case_says_once_what_its_worktree_lacks(store: Store, tmp_path: Path) -> None:
    repository = new_repository(tmp_path / "shop", {"shop.py": "x = 1\n"} | LACKING)
    registered = await store.repositories.register(repository.ref)
    case, _ = await store.bugs.open(bug_report().model_copy(update={"repository": registered}), reported())
    bug = (await stored_bug(store, case)).case
    nobody = cast("Any", None)  # its other neighbours are not asked
    workspaces = local_workspaces(tmp_path / "home")
    work = BugWork(store=store, workspaces=workspaces, doorbell=nobody, fixes=nobody, files=nobody)

    for _ in range(2):
        await ActivityEnvironment().run(work.prepare_bug_workspace, bug)

    assert await notes(store, case) == [TOLD]


@pytest.mark.slow
async def test_a_pull_case_says_once_what_its_worktree_lacks(tmp_path: Path) -> None:
    async with github_desk(tmp_path) as pull:
        await pull.base_moves(LACKING)
        await pull.person_pushes({"calc.py": "A\n"}, "merge -q --no-edit origin/main")
        desk = await pull_turns.opened(pull)
        forge = cast("Any", _Forge(GitHubProbe(desk.shop.api)))
        nobody = cast("Any", None)
        ports = PullPorts(
            store=desk.shop.store, workspaces=pull.workspaces, builder=nobody, branches=pull.branches, forge=forge
        )
        request = PullRequestWork(case=desk.case, policy=Policy())

        for _ in range(2):
            await ActivityEnvironment().run(PullBranchWork(ports, nobody).prepare_pull, request)

        assert await notes(desk.shop.store, pull_turns.CASE) == [TOLD]


class _Forge:
    def __init__(self, probe: GitHubProbe) -> None:
        self.probe = probe


async def test_the_files_of_a_base_are_listed_once_for_submodules_and_what_is_missing(tmp_path: Path) -> None:
    git = CountingGit()
    repository = new_repository(tmp_path / "shop", {"shop.py": "x = 1\n"} | LACKING)
    workspaces = local_workspaces(tmp_path / "home", git=git)

    workspace = await workspaces.prepare(CaseId("local/shop#1"), repository.ref, None)
    assert [part.path for part in await workspaces.missing_parts(workspace)] == ["tests/face.png"]

    assert [words for words in git.listings if "--name-only" not in words] == [
        ("ls-tree", "-r", "-l", "-z", workspace.base)
    ]
