"""Lines of the story for what only pull cases record: verdicts, what was published, checks started again."""

from typing import assert_never

from caseworker.core.base.text import printable
from caseworker.core.record.pull_entries import ChecksRerun, PullJudged, PullPublished
from caseworker.core.telling.told import Told
from caseworker.core.telling.verdict_words import headline, title_line


def pull_lines(entry: PullJudged | PullPublished | ChecksRerun) -> list[Told]:
    match entry:
        case PullJudged():
            verdict = entry.verdict
            first = Told(mark="good" if verdict.outcome == "ready" else "quiet", text=headline(verdict))
            return [first, *(Told(mark="quiet", text=f"  {title_line(reason)}") for reason in verdict.reasons)]
        case PullPublished():
            pushed = [f"pushed {entry.commit[:12]}"] if entry.commit else []
            said = [f"wrote in {len(entry.threads)} threads, resolved {entry.resolved}"] if entry.threads else []
            voided = [f"voided the approval of {', '.join(map(printable, entry.voided))}"] if entry.voided else []
            return [Told(mark="good", text="; ".join([*pushed, *said, *voided]) or "nothing was to be published")]
        case ChecksRerun():
            flaky = f" (flaky: {', '.join(map(printable, entry.flakes))})" if entry.flakes else ""
            return [Told(mark="quiet", text=f"started again: {', '.join(map(printable, entry.checks))}{flaky}")]
        case _:
            assert_never(entry)
