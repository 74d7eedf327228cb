"""The `Bisector` port: git chooses the commits, and a script in the sandbox judges each of them in a side tree.

`git bisect` runs with `--no-checkout`: it only tracks which commits are left. It must not touch the files, because the
script has written to them; `Workspaces.reset` checks out each commit, as everywhere else.
"""

import asyncio
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from caseworker.core.base.errors import Defect
from caseworker.core.base.ids import Sha
from caseworker.core.evidence.builds import Command, CommandRun, Purpose
from caseworker.core.investigation import bisection_words as words
from caseworker.core.investigation.bisection import (
    MOST_STEPS,
    REVISION,
    Bisection,
    BisectRequest,
    BisectStep,
    CommitVerdict,
    CulpritCommit,
    verdict_of_commit,
)
from caseworker.ports import Builder, Git, GitAnswer, Workspace, Workspaces
from caseworker.workspaces.git import SafeGit

_TREE: Final = "bisect"
_ONLY_SKIPPED_LEFT, _MERGE_BASE_IS_BAD, _NOTHING_TO_TEST = 2, 3, 4
_FIRST_BAD: Final = re.compile(r"^([0-9a-f]{40,64}) is the first '?bad'? commit$", re.MULTILINE)
_HASH: Final = re.compile(r"[0-9a-fA-F]{4,64}")
_LOG: Final = 16_000


@dataclass(frozen=True)
class _Stopped:
    """The bisect ended without a culprit, and why."""

    status: Literal["not_found", "refused"]
    reason: str


class GitBisector:
    def __init__(self, *, workspaces: Workspaces, builder: Builder, git: Git | None = None) -> None:
        self._workspaces = workspaces
        self._builder = builder
        self._git = git or SafeGit()

    async def find(self, workspace: Workspace, request: BisectRequest, *, seconds: float) -> Bisection:
        deadline = asyncio.get_running_loop().time() + seconds
        good = await self._commit(workspace, request.good)
        bad = await self._commit(workspace, request.bad)
        if good is None or bad is None:
            unknown = request.good if good is None else request.bad
            return Bisection(status="refused", reason=words.unknown(unknown, workspace.base_branch))
        if await self._workspaces.contains(workspace, good, bad):
            return Bisection(status="refused", reason=words.wrong_order(request, same=good == bad))
        tree = await self._workspaces.branch_off(workspace, _TREE, bad)
        try:
            search = _Search(
                tools=_Tools(self._git, self._workspaces, self._builder),
                tree=tree,
                request=request,
                seconds=seconds,
                deadline=deadline,
            )
            return await search.between(good, bad)
        finally:
            await self._workspaces.drop(tree)

    async def _commit(self, workspace: Workspace, revision: str) -> Sha | None:
        """Resolves a revision, using only names that exist inside the sandbox: refs of other cases stay hidden."""
        found = REVISION.fullmatch(revision)
        if found is None:
            return None
        name = found["name"]
        if name != "HEAD" and name == workspace.base_branch:
            name = workspace.base
        if name != "HEAD" and not _HASH.fullmatch(name):
            return None
        question = ("rev-parse", "-q", "--verify", f"{name}{found['back']}^{{commit}}")
        answer = await self._git(*question, git_dir=_git_dir(workspace), accept=(0, 1, 128))
        return Sha(answer.text) if answer.code == 0 else None


@dataclass(frozen=True)
class _Tools:
    git: Git
    workspaces: Workspaces
    builder: Builder


