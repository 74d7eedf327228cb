"""Merges of a person's commit and the case's, with real git: nothing of the person's is lost."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from caseworker.core.base.ids import CaseId, Sha
from caseworker.ports import Joined, Workspace
from caseworker.workspaces.worktrees import GitWorkspaces
from tests.edges.repositories import Repository, git, local_workspaces, new_repository

CASE = CaseId("local/calc#1")
BRANCH = "agent/issue-1"
START = {"calc.py": "a\nb\nc\nd\ne\nf\ng\n", "notes.txt": "one\n"}


@dataclass(kw_only=True)
class Desk:
    """A repository with a branch of ours at `pushed`, and the case's workspace."""

    repository: Repository
    workspaces: GitWorkspaces
    workspace: Workspace
    pushed: Sha

    async def case_writes(self, files: dict[str, str | None], *, parent: Sha | None = None) -> Sha:
        await self.workspaces.reset(self.workspace, self.pushed, scrub=True)
        for name, text in files.items():
            file = self.workspace.path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.unlink(missing_ok=True)
            if text is not None:
                file.write_text(text)
        return await self.workspaces.commit(self.workspace, "Ours", parent=parent or self.pushed, name="turn-2-1")

    def person_pushes(self, *arguments: str, files: dict[str, str] | None = None, amend: bool = False) -> Sha:
        """Pushes to our branch in the repository, and to the case's mirror."""
        self.repository.git("switch", "-q", BRANCH)
        self.repository.write(files or {})
        for command in arguments:
            self.repository.git(*command.split())
        self.repository.git("add", "-A")
        self.repository.git("commit", "-q", "--allow-empty", *(["--amend"] if amend else []), "-m", "Theirs")
        theirs = Sha(self.repository.head())
        self.repository.git("switch", "-q", "main")
        self.repository.git("push", "-q", str(self.mirror), f"+{theirs}:refs/remotes/origin/{BRANCH}")
        return theirs

    @property
    def mirror(self) -> Path:
        assert self.workspace.git_dir is not None
        return self.workspace.git_dir.parent.parent

    async def merge(self, ours: Sha, theirs: Sha) -> Joined:
        async with self.workspaces.hold(CASE):
            return await self.workspaces.merge(
                self.workspace, ours, theirs, since=self.pushed, message=f"Merge what a person has pushed to {BRANCH}"
            )

    def show(self, commit: Sha, name: str) -> str:
        return git(self.mirror, "show", f"{commit}:{name}")

    def parents(self, commit: Sha) -> list[str]:
        return git(self.mirror, "show", "-s", "--format=%P", commit).split()

    def files(self, commit: Sha) -> list[str]:
        return git(self.mirror, "ls-tree", "-r", "--name-only", commit).splitlines()


@pytest.fixture
async def desk(tmp_path: Path) -> Desk:
    repository = new_repository(tmp_path / "calc", START)
    workspaces = local_workspaces(tmp_path / "home")
    workspace = await workspaces.prepare(CASE, repository.ref, None)
    (workspace.path / "calc.py").write_text(START["calc.py"].replace("b", "B"))
    pushed = await workspaces.commit(workspace, "Fix it", parent=workspace.base, name="turn-1-1")
    git(workspace.git_dir or tmp_path, "push", "-q", str(repository.path), f"{pushed}:refs/heads/{BRANCH}")
    return Desk(repository=repository, workspaces=workspaces, workspace=workspace, pushed=pushed)


async def test_a_merge_has_both_changes_and_both_commits_as_parents(desk: Desk) -> None:
    theirs = desk.person_pushes(files={"notes.txt": "one\ntwo\n"})
    ours = await desk.case_writes({"calc.py": START["calc.py"].replace("b", "B").replace("f", "F")})
    joined = await desk.merge(ours, theirs)
    assert joined.conflict == ()
    assert desk.parents(joined.commit) == [ours, theirs]
    assert desk.show(joined.commit, "notes.txt") == "one\ntwo"
    assert desk.show(joined.commit, "calc.py") == "a\nB\nc\nd\ne\nF\ng"
    told = git(desk.mirror, "show", "-s", "--format=%an <%ae>, %cn <%ce>: %B", joined.commit)
    assert told == (
        "Caseworker <caseworker@localhost>, Caseworker <caseworker@localhost>: "
        f"Merge what a person has pushed to {BRANCH}"
    )


async def test_a_repeated_merge_makes_the_same_commit(desk: Desk) -> None:
    theirs = desk.person_pushes(files={"calc.py": "theirs\n", "notes.txt": "two\n"})
    ours = await desk.case_writes({"calc.py": "ours\n"})
    first = await desk.merge(ours, theirs)
    (desk.workspace.path / "left-behind.py").write_text("by a build\n")
    assert await desk.merge(ours, theirs) == first


async def test_a_commit_that_contains_the_cases_work_needs_no_merge(desk: Desk) -> None:
    theirs = desk.person_pushes(files={"notes.txt": "two\n"})
    assert await desk.merge(desk.pushed, theirs) == Joined(commit=theirs)


