"""Finds lines of a test that ask where the code under test is, and read it there: `Path(shop.__file__)` on one line,
`read_text()` on another one. The test's own `__file__` is no such place.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from caseworker.core.evidence.unified_diff import DiffLine

SCRIPTS: Final = frozenset({"js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts"})
_LINE: Final = 400
_NEAR: Final = 3
"""Lines within which a place and its use belong together."""
_MOST: Final = 2_000
_MOST_NAMES: Final = 20
_PLACE: Final = re.compile(
    r"[\w\])]\.__file__\b|[\"']__file__[\"']|\b__spec__\.origin\b|\bfind_spec\([^()\n]{1,80}\)\.origin\b"
    r"|\binspect\.getfile\(|\brequire\.resolve\(|\bimport\.meta\.resolve\("
    r"|[\"'`][^\"'`\n]{0,60}\.\./[^\"'`\n]{0,80}\.[cm]?[jt]sx?[\"'`],\s{0,4}import\.meta\.url\b"
)
_OTHER_FILE: Final = re.compile(r"[\w*-]\.(?!(?:pyc?|pyi|so|pyx|[cm]?[jt]sx?)[\"'`])\w{1,10}[\"'`]")
"""A file that is not code, beside the code."""
_READS: Final = re.compile(
    r"\bopen\s{0,4}\(|\bread_(?:text|bytes)\b|\.read(?:lines?)?\(|\breadFile|\.stat\(|\bst_(?:size|mtime)|\bstatSync\("
    r"|\bget(?:size|mtime)\b|\b(?:hashlib|filecmp|linecache|tokenize)\.|\bsha\d{1,3}\(|\bmd5\(|\bcrc32\(|\bcreateHash\("
    r"|\bast\.parse\(|\bdis\.\w|\binspect\.\w"
)
_ELSEWHERE: Final = re.compile(
    r"\bsubprocess\b|\bsys\.executable\b|\brunpy\b|\bspec_from|\bexec|\bspawn|\bfork\("
    r"|tmp_?path|te?mp_?dir|tempfile|mkdtemp|mktemp",
    re.I,
)
"""Signs that a line runs the file, or is about one in a temporary folder of the test."""
_GIVEN: Final = re.compile(
    r"\s{0,40}(?:(?:const|let|var)\s{1,4})?(?P<name>[A-Za-z_$]\w{0,60})(?::[^=\n]{1,40})?\s{0,4}:?=[^=]"
)
_AS_TEXT: Final = re.compile(
    r"(?<![\w.])(?P<shown>[A-Za-z_$][\w$]{0,60}+)\.toString\(\)|\bString\((?P<given>[A-Za-z_$][\w$]{0,60})\)"
    r"|\bFunction\.prototype\.toString\.call\((?P<called>[A-Za-z_$][\w$]{0,60})"
)
_CONTENT: Final = re.compile(
    r"\bincludes\(|\bindexOf\(|\bmatch(?:es)?\(|\.test\(|\bto(?:Contain|Match|Equal|Be)\(|\.length\b|\bregex\(|\breadFile"
    r"|\bcreateHash\(|[!=]==?\s|\b(?:[eE]qual|strictEqual|is|not)\("
)


def line_that_reads_code(lines: Sequence[DiffLine], ending: str) -> DiffLine | None:
    """The first added line that has the place of the code, if it or a line near by reads what is there."""
    added = [line for line in lines if line.kind == "added"][:_MOST]
    read = next(_places_that_are_read(added), None)
    return read or (next(_functions_as_text(lines, added), None) if ending in SCRIPTS else None)


def _places_that_are_read(added: Sequence[DiffLine]) -> Iterator[DiffLine]:
    readers = [line for line in added if _reads(line.text[:_LINE])]
    for line in added:
        text = line.text[:_LINE]
        if not _PLACE.search(text) or _ELSEWHERE.search(text) or _OTHER_FILE.search(text):
            continue
        if any(abs(reader.number - line.number) < _NEAR for reader in readers) or _is_used(text, readers):
            yield line


def _is_used(text: str, readers: Sequence[DiffLine]) -> bool:
    """Whether the name that is given the place stands on a line that reads."""
    given = _GIVEN.match(text)
    if given is None:
        return False
    used = re.compile(rf"(?<![\w.$]){re.escape(given['name'])}(?!\w)")
    return any(used.search(line.text[:_LINE]) for line in readers)


def _reads(text: str) -> bool:
    return _READS.search(text) is not None and not (_ELSEWHERE.search(text) or _OTHER_FILE.search(text))


def _functions_as_text(lines: Sequence[DiffLine], added: Sequence[DiffLine]) -> Iterator[DiffLine]:
    """Lines that turn a function into its text, near a look into a text. A function is called or imported somewhere."""
    seen = "\n".join(line.text[:_LINE] for line in lines[:_MOST] if line.kind != "removed")
    looking = [line.number for line in added if _CONTENT.search(line.text[:_LINE])]
    functions: dict[str, bool] = {}
    for line in added:
        found = _AS_TEXT.search(line.text[:_LINE])
        name = found and (found["shown"] or found["given"] or found["called"])
        if not name or not any(abs(number - line.number) < _NEAR for number in looking):
            continue
        if name not in functions and len(functions) < _MOST_NAMES:
            functions[name] = _is_function(name, seen)
        if functions.get(name):
            yield line


def _is_function(name: str, seen: str) -> bool:
    said = re.escape(name)
    imported = rf"\bimport\b[^\n;]{{0,200}}(?<![\w$]){said}(?![\w$])[^\n;]{{0,200}}\bfrom\b"
    required = rf"(?<![\w$]){said}(?![\w$])[^\n=]{{0,200}}=\s{{0,4}}require\("
    return re.search(rf"{imported}|{required}|(?<![\w.$]){said}\((?!\))", seen) is not None