@dataclass(kw_only=True)
class _Search:
    """Runs one bisect and collects its steps and log."""

    tools: _Tools
    tree: Workspace
    request: BisectRequest
    seconds: float
    deadline: float
    steps: list[BisectStep] = field(default_factory=list)
    log: list[str] = field(default_factory=list)

    async def between(self, good: Sha, bad: Sha) -> Bisection:
        ends: tuple[tuple[Sha, str, CommitVerdict], ...] = (
            (bad, self.request.bad, "bad"),
            (good, self.request.good, "good"),
        )
        for commit, name, expected in ends:
            verdict = await self._judge(commit)
            if isinstance(verdict, _Stopped):
                return self._without_culprit(verdict)
            if verdict != expected:
                return self._without_culprit(_Stopped("refused", words.wrong_end(name, self.steps[-1])))
        answer = await self._bisect("start", "--no-checkout", bad, good)
        while answer.code == 0:
            if found := _FIRST_BAD.search(answer.text):
                return await self._found(Sha(found[1]))
            verdict = await self._judge(Sha((await self._run_git("rev-parse", "BISECT_HEAD")).text))
            if isinstance(verdict, _Stopped):
                return self._without_culprit(verdict, await self._candidates())
            answer = await self._bisect(verdict, self.steps[-1].commit)
        bad_before = answer.code == _MERGE_BASE_IS_BAD
        reason = words.repaired_before(self.request) if bad_before else words.only_skipped()
        return self._without_culprit(_Stopped("not_found", reason), None if bad_before else await self._candidates())

    async def _judge(self, commit: Sha) -> CommitVerdict | _Stopped:
        if len(self.steps) >= MOST_STEPS:
            return _Stopped("not_found", words.too_many_steps())
        for run in range(1, self.request.runs + 1):
            # Ignored files that a build left may stay for the next run on the same commit, but not for another commit.
            await self.tools.workspaces.reset(self.tree, commit, scrub=run == 1)
            left = self.deadline - asyncio.get_running_loop().time()
            ended = await self._run_script(left) if left > 0 else None
            if ended is not None and ended.over_limit:
                return _Stopped("refused", words.over_limit(commit, ended.over_limit))
            if ended is None or ended.timed_out:
                return _Stopped("not_found", words.time_is_up(self.seconds, len(self.steps), hanging=ended is not None))
            verdict = verdict_of_commit(ended.exit_code)
            if verdict is None:
                return _Stopped("refused", words.says_nothing(commit, ended))
            if verdict != "good" or run == self.request.runs:
                await self._add_step(commit, verdict, ended, run)
                return verdict
        raise Defect("a bisect without a run")

    async def _run_script(self, seconds: float) -> CommandRun:
        command = Command(purpose=Purpose.TEST, command=self.request.script)
        return (await self.tools.builder.run(self.tree, [command], seconds=seconds))[0]

    async def _add_step(self, commit: Sha, verdict: CommitVerdict, ended: CommandRun, runs: int) -> None:
        self.steps.append(BisectStep(commit=commit, verdict=verdict, exit_code=ended.exit_code, runs=runs))
        subject = (await self._run_git("log", "--no-walk", "--no-show-signature", "--format=%s", commit)).text[:100]
        counted = f"exit code {ended.exit_code}, {runs} run{'' if runs == 1 else 's'}"
        self.log.append(f"{words.short(commit)} {verdict} ({counted}): {subject}")
        self.log += [f"    {line}" for line in ended.output.strip()[-words.SAID :].splitlines()]

    async def _found(self, commit: Sha) -> Bisection:
        shape = "--format=%an%x00%aI%x00%B"
        author, date, message = (
            (await self._run_git("log", "--no-walk", "--no-show-signature", shape, commit))
            .output.decode(errors="replace")
            .split("\0", 2)
        )
        culprit = CulpritCommit(hash=commit, author=author[:200], date=date[:40], message=message.strip()[:2_000])
        reason = words.found(culprit, len(self.steps))
        return Bisection(status="found", reason=reason, culprit=culprit, steps=self.steps, log=self._log_tail())

    async def _candidates(self) -> list[str]:
        """The commits that are still possible culprits."""
        listing = await self._run_git("rev-list", "refs/bisect/bad", "--not", "--glob=refs/bisect/good-*")
        return listing.text.split()

    def _without_culprit(self, why: _Stopped, candidates: list[str] | None = None) -> Bisection:
        reason = f"{why.reason} {words.one_of(candidates)}" if candidates else why.reason
        return Bisection(status=why.status, reason=reason, steps=self.steps, log=self._log_tail())

    def _log_tail(self) -> str:
        return "\n".join(self.log)[-_LOG:]

    async def _bisect(self, *arguments: str) -> GitAnswer:
        return await self._run_git(
            "bisect", *arguments, accept=(0, _ONLY_SKIPPED_LEFT, _MERGE_BASE_IS_BAD, _NOTHING_TO_TEST)
        )

    async def _run_git(self, *arguments: str, accept: tuple[int, ...] = (0,)) -> GitAnswer:
        # With another work tree: none of these commands needs the files.
        return await self.tools.git(*arguments, git_dir=_git_dir(self.tree), work_tree=Path("/"), accept=accept)


def _git_dir(workspace: Workspace) -> Path:
    if workspace.git_dir is None:
        raise Defect(f"the workspace of {workspace.case} was not prepared here")
    return workspace.git_dir
