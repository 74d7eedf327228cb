"""Builds an agent's brief for a turn of a pull case, and the check of its outcome."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from caseworker.activities.pull.conflict_files import files_with_markers
from caseworker.activities.shared.run_discussion import Discussed, RunDiscussions
from caseworker.agents.prompt_inputs import DiffInputs, PullInputs, ResolveInputs, ReviewInputs
from caseworker.agents.prompt_texts import render
from caseworker.agents.pull_prompt import DIFF_LIMIT
from caseworker.agents.role_tools import tools_for, writes
from caseworker.contract.wire import PullTurnRequest
from caseworker.core.base.repositories import RemoteRepository, RepositoryRef
from caseworker.core.base.roles import Task
from caseworker.core.casefile.review_learnings import matching, offered_rules
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.outcomes.pull_work import PullResolveOutcome, PullReviewOutcome
from caseworker.core.people.digest import Digest, Verbatim
from caseworker.core.people.messages import SPOKEN, Message
from caseworker.core.pull.branch_updates import Conflict
from caseworker.core.pull.case import PullCase, cap_of
from caseworker.core.pull.diff_lines import ChangedFile, changed_files, commentable_lines, misplaced
from caseworker.core.pull.failures import FailedCheck
from caseworker.core.pull.findings import OwnersRule, earlier_findings
from caseworker.core.pull.review_threads import PullTalk
from caseworker.core.pull.thread_answers import GivenThread, answer_problems, given_threads
from caseworker.ports import Attempt, Limits, PullBrief, StateOf, Store, StoredPull, Workspace, Workspaces, WorkTree
from caseworker.ports.pull_failures import PullFailures
from caseworker.ports.pull_probe import PullProbe
from caseworker.ports.pull_threads import PullThreads

_FOLDER: Final = "brief"
_DIFF_FILE: Final = "change.diff"
_NOT_OURS: Final = {
    "red_on_base": "it fails on the base as well",
    "flake": "it passed and failed on this commit",
    "infrastructure": "it was not carried to its end",
}


@dataclass(frozen=True, kw_only=True)
class PullSources:
    """What a brief is made from, on the forge."""

    threads: PullThreads
    probe: PullProbe
    failures: PullFailures
    discussions: RunDiscussions | None = None
    state: StateOf | None = None
    """The tools by which models read the state of a pull request, if any."""


@dataclass(frozen=True, kw_only=True)
class PullMaterial:
    """What a turn was given, as the checks of its outcome and later steps need it."""

    talk: PullTalk = field(default_factory=PullTalk)
    given: tuple[GivenThread, ...] = ()
    files: tuple[ChangedFile, ...] = ()
    rules: tuple[OwnersRule, ...] = ()


def open_conflict(case: PullCase) -> Conflict | None:
    """The conflict that the coming turn has to solve."""
    conflict = case.work.conflict
    return conflict if conflict is not None and case.work.checkpoint == conflict.prepared else None


def may_write(request: PullTurnRequest) -> bool:
    """Nothing is pushed to a fork, so nothing is changed for it."""
    return writes(request.role, request.task) and not request.case.sight.is_fork


class PullBriefs:
    def __init__(self, *, store: Store, workspaces: Workspaces, sources: PullSources) -> None:
        self._store = store
        self._workspaces = workspaces
        self._sources = sources

    async def write(
        self, request: PullTurnRequest, stored: StoredPull, attempt: Attempt, workspace: Workspace
    ) -> tuple[PullBrief, PullMaterial]:
        case, role, task, policy = request.case, request.role, request.task, request.policy
        ref = await self._store.repositories.ref(stored.repository)
        diff, files = await self._diff(case, workspace)
        talk = await self._sources.threads.read(ref, stored.number)
        learnings = matching(await self._store.review_learnings.of(stored.repository), [one.path for one in files])
        material = PullMaterial(
            talk=talk,
            given=given_threads(talk.open_threads) if task is Task.RESOLVE_PULL else (),
            files=tuple(files),
            rules=tuple(OwnersRule(glob=one.glob, text=one.text) for one in learnings),
        )
        inputs = PullInputs(
            title=talk.title or stored.title,
            body=talk.body,
            author=talk.author or stored.author,
            base_branch=case.sight.base_branch,
            commands=await self._commands(workspace),
            discussion=await self._discussion(request, stored),
            diff=diff,
            said=await self._said(request),
            review=ReviewInputs()
            if task is Task.RESOLVE_PULL
            else ReviewInputs(earlier=tuple(earlier_findings(talk.threads)), rules=tuple(offered_rules(learnings))),
            resolve=await self._resolve(request, stored, ref, talk) if task is Task.RESOLVE_PULL else ResolveInputs(),
        )
        system, prompt = render(role, task, inputs)
        done = await self._store.turns.finished(case.id)
        laid = (diff.file.parent,) if diff.file is not None else ()
        state = self._sources.state
        brief = PullBrief(
            attempt=attempt,
            role=role,
            task=task,
            nth=1 + sum(turn.role is role and turn.task is task for turn in done),
            model=policy.model_for(role, task),
            system_prompt=system,
            prompt=prompt,
            tools=tools_for(role, task, read_only=not may_write(request)),
            tree=WorkTree(
                path=workspace.path,
                writable=may_write(request),
                read_only=(*workspace.read_only, *laid),
                overlays=workspace.overlays,
                equipment=workspace.equipment,
            ),
            resume=case.progress.sessions.get(role.value),
            rehearsal=stored.rehearsal,
            limits=Limits(cap_micros=cap_of(case, policy), calls=policy.calls_per_turn, seconds=policy.turn_seconds),
            check=outcome_check(request, material, workspace),
            state=state(ref, stored.number) if state is not None and isinstance(ref, RemoteRepository) else None,
        )
        return brief, material

    async def _diff(self, case: PullCase, workspace: Workspace) -> tuple[DiffInputs, list[ChangedFile]]:
        """A diff that is too long for a prompt is laid beside the worktree, where the agent can only read it."""
        assert case.commit is not None, "a turn follows a look"
        text = await self._workspaces.diff(workspace, workspace.base, case.commit)
        files = await asyncio.to_thread(changed_files, text)
        if len(text) <= DIFF_LIMIT:
            return DiffInputs(text=text), files
        file = workspace.path.parent / _FOLDER / _DIFF_FILE
        await asyncio.to_thread(_lay, file, text)
        return DiffInputs(files=tuple((one.path, one.added, one.removed) for one in files), file=file), files

    async def _resolve(
        self, request: PullTurnRequest, stored: StoredPull, ref: RepositoryRef, talk: PullTalk
    ) -> ResolveInputs:
        case = request.case
        ours = {one.check for one in case.fixes.failures if one.kind == "ours"}
        others = [(one.check, _NOT_OURS[one.kind]) for one in case.fixes.failures if one.kind != "ours"]
        conflict = open_conflict(case)
        given = given_threads(talk.open_threads)
        return ResolveInputs(
            threads=tuple((one.number, thread) for one, thread in zip(given, talk.open_threads, strict=True)),
            failures=tuple(one for one in await self._failed(ref, stored, bool(ours)) if one.name in ours),
            not_ours=tuple(others),
            conflicts=conflict.files if conflict is not None else (),
            one_sided=conflict.one_sided if conflict is not None else (),
            feedback=case.work.feedback,
            is_read_only=not may_write(request),
        )

    async def _failed(self, ref: RepositoryRef, stored: StoredPull, wanted: bool) -> Sequence[FailedCheck]:
        if not wanted:
            return ()
        return await self._sources.failures.failed(ref, await self._sources.probe.look(ref, stored.number))

    async def _discussion(self, request: PullTurnRequest, stored: StoredPull) -> Digest | Verbatim | None:
        if self._sources.discussions is None:
            return None
        about = Discussed(
            case=request.case.id,
            repository=stored.repository,
            number=stored.number,
            policy=request.policy,
            cap_micros=cap_of(request.case, request.policy),
            stored=stored,
        )
        return await self._sources.discussions.of(about)

    async def _commands(self, workspace: Workspace) -> tuple[str, ...]:
        return (await self._workspaces.plan(workspace)).check_lines

    async def _said(self, request: PullTurnRequest) -> tuple[Message, ...]:
        """Only messages that were claimed for this turn, no newer ones."""
        messages = await self._store.inbox.of(request.case.id)
        return tuple(one for one in messages if one.turn == request.turn and one.kind in SPOKEN)


def outcome_check(
    request: PullTurnRequest, material: PullMaterial, workspace: Workspace
) -> Callable[[Outcome], Awaitable[str]]:
    """Says what is wrong with an outcome. The agent may repair it once."""
    conflict = open_conflict(request.case)

    async def check(outcome: Outcome) -> str:
        if isinstance(outcome, PullReviewOutcome):
            return misplaced(outcome.findings, commentable_lines(material.files))
        if not isinstance(outcome, PullResolveOutcome):
            return ""
        problems = [answer_problems(outcome.threads, material.given)]
        if conflict is not None and outcome.status != "BLOCKED":
            left = await asyncio.to_thread(files_with_markers, workspace.path, conflict.files)
            problems += [f"These files still hold conflict markers: {', '.join(left)}."] if left else []
        return "\n".join(problem for problem in problems if problem)

    return check


def _lay(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8", errors="replace")
