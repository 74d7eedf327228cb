"""`caseworker action`: works on the issue of the event that started a GitHub Actions job, and ends with the job."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rich.console import Console

from caseworker.app.parts import github_access
from caseworker.app.processes.open_issue import RunRequest
from caseworker.app.settings import Settings
from caseworker.app.terminal.run_issue import run_to_rest
from caseworker.core.base.errors import Refused
from caseworker.core.base.policy import Milestone
from caseworker.core.people.forge_roles import RepositoryRole, may_ask, standing_of
from caseworker.core.people.registry import OF_MILESTONE, REGISTRY, VERBS, TargetKind, by_label
from caseworker.core.people.trigger import LiteralCommand, read_trigger
from caseworker.core.telling.action_summary import action_summary
from caseworker.core.telling.summaries import Summary
from caseworker.forges.github.address import ApiAddress
from caseworker.forges.github.connect import connect
from caseworker.forges.github.issue_links import IssueLink
from caseworker.forges.github.reads import GitHubReader
from caseworker.intake.github_events import Change, CommentChanged, Event, LabelChanged, name_of
from caseworker.intake.github_payloads import UnreadableBody, parse_event, read_body

DONE: Final = 0
FAILED: Final = 1
WAITS: Final = 3


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What the event asks for."""

    event: LabelChanged | CommentChanged
    until: Milestone


async def run_action(settings: Settings, console: Console, rehearsal: str | None) -> int:
    wanted = wanted_by(_read_event(os.environ))
    if isinstance(wanted, str):
        return _nothing(wanted, console)
    event = wanted.event
    reader, address = _reader(settings), ApiAddress(settings.github_api_url)
    repository = event.repository.model_copy(update={"host": address.host})  # a job belongs to the GitHub it runs on
    role = RepositoryRole(await reader.role(repository, event.actor.login))
    if not may_ask(standing_of(event.actor.login, role, frozenset(settings.allowed_owners), opened_it=False)):
        return _nothing(f"{event.actor.login} may not ask for work here.", console)
    link = IssueLink(host=repository.host, owner=repository.owner, name=repository.name, number=event.number)
    request = RunRequest(repository=None, issue=link, rehearsal=rehearsal, until=wanted.until)
    summary = await run_to_rest(request, settings, console, as_json=False)
    _write_summary(action_summary(summary, web=f"{address.web}/{name_of(repository)}"))
    return exit_code_of_action(summary)


def exit_code_of_action(summary: Summary) -> int:
    """0 if the step is done, 3 if a person has to move first, 1 otherwise. What is refused ends with 2."""
    if summary.result in ("pull_request", "merged", "milestone"):
        return DONE
    return WAITS if summary.result == "waits" else FAILED


def wanted_by(event: Event) -> Wanted | str:
    """What to work on; or why there is nothing to do, in words."""
    match event:
        case LabelChanged(change=Change.LABELED, target=TargetKind.ISSUE, label=label):
            workflow = by_label(label)
            verb = workflow.verb if workflow is not None else ""
        case CommentChanged(change=Change.CREATED, target=TargetKind.ISSUE, comment=comment):
            asked = read_trigger(comment.text, verbs=VERBS)
            verb = asked.verb if isinstance(asked, LiteralCommand) else ""
        case _:
            return "The event is neither a label on an issue nor a comment on one."
    if event.actor.is_bot:
        return "A bot asked, not a person."
    until = REGISTRY[verb].milestone if verb in REGISTRY else None
    if until is None:
        return f"It asks for none of {', '.join(REGISTRY[name].label for name in OF_MILESTONE.values())}."
    return Wanted(event=event, until=until)


def _read_event(environment: Mapping[str, str]) -> Event:
    name, path = environment.get("GITHUB_EVENT_NAME", ""), environment.get("GITHUB_EVENT_PATH", "")
    if not name or not path:
        raise Refused(
            "This is no GitHub Actions job: GITHUB_EVENT_NAME and GITHUB_EVENT_PATH are not set.",
            todo="`caseworker run --issue LINK` does the same anywhere else.",
        )
    try:
        return parse_event(name, read_body(Path(path).read_bytes()))
    except (OSError, UnreadableBody) as error:
        raise Refused(f"The event in {path} can't be read: {error}") from error


def _reader(settings: Settings) -> GitHubReader:
    access = github_access(settings)
    if access is None:
        raise Refused(
            "Caseworker has no access to GitHub.",
            todo="Set CASEWORKER_GITHUB_TOKEN from a secret in the workflow file (`caseworker docs github`).",
        )
    return GitHubReader(connect(access))


def _nothing(why: str, console: Console) -> int:
    console.print(f"Nothing to do. {why}", markup=False, highlight=False)
    _write_summary(f"Caseworker had nothing to do. {why}\n")
    return DONE


def _write_summary(text: str) -> None:
    """Actions shows this file on the page of the job."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if path:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text)
