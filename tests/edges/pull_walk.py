"""A random walk of people and us over the branch of one pull request. After each act of ours nothing of theirs is lost.

What a person has on the branch is told by plain git and by what the walk itself did, not by the code under test.
"""

import re
from dataclasses import dataclass, field
from random import Random

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import Sha
from caseworker.core.pull.branch_updates import Conflict, FinishResult, Updated, UpdateResult
from caseworker.ports import BranchIsTheirs
from caseworker.ports.pull_branches import PullTree
from tests.edges.pull_desk import BRANCH, PullDesk
from tests.edges.repositories import git

FILES = ("calc.py", "notes.txt", "new.txt")
_EXPECTED = ("merge commits", "Nothing would be left")
_MARKER = re.compile(r"(?m)^(<{7}|={7}|>{7}).*\n?")


class Lost(AssertionError):
    """Something of a person's is gone by an act of ours."""


@dataclass(kw_only=True)
class Walk:
    desk: PullDesk
    seed: int
    random: Random = field(init=False)
    made: set[Sha] = field(default_factory=set)
    """Commits that we made, and with which the branch was at some time."""
    theirs: list[Sha] = field(default_factory=list)
    """What people have on the branch since their last push."""
    pushed: int = 0
    forced: int = 0
    refused: int = 0
    steps: int = 0

    def __post_init__(self) -> None:
        self.random = Random(self.seed)

    async def go(self, steps: int) -> None:
        await self._look_at_theirs()
        for _ in range(steps):
            self.steps += 1
            if self.random.random() < 0.4:
                await self._person_acts()
            else:
                await self._we_act()

    async def _person_acts(self) -> None:
        act = self.random.choice(("push", "forge", "amend", "cut", "clear", "clear", "rebase", "base", "base", "base"))
        files = {self.random.choice(FILES): self._text()}
        name = f"Person {self.steps}"
        match act:
            case "push":
                await self.desk.person_pushes(files, message=name)
            case "forge":
                await self.desk.person_pushes(files, message=name, as_us=True)
            case "amend":
                count = await self.desk.run("rev-list", "--count", await self.desk.head())
                before = [] if count == "1" else ["reset -q --hard HEAD~1"]
                await self.desk.person_pushes(files, *before, message=name)
            case "cut":
                await self.desk.person_pushes(files, "reset -q --hard origin/main", message=name)
            case "clear":
                await self.desk.head()
                await self.desk.person_forces("origin/main")
            case "rebase":
                await self.desk.person_pushes(files, "rebase -q -X theirs origin/main", message=name)
            case _:
                await self.desk.base_moves(files)
        if act != "base":
            await self._look_at_theirs()

    async def _we_act(self) -> None:
        tree = await self.desk.checkout()
        when = self.random.choice(("never", "never", "never", "never", "before", "while"))
        is_asked = self.random.random() < 0.5
        if self.random.random() < 0.1:
            await self._person_acts()  # our look is old now
        try:
            commit = await self._make(tree)
            if commit is None:
                return
            if when == "before":
                await self._person_acts()
            elif when == "while":
                self.desk.git.before_push = self._person_acts
            await self.desk.branches.push(tree, commit, copies=is_asked)
            self.pushed += 1
            self.forced += commit != tree.head and tree.head not in await self._history(commit)
        except BranchIsTheirs:
            self.refused += 1
        except Refused as refused:
            if not any(words in str(refused) for words in _EXPECTED):
                raise
        finally:
            self.desk.git.before_push = None
        await self._nothing_is_lost(f"step {self.steps}", may_copy=is_asked)

    async def _make(self, tree: PullTree) -> Sha | None:
        how = self.random.choice(("commit", "commit", "rebase", "rebase", "merge", "start again"))
        if how in ("commit", "start again"):
            parent = tree.head if how == "commit" else tree.base
            commit = await self.desk.work(tree, {self.random.choice(FILES): self._text()}, parent=parent)
            self.made.add(commit)
            return commit
        found: UpdateResult | FinishResult
        async with self.desk.held():
            if how == "rebase":
                found = await self.desk.branches.rebase(tree)
                assert found == await self.desk.branches.rebase(tree)
            else:
                found = await self.desk.branches.merge_in(tree, message="Merge")
                assert found == await self.desk.branches.merge_in(tree, message="Merge")
        while isinstance(found, Conflict):
            texts = {name: _MARKER.sub("", self.desk.show(found.prepared, name)) + "\n" for name in found.files}
            solved = await self.desk.work(tree, {**texts}, parent=found.prepared)
            found = await self.desk.branches.finish_conflict(tree, found, solved, message="Merge")
        if not isinstance(found, Updated):
            return None
        listed = git(self.desk.mirror, "log", "--format=%H %s", found.commit, f"^{tree.head}", f"^{tree.base}")
        lines = [line.split(" ", 1) for line in listed.splitlines()]
        self.made |= {Sha(commit) for commit, subject in lines if subject in ("Ours", "Merge")}
        return found.commit

    async def _look_at_theirs(self) -> None:
        """After a push of a person: every commit on the branch that is not one of ours is theirs."""
        await self.desk.head()
        listed = await self.desk.run("rev-list", f"origin/main..origin/{BRANCH}")
        self.theirs = [Sha(one) for one in listed.split() if one not in self.made]

    async def _nothing_is_lost(self, when: str, *, may_copy: bool) -> None:
        head = await self.desk.head()
        here = set((await self.desk.run("rev-list", head)).split())
        gone = [one for one in self.theirs if one not in here]
        if gone and may_copy:
            copies = {await self._content(one): Sha(one) for one in here}
            found = {one: copies.get(await self._content(one)) for one in gone}
            gone = [one for one, copy in found.items() if copy is None]
            self.theirs = [found.get(one) or one for one in self.theirs]
        if gone:
            raise Lost(f"seed {self.seed}, {when}: {gone} of {self.theirs} are not in {head}")

    async def _history(self, commit: Sha) -> set[str]:
        return set(git(self.desk.mirror, "rev-list", commit).split())

    async def _content(self, commit: str) -> str:
        told = await self.desk.run("show", "-s", "--format=%an %ae %at %B", commit)
        diff = await self.desk.run("diff-tree", "-p", "--root", commit)
        return told + "".join(line for line in diff.splitlines(keepends=True) if line[0] in "+-")

    def _text(self) -> str:
        """A few lines, one of which is changed: some changes conflict and some do not."""
        lines = [f"line {number}" for number in range(9)]
        lines[self.random.randrange(9)] = f"changed in step {self.steps}, {self.random.random()}"
        return "\n".join(lines) + "\n"
