"""Reads the `#[cfg(test)]` modules of Rust files, and the rows in them: macro calls that each make tests.

A row is `t!(name: "a" => "b");`, or one part of `tests! { a: 1 => 2, b: 2 => 3 }`. No `fn` with its name is in the
file, so that rows are compared as text.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from caseworker.core.base.text import code
from caseworker.core.evidence.code_lines import code_lines

_MARK: Final = re.compile(r"\s{0,200}#\[cfg\((?:all\()?test\b")
_IMPORT: Final = re.compile(r"\s{0,200}(?:pub\s)?use\s")
_CALL: Final = re.compile(r"(?P<macro>\w{1,80})!\s?(?:\w{1,80}\s?)?[({\[](?P<inside>.*)[)}\]];?$")
_OPENS: Final = re.compile(r"\s{0,200}(?:\w{1,80}::){0,3}\w{1,80}!\s?[({\[]")
_NO_ROWS: Final = frozenset(
    {"macro_rules", "thread_local", "lazy_static", "include", "include_str", "include_bytes", "proptest", "cfg_if"}
)
_PART: Final = re.compile(r"(?:\"(?:[^\"\\]|\\.){0,200}\"|[^,;\"]){1,400}")
_NAME: Final = re.compile(r"(?:fn\s)?(\w{1,100})\s?(?::(?!:)|,|=>|=)\s?")
_LONGEST: Final = 2_000

Texts = Mapping[str, str | None]


@dataclass(frozen=True)
class Row:
    name: str
    """Empty: its first part is no name."""
    said: str
    """What it gives to the macro, without its name."""
    shown: str


def module_lines(text: str) -> list[str]:
    """The lines of code in the test modules of a file, without imports and indentation."""
    return [line.strip() for module in _modules(text) for line in module if not _IMPORT.match(line)]


def rows_of(text: str) -> list[Row]:
    return [row for module in _modules(text) for call in _calls(module) for row in _rows(call)]


def lost_rows(before: Texts, after: Texts) -> Iterator[str]:
    """A sentence for each row that was changed or removed. Moved or renamed rows are the same."""
    old = {path: rows_of(text) for path, text in before.items() if path.endswith(".rs") and text is not None}
    new = {path: rows_of(text) for path, text in after.items() if path.endswith(".rs") and text is not None}
    kept = Counter(row.said for rows in new.values() for row in rows)
    for path in sorted(old):
        if after.get(path, "") is None:
            continue
        named = {row.name: row for row in new.get(path, ()) if row.name}
        for row in old[path]:
            kept[row.said] -= 1
            if kept[row.said] >= 0:
                continue
            now = named.get(row.name)
            if now is not None and now.said != row.said:
                yield f"{code(row.shown)} was changed in {code(path)}: it is {code(now.shown)}."
            else:
                yield f"{code(row.shown)} was removed from {code(path)}."


def _modules(text: str) -> Iterator[list[str]]:
    """The lines of code of each test module, without its first and last line."""
    if "cfg(" not in text:
        return
    ahead: int | None = None
    inside: list[str] | None = None
    for _, line, is_code in code_lines(text, "rust"):
        if not is_code:
            continue
        indent = len(line) - len(line.lstrip())
        if inside is not None and ahead is not None:
            if indent <= ahead and line.lstrip().startswith("}"):
                yield inside
                inside = ahead = None
            else:
                inside.append(line)
        elif _MARK.match(line):
            ahead = indent
        elif ahead is not None and not line.lstrip().startswith("#["):
            if line.endswith("{") and re.search(r"\bmod\s\w", line):
                inside = []
            else:
                ahead = None
    if inside is not None:
        yield inside


def _calls(module: list[str]) -> Iterator[str]:
    """Each macro call at the module's own depth, on one line."""
    depth = min((len(line) - len(line.lstrip()) for line in module), default=0)
    call: list[str] = []
    for line in module:
        is_own = len(line) - len(line.lstrip()) == depth
        if call:
            call.append(line.strip())
            if is_own:
                yield _joined(call)
                call = []
        elif is_own and _OPENS.match(line):
            if line.endswith(("(", "{", "[", ",")):
                call = [line.strip()]
            else:
                yield line.strip()


def _joined(lines: list[str]) -> str:
    return re.sub(r",\s?([)}\]];?)$", r"\1", " ".join(lines)[:_LONGEST])


def _rows(call: str) -> Iterator[Row]:
    found = _CALL.search(call)
    if found is None or found["macro"] in _NO_ROWS or re.search(r"\bfn\s\w", found["inside"]):
        return
    inside = found["inside"].strip()
    parts = [part.strip() for part in _PART.findall(inside) if "=>" in part]
    for said in parts if len(parts) > 1 else [inside]:
        name = _NAME.match(said)
        shown = said if len(parts) > 1 else call.rstrip(";")
        yield Row(name=name[1] if name else "", said=said[name.end() :] if name else said, shown=shown[:200])
