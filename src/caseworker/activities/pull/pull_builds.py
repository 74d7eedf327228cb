"""Builds and tests a commit before it is pushed to a pull request's branch, and compares it with the base."""

from temporalio import activity

from caseworker.activities.pull.pull_ports import PullPorts
from caseworker.activities.shared.context import attempts_told, beating, traced
from caseworker.activities.shared.load_case import stored_pull
from caseworker.contract.pull_activities import PullBuildActivities
from caseworker.contract.wire import PullBuildReply, PullBuildRequest
from caseworker.core.base.ids import Sha
from caseworker.core.base.text import clip
from caseworker.core.evidence.builds import Build, BuildVerdict, Stage
from caseworker.core.evidence.head_verdict import judge_head
from caseworker.core.evidence.obstacle_words import remedy_words
from caseworker.core.evidence.obstacles import obstacle_of
from caseworker.core.pull.pull_events import PullBuilt
from caseworker.core.record.entries import BuildRan
from caseworker.core.telling.build_texts import build_feedback
from caseworker.ports import StoredPull, Workspace

_FEEDBACK_LIMIT = 16_000


class PullBuilds(PullBuildActivities):
    def __init__(self, ports: PullPorts) -> None:
        self._ports = ports

    @activity.defn
    async def run_pull_build(self, request: PullBuildRequest) -> PullBuildReply:
        with attempts_told():
            stored = await stored_pull(self._ports.store, request.case.id)
            with traced(stored.trace, request.case.id, build=request.number):
                async with beating(), self._ports.workspaces.hold(request.case.id):
                    ref = await self._ports.store.repositories.ref(stored.repository)
                    base = request.case.work.base
                    workspace = await self._ports.workspaces.prepare(request.case.id, ref, base)
                    return await self._build(request, stored, workspace)

    async def _build(self, request: PullBuildRequest, stored: StoredPull, workspace: Workspace) -> PullBuilt:
        """The base is built only if the change is red: what fails there as well is not the change's fault."""
        head = await self._run(request, workspace, request.commit, Stage.HEAD)
        verdict = judge_head(head, None)
        if verdict.kind == "red":
            base = await self._run(request, workspace, workspace.base, Stage.BASE)
            verdict = judge_head(head, base)
            await self._ports.store.builds.save(request.case.id, base.brief())
        await self._ports.store.builds.save(request.case.id, head.brief())
        await self._ports.store.record.append(
            request.case.id,
            [_entry(head, verdict)],
            trace=stored.trace,
            key=f"build/{request.case.epoch}/{head.number}",
        )
        if verdict.kind == "could_not_run" and (obstacle := obstacle_of(head)) is not None:
            verdict = BuildVerdict(kind="could_not_run", reason=f"{verdict.reason}. {remedy_words(obstacle)}")
        feedback = clip(build_feedback(head), _FEEDBACK_LIMIT) if verdict.kind == "red" else ""
        return PullBuilt(commit=head.commit, verdict=verdict.kind, reason=verdict.reason, feedback=feedback)

    async def _run(self, request: PullBuildRequest, workspace: Workspace, commit: Sha, stage: Stage) -> Build:
        """Commands are read from the base: a change must not choose the commands that judge it."""
        commands = list((await self._ports.workspaces.plan(workspace)).commands)
        await self._ports.workspaces.reset(workspace, commit, scrub=True)
        runs = await self._ports.builder.run(workspace, commands, seconds=request.policy.command_seconds)
        not_run = tuple(commands[len(runs) :])
        return Build(number=request.number, stage=stage, commit=commit, runs=tuple(runs), not_run=not_run)


def _entry(build: Build, verdict: BuildVerdict) -> BuildRan:
    return BuildRan(
        number=build.number,
        stage=build.stage,
        commit=build.commit,
        verdict=verdict.kind,
        reason=verdict.reason,
        runs=[run.for_record() for run in build.runs],
    )
