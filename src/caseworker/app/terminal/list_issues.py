"""`caseworker issue list`: lists the issues of a local repository, and how their cases stand."""

from pathlib import Path

from rich.console import Console
from rich.text import Text

from caseworker.app.desk import NoRecords, reading
from caseworker.app.parts import look_at
from caseworker.app.run_subjects import folder_or_here
from caseworker.app.settings import Settings
from caseworker.app.terminal.live_view import print_json
from caseworker.core.base.ids import CaseId, issue_case, typed
from caseworker.core.issue.words import state_words
from caseworker.core.telling.story import one_line
from caseworker.ports import Issue, StoredCase


async def list_issues(settings: Settings, console: Console, *, repo: Path | None, as_json: bool) -> None:
    found = await look_at(await folder_or_here(repo))
    issues: list[tuple[Issue, StoredCase | None]] = []
    try:
        async with reading(settings) as store:
            repository = await store.repositories.register(found.ref)
            for issue in await store.repositories.issues(repository):
                issues.append((issue, await store.cases.load(issue_case(repository, issue.number))))
    except NoRecords:
        pass  # no issue was ever written down here
    if as_json:
        print_json([_issue_json(issue, stored) for issue, stored in issues])
        return
    for issue, stored in issues:
        console.print(Text.assemble((f"{issue.number:>4}  ", "bold"), one_line(issue.title), (_stands(stored), "dim")))
    if not issues:
        console.print(f"No issue of {found.path} was written down here. `caseworker issue new` writes one.")


def _stands(stored: StoredCase | None) -> str:
    return "  no case yet" if stored is None else f"  {typed(stored.case.id)}: {state_words(stored.case.state)}"


def _issue_json(issue: Issue, stored: StoredCase | None) -> dict[str, object]:
    case: CaseId | None = stored.case.id if stored is not None else None
    return {
        **issue.model_dump(mode="json"),
        "case": case,
        "state": stored.case.state.value if stored is not None else None,
    }
