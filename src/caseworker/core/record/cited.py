"""Checks the evidence that an agent cites: commands must have been run, lines must exist, runs must be on record."""

import re
from collections.abc import Mapping, Sequence
from typing import Final, assert_never

from caseworker.core.base.roles import Task
from caseworker.core.outcomes.investigation import NEEDED_EVIDENCE, Evidence
from caseworker.core.record.entries import BuildRan, Recorded, ToolCalled, ToolReturned, TurnCompleted
from caseworker.core.record.investigation import Bisected, InstrumentRan, Tied

EVENTS: Final = frozenset({"tool_called", "tool_returned", "build_ran", "bisected", "instrument_ran", "turn_completed"})
"""The kinds of entries that evidence can refer to."""
_FILE: Final = re.compile(r"`?(?P<path>[^`]+?):(?P<line>\d{1,7})(?:[-:]\d{1,7})?`?")
_RUN: Final = re.compile(
    r"(?P<kind>diagnostic|build|bisect|profile|stress|trace)\s+#?(?P<number>\d{1,6})", re.IGNORECASE
)
_CUT_MARK: Final = "…"
_SEPARATORS: Final = re.compile(r"&&|\|\||[;|]")
"""Separators of commands on one line. Each of them counts as run."""


def cited_files(evidence: Sequence[Evidence]) -> list[str]:
    """The paths whose text `tie` needs."""
    places = [_place(piece.source) for piece in evidence if piece.kind == "file"]
    paths = dict.fromkeys(place[0] for place in places if place is not None)
    return [path for path in paths if ".." not in path.split("/") and not path.startswith("/")]


def tie(evidence: Sequence[Evidence], record: Sequence[Recorded], texts: Mapping[str, str | None]) -> list[Tied | str]:
    """Links each piece to its entry on the record, or says what is wrong with it. `record`: the entries of kind
    `EVENTS`; `texts`: the cited files, null for one that is too large to read."""
    return [_link(piece, record, texts) for piece in evidence]


def too_little(tied: Sequence[Tied]) -> str:
    """Why evidence that is all on record is still not enough. Empty: it is enough."""
    different = {piece.event or _place(piece.source) for piece in tied}
    if len(different) < NEEDED_EVIDENCE:
        return f"{NEEDED_EVIDENCE} different pieces of evidence are needed, and these point at {len(different)}"
    if all(piece.kind == "file" for piece in tied):
        return "something has to have been run: cite a command, a diagnostic, a build, a bisect or another skill's run"
    return ""


def _place(source: str) -> tuple[str, int] | None:
    """Path and line number of a citation."""
    found = _FILE.fullmatch(source.strip())
    return (found["path"].strip().removeprefix("./"), int(found["line"])) if found is not None else None


def _link(piece: Evidence, record: Sequence[Recorded], texts: Mapping[str, str | None]) -> Tied | str:
    event: int | str | None
    match piece.kind:
        case "command":
            event = _command(piece.source, record)
        case "file":
            event = _line(piece.source, texts)
        case "run":
            event = _run(piece.source, record)
        case _:
            assert_never(piece.kind)
    if isinstance(event, str):
        return event
    return Tied(kind=piece.kind, source=piece.source, shows=piece.shows, event=event)


def _command(source: str, record: Sequence[Recorded]) -> int | str:
    asked = " ".join(source.split()).strip("`")
    returned = {one.entry.call for one in record if isinstance(one.entry, ToolReturned)}
    for one in reversed(record):
        match one.entry:
            case ToolCalled(tool="Bash", call=call, summary=summary) if call in returned and _was_run(asked, summary):
                return one.sequence
            case BuildRan(runs=runs) if any(_was_run(asked, run.command) for run in runs):
                return one.sequence
    return f"no command `{asked}` was run in this case: cite one as it was run"


def problem_with_command(command: str, record: Sequence[Recorded]) -> str | None:
    """What is wrong with a command that somebody says was run. Null: it is on record."""
    found = _command(command, record)
    return "no such command was run in this case" if isinstance(found, str) else None


def was_run_somehow(command: str, record: Sequence[Recorded]) -> bool:
    """Whether a command with these words was run, in this order: maybe with more options, or by another program."""
    returned = {one.entry.call for one in record if isinstance(one.entry, ToolReturned)}
    ran: list[str] = []
    for one in record:
        match one.entry:
            case ToolCalled(tool="Bash", call=call, summary=summary) if call in returned:
                ran.append(summary)
            case BuildRan(runs=runs):
                ran += [run.command for run in runs]
    parts = [part.split() for one in ran for part in _SEPARATORS.split(one)]
    return any(_was_run(command, one) for one in ran) or all(
        any(_has_words(part, asked.split()) for part in parts) for asked in _SEPARATORS.split(command)
    )


def _has_words(ran: Sequence[str], asked: Sequence[str]) -> bool:
    left = iter(ran)
    return all(any(word == one or word.endswith(f"/{one}") for word in left) for one in asked)


def last_run_failed(command: str, record: Sequence[Recorded]) -> bool:
    """Whether the command was run, and its newest run did not end well."""
    asked = " ".join(command.split()).strip("`")
    ended = {one.entry.call: one.entry.ok for one in record if isinstance(one.entry, ToolReturned)}
    for one in reversed(record):
        match one.entry:
            case ToolCalled(tool="Bash", call=call, summary=summary) if call in ended and _was_run(asked, summary):
                return not ended[call]
            case BuildRan(runs=runs):
                codes = [run.exit_code for run in runs if _was_run(asked, run.command)]
                if codes:
                    return codes[-1] != 0
    return False


def _was_run(asked: str, ran: str) -> bool:
    """Whether the command was run. The record has commands on one line, long ones cut at the end."""
    known = " ".join(ran.split())
    if asked in (known, *(part.strip() for part in _SEPARATORS.split(known))):
        return True
    return known.endswith(_CUT_MARK) and asked.startswith(known.removesuffix(_CUT_MARK))


def _line(source: str, texts: Mapping[str, str | None]) -> str | None:
    """What is wrong with a cited line. Null: nothing. It is checked in the files as they were when the turn began."""
    place = _place(source)
    if place is None:
        return f"`{source}` names no line: write path:line"
    return problem_with_line(*place, texts)


def problem_with_line(path: str, line: int, texts: Mapping[str, str | None]) -> str | None:
    """What is wrong with a line that somebody names. Null: it is there. `texts`: as for `tie`."""
    if path not in texts:
        return f"there is no file `{path}` in the repository"
    lines = (texts[path] or "").splitlines()
    if texts[path] is not None and not 1 <= line <= len(lines):
        return f"`{path}` has {len(lines)} lines, not {line}"
    if lines and not lines[line - 1].strip():
        return f"line {line} of `{path}` is empty"
    return None


def _run(source: str, record: Sequence[Recorded]) -> int | str:
    found = _RUN.search(source)
    if found is None:
        return f"`{source}` names no run: write `diagnostic 4`, `build 2`, `bisect 1` or `stress 1`"
    asked = (found["kind"].lower(), int(found["number"]))
    for one in record:
        match one.entry:
            case TurnCompleted(task=Task.DIAGNOSTIC, status="DIAGNOSTIC_DONE", turn=turn) if asked == (
                "diagnostic",
                turn,
            ):
                return one.sequence
            case BuildRan(number=build) if asked == ("build", build):
                return one.sequence
            case Bisected(number=bisect, status="found") if asked == ("bisect", bisect):
                return one.sequence
            case InstrumentRan(instrument=name, number=number, status="measured") if asked == (name, number):
                return one.sequence
    return f"there is no {asked[0]} {asked[1]} on record"