async def test_an_amended_commit_replaces_the_one_that_we_pushed(desk: Desk) -> None:
    amended = START["calc.py"].replace("b", "bee")
    theirs = desk.person_pushes(files={"calc.py": amended}, amend=True)
    assert await desk.merge(desk.pushed, theirs) == Joined(commit=theirs)


async def test_the_cases_further_work_is_merged_with_an_amended_commit(desk: Desk) -> None:
    theirs = desk.person_pushes(files={"calc.py": START["calc.py"].replace("b", "bee")}, amend=True)
    ours = await desk.case_writes({"calc.py": START["calc.py"].replace("b", "B").replace("f", "F")})
    joined = await desk.merge(ours, theirs)
    assert joined.conflict == ()
    assert desk.show(joined.commit, "calc.py") == "a\nbee\nc\nd\ne\nF\ng"
    assert desk.parents(joined.commit) == [ours, theirs]


async def test_a_change_that_a_person_reverted_stays_reverted(desk: Desk) -> None:
    theirs = desk.person_pushes("reset -q --hard main", files={"notes.txt": "two\n"})
    ours = await desk.case_writes({"more.py": "1\n"})
    joined = await desk.merge(ours, theirs)
    assert desk.show(joined.commit, "calc.py") == START["calc.py"].strip()
    assert desk.show(joined.commit, "more.py") == "1"


async def test_a_conflict_shows_both_versions_and_who_wrote_each(desk: Desk) -> None:
    theirs = desk.person_pushes(files={"calc.py": START["calc.py"].replace("b", "theirs"), "new.txt": "new\n"})
    ours = await desk.case_writes({"calc.py": START["calc.py"].replace("b", "ours")})
    joined = await desk.merge(ours, theirs)
    assert joined.conflict == ("calc.py",)
    assert desk.parents(joined.commit) == [ours, theirs]
    assert desk.show(joined.commit, "calc.py") == (
        "a\n<<<<<<< this case\nours\n=======\ntheirs\n>>>>>>> a person\nc\nd\ne\nf\ng"
    )
    assert desk.show(joined.commit, "new.txt") == "new"
    await desk.workspaces.reset(desk.workspace, joined.commit, scrub=True)
    assert "<<<<<<< this case" in (desk.workspace.path / "calc.py").read_text()


async def test_a_file_that_both_have_added_holds_both(desk: Desk) -> None:
    theirs = desk.person_pushes(files={"new file.txt": "theirs\n"})
    ours = await desk.case_writes({"new file.txt": "ours\n"})
    joined = await desk.merge(ours, theirs)
    assert joined.conflict == ("new file.txt",)
    shown = desk.show(joined.commit, "new file.txt")
    assert "ours" in shown
    assert "theirs" in shown


@pytest.mark.parametrize("whose", ["ours", "theirs"])
async def test_a_file_that_one_has_deleted_and_the_other_changed_stays(desk: Desk, whose: str) -> None:
    changed = {"notes.txt": "changed\n"}
    if whose == "ours":
        theirs = desk.person_pushes(files=changed)
        ours = await desk.case_writes({"notes.txt": None})
    else:
        theirs = desk.person_pushes("rm -q notes.txt")
        ours = await desk.case_writes({"notes.txt": "changed\n"})
    joined = await desk.merge(ours, theirs)
    assert joined.conflict == ("notes.txt",)
    assert desk.show(joined.commit, "notes.txt") == "changed"


async def test_a_binary_file_is_taken_from_the_person_and_named(desk: Desk) -> None:
    theirs = desk.person_pushes(files={"logo.bin": "\0theirs"})
    ours = await desk.case_writes({"logo.bin": "\0ours"})
    joined = await desk.merge(ours, theirs)
    assert joined.conflict == ("logo.bin",)
    assert desk.parents(joined.commit) == [ours, theirs]
    assert desk.show(joined.commit, "logo.bin") == "\0theirs"


async def test_a_link_is_taken_from_the_person_and_named(desk: Desk) -> None:
    (desk.repository.path / "link").symlink_to("notes.txt")
    theirs = desk.person_pushes()
    await desk.workspaces.reset(desk.workspace, desk.pushed, scrub=True)
    (desk.workspace.path / "link").symlink_to("/etc/passwd")
    ours = await desk.workspaces.commit(desk.workspace, "Ours", parent=desk.pushed, name="turn-2-1")
    joined = await desk.merge(ours, theirs)
    assert joined.conflict == ("link",)
    assert desk.show(joined.commit, "link") == "notes.txt"


