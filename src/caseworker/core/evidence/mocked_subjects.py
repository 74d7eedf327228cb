"""Finds lines added to an existing test that mock the function which the test checks.

A test may mock what its subject calls. The subject is what an assertion calls, or what gives a value that an
assertion names. The subject of a file of tests is the module or class that the file is named after.
"""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from caseworker.core.evidence.assertions import assertions
from caseworker.core.evidence.test_files import ReadTest

LINE: Final = 400
"""Characters of a line that are read."""
_REPLACES: Final = (
    re.compile(r"\bpatch\(\s{0,4}[\"'](?P<path>[\w.]{1,200})[\"']"),
    re.compile(r"\bsetattr\(\s{0,4}[\"'](?P<path>[\w.]{1,200})[\"']"),
    re.compile(r"\b(?:patch\.object|setattr)\(\s{0,4}(?P<owner>[\w.]{1,100}),\s{0,4}[\"'](?P<name>\w{1,80})[\"']"),
    re.compile(r"\b(?:spyOn|stub|replace)\(\s{0,4}(?P<owner>[\w.]{1,100}),\s{0,4}[\"'](?P<name>\w{1,80})[\"']"),
    re.compile(
        r"^(?P<path>[\w.]{1,200})\s=\s(?:[\w.]{0,40}Mock\(|(?:jest|vi)\.fn\(|sinon\.(?:stub|fake)|lambda\b|func\()"
    ),
    re.compile(r"\bwhen\((?P<path>[\w.]{1,200})\("),
    re.compile(r"\b(?:doReturn|doAnswer|doNothing)\([^\n]{0,200}\.when\((?P<owner>\w{1,80})\)\.(?P<name>\w{1,80})\("),
)
_CALL: Final = re.compile(r"(?P<path>[A-Za-z_$][\w$]{0,80}(?:\.[A-Za-z_$][\w$]{0,80}){0,6})\(")
_GIVES: Final = re.compile(
    r"^(?:(?:const|let|var|val|final)\s{1,4})?(?:[\w<>]{1,60}\s{1,4})?(?P<to>\w{1,80})(?:, \w{1,40}){0,3}"
    r"\s{0,4}(?::=|=)\s{0,4}(?P<from>[^=\n]{1,300})"
)
_MODULE: Final = re.compile(
    r"\b(?:jest|vi)\.(?:do)?[mM]ock\(\s{0,4}[\"'](?P<module>[^\"'\n]{1,200})[\"']|\b(?:mock|spy)\((?P<type>\w{1,80})(?:\.class|::class\.java)\)"
    r"|@(?:Mock|MockBean|MockitoBean|MockK)\b(?:\([^)\n]{0,100}\))?\s{1,60}(?:(?:private|protected|public|final|lateinit|var)\s{1,4}){0,4}"
    r"(?P<field>\w{1,80})"
)
_IMPORT: Final = re.compile(
    r"^(?:import\s{1,4}|(?:const|let|var)\s{1,4})(?P<names>[\w\s{},*$]{1,400}?)(?:\bfrom|=\s{0,4}require\()\s{0,4}[\"'](?P<module>[^\"'\n]{1,200})",
    re.MULTILINE,
)
_TEST_AFFIX: Final = re.compile(r"^test_|(?:_tests?|_spec|Tests?|Spec|IT)$")
_NO_NAMES: Final = frozenset({"", "index", "main", "mod"})
_WORD: Final = re.compile(r"\w{1,80}")


def new_mock(before: ReadTest, after: ReadTest) -> str | None:
    """The first such line. Null: there is none."""
    if not before.checks:
        return None
    known = {*before.body, *before.ahead}
    new = [line for line in (*after.ahead, *after.body) if line not in known]
    replacing = [(line, owner, name) for line in new for owner, name in replaced_by(line[:LINE])]
    if not replacing:
        return None
    subjects = set(subjects_of(before))
    return next((line for line, owner, name in replacing if is_subject(owner, name, subjects)), None)


def replaced_by(line: str) -> Iterator[tuple[str, str]]:
    """The owner and the name of each function that a line replaces."""
    for pattern in _REPLACES:
        for found in pattern.finditer(line):
            parts = found.groupdict()
            path = parts.get("path") or f"{parts.get('owner')}.{parts.get('name')}"
            yield _owner_and_name(path)


def _owner_and_name(path: str) -> tuple[str, str]:
    owner, _, name = path.rpartition(".")
    return owner.rpartition(".")[2].lower(), name


def subjects_of(test: ReadTest) -> Iterator[tuple[str, str]]:
    """The owner and the name of each function that a test checks."""
    checked = [one.key[:LINE] for one in assertions(test)]
    named = {word for text in checked for word in _WORD.findall(text)}
    given = (_GIVES.match(line.text[:LINE]) for line in test.lines)
    texts = [*checked, *(found["from"] for found in given if found is not None and found["to"] in named)]
    for text in texts:
        yield from (_owner_and_name(found["path"]) for found in _CALL.finditer(text))


def is_subject(owner: str, name: str, subjects: set[tuple[str, str]]) -> bool:
    """Whether it is called by its bare name, or by that of the same owner."""
    return any(name == called and (not of or of in (owner, "self")) for of, called in subjects)


def mocked_modules(path: str, before: str, after: str, subjects: set[tuple[str, str]]) -> Iterator[str]:
    """Calls that replace the module or class that a file of tests is named after, or of which they check functions,
    and were not there before."""
    checked = {_subject_of_file(path), *_imported(before, subjects)}
    known = {_plain(_stem(found)) for found in _MODULE.finditer(before)} | _NO_NAMES
    for found in _MODULE.finditer(after):
        replaced = _plain(_stem(found))
        if replaced in checked and replaced not in known:
            known.add(replaced)
            yield f"{found[0]})" if found["module"] else found[0]


def is_named_after(path: str, name: str) -> bool:
    """Whether a file of tests has the name of this module or class."""
    return _plain(name) == _subject_of_file(path)


def _subject_of_file(path: str) -> str:
    return _plain(_TEST_AFFIX.sub("", PurePosixPath(path).name.partition(".")[0]))


def _imported(text: str, subjects: set[tuple[str, str]]) -> Iterator[str]:
    """The modules of a script from which it has functions that its tests check."""
    called = {name for of, name in subjects if not of} | {of for of, _ in subjects if of}
    for found in _IMPORT.finditer(text):
        if any(name in called or name.lower() in called for name in _WORD.findall(found["names"])):
            yield _plain(PurePosixPath(found["module"]).name.partition(".")[0])


def _stem(found: re.Match[str]) -> str:
    if found["module"]:
        return PurePosixPath(found["module"]).name.partition(".")[0]
    return found["type"] or found["field"]


def _plain(name: str) -> str:
    return name.replace("-", "").replace("_", "").lower()
