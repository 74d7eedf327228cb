"""Finds lines, added to a test that was there before, by which the very function that it checks is replaced.

A test that replaces what its subject calls is honest. The subject is what is called in an assertion, or gives a value
that an assertion names; of a file of tests, it is the module or class of its name.
"""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from caseworker.core.evidence.assertions import assertions
from caseworker.core.evidence.test_files import ReadTest

_LINE: Final = 400
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
    replacing = [(line, owner, name) for line in new for owner, name in _replaced_by(line[:_LINE])]
    if not replacing:
        return None
    subjects = set(_subjects(before))
    return next((line for line, owner, name in replacing if _is_subject(owner, name, subjects)), None)


def _replaced_by(line: str) -> Iterator[tuple[str, str]]:
    """The owner and the name of each function that a line replaces."""
    for pattern in _REPLACES:
        for found in pattern.finditer(line):
            parts = found.groupdict()
            path = parts.get("path") or f"{parts.get('owner')}.{parts.get('name')}"
            yield _owner_and_name(path)


def _owner_and_name(path: str) -> tuple[str, str]:
    owner, _, name = path.rpartition(".")
    return owner.rpartition(".")[2].lower(), name


def _subjects(test: ReadTest) -> Iterator[tuple[str, str]]:
    checked = [one.key[:_LINE] for one in assertions(test)]
    named = {word for text in checked for word in _WORD.findall(text)}
    given = (_GIVES.match(line.text[:_LINE]) for line in test.lines)
    texts = [*checked, *(found["from"] for found in given if found is not None and found["to"] in named)]
    for text in texts:
        yield from (_owner_and_name(found["path"]) for found in _CALL.finditer(text))


def _is_subject(owner: str, name: str, subjects: set[tuple[str, str]]) -> bool:
    """Whether it is called by its bare name, or by that of the same owner."""
    return any(name == called and (not of or of in (owner, "self")) for of, called in subjects)


def mocked_modules(path: str, before: str, after: str) -> Iterator[str]:
    """Calls that replace the module or class that a file of tests is named after, and were not there before."""
    subject = _plain(_TEST_AFFIX.sub("", PurePosixPath(path).name.partition(".")[0]))
    known = {_plain(_stem(found)) for found in _MODULE.finditer(before)}
    for found in _MODULE.finditer(after):
        replaced = _plain(_stem(found))
        if replaced == subject and replaced not in known and replaced not in _NO_NAMES:
            known.add(replaced)
            yield f"{found[0]})" if found["module"] else found[0]


def _stem(found: re.Match[str]) -> str:
    return PurePosixPath(found["module"]).name.partition(".")[0] if found["module"] else found["type"]


def _plain(name: str) -> str:
    return name.replace("-", "").replace("_", "").lower()
