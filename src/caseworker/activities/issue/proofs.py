"""Runs new tests where they must fail: before the change is written, and once more as they are in the head."""

from collections.abc import Sequence

from caseworker.activities.issue.developer_changes import developer_changes
from caseworker.contract.wire import BuildRequest
from caseworker.core.base.ids import Sha
from caseworker.core.base.text import code
from caseworker.core.evidence.builds import Build, Command, CommandRun, Proof, Purpose, RedVerdict, Stage
from caseworker.core.evidence.changed_tests import changed_test_files, in_source, names_of_tests, same_tests
from caseworker.core.evidence.missing_names import provides
from caseworker.core.evidence.red_first import RedFacts, judge_red, still_red
from caseworker.core.evidence.test_places import is_in_a_test_place
from caseworker.core.evidence.unified_diff import read_diff
from caseworker.core.issue.proof import needs_red
from caseworker.core.issue.subjects import Subject
from caseworker.core.outcomes.pm import IssueType
from caseworker.ports import Builder, Store, Workspace, Workspaces

_NO_TEST = RedVerdict(kind="not_run", reason="no test file was added or changed")


class TestProofs:
    """The caller holds the case. The worktree is left as the last run left it."""

    __test__ = False

    def __init__(self, *, store: Store, workspaces: Workspaces, builder: Builder) -> None:
        self._store = store
        self._workspaces = workspaces
        self._builder = builder

    async def last_writing(self, request: BuildRequest, workspace: Workspace) -> Sha:
        """The commit of the last change that a developer wrote, where the tester began. Without one: the base."""
        written = developer_changes(await self._store.turns.finished(request.case.id))
        return written[-1].checkpoint if written else workspace.base

    async def judge_red(
        self, request: BuildRequest, workspace: Workspace, red: Build, base: Build | None
    ) -> RedVerdict:
        """Whether the tester's test failed on the code as it was, and not already before the test was written."""
        since = await self.last_writing(request, workspace)
        files = await self._test_files(workspace, since, request.commit)
        return await self._judge(request, workspace, red, base, files)

    async def prove(
        self, request: BuildRequest, workspace: Workspace, commands: Sequence[Command], base: Build | None
    ) -> Proof | None:
        """The tests as they are in the head, run on the base's code. Null: none has to fail there."""
        case = request.case
        if not needs_red(case) or case.granted(Subject.NO_RED_TEST):
            return None
        files = await self._test_files(workspace, workspace.base, request.commit)
        if not files:
            return Proof(verdict=_NO_TEST)
        if not await self._lay_out(request, workspace, files):
            reason = "its tests are in files of the code, and were changed after they were seen to fail"
            return Proof(verdict=RedVerdict(kind="not_run", reason=reason))
        own = Purpose.NEW_TEST if any(one.purpose is Purpose.NEW_TEST for one in commands) else Purpose.TEST
        wanted = [one for one in commands if one.purpose in (Purpose.SETUP, own)]
        runs = await self._builder.run(workspace, wanted, seconds=request.policy.command_seconds)
        build = Build(number=request.number, stage=Stage.RED, commit=request.commit, runs=tuple(runs))
        verdict = await self._judge(request, workspace, build, base, files)
        verdict = still_red(verdict, runs, case.proof.red_tests)
        if verdict.missing_name and not await self._provides(request, workspace, verdict.missing_name):
            reason = f"the test lacked the name {code(verdict.missing_name)}, which the change does not provide"
            verdict = RedVerdict(kind="not_run", reason=reason)
        return Proof(verdict=verdict, runs=tuple(run.brief() for run in runs))

    async def _lay_out(self, request: BuildRequest, workspace: Workspace, files: Sequence[str]) -> bool:
        """Set the files to the head's tests on the base's code. False: they can't be told apart."""
        changed = await self._workspaces.changed(workspace, workspace.base, request.commit)
        if any(is_in_a_test_place(path) for path in files):
            await self._workspaces.reset(workspace, request.commit, scrub=True)
            code_files = [path for path in changed if not is_in_a_test_place(path)]
            if code_files:
                await self._workspaces.take_back(workspace, workspace.base, code_files)
            return True
        tests = request.case.evidence.tests
        if tests is None or not request.case.evidence.red:
            return False
        then = await self._workspaces.texts(workspace, tests, files)
        if not same_tests(files, then, await self._workspaces.texts(workspace, request.commit, files)):
            return False
        await self._workspaces.reset(workspace, tests, scrub=True)
        return True

    async def _judge(
        self, request: BuildRequest, workspace: Workspace, red: Build, base: Build | None, files: Sequence[str]
    ) -> RedVerdict:
        texts = await self._workspaces.texts(workspace, request.commit, files)
        facts = RedFacts(
            test_files=files,
            test_names=names_of_tests(texts),
            before=await self._before(request, workspace, red),
            base=base,
            may_lack_name=request.case.requirements.issue_type is IssueType.NEW_FEATURE,
        )
        return judge_red(red, facts)

    async def _before(self, request: BuildRequest, workspace: Workspace, red: Build) -> CommandRun | None:
        """The new test's command on the base, where its test is not written yet. What the set-up made is kept. It
        is run again for each verdict: a command may ask for the hour, so an earlier result says nothing."""
        run = red.run_of(Purpose.NEW_TEST)
        if run is None or run.passed:
            return None
        await self._workspaces.reset(workspace, workspace.base, scrub=False)
        command = Command(purpose=Purpose.NEW_TEST, command=run.command)
        runs = await self._builder.run(workspace, [command], seconds=request.policy.command_seconds)
        return runs[0]

    async def _test_files(self, workspace: Workspace, old: Sha, new: Sha) -> list[str]:
        changed = await self._workspaces.changed(workspace, old, new)
        beside = in_source(changed)
        before = await self._workspaces.texts(workspace, old, beside)
        files = changed_test_files(changed, before, await self._workspaces.texts(workspace, new, beside))
        there = await self._workspaces.texts(workspace, new, files)
        return [path for path in files if path in there]

    async def _provides(self, request: BuildRequest, workspace: Workspace, name: str) -> bool:
        diff = read_diff(await self._workspaces.diff(workspace, workspace.base, request.commit))
        added = {file.path: "\n".join(line.text for line in file.lines() if line.kind == "added") for file in diff}
        return provides(name, added)
