"""Running the repository's commands on one exact commit, and keeping what was seen."""

from temporalio import activity

from caseworker.activities.records import stored_case
from caseworker.activities.running import beating, refusals_told, traced
from caseworker.contract.activities import BuildActivities
from caseworker.contract.wire import BuildReply, BuildRequest
from caseworker.core import words
from caseworker.core.build_commands import find_commands
from caseworker.core.evidence import Build, Command, Purpose, Stage, Verdict, judge_head, judge_red
from caseworker.core.record import BuildRan, clip
from caseworker.core.sections import after_build
from caseworker.ports import Builder, Store, StoredCase, Workspaces

_FEEDBACK_LIMIT = 16_000
"""Characters: it travels with the case through the workflow's history."""


class Building(BuildActivities):
    def __init__(self, *, store: Store, workspaces: Workspaces, builder: Builder) -> None:
        self._store = store
        self._workspaces = workspaces
        self._builder = builder

    @activity.defn
    async def run_build(self, request: BuildRequest) -> BuildReply:
        with refusals_told():
            stored = await stored_case(self._store, request.case.id)
            with traced(stored.trace, request.case.id, build=request.number):
                async with beating(), self._workspaces.hold(request.case.id):
                    build = await self._run(request, stored)
                return await self._judge(request, build, stored)

    async def _run(self, request: BuildRequest, stored: StoredCase) -> Build:
        repository = await self._store.repositories.path_of(stored.repository)
        workspace = await self._workspaces.prepare(request.case.id, repository, request.case.base)
        # How to build is read from the base: a change must not choose what it is judged by.
        commands = find_commands(await self._workspaces.build_files(workspace, workspace.base))
        if request.stage is not Stage.BASE and request.case.new_test:
            commands = [*commands, Command(purpose=Purpose.NEW_TEST, command=request.case.new_test)]
        # Scrubbed: an ignored file that an agent left behind must not decide what we see.
        await self._workspaces.reset(workspace, request.commit, scrub=True)
        runs = await self._builder.run(workspace, commands, seconds=request.policy.command_seconds)
        return Build(number=request.number, stage=request.stage, commit=request.commit, runs=tuple(runs))

    async def _judge(self, request: BuildRequest, build: Build, stored: StoredCase) -> BuildReply:
        base = words.latest(await self._store.builds.of(request.case.id), Stage.BASE)
        verdict = judge_red(build, base) if build.stage is Stage.RED else judge_head(build, base)
        await self._store.builds.save(request.case.id, build)
        feedback = ""
        if build.stage is Stage.HEAD:
            feedback = clip(words.build_feedback(build), _FEEDBACK_LIMIT) if verdict.kind == "red" else ""
            await self._store.cases.save_file(request.case.id, after_build(stored.file, build, feedback))
        await self._store.record.append(
            request.case.id,
            [_entry(build, verdict)],
            trace=stored.trace,
            key=f"build/{request.case.epoch}/{build.number}",
        )
        return BuildReply(
            stage=build.stage, commit=build.commit, verdict=verdict.kind, reason=verdict.reason, feedback=feedback
        )


def _entry(build: Build, verdict: Verdict) -> BuildRan:
    return BuildRan(
        number=build.number,
        stage=build.stage,
        commit=build.commit,
        verdict=verdict.kind,
        reason=verdict.reason,
        runs=[run.model_copy(update={"failures": None}) for run in build.runs],  # for judging only, and may be long
    )
