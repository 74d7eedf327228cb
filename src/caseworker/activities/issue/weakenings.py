"""Finds what a change does to the tests that judge it: checks less, is not run, decides otherwise, can't be read."""

import asyncio
from collections.abc import Mapping
from typing import Final

from caseworker.contract.wire import BuildRequest
from caseworker.core.base.ids import Sha
from caseworker.core.evidence.builds import Build, Purpose, Stage
from caseworker.core.evidence.deciders import changed_deciders, may_decide
from caseworker.core.evidence.lint_settings import changed_lint_settings, may_set_lint
from caseworker.core.evidence.opaque_files import opaque_files
from caseworker.core.evidence.read_sources import comments_alone, reading_sources
from caseworker.core.evidence.renamed_subjects import renamed_subjects
from caseworker.core.evidence.snapshots import changed_snapshots, may_be_snapshot
from caseworker.core.evidence.sought_names import seeking_names
from caseworker.core.evidence.suppressions import suppressions
from caseworker.core.evidence.tampered_runs import tampering
from caseworker.core.evidence.unified_diff import FileDiff, read_diff
from caseworker.core.evidence.unreadable_tests import changed_unreadable
from caseworker.core.evidence.vanished_tests import outside_of_suite, vanished
from caseworker.core.evidence.weakened_tests import at_most, may_have_tests, names_in, weakened
from caseworker.core.outcomes.pm import IssueType
from caseworker.ports import Workspace, Workspaces

_Texts = Mapping[str, str | None]
_MAY_MATTER: Final = (may_have_tests, may_decide, may_be_snapshot, may_set_lint)


class Weakenings:
    """The caller holds the case. What people pushed is theirs to decide."""

    def __init__(self, workspaces: Workspaces) -> None:
        self._workspaces = workspaces

    async def find(
        self, request: BuildRequest, workspace: Workspace, build: Build, base: Build | None
    ) -> tuple[str, ...]:
        """A sentence for each, since the base or since the tester's commit."""
        if request.stage is Stage.BASE:
            return ()
        before, after = await self._changed(request, workspace, workspace.base)
        diff = await self._diff(request, workspace) if request.stage is Stage.HEAD else []
        subjects = renamed_subjects(diff)
        found = await asyncio.to_thread(weakened, before, after, subjects)
        found += [*changed_unreadable(before, after), *changed_deciders(before, after)]
        found += changed_snapshots(before, after)
        runs = [*build.runs, *(base.runs if base is not None else ())]
        is_linted = any(run.purpose in (Purpose.LINT, Purpose.TYPES) for run in runs)
        if is_linted:
            found += changed_lint_settings(before, after)
        if request.stage is Stage.HEAD:
            if request.case.evidence.tests:
                since = await self._changed(request, workspace, request.case.evidence.tests)
                found += await asyncio.to_thread(weakened, *since, subjects)
            found += vanished(base, build, names_in(before), names_in(after))
            found += outside_of_suite(build, request.case.proof.red_tests)
            found += await self._in_diff(request, workspace, diff, is_linted=is_linted)
        return at_most(list(dict.fromkeys(found)))

    async def _changed(self, request: BuildRequest, workspace: Workspace, old: Sha) -> tuple[_Texts, _Texts]:
        """The texts of changed files that have tests, decide about them, or are compared with."""
        changed = await self._workspaces.changed(workspace, old, request.commit)
        paths = [path for path in changed if any(may(path) for may in _MAY_MATTER)]
        if not paths:
            return {}, {}
        theirs = await self._workspaces.changed_by_people(workspace, workspace.base, request.commit)
        paths = [path for path in paths if path not in theirs]
        before = await self._workspaces.texts(workspace, old, paths)
        return before, await self._workspaces.texts(workspace, request.commit, paths)

    async def _diff(self, request: BuildRequest, workspace: Workspace) -> list[FileDiff]:
        return read_diff(await self._workspaces.diff(workspace, workspace.base, request.commit))

    async def _in_diff(
        self, request: BuildRequest, workspace: Workspace, diff: list[FileDiff], *, is_linted: bool
    ) -> list[str]:
        """Files that no review can read, lines that interfere with the run of the tests or keep linters silent, and
        tests that don't run the code."""
        found = [(path, [sentence]) for path, sentence in opaque_files(diff).items()]
        found += (await asyncio.to_thread(tampering, diff)).items()
        found += (await asyncio.to_thread(reading_sources, diff)).items()
        if is_linted:
            found += (await asyncio.to_thread(suppressions, diff)).items()
        if request.case.proof.red_tests:
            found += comments_alone(diff).items()
        if request.case.requirements.issue_type is IssueType.BUG_FIX:
            found += (await asyncio.to_thread(seeking_names, diff)).items()
        if not found:
            return []
        theirs = await self._workspaces.changed_by_people(workspace, workspace.base, request.commit)
        return [sentence for path, told in found if path not in theirs for sentence in told]
