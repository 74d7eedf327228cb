"""Explains why a bug case is in its state, in short. Its conversation has the rest."""

from collections.abc import Sequence
from typing import assert_never

from caseworker.core.bug.case import About, BugCase, BugState, status_of
from caseworker.core.bug.options import options
from caseworker.core.people.phrasing import Page, Phrasing, begin
from caseworker.core.record.entries import BugRead, Posted, Recorded
from caseworker.core.telling.fact_sources import Fact, Sources
from caseworker.core.telling.why import Why, at


def why_bug(bug: BugCase, phrasing: Phrasing, record: Sequence[Recorded] = ()) -> Why:
    stands, waits_for, follows = _told(bug)
    return Why(
        case=bug.id,
        state=status_of(bug).value,
        stands=f"{stands}{bug.held_up}",
        because=bug.reason,
        evidence=_evidence(bug, phrasing, Sources(record)),
        waits_for=waits_for,
        until=None if bug.is_over else bug.waiting.until,
        moves_it=[option.words(phrasing) for option in options(bug)],
        next=follows,
    )


def _told(bug: BugCase) -> tuple[str, str, str]:
    """The status, what the case waits for, and what follows by itself."""
    until = f" at {at(bug.waiting.until)}" if bug.waiting.until is not None else ""
    reminded = f"Developers are reminded at {at(bug.waiting.remind_at)}." if bug.waiting.remind_at else ""
    match bug.state:
        case BugState.INVESTIGATING:
            follows = "The reporter is asked, or everybody gets the findings."
            return "The investigator reads, runs and looks for the cause.", "", _with_fix(bug, follows)
        case BugState.AWAITING_REPORTER:
            follows = f"Without an answer the investigation goes on{until}."
            return "The reporter was asked something.", "For the reporter's answer.", _with_fix(bug, follows)
        case BugState.AWAITING_DEV if bug.waiting.cure:
            stands = "A turn failed for a reason outside of the case. Nothing is spent meanwhile."
            return stands, "For what stopped it to be put right.", _with_fix(bug, reminded)
        case BugState.AWAITING_DEV:
            silent = f"Without a word it is resolved as `no_response`{until}." if until else ""
            found = "have what was found, and " if bug.people.findings_posted else ""
            stands = f"The developers {found}have the say."
            return stands, "For a developer.", _with_fix(bug, reminded, silent)
        case BugState.DEV_TAKEOVER:
            who = bug.people.taken_by or "a developer"
            stands = f"{who} has taken it over. The agent stands back."
            return stands, f"For {who} to hand it back.", _with_fix(bug)
        case BugState.RESOLVED:
            kind = f" as {bug.ending.resolution}" if bug.ending.resolution is not None else ""
            return f"It is resolved{kind}.", "", _with_fix(bug)
        case _:
            assert_never(bug.state)


def _with_fix(bug: BugCase, *follows: str) -> str:
    """What follows by itself, with what an open fix brings."""
    fix = ""
    if bug.repair.fix_open:
        merged = "A merge of its fix resolves it as `code_fix`."
        fix = "Developers are told what becomes of its fix." if bug.is_over else merged
    return " ".join(sentence for sentence in (*follows, fix) if sentence) or "Nothing."


def _evidence(bug: BugCase, phrasing: Phrasing, found: Sources) -> list[Fact]:
    def posted(*about: About) -> int | None:
        return found.newest(lambda entry: isinstance(entry, Posted) and entry.about in about)

    read, severity = found.of_kind(BugRead), bug.report.severity
    told = f"Severity: {severity}." if severity is not None else "Severity: nobody has read the report yet."
    lines = [Fact(text=told, entry=read)]
    if bug.report.services:
        lines.append(Fact(text=f"About: {', '.join(bug.report.services)}.", entry=read))
    findings = "posted" if bug.people.findings_posted else "none were posted yet"
    lines.append(Fact(text=f"Findings: {findings}.", entry=posted(About.FINDINGS)))
    if bug.repair.fix is not None:
        stands = ", not ended yet" if bug.repair.fix_open else ""
        more = begin(phrasing.page(bug.repair.fix, Page.WHY))
        begun = posted(About.FIX_OPENED, About.ANOTHER_FIX)
        lines.append(Fact(text=f"Fix: {bug.repair.fix}{stands}. {more} says more.", entry=begun))
    return lines
