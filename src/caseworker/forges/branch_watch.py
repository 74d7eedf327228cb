"""What a person did with the branch of an open pull request, from one look at it to the next. Reads only."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from caseworker.core.base.ids import RepositoryId, Sha
from caseworker.forges.merged import holds, merged_commit
from caseworker.ports import Git, PullRequest

_Key = tuple[RepositoryId, int]


@dataclass(frozen=True, kw_only=True)
class _Look:
    """What one look saw. While neither branch moves, the answer of the next is the same."""

    base: Sha
    tip: Sha | None
    head: Sha
    """What would be merged: our commit, or the last tip we saw with a person's work on top of it."""
    gone_since: float | None


class Watch:
    def __init__(self, git: Git, *, gone_seconds: float, clock: Callable[[], float]) -> None:
        """`gone_seconds`: how long a branch must be gone until that is believed. `git merge --squash` and then
        `git branch -D` before `git commit` is a merge, and between them it looks like the opposite."""
        self._git = git
        self._gone_seconds = gone_seconds
        self._clock = clock
        self._looks: dict[_Key, _Look] = {}

    def forget_all_but(self, pulls: Collection[PullRequest]) -> None:
        kept = {_key(pull) for pull in pulls}
        self._looks = {key: look for key, look in self._looks.items() if key in kept}

    async def became(
        self, pull: PullRequest, path: Path, heads: Mapping[str, Sha | None], *, waits: bool
    ) -> PullRequest | None:
        """The pull request with its new state, and once it is merged, with the commit that was. None: it is open.
        `heads`: as `heads` has just found them, for all pull requests of the repository. `waits`: that this one is
        among those that `waiting` has found."""
        before = self._looks.get(_key(pull))
        base, tip = heads[_base(pull)], heads[_head(pull)]
        if base is None:
            return None
        head = before.head if before else pull.head_sha
        tip = tip or await self._renamed(path, pull.head_sha, head)
        if waits:
            head = pull.head_sha
        elif before is None or (before.base, before.tip) != (base, tip):
            # A branch that was moved to something else is no longer the change: its merge would not be ours.
            if tip is not None and await holds(self._git, path, tip, change=pull.head_sha):
                head = tip
            merged = await merged_commit(self._git, path, pushed=pull.head_sha, head=head, base=base)
            if merged is not None:
                return pull.model_copy(update={"state": "merged", "head_sha": merged})
        now = self._clock()
        missed = before.gone_since if before and tip is None else None
        gone_since = missed if tip or missed is not None else now
        self._looks[_key(pull)] = _Look(base=base, tip=tip, head=head, gone_since=gone_since)
        is_closed = missed is not None and now - missed >= self._gone_seconds
        return pull.model_copy(update={"state": "closed"}) if is_closed else None

    async def heads(self, path: Path, pulls: Sequence[PullRequest]) -> dict[str, Sha | None]:
        """Where the branches are that these pull requests name, by one question: there may be hundreds."""
        names = list(dict.fromkeys(name for pull in pulls for name in (_base(pull), _head(pull))))
        questions = "".join(f"{name}^{{commit}}\n" for name in names)
        answer = await self._git("cat-file", "--batch-check=%(objectname)", stdin=questions.encode(), inside=path)
        lines = answer.text.splitlines()
        found = (None if line.endswith(" missing") else Sha(line) for line in lines)
        return dict(zip(names, found, strict=True))

    async def waiting(self, path: Path, pulls: Sequence[PullRequest], heads: Mapping[str, Sha | None]) -> set[int]:
        """The numbers of those whose branch is as we pushed it and has all that its base has: none of them is merged.
        Only of those that have moved since the last look, and by one question for each base: there may be hundreds."""
        found: set[int] = set()
        moved: dict[Sha, list[PullRequest]] = {}
        for pull in pulls:
            base, tip = heads[_base(pull)], heads[_head(pull)]
            before = self._looks.get(_key(pull))
            if base not in (None, tip) and tip == pull.head_sha and (before is None or before.base != base):
                moved.setdefault(base, []).append(pull)
        for base, those in moved.items():
            question = ("for-each-ref", "--format=%(objectname)", f"--contains={base}", *map(_head, those))
            tips = (await self._git(*question, inside=path)).text.split()
            found |= {pull.number for pull in those if pull.head_sha in tips}
        return found

    async def _renamed(self, path: Path, pushed: Sha, head: Sha) -> Sha | None:
        """The tip of another branch that has our commit: the one that was last seen, if it is there."""
        question = ("for-each-ref", "--format=%(objectname)", f"--contains={pushed}", "refs/heads/")
        answer = await self._git(*question, inside=path, accept=(0, 128, 129))  # 129: the commit is gone as well
        tips = [Sha(line) for line in answer.text.splitlines()] if answer.code == 0 else []
        return next((tip for tip in (head, pushed) if tip in tips), tips[0] if tips else None)


def _key(pull: PullRequest) -> _Key:
    return pull.repository, pull.number


def _base(pull: PullRequest) -> str:
    return "HEAD" if pull.base == "HEAD" else f"refs/heads/{pull.base}"


def _head(pull: PullRequest) -> str:
    return f"refs/heads/{pull.head}"
