"""The branch of a pull request on real git: updates from the base, conflicts, comparisons, and careful pushes."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.ids import Sha
from caseworker.core.pull.branch_updates import (
    AlreadyInBase,
    Conflict,
    FinishResult,
    MarkersLeft,
    Updated,
    UpdateResult,
    UpToDate,
)
from caseworker.github_double.acts.pull_acts import create_pull
from caseworker.github_double.acts.push_acts import write_file
from caseworker.github_double.acts.repository_acts import add_collaborator, fork_repository, protect
from caseworker.github_double.entities.accounts import Role
from caseworker.ports import BranchIsTheirs
from caseworker.ports.pull_branches import PullTree
from tests.edges.pull_desk import BRANCH, CASE, START, US, PullDesk, github_desk, local_desk
from tests.edges.repositories import git
from tests.permutations import mostly_slow

CALC = START["calc.py"]
MERGE = "Merge main into topic"


@pytest.fixture(params=mostly_slow([(github_desk,), (local_desk,)], always=1, ids=["github", "local"]))
async def desk(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[PullDesk]:
    async with request.param(tmp_path) as opened:
        yield opened


async def _ours(desk: PullDesk, *texts: dict[str, str | None]) -> Sha:
    """Commits of ours on the branch, pushed."""
    tree = await desk.checkout()
    commit = tree.head
    for files in texts:
        commit = await desk.work(tree, files, parent=commit)
    await desk.branches.push(tree, commit)
    return commit


async def _reset_branch(desk: PullDesk) -> None:
    await desk.head()
    await desk.person_forces("origin/main")


async def _conflict(desk: PullDesk, how: str) -> tuple[PullTree, Conflict]:
    await _reset_branch(desk)
    await _ours(desk, {"calc.py": CALC.replace("b", "ours")}, {"notes.txt": "one\ntwo\n3\n"})
    await desk.base_moves({"calc.py": CALC.replace("b", "base")})
    tree = await desk.checkout()
    async with desk.held():
        found = await (desk.branches.rebase(tree) if how == "rebase" else desk.branches.merge_in(tree, message=MERGE))
    assert isinstance(found, Conflict)
    return tree, found


@pytest.mark.slow
async def test_a_checkout_has_head_base_and_merge_base(desk: PullDesk) -> None:
    await desk.person_pushes({"calc.py": "theirs\n"})
    start = await desk.head("main")
    base = await desk.base_moves({"notes.txt": "base\n"})
    tree = await desk.checkout()
    assert (tree.head, tree.base, tree.merge_base) == (await desk.head(), base, start)
    assert (tree.workspace.path / "calc.py").read_text() == "theirs\n"
    assert tree.workspace.base_branch == "main"
    with pytest.raises(Transient, match="is at"):
        await desk.branches.checkout(CASE, desk.place, head=start)


@pytest.mark.slow
async def test_a_commit_is_ours_by_address_and_record(desk: PullDesk) -> None:
    await _reset_branch(desk)
    ours = await _ours(desk, {"calc.py": "ours\n"})
    forged = await desk.person_pushes({"notes.txt": "x\n"}, as_us=True)
    tree = await desk.checkout()
    found = await desk.branches.commits_of(tree)
    assert [(one.sha, one.is_ours) for one in found] == [(ours, True), (forged, False)]
    assert found[1].author == found[1].committer == US
    theirs = await desk.person_pushes({"notes.txt": "y\n"})
    recorded = await desk.branches.commits_of(replace(await desk.checkout(), pushed=frozenset([theirs])))
    assert [one.is_ours for one in recorded] == [True, False, False]  # the record alone does not do either


@pytest.mark.slow
async def test_a_rebase_keeps_authors_and_is_the_same_at_every_call(desk: PullDesk) -> None:
    await _reset_branch(desk)
    await _ours(desk, {"calc.py": CALC.replace("b", "B")}, {"new.txt": "new\n"})
    base = await desk.base_moves({"notes.txt": "one\ntwo\nbase\n"})
    tree = await desk.checkout()
    async with desk.held():
        first, second = [await desk.branches.rebase(tree) for _ in range(2)]
    assert first == second
    assert isinstance(first, Updated)
    assert desk.subjects(tree, first.commit) == ["Ours", "Ours"]
    assert desk.show(first.commit, "notes.txt") == "one\ntwo\nbase"
    assert (tree.workspace.path / "new.txt").read_text() == "new\n"
    pushed = await desk.branches.push(tree, first.commit)
    assert await desk.branches.push(tree, first.commit) == pushed
    assert await desk.head() == first.commit == pushed[-1].sha
    assert await desk.branches.rebase(await desk.checkout()) == UpToDate(head=first.commit)
    same = await desk.branches.same_change(
        tree, old_base=tree.merge_base, old_head=tree.head, new_base=base, new_head=first.commit
    )
    assert same


@pytest.mark.slow
async def test_a_merge_has_the_head_as_its_first_parent(desk: PullDesk) -> None:
    await desk.person_pushes({"calc.py": CALC.replace("b", "B")})
    base = await desk.base_moves({"notes.txt": "base\n"})
    tree = await desk.checkout()
    async with desk.held():
        first, second = [await desk.branches.merge_in(tree, message=MERGE) for _ in range(2)]
    assert first == second
    assert isinstance(first, Updated)
    assert desk.parents(first.commit) == [tree.head, base]
    await desk.branches.push(tree, first.commit)
    newer = await desk.checkout()
    assert await desk.branches.merge_in(newer, message=MERGE) == UpToDate(head=first.commit)
    await desk.base_moves({"notes.txt": "base again\n"})
    with pytest.raises(Refused, match="merge commits"):
        await desk.branches.rebase(await desk.checkout())


@pytest.mark.parametrize("how", ["rebase", pytest.param("merge", marks=pytest.mark.slow)])
async def test_a_conflict_is_prepared_solved_and_finished(desk: PullDesk, how: str) -> None:
    tree, conflict = await _conflict(desk, how)
    assert conflict.files == ("calc.py",)
    text = (tree.workspace.path / "calc.py").read_text()
    sides = ["the base", "the branch"] if how == "rebase" else ["the branch", "the base"]
    assert [line for line in text.splitlines() if line[0] in "<>"] == [f"<<<<<<< {sides[0]}", f">>>>>>> {sides[1]}"]
    with pytest.raises(Refused, match="a conflict that nobody has finished"):
        await desk.branches.push(tree, conflict.prepared)
    half = await desk.work(tree, {"calc.py": text.replace("<<<<<<< ", "")}, parent=conflict.prepared)
    left = await desk.branches.finish_conflict(tree, conflict, half, message=MERGE)
    assert left == MarkersLeft(files=("calc.py",))
    solved = await desk.work(tree, {"calc.py": CALC.replace("b", "both")}, parent=half)
    done = [await desk.branches.finish_conflict(tree, conflict, solved, message=MERGE) for _ in range(2)]
    assert done[0] == done[1]
    assert isinstance(done[0], Updated)
    commit = done[0].commit
    expected = ["Ours", "Ours"] if how == "rebase" else ["Ours", "Ours", MERGE]
    assert desk.subjects(tree, commit) == expected
    assert desk.show(commit, "calc.py").split() == ["a", "both", "c", "d", "e", "f", "g"]
    assert desk.show(commit, "notes.txt").split() == ["one", "two", "3"]
    if how == "merge":
        assert desk.parents(commit) == [tree.head, tree.base]
    await desk.branches.push(tree, commit)
    assert await desk.head() == commit


@pytest.mark.slow
async def test_a_rebase_may_meet_a_second_conflict(desk: PullDesk) -> None:
    await _reset_branch(desk)
    await _ours(desk, {"calc.py": CALC.replace("b", "ours")}, {"notes.txt": "ours\n"})
    await desk.base_moves({"calc.py": CALC.replace("b", "base"), "notes.txt": "base\n"})
    tree = await desk.checkout()
    found: UpdateResult | FinishResult = await desk.branches.rebase(tree)
    for name in ("calc.py", "notes.txt"):
        assert isinstance(found, Conflict)
        assert found.files == (name,)
        solved = await desk.work(tree, {name: "solved\n"}, parent=found.prepared)
        found = await desk.branches.finish_conflict(tree, found, solved, message="")
    assert isinstance(found, Updated)
    assert desk.show(found.commit, "notes.txt") == desk.show(found.commit, "calc.py") == "solved"
    assert desk.subjects(tree, found.commit) == ["Ours", "Ours"]


@pytest.mark.slow
async def test_a_file_that_cannot_hold_both_stays_as_on_the_branch(desk: PullDesk) -> None:
    await _reset_branch(desk)
    await _ours(desk, {"notes.txt": "ours\0\n", "calc.py": "ours\n"})
    await desk.base_moves({"notes.txt": "base\0\n"})
    await desk.person_pushes({}, "rm -q calc.py", on="main")
    tree = await desk.checkout()
    for found in [await desk.branches.merge_in(tree, message=MERGE), await desk.branches.rebase(tree)]:
        assert isinstance(found, Conflict)
        assert found.files == found.one_sided == ("calc.py", "notes.txt")
        assert desk.show(found.prepared, "notes.txt") == "ours\0"
        assert desk.show(found.prepared, "calc.py") == "ours"


@pytest.mark.slow
async def test_lines_that_look_like_markers_and_were_there_before_do_not_count(desk: PullDesk) -> None:
    await _reset_branch(desk)
    heading = "Title\n=======\n<<<<<<< HEAD\n"
    await _ours(desk, {"notes.txt": f"{heading}ours\n"})
    await desk.base_moves({"notes.txt": f"{heading}base\n"})
    tree = await desk.checkout()
    found = await desk.branches.rebase(tree)
    assert isinstance(found, Conflict)
    solved = await desk.work(tree, {"notes.txt": f"{heading}both\n"}, parent=found.prepared)
    assert isinstance(await desk.branches.finish_conflict(tree, found, solved, message=""), Updated)


@pytest.mark.slow
async def test_a_branch_whose_changes_the_base_has_is_not_pushed_empty(desk: PullDesk) -> None:
    await _reset_branch(desk)
    await _ours(desk, {"calc.py": "x\n"})
    base = await desk.base_moves({"calc.py": "x\n"})
    tree = await desk.checkout()
    assert await desk.branches.rebase(tree) == AlreadyInBase(base=base)
    with pytest.raises(Refused, match="Nothing would be left of pull request"):
        await desk.branches.push(tree, base)


async def test_a_persons_commit_is_never_dropped(desk: PullDesk) -> None:
    theirs = await desk.person_pushes({"calc.py": CALC.replace("b", "B")})
    await _ours(desk, {"new.txt": "new\n"})
    await desk.base_moves({"notes.txt": "base\n"})
    tree = await desk.checkout()
    found = await desk.branches.rebase(tree)
    assert isinstance(found, Updated)
    with pytest.raises(BranchIsTheirs):
        await desk.branches.push(tree, found.commit)
    with pytest.raises(BranchIsTheirs):  # the record alone does not make a commit ours
        await desk.branches.push(replace(tree, pushed=frozenset([theirs])), found.commit)
    assert await desk.head() == tree.head


@pytest.mark.slow
@pytest.mark.parametrize("as_us", [pytest.param(False, marks=pytest.mark.slow), True])
async def test_where_an_owner_asked_peoples_commits_are_replaced_by_exact_copies(desk: PullDesk, as_us: bool) -> None:
    await desk.person_pushes({"calc.py": CALC.replace("b", "B")}, message="Theirs\n\nWith words", as_us=as_us)
    await desk.base_moves({"notes.txt": "base\n"})
    tree = await desk.checkout()
    found = await desk.branches.rebase(tree)
    assert isinstance(found, Updated)
    other = await desk.work(tree, {"calc.py": "lost\n"}, parent=tree.base)
    with pytest.raises(BranchIsTheirs):
        await desk.branches.push(tree, other, copies=True)
    await desk.branches.push(tree, found.commit, copies=True)
    newer = await desk.checkout()
    commits = await desk.branches.commits_of(newer)
    assert (commits[-1].author, commits[-1].is_ours) == (US if as_us else "Ada <ada@example.org>", False)
    await desk.base_moves({"notes.txt": "base again\n"})
    again = await desk.checkout()
    copied = await desk.branches.rebase(again)
    assert isinstance(copied, Updated)
    with pytest.raises(BranchIsTheirs):  # a copy of a person's commit is the person's
        await desk.branches.push(again, copied.commit)


async def test_a_last_moment_push_by_a_person_is_not_overwritten(desk: PullDesk) -> None:
    await _reset_branch(desk)
    await _ours(desk, {"calc.py": "ours\n"})
    await desk.base_moves({"notes.txt": "base\n"})
    tree = await desk.checkout()
    found = await desk.branches.rebase(tree)
    assert isinstance(found, Updated)
    desk.git.before_push = lambda: desk.person_pushes({"new.txt": "theirs\n"})
    with pytest.raises(BranchIsTheirs):
        await desk.branches.push(tree, found.commit)
    assert git(desk.clone.path, "show", f"{await desk.head()}:new.txt") == "theirs"


async def test_forks_bases_and_default_branches_are_never_pushed_to(desk: PullDesk) -> None:
    await desk.person_pushes({"calc.py": "theirs\n"})
    tree = await desk.checkout()
    commit = await desk.work(tree, {"new.txt": "x\n"})
    fork = replace(tree, place=replace(tree.place, is_fork=True))
    with pytest.raises(Refused, match="comes from a fork"):
        await desk.branches.push(fork, commit)
    to_base = replace(tree, place=replace(tree.place, branch="main"))
    with pytest.raises(Refused, match="the base of the pull request"):
        await desk.branches.push(to_base, commit)
    backwards = replace(to_base.place, base_branch="release")
    workspace = replace(tree.workspace, base_branch="release")
    to_default = replace(tree, place=backwards, workspace=workspace, head=tree.base)
    with pytest.raises(Refused, match="never pushes to the default branch"):
        await desk.branches.push(to_default, commit)
    assert await desk.head("main") == tree.base


async def test_a_protected_branch_is_not_pushed_to(tmp_path: Path) -> None:
    async with github_desk(tmp_path) as desk:
        tree = await desk.checkout()
        commit = await desk.work(tree, {"new.txt": "x\n"})
        assert desk.shop is not None
        protect(desk.shop.state, desk.shop.people["olga"], desk.shop.repository, BRANCH)
        with pytest.raises(Refused, match="is protected; Caseworker does not push there"):
            await desk.branches.push(tree, commit)
        assert await desk.head() == tree.head


async def test_the_head_of_a_fork_is_checked_out_and_compared(tmp_path: Path) -> None:
    async with github_desk(tmp_path) as desk:
        shop = desk.shop
        assert shop is not None
        sam = shop.people["sam"]
        add_collaborator(shop.state, shop.repository, shop.state.user("sam"), Role.READ)
        fork = fork_repository(shop.state, sam, shop.repository)
        write_file(shop.state, sam, fork, "fork.txt", b"sam's\n", message="Sam's", branch="main")
        pull = create_pull(shop.state, sam, shop.repository, title="From a fork", head="sam:main", base="main")
        place = replace(desk.place, number=pull.number, branch="main", is_fork=True)
        async with desk.held():
            tree = await desk.branches.checkout(CASE, place, head=Sha(pull.head.sha))
        assert (tree.workspace.path / "fork.txt").read_text() == "sam's\n"
        assert [(one.subject, one.is_ours) for one in await desk.branches.commits_of(tree)] == [("Sam's", False)]


@pytest.mark.slow
async def test_nothing_of_the_repository_is_executed(desk: PullDesk, tmp_path: Path) -> None:
    trap = f"#!/bin/sh\ntouch {tmp_path}/trapped\n"
    await desk.person_pushes({".gitattributes": "* filter=evil merge=evil diff=evil\n", "hooks/pre-push": trap})
    await desk.base_moves({"notes.txt": "base\n"})
    tree = await desk.checkout()
    found = await desk.branches.merge_in(tree, message=MERGE)
    assert isinstance(found, Updated)
    await desk.branches.push(tree, found.commit)
    assert not (tmp_path / "trapped").exists()
