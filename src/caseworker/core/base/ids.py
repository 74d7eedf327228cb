"""Ids and the names made from them. Each id has its own type, so that one can't be passed as another."""

import re
from typing import NewType

CaseId = NewType("CaseId", str)
"""`owner/repo#42` for an issue case, `bug-7F3K` for a bug case, `owner/repo!57` for a pull case."""
RepositoryId = NewType("RepositoryId", str)
"""`owner/repo`; a repository on the local disk is `local/<folder>`."""
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
    """Makes a short id that is easy to say and type: no I, L, O or U."""
    letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    name = ""
    for _ in range(length):
        number, digit = divmod(number, len(letters))
        name = letters[digit] + name
    return CaseId(f"bug-{name}")


def bug_called(name: str) -> CaseId:
    """The id of a bug case as people write it: with or without `bug-`, in any case, with O for 0 and I or L for 1."""
    letters = name.upper().removeprefix("BUG-").replace("O", "0").replace("I", "1").replace("L", "1")
    return CaseId(f"bug-{letters}")


def is_issue_called(case: CaseId, name: str) -> bool:
    """Whether a name means this issue case: `repo#42`, `#42` or `42`.

    Only whole parts match: `3#1` does not mean `shop-3#1`, so that a close can't hit another case."""
    repository, _, number = case.partition("#")
    return name in (f"{repository.rpartition('/')[2]}#{number}", f"#{number}", number)


def pull_case(repository: RepositoryId, number: int) -> CaseId:
    return CaseId(f"{repository}!{number}")


def is_pull_called(case: CaseId, name: str) -> bool:
    """Whether a name means this pull case: `repo!57`, `!57`."""
    repository, _, number = case.partition("!")
    return bool(number) and name in (f"{repository.rpartition('/')[2]}!{number}", f"!{number}")


def slug(case: CaseId) -> str:
    """The case's name for folders and git refs. It is unique: ids have no `__` and no dot at the start."""
    return re.sub(r"[^\w.-]", "__", case.replace("!", "/pull/"))


def effect_key(case: CaseId, epoch: int, kind: str, number: int) -> str:
    """The key of an outside write. Made of persisted counters only, so that a repeated try has the same key."""
    return f"{case}/{epoch}/{kind}/{number}"
