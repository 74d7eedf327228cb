"""The pages of a review and of a resolve run on a pull request: `REVIEW.md` and `RESOLVE.md`."""

from collections.abc import Iterable, Sequence
from typing import Final

from caseworker.core.base.text import code
from caseworker.core.base.untrusted_text import one_line
from caseworker.core.casefile.review_learnings import ReviewLearning, learnings_used
from caseworker.core.outcomes.pull_work import PullFinding, PullResolveOutcome, PullReviewOutcome, ThreadAnswer
from caseworker.core.pull.findings import SEVERITIES, finding_id, shown_words
from caseworker.core.record.pull_entries import FindingPublished, ThreadAnswered

_HOW: Final = {
    "thread": "",
    "artifact": "no comment can be put on this line, so it is told here alone",
    "said_before": "said in an earlier review",
    "rejected": "not raised: an owner does not want it",
}
_VERDICTS: Final = {
    "valid": "valid",
    "partly_valid": "partly valid",
    "invalid": "invalid",
    "needs_clarification": "needs clarification",
}


_UNPUBLISHED: Final = "Not pushed: what this page tells of is not on the branch, and its answers are not posted."


def review_page(
    review: PullReviewOutcome, published: Iterable[FindingPublished] = (), used: Iterable[ReviewLearning] = ()
) -> str:
    """`used`: rules of owners that the review relied on."""
    known = {finding_id(one.finding): one for one in published}
    parts = ["# Review", review.summary.strip()]
    if review.status == "BLOCKED":
        parts.insert(1, "The review could not be completed.")
    for severity in SEVERITIES:
        found = [one for one in review.findings if one.severity == severity]
        if found:
            title = f"## {severity.capitalize()} ({len(found)})"
            parts += [title, *(_finding(one, known.get(finding_id(one))) for one in found)]
    if not review.findings and review.status == "REVIEWED":
        parts.append("## Findings\n\nNone.")
    if review.checked:
        parts.append("## What was checked\n\n" + "\n".join(f"- {one_line(line)}" for line in review.checked))
    learnings = learnings_used(used)
    return "\n\n".join(part for part in (*parts, learnings) if part) + "\n"


def resolve_page(
    outcome: PullResolveOutcome,
    answered: Iterable[ThreadAnswered] = (),
    outstanding: Sequence[str] = (),
    *,
    is_published: bool = True,
) -> str:
    """`outstanding`: what still keeps the pull request from a merge, in words. `is_published`: whether what the turn
    did was pushed and said."""
    known = {one.number: one for one in answered}
    parts = ["# Resolve", "" if is_published else _UNPUBLISHED, one_line(outcome.summary)]
    if outcome.threads:
        parts.append("## Threads\n\n" + "\n".join(_answer(one, known.get(one.thread)) for one in outcome.threads))
    if outcome.checks:
        lines = [
            f"- {code(one.check)}: {'fixed' if one.fixed else 'not fixed'}. {one_line(one.cause)}"
            + (f" Seen by {code(one.reproduced)}." if one.reproduced.strip() else " Not reproduced here.")
            for one in outcome.checks
        ]
        parts.append("## Checks\n\n" + "\n".join(lines))
    left = [*outstanding, *_open_threads(outcome.threads, known)]
    parts.append("## Outstanding\n\n" + ("\n".join(f"- {one_line(line)}" for line in left) if left else "Nothing."))
    return "\n\n".join(part for part in parts if part) + "\n"


def _finding(finding: PullFinding, published: FindingPublished | None) -> str:
    place = code(f"{finding.file}:{finding.line}")
    linked = f"[{place}]({published.url})" if published is not None and published.url else place
    shown = shown_words(finding, published.reproduction if published is not None else None)
    note = _HOW[published.how] if published is not None else ""
    lines = [f"- {linked} {one_line(finding.title)}", *(f"  {line}" for line in finding.body.strip().splitlines())]
    lines += [f"  {shown.partition(chr(10))[0]}"] if shown else []
    lines += [f"  ({note})"] if note else []
    return "\n".join(lines)


def _answer(answer: ThreadAnswer, told: ThreadAnswered | None) -> str:
    place = code(told.place) if told is not None and told.place else ""
    linked = f"[{place}]({told.url})" if told is not None and told.url and place else place
    commit = f" Changed in {told.commit[:10]}." if told is not None and told.commit else ""
    end = _end(told)
    head = f"{answer.thread} {linked}".strip()
    return f"- {head}: {_VERDICTS[answer.verdict]}, {end}. {one_line(answer.reply)}{commit}"


def _end(told: ThreadAnswered | None) -> str:
    if told is None:
        return "not posted yet"
    return told.note.rstrip(".") or ("resolved" if told.resolved else "stays open")


def _open_threads(answers: Iterable[ThreadAnswer], known: dict[str, ThreadAnswered]) -> list[str]:
    left = [one.thread for one in answers if (told := known.get(one.thread)) is not None and not told.resolved]
    left = [number for number in left if not known[number].note]
    return [f"Open threads: {', '.join(left)}."] if left else []
