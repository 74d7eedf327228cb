"""Ids and the names made from them. Each id has its own type, so that one can't be passed as another."""

import re
from typing import Final, NewType

CaseId = NewType("CaseId", str)
"""`owner/repo#42` for an issue case, `bug-7F3K` for a bug case, `owner/repo!57` for a pull case."""
RepositoryId = NewType("RepositoryId", str)
"""`owner/repo`; a repository on the local disk is `local/<folder>`."""
MessageId = NewType("MessageId", int)
Sha = NewType("Sha", str)
SessionId = NewType("SessionId", str)
TraceId = NewType("TraceId", str)
RunId = NewType("RunId", int)

LARGEST_NUMBER: Final = 2**31 - 1
"""Of an issue or a pull request: what the records can hold."""
_ISSUE_CASE = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+)#(?P<number>[1-9][0-9]*)")
_MOST_DIGITS = 10
_LOCAL = "local/"
_ADDRESS = r"(?:https?://[^/]+/)"
_TYPED_ISSUE = re.compile(
    rf"(?:{_ADDRESS}(?=[^/]+/[^/]+/issues/))?(?P<owner>[\w.-]+/)?(?P<repository>[\w.-]+)"
    r"/(?:issues/)?(?P<number>[1-9][0-9]*)"
)
_TYPED_PULL = re.compile(rf"{_ADDRESS}?(?P<repository>[\w.-]+/[\w.-]+)/pull/(?P<number>[1-9][0-9]*)")


def short_name(commit: Sha | None) -> str:
    """A commit's name as people are shown it."""
    return (commit or "none")[:12]


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


def typed(case: CaseId) -> str:
    """The id as it is typed in a shell, where `#` begins a comment and `!` calls up old commands: `shop/3`,
    `owner/repo/42`, `owner/repo/pull/57`, `bug-7F3K`."""
    repository, _, number = case.partition("#")
    return f"{repository.removeprefix(_LOCAL)}/{number}" if number else case.replace("!", "/pull/")


def issue_typed(name: str) -> CaseId | None:
    """The issue case that `typed` writes like this, or whose page on GitHub has this address. Null: none."""
    found = _TYPED_ISSUE.fullmatch(name)
    return found and CaseId(f"{found['owner'] or _LOCAL}{found['repository']}#{found['number']}")


def pull_typed(name: str) -> CaseId | None:
    """The pull case that `typed` writes like this, or whose page on GitHub has this address. Null: none."""
    found = _TYPED_PULL.fullmatch(name)
    return found and CaseId(f"{found['repository']}!{found['number']}")


def issue_number(text: str) -> int | None:
    """The number that a person typed, `3` or `#3`. Null: the text is not a number. `ValueError`: it is too large."""
    digits = text.removeprefix("#")
    if not re.fullmatch("[0-9]+", digits):
        return None
    number = int(digits[:_MOST_DIGITS])  # Python refuses to read thousands of them
    if number > LARGEST_NUMBER or len(digits) > _MOST_DIGITS:
        raise ValueError("no issue has so large a number")
    return number


def is_issue_called(case: CaseId, name: str) -> bool:
    """Whether a name means this issue case: `repo/42`, `repo#42`, `#42` or `42`.

    Only whole parts match: `3#1` does not mean `shop-3#1`, so that a close can't hit another case."""
    repository, _, number = case.partition("#")
    folder = repository.rpartition("/")[2]
    return name in (f"{folder}/{number}", f"{folder}#{number}", f"#{number}", number)


def pull_case(repository: RepositoryId, number: int) -> CaseId:
    return CaseId(f"{repository}!{number}")


def is_pull_called(case: CaseId, name: str) -> bool:
    """Whether a name means this pull case: `repo/pull/57`, `pull/57`, `repo!57`, `!57`."""
    repository, _, number = case.partition("!")
    folder = repository.rpartition("/")[2]
    return bool(number) and name in (f"{folder}/pull/{number}", f"pull/{number}", f"{folder}!{number}", f"!{number}")


def is_local(case: CaseId) -> bool:
    """Whether its repository is a folder of this machine, where a branch is what others call a pull request."""
    return case.startswith(_LOCAL)


def noun(case: CaseId) -> str:
    """The word for what people merge in this case's repository."""
    return "branch" if is_local(case) else "pull request"


def slug(case: CaseId) -> str:
    """The case's name for folders and git refs. It is unique: ids have no `__` and no dot at the start."""
    return re.sub(r"[^\w.-]", "__", case.replace("!", "/pull/"))


def effect_key(case: CaseId, epoch: int, kind: str, number: int) -> str:
    """The key of an outside write. Made of persisted counters only, so that a repeated try has the same key."""
    return f"{case}/{epoch}/{kind}/{number}"
