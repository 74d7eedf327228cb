"""Finds tests that look at the files of a change instead of running its code, and changes of comments alone.

Such a test can be red without the defect and green without a fix: by a hash or a word of the old text, or by a file
that is not there yet. By words, line by line: what is found has an honest use now and then, and needs a reason.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Final

from caseworker.core.base.text import code
from caseworker.core.evidence.code_locations import line_that_reads_code
from caseworker.core.evidence.line_sentences import line_sentence
from caseworker.core.evidence.test_places import is_in_a_test_place
from caseworker.core.evidence.unified_diff import DiffLine, FileDiff

_LINE: Final = 400
_NEAR: Final = 3
"""Lines within which a name and its use belong together."""
_HASHES: Final = ("py", "sh", "bash", "rb", "pl", "ex", "exs")
_SLASHES: Final = (
    "js",
    "jsx",
    "ts",
    "tsx",
    "mjs",
    "cjs",
    "go",
    "rs",
    "java",
    "kt",
    "php",
    "cs",
    "c",
    "cc",
    "cpp",
    "swift",
)
_MARKS: Final = dict.fromkeys(_HASHES, "#") | dict.fromkeys(_SLASHES, "//")
"""What begins a comment, by the ending of source files."""
_TRIPLE: Final = ('"""', "'''")
_TEXT: Final = re.compile(r"[rRuU]?(?P<quotes>\"\"\"|\'\'\'|\"|\')")
_HEAD: Final = re.compile(r"(?:(?:async\s{1,4})?def|class)\s")
_RETURNS: Final = re.compile(r"\s{0,4}->[^:\n]{1,100}:")
_TYPES: Final = re.compile(r"(?<=\w):\s{0,4}[\w.|\[\] \"']{1,80}(?=[,)=])")
_INSPECTS: Final = re.compile(
    r"\bgetsource(?:lines|file)?\s{0,4}\(|\.__code__\b|\bco_(?:code|consts|names|firstlineno)\b"
    r"|\blinecache\.getlines?\(|\bdis\.(?:dis|Bytecode|get_instructions|code_info)\("
    r"|\w\.__file__\)?[^\n]{0,40}\bread|\bopen\(\s{0,4}\w{1,40}\.__file__"
)
_READS: Final = re.compile(
    r"\bopen\s{0,4}\(|\bread_(?:text|bytes)\b|\breadFile|\bReadFile\(|\bFile\.read|\bfile_get_contents\b|\bread_to_string\b"
    r"|\b(?:grep|cat|sed|awk|head|tail|wc|cmp|diff|md5sum|sha\d{1,3}sum)\s"
)
_LOOKS_FOR: Final = re.compile(
    r"\b(?:path_?)?exists(?:Sync)?\b|\bis_?(?:file|dir)\b|\b(?:os\.|Files\.)?stat\(|\baccess(?:Sync)?\(|\blistdir\(|\bglob\("
    r"|(?:\[|\btest)\s{1,4}!?\s{0,4}-[defs]\s"
)
_RUNS: Final = re.compile(
    r"\bsubprocess\b|\bsys\.executable\b|\brunpy\b|\bspec_from|\bexec|\bspawn|\bimport\b(?!\.meta)|\brequire\("
    r"|\bpython3?\s|\bnode\s|\bsh\s|tmp_?path|te?mp_?dir|tempfile|mkdtemp|mktemp",
    re.I,
)
"""Signs that a line runs the file that it names, or that the file is in a temporary folder of the test. Such a line is
not reported."""


def reading_sources(files: Sequence[FileDiff]) -> dict[str, list[str]]:
    """By path, a sentence for each way in which a test looks at files of the change, with the first line that does."""
    ours = [file for file in files if not file.deleted and not is_in_a_test_place(file.path)]
    sources = {PurePosixPath(file.path).name for file in ours if _ending(file) in _MARKS}
    added = {PurePosixPath(file.path).name for file in ours if file.created}
    tests = [file for file in files if is_in_a_test_place(file.path) and _ending(file) in _MARKS and not file.deleted]
    return {test.path: told for test in tests if (told := list(_of_test(test, sources, added)))}


