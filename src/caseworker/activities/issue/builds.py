"""Runs the repository's commands on one exact commit, judges the result and records it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from temporalio import activity

from caseworker.activities.issue.proofs import TestProofs
from caseworker.activities.issue.recipe_lessons import RecipeLessons
from caseworker.activities.issue.weakenings import Weakenings
from caseworker.activities.shared.context import attempts_told, beating, traced
from caseworker.activities.shared.load_case import stored_case
from caseworker.contract.activities import BuildActivities
from caseworker.contract.wire import BuildReply, BuildRequest
from caseworker.core.base.ids import Sha
from caseworker.core.base.roles import Task
from caseworker.core.base.text import clip
from caseworker.core.casefile.sections import after_build
from caseworker.core.evidence.builds import (
    Build,
    BuildVerdict,
    Command,
    Purpose,
    Stage,
)
from caseworker.core.evidence.diagnostics import shipped
from caseworker.core.evidence.forbidden_paths import forbidden_paths, stored_names, violated
from caseworker.core.evidence.head_verdict import base_fails_too, judge_base, judge_head, reporting
from caseworker.core.evidence.obstacles import Obstacle, obstacle_of
from caseworker.core.evidence.sensitive_paths import touched
from caseworker.core.evidence.test_places import is_in_a_test_place
from caseworker.core.issue.facts import BuiltChange
from caseworker.core.record.entries import BuildRan
from caseworker.core.telling.build_texts import build_feedback, forbidden_feedback, latest
from caseworker.ports import Builder, Store, StoredCase, Workspace, Workspaces

_FEEDBACK_LIMIT = 16_000
"""Characters. Feedback travels with the case through the workflow's history."""
_MOST_CHANGED = 50
"""Names of changed files that a case carries with it."""


