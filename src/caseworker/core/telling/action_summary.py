"""The summary of a GitHub Actions job, as Markdown."""

from caseworker.core.base.text import clip, printable
from caseworker.core.issue.words import state_words
from caseworker.core.telling.money import money_words
from caseworker.core.telling.summaries import Seen, Summary

_LONGEST = 2_000


def action_summary(summary: Summary, *, web: str) -> str:
    """`web`: the address of the repository's page."""
    title = _cell(summary.title)
    lines = [f"## {summary.case}: {state_words(summary.state)}", "", title, "", "| | |", "|---|---|"]
    if summary.wrong:
        lines.append(f"| Cause, it says | {_cell(summary.wrong)} |")
    if summary.changed:
        lines.append(f"| Fix, it says | {_cell(summary.changed)} |")
    if summary.red is not None:
        lines.append(f"| Seen to fail | {_seen(summary.red)} |")
    if summary.green is not None:
        lines.append(f"| {summary.green.passed_words} | {_seen(summary.green)} |")
    if summary.not_seen:
        lines.append(f"| Not seen | {_cell(' '.join(summary.not_seen))} |")
    cost = money_words(summary.cost_micros, rehearsed=summary.rehearsed)
    lines.append(f"| Cost | {cost}, {summary.turns} turns, {summary.seconds:.0f} s |")
    if summary.pull_request is not None:
        lines.append(f"| Pull request | {web}/pull/{summary.pull_request} |")
    else:
        lines.append(f"| How it stands | {_cell(summary.stands)} |")
    if summary.asked:
        lines.append(f"| It says | {_cell(summary.asked)} |")
    return "\n".join(lines) + "\n"


def _seen(seen: Seen) -> str:
    return f"{_cell(seen.command)}: exit code {seen.exit_code}, {_cell(seen.last_line)}"


def _cell(text: str) -> str:
    """One line of plain text: it comes from a model or a build, and must not become a link, an image or a mention."""
    plain = " ".join(printable(clip(text, _LONGEST)).split())
    escaped = plain.replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|").replace("@", "@\u200b")
    return escaped.replace("[", "\\[").replace("!", "\\!").replace("`", "\\`")
