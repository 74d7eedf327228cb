"""Evidence is looked up: a command that was run, a line that is there, a run that is on record. What an agent cites
otherwise is only its word."""

import re
from collections.abc import Mapping, Sequence
from typing import Final, assert_never

from caseworker.core.hypotheses import Evidence
from caseworker.core.outcomes import Task
from caseworker.core.record import Bisected, BuildRan, Recorded, Tied, ToolCalled, ToolReturned, TurnCompleted

EVENTS: Final = frozenset({"tool_called", "tool_returned", "build_ran", "bisected", "turn_completed"})
"""The kinds of entries that evidence can point at."""
_FILE: Final = re.compile(r"`?(?P<path>[^`]+?):(?P<line>\d{1,7})(?:[-:]\d{1,7})?`?")
_RUN: Final = re.compile(r"(?P<kind>diagnostic|build|bisect)\s+#?(?P<number>\d{1,6})", re.IGNORECASE)
_CUT: Final = "…"
_SHORTEST: Final = 6
"""Characters of a command that stand for a longer one which holds them."""


def cited_files(evidence: Sequence[Evidence]) -> list[str]:
    """The paths to be looked at before `tie`."""
    found = [_FILE.fullmatch(piece.source.strip()) for piece in evidence if piece.kind == "file"]
    return list(dict.fromkeys(_relative(match["path"]) for match in found if match is not None))


def tie(evidence: Sequence[Evidence], record: Sequence[Recorded], texts: Mapping[str, str | None]) -> list[Tied | str]:
    """Each piece with its event on the record, or what is wrong with it. `record`: the entries of these `EVENTS`;
    `texts`: what the cited files say, null for one that is too large to be read."""
    return [_tied(piece, record, texts) for piece in evidence]


def _tied(piece: Evidence, record: Sequence[Recorded], texts: Mapping[str, str | None]) -> Tied | str:
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
            case ToolCalled(tool="Bash", call=call, summary=summary) if call in returned and _is(asked, summary):
                return one.sequence
            case BuildRan(runs=runs) if any(_is(asked, run.command) for run in runs):
                return one.sequence
    return f"no command `{asked}` was run in this case: cite one as it was run"


def _is(asked: str, ran: str) -> bool:
    """The record holds a command on one line, and of a long one the beginning."""
    known = " ".join(ran.split())
    if asked == known or (len(asked) >= _SHORTEST and asked in known):
        return True
    return known.endswith(_CUT) and asked.startswith(known.removesuffix(_CUT))


def _line(source: str, texts: Mapping[str, str | None]) -> str | None:
    """There is no event for a file: it is looked at where the turn began."""
    found = _FILE.fullmatch(source.strip())
    if found is None:
        return f"`{source}` names no line: write path:line"
    path, line = _relative(found["path"]), int(found["line"])
    if path not in texts:
        return f"there is no file `{path}` in the repository"
    text = texts[path]
    if text is not None and not 1 <= line <= len(text.splitlines()):
        return f"`{path}` has {len(text.splitlines())} lines, not {line}"
    return None


def _relative(path: str) -> str:
    return path.strip().removeprefix("./")


def _run(source: str, record: Sequence[Recorded]) -> int | str:
    found = _RUN.search(source)
    if found is None:
        return f"`{source}` names no run: write `diagnostic 4`, `build 2` or `bisect 1`"
    kind, number = found["kind"].lower(), int(found["number"])
    for one in record:
        match one.entry:
            case TurnCompleted(task=Task.DIAGNOSE, turn=turn) if (kind, number) == ("diagnostic", turn):
                return one.sequence
            case BuildRan(number=build) if (kind, number) == ("build", build):
                return one.sequence
            case Bisected(number=bisect, status="found") if (kind, number) == ("bisect", bisect):
                return one.sequence
    return f"there is no {kind} {number} on record"