async def test_a_submodule_is_taken_from_the_person_and_named(desk: Desk) -> None:
    one, two = desk.repository.head(), desk.pushed
    (desk.repository.path / "library").mkdir()  # what git leaves of a submodule that was not fetched
    theirs = desk.person_pushes(f"update-index --add --cacheinfo 160000,{two},library")
    await desk.workspaces.reset(desk.workspace, desk.pushed, scrub=True)
    link = f"160000,{one},library"
    git(desk.workspace.path, "update-index", "--add", "--cacheinfo", link)
    tree = git(desk.workspace.path, "write-tree")
    ours = Sha(git(desk.workspace.path, "commit-tree", tree, "-p", desk.pushed, "-m", "Ours"))
    joined = await desk.merge(ours, theirs)
    assert joined.conflict == ("library",)
    assert git(desk.mirror, "ls-tree", joined.commit, "library").split()[:3] == ["160000", "commit", two]


async def test_both_names_of_a_file_that_both_have_renamed_are_kept(desk: Desk) -> None:
    theirs = desk.person_pushes("mv calc.py theirs.py")
    text = START["calc.py"].replace("b", "B")
    ours = await desk.case_writes({"calc.py": None, "ours.py": text})
    joined = await desk.merge(ours, theirs)
    assert {"ours.py", "theirs.py"} <= set(desk.files(joined.commit))
    assert "calc.py" not in desk.files(joined.commit)
    assert {"ours.py", "theirs.py"} <= set(joined.conflict)


async def test_a_merge_works_when_the_pushed_commit_is_no_longer_known(desk: Desk) -> None:
    theirs = desk.person_pushes(files={"notes.txt": "two\n"})
    ours = await desk.case_writes({"more.py": "1\n"})
    desk.pushed = Sha("1" * 40)
    joined = await desk.merge(ours, theirs)
    assert joined.conflict == ()
    assert desk.parents(joined.commit) == [ours, theirs]


async def test_a_repositorys_own_merge_driver_is_not_run(desk: Desk, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    desk.repository.git("config", "merge.own.driver", f"touch {ran}")
    theirs = desk.person_pushes(files={"calc.py": "theirs\n", ".gitattributes": "*.py merge=own\n"})
    ours = await desk.case_writes({"calc.py": "ours\n", ".gitattributes": "*.py merge=own\n"})
    assert (await desk.merge(ours, theirs)).conflict == ("calc.py",)
    assert not ran.exists()


# --- who changed what


async def test_a_repository_can_not_make_conflict_markers_of_megabytes(desk: Desk) -> None:
    attributes = {".gitattributes": "*.py conflict-marker-size=3000000 -merge\n"}
    theirs = desk.person_pushes(files={"calc.py": "theirs\n", **attributes})
    ours = await desk.case_writes({"calc.py": "ours\n", **attributes})
    joined = await desk.merge(ours, theirs)
    assert desk.show(joined.commit, "calc.py") == "<<<<<<< this case\nours\n=======\ntheirs\n>>>>>>> a person"


async def test_changes_by_people_are_told_apart_from_ours(desk: Desk) -> None:
    theirs = desk.person_pushes(files={"notes.txt": "two\n", "deep/new file.txt": "1\n"})
    ours = await desk.case_writes({"more.py": "1\n"})
    joined = await desk.merge(ours, theirs)
    everything = await desk.workspaces.changed(desk.workspace, desk.workspace.base, joined.commit)
    people = await desk.workspaces.changed_by_people(desk.workspace, desk.workspace.base, joined.commit)
    assert sorted(everything) == ["calc.py", "deep/new file.txt", "more.py", "notes.txt"]
    assert people == ["deep/new file.txt", "notes.txt"]
    assert await desk.workspaces.changed_by_people(desk.workspace, desk.workspace.base, desk.pushed) == []


async def test_a_commit_contains_all_of_its_history(desk: Desk) -> None:
    base, pushed = desk.workspace.base, desk.pushed
    for commit, other, contains in ((pushed, base, True), (pushed, pushed, True), (base, pushed, False)):
        assert await desk.workspaces.contains(desk.workspace, commit, other) is contains
    assert not await desk.workspaces.contains(desk.workspace, pushed, Sha("1" * 40))


# --- texts


async def test_the_texts_of_files_are_read_at_a_commit(desk: Desk) -> None:
    made = await desk.case_writes({"odd name\t.txt": "ä\n", "empty.txt": "", "blob 3": "x", "large.txt": "x" * 600_000})
    asked = ["calc.py", "odd name\t.txt", "empty.txt", "blob 3", "large.txt", "gone.txt", "deep", "line\nend.txt"]
    assert await desk.workspaces.texts(desk.workspace, made, asked) == {
        "calc.py": "a\nB\nc\nd\ne\nf\ng\n",
        "odd name\t.txt": "ä\n",
        "empty.txt": "",
        "blob 3": "x",
        "large.txt": None,
    }
    assert await desk.workspaces.texts(desk.workspace, made, []) == {}


async def test_texts_beyond_the_common_limit_are_not_read(desk: Desk) -> None:
    made = await desk.case_writes({f"{number}.txt": "x" * 500_000 for number in range(12)})
    texts = await desk.workspaces.texts(desk.workspace, made, [f"{number}.txt" for number in range(12)])
    assert [text is None for text in texts.values()] == [False] * 8 + [True] * 4
