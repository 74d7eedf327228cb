"""Why a bug case is where it is, in short: its conversation tells the rest."""

from typing import assert_never

from caseworker.core.bug.case import BugCase, BugState, status_of
from caseworker.core.people.commands import Resolution
from caseworker.core.telling.why import Why, at

_KINDS = ", ".join(kind.value for kind in Resolution)


def why_bug(bug: BugCase) -> Why:
    stands, waits_for, follows = _told(bug)
    return Why(
        case=bug.id,
        state=status_of(bug).value,
        stands=stands,
        because=bug.reason,
        evidence=_evidence(bug),
        waits_for=waits_for,
        until=None if bug.is_over else bug.waiting.until,
        moves_it=_moves(bug),
        next=follows,
    )


def _told(bug: BugCase) -> tuple[str, str, str]:
    """How it stands, what it waits for, what follows by itself."""
    until = f" at {at(bug.waiting.until)}" if bug.waiting.until is not None else ""
    match bug.state:
        case BugState.INVESTIGATING:
            return (
                "The investigator reads, runs and looks for the cause.",
                "",
                "The reporter is asked, or everybody gets the findings.",
            )
        case BugState.AWAITING_REPORTER:
            return (
                "The reporter was asked something.",
                "For the reporter's answer.",
                f"Without an answer the investigation goes on{until}.",
            )
        case BugState.AWAITING_DEV:
            silent = (
                f"Without a word it is resolved as `no_response`{until}."
                if bug.waiting.until is not None
                else "Nothing."
            )
            return "The developers have what was found, and have the say.", "For a developer.", silent
        case BugState.DEV_TAKEOVER:
            who = bug.people.taken_by or "a developer"
            return f"{who} has taken it over. The agent stands back.", f"For {who} to hand it back.", "Nothing."
        case BugState.RESOLVED:
            kind = f" as {bug.ending.resolution}" if bug.ending.resolution is not None else ""
            return f"It is resolved{kind}.", "", "Nothing."
        case _:
            assert_never(bug.state)


def _evidence(bug: BugCase) -> list[str]:
    lines = [
        f"Severity: {bug.report.severity}."
        if bug.report.severity is not None
        else "Severity: nobody has read the report yet."
    ]
    if bug.report.services:
        lines.append(f"About: {', '.join(bug.report.services)}.")
    lines.append(f"Findings: {'posted' if bug.people.findings_posted else 'none were posted yet'}.")
    if bug.repair.fix is not None:
        under_way = ", under way" if bug.repair.fix_open else ""
        lines.append(f"Fix: {bug.repair.fix}{under_way}. `caseworker why {bug.repair.fix}` says more.")
    return lines


def _moves(bug: BugCase) -> list[str]:
    close = f'`caseworker close {bug.id} --resolution KIND --reason "..."` resolves it. KIND: {_KINDS}.'
    answer = f'`caseworker answer {bug.id} "..." --as reporter` answers.'
    speak = f'`caseworker say {bug.id} "..."` is read by the investigator; "please fix it" asks for a fix.'
    match bug.state:
        case BugState.RESOLVED:
            return [f'`caseworker say {bug.id} "..."` opens it again; mere thanks do not.']
        case BugState.DEV_TAKEOVER:
            return [f"`caseworker handback {bug.id}` lets the agent go on, with all that was said meanwhile.", close]
        case BugState.AWAITING_REPORTER:
            return [answer, speak, f"`caseworker takeover {bug.id}` stops the agent: you go on.", close]
        case BugState.INVESTIGATING | BugState.AWAITING_DEV:
            return [speak, f"`caseworker takeover {bug.id}` stops the agent: you go on.", close]
        case _:
            assert_never(bug.state)
