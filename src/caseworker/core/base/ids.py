"""The names of things, as types of their own, so that one can't be passed for another."""

import re
from typing import NewType

CaseId = NewType("CaseId", str)
"""`owner/repo#42` for an issue case, `bug-7F3K` for a bug case."""
RepositoryId = NewType("RepositoryId", str)
"""`owner/repo`; a repository on this disk is `local/<folder>`."""
MessageId = NewType("MessageId", int)
Sha = NewType("Sha", str)
SessionId = NewType("SessionId", str)
TraceId = NewType("TraceId", str)
RunId = NewType("RunId", int)

_ISSUE_CASE = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+)#(?P<number>[1-9][0-9]*)")


def issue_case(repository: RepositoryId, number: int) -> CaseId:
    return CaseId(f"{repository}#{number}")


def split_issue_case(case: CaseId) -> tuple[RepositoryId, int]:
    found = _ISSUE_CASE.fullmatch(case)
    if found is None:
        raise ValueError(f"{case!r} is not the id of an issue case (owner/repo#42)")
    return RepositoryId(found["repository"]), int(found["number"])


def bug_case(number: int, length: int = 4) -> CaseId:
    """A short name that can be said aloud and typed: no I, L, O or U."""
    letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    name = ""
    for _ in range(length):
        number, digit = divmod(number, len(letters))
        name = letters[digit] + name
    return CaseId(f"bug-{name}")


def bug_called(name: str) -> CaseId:
    """As people say it: without `bug-`, in any case, with the letters that are taken for digits."""
    letters = name.upper().removeprefix("BUG-").replace("O", "0").replace("I", "1").replace("L", "1")
    return CaseId(f"bug-{letters}")


def is_issue_called(case: CaseId, name: str) -> bool:
    """Whole parts only: `3#1` is not the end of `shop-3#1`, and a close must not hit a neighbour."""
    repository, _, number = case.partition("#")
    return name in (f"{repository.rpartition('/')[2]}#{number}", f"#{number}", number)


def slug(case: CaseId) -> str:
    """A name for folders and refs: one per case, since ids hold neither `__` nor a dot at the start."""
    return re.sub(r"[^\w.-]", "__", case)


def effect_key(case: CaseId, epoch: int, kind: str, number: int) -> str:
    """Ours, and made of persisted counters only: the same try gives the same key on every machine."""
    return f"{case}/{epoch}/{kind}/{number}"