def comments_alone(files: Sequence[FileDiff]) -> dict[str, list[str]]:
    """By path, a sentence if nothing but comments of source files was changed, beside tests: then nothing that runs is
    different, and a test that was red is green for another reason."""
    ours = [file for file in files if not is_in_a_test_place(file.path)]
    if not ours or not all(map(_is_comments_alone, ours)):
        return {}
    told = "comments, docstrings or annotations" if any(_ending(file) == "py" for file in ours) else "comments"
    return {file.path: [f"{code(file.path)} is changed in {told} alone: what it does is the same."] for file in ours}


def _of_test(test: FileDiff, sources: set[str], added: set[str]) -> Iterator[str]:
    lines = [line for line in test.lines() if line.kind == "added"]
    inspected = next((line for line in lines if _INSPECTS.search(line.text[:_LINE])), None)
    named = inspected or next((line for line in lines if _uses(lines, line, sources, _READS)), None)
    read = named or line_that_reads_code([*test.lines()], _ending(test))
    if read is not None:
        yield _sentence(test, read, "reads the text of the code instead of running it")
    looked = next((line for line in lines if line is not read and _uses(lines, line, added, _READS, _LOOKS_FOR)), None)
    if looked is not None:
        yield _sentence(test, looked, "looks for a file that the change adds")


def _uses(lines: Sequence[DiffLine], line: DiffLine, names: set[str], *patterns: re.Pattern[str]) -> bool:
    """Whether a line names one of these files, and it is used so there or near by."""
    text = line.text[:_LINE]
    if _RUNS.search(text) or not any(name in re.split(r"[\s\"'/`(),]", text) for name in names):
        return False
    near = [one.text[:_LINE] for one in lines if abs(one.number - line.number) < _NEAR]
    return any(pattern.search(one) for one in near for pattern in patterns)


def _sentence(test: FileDiff, line: DiffLine, does: str) -> str:
    return line_sentence(test.path, line.number, does, line.text)


def _is_comments_alone(file: FileDiff) -> bool:
    mark = _MARKS.get(_ending(file))
    if mark is None or file.created or file.deleted or file.renamed or file.binary or file.modes is not None:
        return False
    both = (_lines(file, kind) for kind in ("added", "removed"))
    added, removed = ([text for line in lines if (text := _without_comment(line, mark))] for lines in both)
    return added == removed


def _lines(file: FileDiff, kind: str) -> Iterator[str]:
    """The lines as they are after the change or before it; of Python without docstrings, and without the types in the
    heads of functions."""
    python = _ending(file) == "py"
    inside, above = "", ""
    for line in file.lines():
        text = line.text[:_LINE].strip()
        if line.kind not in (kind, "context"):
            continue
        if python and inside:
            inside = "" if text.endswith(inside) else inside
            continue
        opened = _TEXT.match(text) if python and (text[:3] in _TRIPLE or _HEAD.match(above)) else None
        if opened is not None:
            ends = text.endswith(opened["quotes"]) and len(text) > opened.end()
            inside = "" if ends or opened["quotes"] not in _TRIPLE else opened["quotes"]
        elif line.kind == kind:
            yield _without_types(line.text) if python and _HEAD.match(text) else line.text
        above = text or above


def _without_types(head: str) -> str:
    bare = _TYPES.sub("", _RETURNS.sub(":", head))
    return "=".join(part.strip() for part in bare.split("="))


def _without_comment(text: str, mark: str) -> str:
    """Quotes after a mark may mean that it stands in a text: then it stays."""
    text = text[:_LINE].rstrip()
    while True:
        before, found, after = text.rpartition(mark)
        if not found or (before and not before[-1].isspace()) or '"' in after or "'" in after:
            return text
        text = before.rstrip()


def _ending(file: FileDiff) -> str:
    return PurePosixPath(file.path).suffix.lstrip(".").lower()
