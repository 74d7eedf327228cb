"""Prints the end of a run for people: what was wrong, what changed, the proof, the cost, how to merge."""

from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from caseworker.app.terminal.live_view import print_json_line
from caseworker.app.terminal.local_times import with_local_times
from caseworker.app.terminal.merge_commands import merge_commands
from caseworker.app.terminal.text_console import print_commands
from caseworker.core.base.ids import typed
from caseworker.core.base.repositories import LocalRepository, RepositoryRef
from caseworker.core.base.text import clip, printable
from caseworker.core.issue.words import state_words
from caseworker.core.telling.money import call_words, money_words, turn_words
from caseworker.core.telling.summaries import Seen, Summary

_FEEDBACK = 2_000
"""Characters. The end of a build's output can be long, and `show --json` has all of it."""


def print_summary(summary: Summary, repository: RepositoryRef, console: Console, *, as_json: bool) -> None:
    if as_json:
        print_json_line({"kind": "summary", **summary.model_dump(mode="json")})
        return
    title = f"{summary.case}: {state_words(summary.state)}"
    good = summary.result in ("pull_request", "merged", "milestone") and not summary.not_proven
    console.print()
    console.print(
        Panel(_body(summary, repository), title=Text(title), border_style="green" if good else "yellow", padding=(1, 2))
    )
    print_commands(_commands(summary, repository), console)


def _body(summary: Summary, repository: RepositoryRef) -> Group:
    rows = Table.grid(padding=(0, 2))
    rows.add_column(style="bold", no_wrap=True)
    rows.add_column(overflow="fold")
    for name, value in _rows(summary, repository):
        rows.add_row(name, Text(value))
    return Group(Text(f"{printable(summary.title)}\n", style="bold"), rows)


def _rows(summary: Summary, repository: RepositoryRef) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    if summary.wrong:
        rows.append(("Cause, it says", summary.wrong))
    if summary.changed:
        rows.append(("Fix, it says", summary.changed + (f" ({', '.join(summary.files)})" if summary.files else "")))
    if summary.red:
        rows.append(("Seen to fail", _seen(summary.red)))
    if summary.green:
        rows.append((summary.green.passed_words, _seen(summary.green)))
    if summary.weakened:
        rows.append(("Checks less", printable("\n".join(summary.weakened))))
    if summary.notes:
        rows.append(("Notes", printable("\n".join(summary.notes))))
    if summary.not_seen:
        rows.append(("Not seen", printable("\n".join(summary.not_seen))))
    calls, turns = call_words(summary.model_calls), turn_words(summary.turns)
    rows.append(
        (
            "Cost",
            f"{money_words(summary.cost_micros, rehearsed=summary.rehearsed)}, {calls}, "
            f"{turns}, {summary.seconds:.0f} s",
        )
    )
    if summary.not_proven:
        rows.append(("Not proven", printable(summary.not_proven)))
    if summary.result == "pull_request":
        if isinstance(repository, LocalRepository):
            rows.append(("Ready to merge", f"{_branches(summary)} in {repository}"))
        else:
            rows.append(("Pull request", f"{summary.pull_request}, {_branches(summary)} in {repository}"))
    else:
        rows.append(("How it stands", with_local_times(summary.stands)))
        if summary.missing:
            rows.append(("Missing", "\n".join(summary.missing)))
        if summary.feedback:
            rows.append(("Last feedback", printable(clip(summary.feedback, _FEEDBACK))))
        if summary.kept_on:
            rows.append(("Work so far", f"branch {summary.kept_on} in {repository}"))
        if summary.asked:
            rows.append(("What it says" if summary.result == "milestone" else "It asks", printable(summary.asked)))
    return rows


def _commands(summary: Summary, repository: RepositoryRef) -> list[tuple[str, str]]:
    if summary.result != "pull_request":
        return [("You can", move) for move in summary.moves_it] if summary.result != "working" else []
    read = ("Read it", f"caseworker show {typed(summary.case)} --pull-request")
    if not isinstance(repository, LocalRepository):
        return [read, ("Merge it", f"https://{repository}/pull/{summary.pull_request}")]
    return [read, *merge_commands(repository.path, branch=summary.branch, into=summary.into)]


def _branches(summary: Summary) -> str:
    return f"branch {summary.branch} into {summary.into}," if summary.into else f"branch {summary.branch}"


def _seen(seen: Seen) -> str:
    return f"`{seen.command}` on {seen.commit[:12]}: exit code {seen.exit_code}, {seen.last_line}"
