"""The verdict over a pull request in words: for a terminal, for a section of a comment, for a check run on the head."""

from collections import Counter
from typing import Final, Literal, assert_never

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import Sha
from caseworker.core.base.text import code, printable
from caseworker.core.pull.own_check import CHECK_NAME, HeadWatch
from caseworker.core.pull.pull_facts import Decided
from caseworker.core.pull.reasons import Reason
from caseworker.core.pull.verdict import Verdict

_US_ANYWHERE: Final = "Caseworker where it looks after the pull request, otherwise the author"
_SHOWN: Final = 5
"""Pieces of evidence that are told of one reason."""


class ReadyCheck(BaseModel):
    """The verdict as a check run: neutral until it is ready, so that it never stands in the way of a merge. Or as a
    status, which knows no neutral: pending until it is ready."""

    model_config = ConfigDict(frozen=True)

    name: str = CHECK_NAME
    commit: Sha
    conclusion: Literal["success", "neutral"]
    title: str
    summary: str
    link: str
    """For a status, which has no summary."""


def headline(verdict: Verdict) -> str:
    """The verdict in one line."""
    match verdict.outcome:
        case "ready":
            return "Ready: a person can merge it."
        case "merged":
            return "Merged already."
        case "closed":
            return "Closed without a merge."
        case "decided":
            return _decision(verdict.decided)
        case "not_ready":
            first, *others = [reason.short for reason in verdict.reasons]
            more = f", and {len(others)} more" if others else ""
            return f"Not ready: {first}{more}."
    assert_never(verdict.outcome)


def title_line(reason: Reason) -> str:
    since = f" since {reason.since:%Y-%m-%d %H:%M} UTC" if reason.since else ""
    return f"{reason.short} ({reason.kind.value}){since}"


def shown_evidence(reason: Reason) -> list[str]:
    """What was seen: names of checks, paths and logins are other people's words."""
    counts = Counter(printable(one.what) for one in reason.evidence)
    seen = [what if count == 1 else f"{what} ({count} of this name)" for what, count in counts.items()]
    return seen[:_SHOWN] + ([f"and {len(seen) - _SHOWN} more"] if len(seen) > _SHOWN else [])


def mover_words(reason: Reason, us: str = _US_ANYWHERE) -> str:
    """`us`: who moves where it is for Caseworker to move."""
    names = ", ".join(reason.names)
    match reason.mover:
        case "us":
            return us
        case "author":
            return f"the author, {names}" if names else "the author"
        case "reviewer":
            return f"the reviewer, {names}" if names else "a reviewer with write access"
        case "maintainer":
            return "a maintainer"
        case "service":
            return names or "CI"
        case "nobody":
            return "nobody: it passes by itself"
    assert_never(reason.mover)


def mover_name(reason: Reason) -> str:
    """Who moves, for a table."""
    return "nobody" if reason.mover == "nobody" else mover_words(reason)


def us_in(*, is_over: bool) -> str:
    """Who moves for Caseworker, told by a session."""
    return "the author, or Caseworker if it is asked again" if is_over else "Caseworker"


def verdict_section(verdict: Verdict, *, is_over: bool) -> str:
    """A section of a tracking comment, in Markdown. `is_over`: no session looks after the pull request any more."""
    lines = ["### Merge readiness", "", f"**{headline(verdict)}**"]
    for reason in verdict.reasons:
        lines += ["", f"- **{title_line(reason)}**", f"  - must move: {mover_words(reason, us_in(is_over=is_over))}"]
        lines += [f"  - seen: {code(one)}" for one in shown_evidence(reason)]
        lines += [f"  - what helps: {reason.help}"]
    lines += ["", f"Looked at {verdict.head[:10]} at {verdict.looked_at:%Y-%m-%d %H:%M} UTC."]
    return "\n".join(lines)


def ready_check(verdict: Verdict, known: HeadWatch, *, url: str, is_over: bool = False) -> ReadyCheck:
    """What our check on the head says. `url`: of the pull request. `is_over`: no session keeps it up to date now."""
    section = verdict_section(verdict, is_over=is_over)
    if is_over:
        section += " No session looks after the pull request now: this does not change any more."
    return ReadyCheck(
        commit=verdict.head,
        conclusion="success" if verdict.outcome == "ready" else "neutral",
        title=headline(verdict),
        summary=f"{section}\n\n{known.mark}",
        link=known.link(url),
    )


def _decision(decided: Decided | None) -> str:
    if decided is None:
        return "A person has decided to merge it."
    by = decided.by or "A person"
    if decided.how == "auto_merge":
        return f"{by} has switched auto-merge on: GitHub merges it when its rules are met."
    place = f", place {decided.position}" if decided.position else ""
    return f"{by} has put it into the merge queue{place}."
