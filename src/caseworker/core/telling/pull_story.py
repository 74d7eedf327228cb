"""Lines of the story for what only pull cases record: verdicts, what was published, checks started again."""

from typing import assert_never

from caseworker.core.base.text import printable
from caseworker.core.record.pull_entries import (
    ChecksRerun,
    FindingPublished,
    PullJudged,
    PullPublished,
    PullRecorded,
    ThreadAnswered,
    TurnGiven,
    UnpushedKept,
)
from caseworker.core.telling.told import Told
from caseworker.core.telling.verdict_words import headline, title_line


def pull_lines(entry: PullRecorded) -> list[Told]:
    match entry:
        case PullJudged():
            verdict = entry.verdict
            first = Told(mark="good" if verdict.outcome == "ready" else "quiet", text=headline(verdict))
            return [first, *(Told(mark="quiet", text=f"  {title_line(reason)}") for reason in verdict.reasons)]
        case PullPublished():
            pushed = [f"pushed {entry.commit[:12]}"] if entry.commit else []
            said = [f"wrote in {_threads(len(entry.threads))}, resolved {entry.resolved}"] if entry.threads else []
            people = ", ".join(map(printable, entry.voided))
            voided = [f"the approval of {people} may be void now"] if people else []
            return [Told(mark="good", text="; ".join([*pushed, *said, *voided]) or "nothing was to be published")]
        case UnpushedKept():
            return [Told(mark="quiet", text=f"what was not pushed, {entry.commit[:12]}, is on {entry.branch}")]
        case ChecksRerun():
            flaky = f" (flaky: {', '.join(map(printable, entry.flakes))})" if entry.flakes else ""
            return [Told(mark="quiet", text=f"started again: {', '.join(map(printable, entry.checks))}{flaky}")]
        case FindingPublished():
            return [Told(mark="quiet", text=_finding_line(entry))]
        case ThreadAnswered():
            end = entry.note or ("resolved" if entry.resolved else "stays open")
            judged = entry.verdict.replace("_", " ")
            return [Told(mark="quiet", text=printable(f"thread {entry.number} at {entry.place}: {judged}, {end}"))]
        case TurnGiven():
            return []
        case _:
            assert_never(entry)


def _threads(number: int) -> str:
    return "1 thread" if number == 1 else f"{number} threads"


def _finding_line(entry: FindingPublished) -> str:
    finding = entry.finding
    ends = {"thread": "", "artifact": " (no comment can be put there)", "said_before": " (said before)"}
    end = ends.get(entry.how, " (rejected by an owner, not raised)")
    return printable(f"{finding.severity} at {finding.file}:{finding.line}: {finding.title}{end}")