class Building(BuildActivities):
    def __init__(
        self, *, store: Store, workspaces: Workspaces, builder: Builder, lessons: RecipeLessons | None = None
    ) -> None:
        """`lessons`: null learns no recipe where a base can't be built."""
        self._lessons = lessons
        self._store = store
        self._workspaces = workspaces
        self._builder = builder
        self._proofs = TestProofs(store=store, workspaces=workspaces, builder=builder)
        self._weakenings = Weakenings(workspaces)

    @activity.defn
    async def run_build(self, request: BuildRequest) -> BuildReply:
        with attempts_told():
            stored = await stored_case(self._store, request.case.id)
            with traced(stored.trace, request.case.id, build=request.number):
                async with beating(), self._workspaces.hold(request.case.id):
                    repository = await self._store.repositories.ref(stored.repository)
                    workspace = await self._workspaces.prepare(request.case.id, repository, request.case.delivery.base)
                    commands = await self._commands(request, workspace)
                    build = await self._run(request, stored, workspace, commands)
                    base = latest(await self._store.builds.of(request.case.id), Stage.BASE)
                    tested = await self._test(request, workspace, commands, build, base)
                    changed = await self._changed(request, workspace)
                    paths = await self._own_paths(request, workspace, changed, stored.file.analysis.must_not_do)
                    forbidden = _forbidden(request, stored.file.analysis.must_not_do, paths)
                    instruments = await self._diagnostic_lines(request, workspace)
                    weakened = await self._weakenings.find(request, workspace, build, base)
                judged = await self._judge(request, tested, stored, forbidden, instruments)
                touches = touched(paths) if request.policy.approve_sensitive_paths else ()
                change = BuiltChange(files=tuple(changed[:_MOST_CHANGED]), weakened=weakened)
                return judged.model_copy(update={"touches": touches, "change": change})

    async def _commands(self, request: BuildRequest, workspace: Workspace) -> list[Command]:
        # Build commands are read from the base: a change must not choose the commands that judge it.
        plan = await self._workspaces.plan(workspace)
        if request.stage is Stage.BASE or not request.case.evidence.new_test:
            return list(plan.commands)
        # Red is judged by the new test alone: all others run before it and on the head.
        others = plan.set_up if request.stage is Stage.RED else plan.commands
        return [*others, Command(purpose=Purpose.NEW_TEST, command=request.case.evidence.new_test)]

    async def _test(
        self, request: BuildRequest, workspace: Workspace, commands: list[Command], build: Build, base: Build | None
    ) -> "_Tested":
        """The verdict, and for a head that is not red what its tests prove."""
        if build.stage is Stage.RED:
            red = await self._proofs.judge_red(request, workspace, build, base)
            return _Tested(build=build, verdict=red, red_tests=red.tests)
        if build.stage is Stage.BASE:
            paths = await self._workspaces.build_files(workspace, workspace.base)
            has_tests = any(is_in_a_test_place(path) for path in paths)
            verdict = judge_base(build, has_tests=has_tests)
            return _Tested(build=build, verdict=verdict, obstacle=obstacle_of(build, has_tests=has_tests))
        earlier = [one for one in await self._store.builds.of(request.case.id) if one.stage is not Stage.HEAD]
        verdict = judge_head(build, base, request.case.proof.red_tests, reporting(earlier))
        old = verdict.kind == "red" and base_fails_too(build, base)
        if verdict.kind in ("green", "nothing_to_run") or old:
            proof = await self._proofs.prove(request, workspace, commands, base)
            build = build.model_copy(update={"proof": proof})
        obstacle = obstacle_of(build) if verdict.kind == "could_not_run" else None
        return _Tested(build=build, verdict=verdict, base_fails_too=old, obstacle=obstacle)

    async def _run(
        self, request: BuildRequest, stored: StoredCase, workspace: Workspace, commands: list[Command]
    ) -> Build:
        # Scrubbed, so that an ignored file that an agent left behind can't change the result.
        await self._workspaces.reset(workspace, request.commit, scrub=True)
        if request.stage is Stage.RED and (written := await self._written_before_the_test(request, workspace)):
            await self._workspaces.take_back(workspace, workspace.base, written)
        runs = await self._builder.run(workspace, commands, seconds=request.policy.command_seconds)
        not_run = tuple(commands[len(runs) :])
        if request.stage is Stage.BASE and self._lessons is not None:
            learned = await self._lessons.learn(request, stored, workspace, runs)
            runs, not_run = learned, (not_run if learned is runs else ())
        # Read only now: a recipe may have been learned.
        plan = await self._workspaces.plan(workspace)
        return Build(
            number=request.number,
            stage=request.stage,
            commit=request.commit,
            runs=tuple(runs),
            not_run=not_run,
            recipe=plan.recipe,
        )

    async def _written_before_the_test(self, request: BuildRequest, workspace: Workspace) -> list[str]:
        """The paths, except tests, that developers changed before this test was written. After a late requirement gap
        the new test has to fail on the base's code, not on theirs."""
        before = await self._proofs.last_writing(request, workspace)
        if before == workspace.base:
            return []
        by_tester = await self._workspaces.changed(workspace, before, request.commit)
        changed = await self._workspaces.changed(workspace, workspace.base, request.commit)
        return [path for path in changed if path not in by_tester and not is_in_a_test_place(path)]

    async def _changed(self, request: BuildRequest, workspace: Workspace) -> list[str]:
        if request.stage is not Stage.HEAD:
            return []
        return await self._workspaces.changed(workspace, workspace.base, request.commit)

    async def _own_paths(
        self, request: BuildRequest, workspace: Workspace, changed: list[str], must_not_do: Sequence[str]
    ) -> list[str]:
        """Changed paths without those that people pushed: people may change forbidden and sensitive paths. Authors are
        looked up only where some changed path is of that sort."""
        if not violated(must_not_do, changed) and not touched(changed):
            return changed
        theirs = await self._workspaces.changed_by_people(workspace, workspace.base, request.commit)
        return [path for path in changed if path not in theirs]

    async def _diagnostic_lines(self, request: BuildRequest, workspace: Workspace) -> list[str]:
        """Lines of the change that a diagnostic has written: none of them may ship."""
        if request.stage is not Stage.HEAD or request.case.investigation is None:
            return []
        turns = await self._store.turns.finished(request.case.id)
        # A diagnostic that added nothing has its starting point as its commit, which is the case's own work.
        ours = {turn.checkpoint for turn in turns if turn.task is not Task.DIAGNOSTIC} | {workspace.base}
        theirs = {turn.checkpoint for turn in turns if turn.task is Task.DIAGNOSTIC} - ours
        if not theirs:
            return []
        diffs = [await self._workspaces.diff(workspace, Sha(f"{commit}^"), commit) for commit in sorted(theirs)]
        change = await self._workspaces.diff(workspace, workspace.base, request.commit)
        paths = await self._workspaces.changed(workspace, workspace.base, request.commit)
        before = await self._workspaces.texts(workspace, workspace.base, paths)
        return await asyncio.to_thread(shipped, change, diffs, before)

    async def _judge(
        self,
        request: BuildRequest,
        tested: "_Tested",
        stored: StoredCase,
        forbidden: "_Forbidden",
        instruments: Sequence[str],
    ) -> BuildReply:
        build, verdict, old = tested.build, tested.verdict, tested.base_fails_too
        is_head = build.stage is Stage.HEAD
        otherwise_red = bool(instruments) or (is_head and verdict.kind == "red" and not old)
        unfit = [*forbidden.sentences, *instruments]
        if unfit:
            verdict = BuildVerdict(kind="red", reason=unfit[0])
        await self._store.builds.save(request.case.id, build.brief())
        feedback = ""
        if build.stage is Stage.HEAD:
            feedback = _feedback(build, forbidden.sentences, instruments) if verdict.kind == "red" else ""
            await self._store.cases.edit_file(request.case.id, lambda file: after_build(file, build, feedback))
        await self._store.record.append(
            request.case.id,
            [_entry(build, verdict)],
            trace=stored.trace,
            key=f"build/{request.case.epoch}/{build.number}",
        )
        return BuildReply(
            stage=build.stage,
            commit=build.commit,
            verdict=verdict.kind,
            reason=verdict.reason,
            obstacle=tested.obstacle if verdict.kind == "could_not_run" else None,
            feedback=feedback,
            unfit=is_head and bool(unfit),
            base_fails_too=old and not unfit,
            forbidden=forbidden.names,
            otherwise_red=otherwise_red,
            red_tests=tested.red_tests,
            unproved=_unproved(build),
        )


