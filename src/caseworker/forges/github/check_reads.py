"""Reads check runs, statuses, workflow runs, and the rules that say which checks a branch needs. Changes nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from caseworker.core.base.ids import Sha
from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.pull.own_check import CHECK_NAME
from caseworker.forges.github.address import repository_path
from caseworker.forges.github.api import GitHubApi
from caseworker.forges.github.api_errors import GitHubRefused
from caseworker.forges.github.payloads import (
    CheckRunData,
    CheckRunsData,
    ProtectionData,
    RequiredCheckData,
    RuleData,
    StatusData,
    StatusesData,
    WorkflowRunData,
)
from caseworker.ports import Check

_PASSED: Final = {"success", "neutral", "skipped"}
_PAGE: Final = 100
_LOG_END: Final = 6_000
"""Characters of a log that are kept: a failure is told at its end."""


@dataclass(frozen=True, kw_only=True)
class BranchRules:
    """What a branch demands of a pull request, by protection and rulesets together."""

    checks: tuple[RequiredCheckData, ...] = ()
    approvals: int = 0
    threads_resolved: bool = False
    protected: bool = False
    unreadable: tuple[str, ...] = ()
    """What GitHub did not show us: there may be more rules."""


class CheckReader:
    def __init__(self, api: GitHubApi) -> None:
        self._api = api

    async def runs(self, repository: RemoteRepository, commit: str) -> list[CheckRunData]:
        """The newest run of each check."""
        path = repository_path(repository, "commits", commit, "check-runs")
        found: list[CheckRunData] = []
        for page in range(1, 1 + _PAGE):
            params = {"per_page": str(_PAGE), "page": str(page), "filter": "latest"}
            some = (await self._api.get(repository, path, CheckRunsData, params=params)).check_runs
            found += some
            if len(some) < _PAGE:
                break
        return found

    async def run(self, repository: RemoteRepository, run: int) -> CheckRunData:
        return await self._api.get(repository, repository_path(repository, "check-runs", run), CheckRunData)

    async def statuses(self, repository: RemoteRepository, commit: str) -> list[StatusData]:
        """The newest of each context."""
        path = repository_path(repository, "commits", commit, "status")
        return (await self._api.get(repository, path, StatusesData, params={"per_page": "100"})).statuses

    async def workflow_run(self, repository: RemoteRepository, run: int) -> WorkflowRunData:
        return await self._api.get(repository, repository_path(repository, "actions", "runs", run), WorkflowRunData)

    async def rules(self, repository: RemoteRepository, branch: str) -> BranchRules:
        unreadable: list[str] = []
        rules: list[RuleData] = []
        try:
            path = repository_path(repository, "rules", "branches", branch)
            rules = await self._api.pages(repository, path, RuleData)
        except GitHubRefused as refused:
            if refused.status == 403:
                unreadable.append("rulesets")
        protection = ProtectionData()
        is_protected = False
        try:
            path = repository_path(repository, "branches", branch, "protection")
            protection = await self._api.get(repository, path, ProtectionData)
            is_protected = True
        except GitHubRefused as refused:
            if refused.status == 403:
                unreadable.append("branch protection")
        return _together(rules, protection, is_protected=is_protected, unreadable=unreadable)

    async def output(self, repository: RemoteRepository, run: int) -> str:
        """Summary, text and annotations of a check run, and the end of its log where it is a job of GitHub Actions."""
        told = (await self.run(repository, run)).output
        parts = [told.title, told.summary, told.text]
        try:
            log = await self._api.linked_text(repository, repository_path(repository, "actions", "jobs", run, "logs"))
        except GitHubRefused:  # another program's check, a log that is gone, or no permission to read it
            log = ""
        return "\n\n".join(part.strip() for part in (*parts, log[-_LOG_END:]) if part and part.strip())

    async def checks(self, repository: RemoteRepository, commit: Sha, *, base: str) -> list[Check]:
        """The newest result of each check, and the required ones that never reported, as `missing`."""
        rules = await self.rules(repository, base)
        runs, statuses = await self.runs(repository, commit), await self.statuses(repository, commit)
        return rated(runs, statuses, rules.checks)


def rated(
    runs: Sequence[CheckRunData], statuses: Sequence[StatusData], required: Sequence[RequiredCheckData]
) -> list[Check]:
    """Pure: the two kinds of results and the rules as one list. A rule may pin a check to one App. Our own check tells
    what others say, so it is left out, also where a rule demands it."""
    runs = [run for run in runs if run.name != CHECK_NAME]
    statuses = [one for one in statuses if one.context != CHECK_NAME]
    required = [rule for rule in required if rule.context != CHECK_NAME]
    found = [
        Check(
            name=run.name,
            state=_run_state(run),
            required=_is_required(run, required),
            url=run.html_url or "",
            id=str(run.id),
        )
        for run in runs
    ]
    contexts = {rule.context for rule in required if _pinned(rule) is None}
    found += [
        Check(
            name=one.context,
            state=_status_state(one.state),
            required=one.context in contexts,
            url=one.target_url or "",
        )
        for one in statuses
    ]
    reported = {check.name for check in found if check.required}
    absent = dict.fromkeys(rule.context for rule in required if rule.context not in reported)
    return found + [Check(name=name, state="missing", required=True, url="") for name in absent]


def _pinned(rule: RequiredCheckData) -> int | None:
    """The App that must report it. GitHub writes -1 where any may."""
    app = rule.integration_id if rule.integration_id is not None else rule.app_id
    return None if app in (None, -1) else app


def _is_required(run: CheckRunData, required: Sequence[RequiredCheckData]) -> bool:
    app = run.app.id if run.app else None
    return any(rule.context == run.name and _pinned(rule) in (None, app) for rule in required)


def _run_state(run: CheckRunData) -> Literal["pending", "passed", "failed"]:
    if run.status != "completed":
        return "pending"
    return "passed" if run.conclusion in _PASSED else "failed"


def _status_state(state: str) -> Literal["pending", "passed", "failed"]:
    if state == "success":
        return "passed"
    return "pending" if state in ("pending", "expected") else "failed"


def _together(
    rules: Sequence[RuleData], protection: ProtectionData, *, is_protected: bool, unreadable: Sequence[str]
) -> BranchRules:
    of_rules = [rule.parameters for rule in rules if rule.parameters]
    checks = [check for one in of_rules for check in one.required_status_checks]
    if old := protection.required_status_checks:
        known = {check.context for check in old.checks}
        checks += old.checks + [RequiredCheckData(context=name) for name in old.contexts if name not in known]
    reviews = protection.required_pull_request_reviews
    return BranchRules(
        checks=tuple(dict.fromkeys(checks)),
        approvals=max(
            [one.required_approving_review_count for one in of_rules]
            + [reviews.required_approving_review_count if reviews else 0]
        ),
        threads_resolved=protection.required_conversation_resolution.enabled
        or any(one.required_review_thread_resolution for one in of_rules),
        protected=is_protected or bool(rules),
        unreadable=tuple(unreadable),
    )
