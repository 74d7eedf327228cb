"""Opens the case of an issue: in the command that was typed for it, or in the host on the command's behalf."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from caseworker.app.processes.start_checks import check_ready
from caseworker.app.run_subjects import Subject, find_subject
from caseworker.app.settings import Settings
from caseworker.core.base.budget import MICROS, MOST_DOLLARS
from caseworker.core.base.errors import Refused
from caseworker.core.base.policy import Milestone, Policy
from caseworker.core.evidence.repository_rules import RepositoryRules
from caseworker.intake.new_cases import NewCases, Opened
from caseworker.ports import NewIssue, Store

if TYPE_CHECKING:
    from caseworker.forges.github.issue_links import IssueLink


@dataclass(frozen=True, kw_only=True)
class RunRequest:
    repository: Path | None
    """Null: the issue's link names it."""
    issue: "NewIssue | int | IssueLink"
    rehearsal: str | None
    budget_usd: float | None = None
    until: Milestone | None = None
    detach: bool = False


@dataclass(frozen=True, kw_only=True)
class ReadyIssue:
    """An issue that can be worked on, and the policy of its case. Nothing is created yet."""

    subject: Subject
    policy: Policy
    rehearsal: str | None

    async def open(self, store: Store, settings: Settings, new_cases: NewCases, *, author: str) -> Opened:
        issue = await self.subject.issue(store, settings)
        return await new_cases.open_case(
            issue, policy=self.policy, rehearsal=self.rehearsal, author=author, thread=self.subject.thread
        )


async def check_issue(request: RunRequest, settings: Settings) -> ReadyIssue:
    """Refuse here whatever can be refused, before anything is created."""
    subject = await find_subject(request.repository, request.issue, settings)
    await check_ready(request.rehearsal, settings)
    policy = policy_for(request, await subject.rules(), settings)
    return ReadyIssue(subject=subject, policy=policy, rehearsal=request.rehearsal)


def policy_for(request: RunRequest, rules: RepositoryRules, settings: Settings) -> Policy:
    """The deployment's policy, narrowed by the repository's rules. Options of the command override both."""
    policy = rules.applied_to(settings.policy())
    said: dict[str, object] = {}
    if request.budget_usd is not None:
        if not request.budget_usd <= MOST_DOLLARS:
            raise Refused("That budget is too large.", todo=f"Write at most {MOST_DOLLARS:,}.")
        said["budget_micros"] = round(request.budget_usd * MICROS)
    if request.until is not None:
        said["until"] = request.until
    return policy.model_copy(update=said)