@dataclass(frozen=True, kw_only=True)
class _Tested:
    build: Build
    verdict: BuildVerdict
    base_fails_too: bool = False
    red_tests: tuple[str, ...] = ()
    obstacle: Obstacle | None = None


def _unproved(build: Build) -> str | None:
    if build.proof is None:
        return None
    return "" if build.proof.verdict.kind == "red" else build.proof.verdict.reason


@dataclass(frozen=True, kw_only=True)
class _Forbidden:
    sentences: Sequence[str]
    names: tuple[str, ...]


def _forbidden(request: BuildRequest, must_not_do: Sequence[str], paths: Sequence[str]) -> _Forbidden:
    """Forbidden paths that the change touches, without those that a person has allowed."""
    found = stored_names(forbidden_paths(must_not_do, paths))
    left = {name: several for name, several in found.items() if name not in request.case.people.may_change}
    return _Forbidden(sentences=violated(must_not_do, [*chain(*left.values())]), names=tuple(left))


def _feedback(build: Build, forbidden: Sequence[str], instruments: Sequence[str]) -> str:
    unfit = forbidden_feedback(forbidden, instruments) if forbidden or instruments else ""
    parts = [unfit, build_feedback(build)]
    return clip("\n\n".join(part for part in parts if part), _FEEDBACK_LIMIT)


def _entry(build: Build, verdict: BuildVerdict) -> BuildRan:
    proof = build.proof
    return BuildRan(
        number=build.number,
        stage=build.stage,
        commit=build.commit,
        verdict=verdict.kind,
        reason=verdict.reason,
        runs=[run.for_record() for run in build.runs],
        on_base=[run.for_record() for run in proof.runs] if proof is not None else [],
        proves=("red" if proof.verdict.kind == "red" else "nothing") if proof is not None else None,
    )
