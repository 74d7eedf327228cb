"""Prints the end of a run for people: what was wrong, what changed, the proof, the cost, how to merge."""

from shlex import quote

from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from caseworker.app.terminal.live_view import print_json_line
from caseworker.core.base.repositories import LocalRepository, RepositoryRef
from caseworker.core.base.text import clip, printable
from caseworker.core.issue.words import state_words
from caseworker.core.telling.pull_request import cost_words
from caseworker.core.telling.summaries import Seen, Summary

_FEEDBACK = 2_000
"""Characters. The end of a build's output can be long, and `show --json` has all of it."""


def print_summary(summary: Summary, repository: RepositoryRef, console: Console, *, as_json: bool) -> None:
    if as_json:
        print_json_line({"kind": "summary", **summary.model_dump(mode="json")})
        return
    title = f"{summary.case}: {state_words(summary.state)}"
    good = summary.result in ("pull_request", "merged", "milestone")
    console.print()
    console.print(
        Panel(_body(summary, repository), title=Text(title), border_style="green" if good else "yellow", padding=(1, 2))
    )


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
    if summary.not_seen:
        rows.append(("Not seen", printable("\n".join(summary.not_seen))))
    calls = "1 model call" if summary.model_calls == 1 else f"{summary.model_calls} model calls"
    turns = "1 turn" if summary.turns == 1 else f"{summary.turns} turns"
    rows.append(
        (
            "Cost",
            f"{cost_words(summary.cost_micros, rehearsed=summary.rehearsed)}, {calls}, "
            f"{turns}, {summary.seconds:.0f} s",
        )
    )
    if summary.result == "pull_request":
        rows.append(("Pull request", f"{summary.pull_request}, branch {summary.branch} in {repository}"))
        rows.append(("Read it", f"caseworker show {summary.case} --pull-request"))
        if isinstance(repository, LocalRepository):
            git = f"git -C {quote(str(repository.path))}"
            rows.append(("See the diff", f"{git} diff HEAD...{summary.branch}"))
            rows.append(("Merge it", f"{git} merge {summary.branch}"))
        else:
            rows.append(("Merge it", f"{repository}/pull/{summary.pull_request}"))
    else:
        rows.append(("How it stands", summary.stands))
        if summary.missing:
            rows.append(("Missing", "\n".join(summary.missing)))
        if summary.feedback:
            rows.append(("Last feedback", printable(clip(summary.feedback, _FEEDBACK))))
        if summary.kept_on:
            rows.append(("Work so far", f"branch {summary.kept_on} in {repository}"))
        if summary.asked:
            rows.append(("What it says" if summary.result == "milestone" else "It asks", printable(summary.asked)))
        if summary.result != "working" and summary.moves_it:
            rows.append(("You can", "\n".join(summary.moves_it)))
    return rows


def _seen(seen: Seen) -> str:
    return f"`{seen.command}` on {seen.commit[:12]}: exit code {seen.exit_code}, {seen.last_line}"
