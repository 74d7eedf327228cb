"""The lines of a log that tell a failure, reduced to what stays the same when the same failure happens again.

Times, numbers, ids, addresses and the places of files on a machine are taken out. Each regular expression here takes
linear time: logs are written by anybody.
"""

import hashlib
import re
from collections.abc import Iterable
from typing import Final, NewType

Signature = NewType("Signature", str)
"""16 hexadecimal digits. Equal: the same failure again, as far as can be told."""
MOST_CHARACTERS: Final = 100_000
"""Of a log, from its end."""
_LONGEST_LINE: Final = 2_000
LONGEST_SHOWN: Final = 300
_MOST_LINES: Final = 40
_LAST_LINES: Final = 5

_TERMINAL: Final = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[@-Z\\^_]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_LOG_TIME: Final = re.compile(r"\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z? ?")
_COMMAND: Final = re.compile(r"##\[(\w{1,20})\]|::(error|warning|notice|debug)(?: [^:\n]{0,500})?::")
_STEP: Final = "##[group]Run "
_ERROR: Final = "##[error]"

_STRONG: Final = re.compile(
    r"assert|panic|fatal|\bfail(?:ed|ure|ures|s)?\b|exception\b|[a-z]error\b|\berror\b|segmentation fault|core dumped"
    r"|undefined reference|undefined symbol|\bnot ok\b|^E  |[✗✕✘❌×●]",
    re.IGNORECASE,
)
GENERAL: Final = re.compile(
    r"process completed with exit code|command failed with exit code|the operation was cancel"
    r"|continue-on-error|fail-fast|\b0 (?:errors?|fail(?:ed|ures?))\b|\bno (?:errors|failures)\b"
    r"|\b(?:errors?|fail(?:ed|ures?))[:=] ?0\b|short test summary|^=+ (?:failures|errors) =+$",
    re.IGNORECASE,
)
"""Lines that are there after every failure, or in spite of success."""
_COUNT_WORD: Final = re.compile(
    r"and|assertions?|at|cases?|checked|duration|errors?|fail(?:ed|ing|ures?)?|files?|found|in|of|ok|out|pass(?:ed|ing)?"
    r"|problems?|ran|results?|runs?|skipped|source|suites?|tests?|time|took|total|warnings?|with",
    re.IGNORECASE,
)
"""A line of nothing but these words and numbers only counts: new tests change it."""
_WORD: Final = re.compile(r"[^\W\d_]+")

