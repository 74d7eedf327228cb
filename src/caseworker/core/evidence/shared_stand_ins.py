"""Finds mocks added outside of tests that replace a function which an existing test checks.

They are in automatic fixtures, in set-ups, or in code of the module or class: no test has the line, all are run with
it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from caseworker.core.evidence.code_lines import code_lines
from caseworker.core.evidence.mocked_subjects import LINE, is_named_after, is_subject, replaced_by
from caseworker.core.evidence.test_files import ReadFile, ReadTest
from caseworker.core.evidence.test_places import language_of

_MOST_TOLD: Final = 3
_WORD: Final = re.compile(r"\w{1,100}")
_CALLED_BY_RUNNERS: Final = re.compile(r"(?:async_?)?(?:set_?up|tear_?down|before|after|init$|TestMain$)", re.I)
_ASKED_FOR: Final = re.compile(r"@(?:pytest\.|pytest_asyncio\.)?fixture\b(?![^\n]{0,300}\bautouse)")
_STUB: Final = re.compile(
    r"\ballow(?:_any_instance_of)?\(\s{0,4}(?P<of>[@:\w.]{1,80})\s{0,4}\)\.to\s{1,4}receive\(\s{0,4}:(?P<name>\w{1,80})"
)
_DOUBLE: Final = re.compile(
    r"(?:\bcreate(?:Mock|Stub|PartialMock)|\bMockery::mock)\(\s{0,4}(?P<type>[\w\\]{1,200})::class\b"
)
_CALLED: Final = re.compile(r"\.(\w{1,80})")
_ITSELF: Final = frozenset({"subject", "described_class"})


def shared_stand_ins(
    path: str, before: str, after: str, new: ReadFile, old: ReadFile, subjects: set[tuple[str, str]]
) -> Iterator[str]:
    """The lines that replace a subject and are new in the file. `subjects`: what the older tests of the file
    check."""
    if not subjects:
        return
    known = {line.strip() for line in before.splitlines()}
    names = {test.name for test in old.tests}
    added = [test for test in new.tests if test.name not in names]
    unused = [helper for helper in new.helpers if _serves_none(helper, after, added)]
    inside = {line for one in (*new.tests, *unused) for line in (*one.body, *one.ahead)}
    found = []
    for _, line, is_code in code_lines(after, language_of(path) or ""):
        said = line.strip()
        if is_code and said not in known and said not in inside:
            replaced = replaced_by(said[:LINE])
            found += [said for owner, name in replaced if is_subject(owner, name, subjects)]
    yield from list(dict.fromkeys(found))[:_MOST_TOLD]


def _serves_none(helper: ReadTest, text: str, added: list[ReadTest]) -> bool:
    """Whether nothing but new tests can use it: only they, and itself, have its name."""
    if _CALLED_BY_RUNNERS.match(helper.name) or any(_is_run(line) for line in helper.ahead):
        return False
    users = (line for one in (helper, *added) for line in (one.head, *one.ahead, *one.body))
    words = Counter(word for line in users for word in _WORD.findall(line))
    return Counter(_WORD.findall(text))[helper.name] <= words[helper.name]


def _is_run(decorator: str) -> bool:
    """Whether a function with it may be run without being asked for by its name."""
    return decorator.startswith("@") and _ASKED_FOR.match(decorator) is None


def unreadable_stand_in(path: str, before: str, gained: Iterable[str]) -> str | None:
    """The first new line of Ruby or PHP that replaces what an older line checks, or the class that a file tests."""
    checked = [line[:LINE].lower() for line in before.splitlines() if "expect" in line[:LINE]]
    for line in gained:
        stub, double = _STUB.search(line[:LINE]), _DOUBLE.search(line[:LINE])
        if double is not None and is_named_after(path, double["type"].rpartition("\\")[2]):
            return line
        if stub is not None and any(_checks(one, stub["of"], stub["name"]) for one in checked):
            return line
    return None


def _checks(line: str, of: str, name: str) -> bool:
    """Whether a line, in small letters, checks what this method of that object or class gives."""
    is_of = of in _ITSELF or of.lower().lstrip("@:").replace("_", "") in line.replace("_", "")
    return is_of and name.lower() in _CALLED.findall(line)
