"""Reads the forge's checks of a case's pull request: their results, what failed ones wrote, and the base's results."""

from collections.abc import Sequence
from datetime import UTC, datetime

from temporalio import activity

from caseworker.activities.shared.context import refusals_told, short_work, traced, unless_limited
from caseworker.activities.shared.load_case import stored_case
from caseworker.contract.activities import CheckActivities
from caseworker.contract.wire import ChecksReply
from caseworker.core.base.errors import Defect, Refused
from caseworker.core.base.failed_steps import EffectRefused
from caseworker.core.base.ids import pull_case
from caseworker.core.base.repositories import RepositoryRef
from caseworker.core.evidence.check_verdict import (
    MOST_RESULTS,
    CheckFailure,
    CheckResult,
    check_feedback,
)
from caseworker.core.evidence.failure_lines import signature_of_log
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.facts import ChecksSeen
from caseworker.core.pull.case import PullCase
from caseworker.ports import Check, Checks, Forge, Store, StoredCase

_MOST_READ = 10
"""The output of so many failed checks is read."""


class PullChecking(CheckActivities):
    def __init__(self, *, store: Store, forge: Forge) -> None:
        self._store = store
        self._forge = forge

    @activity.defn
    async def read_checks(self, case: IssueCase) -> ChecksReply:
        with refusals_told():
            stored = await stored_case(self._store, case.id)
        with traced(stored.trace, case.id):
            async with short_work(self._store, stored):
                try:
                    return await unless_limited(self._read(case, stored))
                except Refused as refused:
                    return EffectRefused(reason=str(refused))

    async def _read(self, case: IssueCase, stored: StoredCase) -> ChecksSeen:
        checks, watch = self._forge.checks, case.delivery.checks
        if checks is None or watch is None:
            raise Defect(f"{case.id}: there are no checks to read")
        session = await self._session(case, stored)
        if session is not None and not session.is_over:
            return ChecksSeen(commit=watch.commit, at=datetime.now(UTC), left_to=session.id)
        pull = await self._forge.pulls.find(stored.repository, case.branch)
        if pull is None:
            raise Refused(f"Pull request {case.delivery.pull_request} is not there any more.")
        commit = pull.head_sha if pull.state == "open" else watch.commit
        is_ours = commit == watch.commit or (session is not None and commit in session.watch.pushed)
        if not is_ours:
            return ChecksSeen(commit=watch.commit, at=datetime.now(UTC), moved=True)
        ref = await self._store.repositories.ref(stored.repository)
        found = (await checks.of(ref, commit, base=pull.base))[:MOST_RESULTS]
        failed = [check for check in found if check.state == "failed"]
        on_base = await self._red_on_base(checks, ref, case, pull.base) if failed else frozenset[str]()
        own = [check for check in failed if check.name not in on_base][:_MOST_READ]
        failures = [await _failure(checks, ref, check) for check in own]
        return ChecksSeen(
            commit=watch.commit,
            at=datetime.now(UTC),
            pushed_since=commit if commit != watch.commit else None,
            results=tuple(_result(check, on_base, failures) for check in found),
            feedback=check_feedback(failures),
        )

    async def _session(self, case: IssueCase, stored: StoredCase) -> PullCase | None:
        """The pull case of the pull request. While its session runs, this case stands back: one of them repairs."""
        number = case.delivery.pull_request
        found = await self._store.pull_cases.load(pull_case(stored.repository, number)) if number is not None else None
        return None if found is None else found.case

    async def _red_on_base(self, checks: Checks, ref: RepositoryRef, case: IssueCase, branch: str) -> frozenset[str]:
        """Names of checks that fail where the work began, or where the base branch is now."""
        commits = dict.fromkeys([case.delivery.base, await self._forge.source.branch_head(ref, branch)])
        seen = [await checks.of(ref, commit, base=branch) for commit in commits if commit is not None]
        return frozenset(check.name for several in seen for check in several if check.state == "failed")


async def _failure(checks: Checks, ref: RepositoryRef, check: Check) -> CheckFailure:
    return CheckFailure(name=check.name, url=check.url, output=await checks.output(ref, check))


def _result(check: Check, on_base: frozenset[str], failures: Sequence[CheckFailure]) -> CheckResult:
    output = next((one.output for one in failures if one.name == check.name), "")
    is_failed = check.state == "failed"
    return CheckResult(
        name=check.name,
        state=check.state,
        required=check.required,
        red_on_base=is_failed and check.name in on_base,
        signature=signature_of_log(check.name, output) if is_failed else "",
    )