_PATH: Final = re.compile(r"(?<![\w.~])(?:[A-Za-z]:)?[\\/](?:[^\s\\/:;,'\"()\[\]<>|=]+[\\/])*[^\s\\/:;,'\"()\[\]<>|=]+")
_TEMPORARY: Final = frozenset({"tmp", "temp", "_temp", "folders", "tmpfs", "shm"})
_REPLACED: Final = tuple(
    (re.compile(pattern), by)
    for pattern, by in (
        (r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?", "<time>"),
        (r"\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
         r"[a-z]{0,6} {1,2}\d{1,2}(?:,? \d{4})?\b", "<time>"),
        (r"\b\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?\b", "<time>"),
        (r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b", "<id>"),
        (r"\b0[xX][0-9a-fA-F]+\b", "<id>"),
        (r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])", "<address>"),
        (r"\[?(?<![\w:])(?:[0-9a-fA-F]{1,4}:){3,7}:?[0-9a-fA-F]{0,4}\]?", "<address>"),
        (r"\btmp\w{6,}", "<tmp>"),
        (r"\b[gp]w\d+\b", "worker"),
    )
)  # fmt: skip
_TOKEN: Final = re.compile(r"[A-Za-z0-9+_]{7,}={0,2}")
_HEX: Final = re.compile(r"[0-9a-f]+|[0-9A-F]+")
_NUMBER: Final = re.compile(r"(?<!\w)\d[\d.,_]*(?:[eE][+-]?\d+)?(?:\s?(?:[mµun]?s|secs?|seconds?|min|[KMG]i?B|%)\b)?")


def stable_lines(lines: Iterable[str]) -> tuple[str, ...]:
    """Without what changes from run to run, each once and sorted: parallel jobs write in any order."""
    found = {stable for line in lines if (stable := stable_line(line)) and not _only_counts(stable)}
    return tuple(sorted(found)[:_MOST_LINES])


def stable_line(line: str) -> str:
    text = _PATH.sub(lambda path: _place(path[0]), line[:_LONGEST_LINE])
    for pattern, by in _REPLACED:
        text = pattern.sub(by, text)
    text = _NUMBER.sub("#", _TOKEN.sub(_token, text))
    return " ".join(text.split())[:LONGEST_SHOWN].strip(" =-_*.")


def _place(path: str) -> str:
    """The end of an absolute path: where a checkout lies differs by machine. A temporary folder has a random name."""
    parts = [part for part in re.split(r"[\\/]", path) if part]
    for index, part in enumerate(parts):
        if part.lower() in _TEMPORARY:
            inside = parts[index + 2 :]
            return "/".join(["<tmp>", *inside[-1:]])
    return "/".join(parts[-2:])


def _token(found: re.Match[str]) -> str:
    """Ids are long and have digits: hexadecimal ones, and long ones of capitals, small letters and digits."""
    text = found[0]
    has_digit = any(one.isdigit() for one in text)
    if has_digit and _HEX.fullmatch(text) and not text.isdigit():
        return "<id>"
    is_mixed = text.lower() != text and text.upper() != text and "_" not in text
    return "<id>" if has_digit and len(text) >= 20 and is_mixed else text


def log_lines(log: str) -> list[str]:
    """Without colours, times of the log, and what a progress bar has overwritten. The cut first line is left out."""
    text = log[-MOST_CHARACTERS:]
    lines = text.split("\n")[1 if len(log) > MOST_CHARACTERS else 0 :]
    clean = (_TERMINAL.sub("", line.rstrip("\r").rpartition("\r")[2][:_LONGEST_LINE]) for line in lines)
    return [_LOG_TIME.sub("", line, count=1) if _LOG_TIME.match(line) else line for line in clean]


def failed_step(lines: list[str]) -> list[str]:
    """Of a job's log the step that its last error is in: earlier steps passed, later ones clean up."""
    ends = [index for index, line in enumerate(lines) if line.startswith(_ERROR)]
    if not ends:
        return lines
    begins = [index for index, line in enumerate(lines[: ends[-1]]) if line.startswith(_STEP)]
    return lines[begins[-1] if begins else 0 : ends[-1] + 1]


def strong_lines(lines: Iterable[str]) -> Iterable[str]:
    for line in lines:
        kind = _COMMAND.match(line)
        word = (kind[1] or kind[2]) if kind else ""
        if word in ("group", "endgroup", "warning", "notice", "debug", "command"):
            continue
        text = line[kind.end() :] if kind else line
        if (word == "error" or _STRONG.search(text)) and not GENERAL.search(text):
            yield text


def last_lines(lines: Iterable[str]) -> list[str]:
    written = [line for line in lines if line.strip() and not _COMMAND.match(line) and not GENERAL.search(line)]
    return written[-_LAST_LINES:]


def _only_counts(line: str) -> bool:
    return all(_COUNT_WORD.fullmatch(word) for word in _WORD.findall(line))


def signature_of_log(check: str, log: str) -> Signature:
    """Names a failure by its check and its log."""
    lines = failed_step(log_lines(log))
    told = stable_lines(strong_lines(lines)) or stable_lines(last_lines(lines))
    return digest(check, *told)


def digest(*parts: str) -> Signature:
    return Signature(hashlib.sha256("\n".join(parts).encode(errors="replace")).hexdigest()[:16])
