"""What a person's role on the forge allows them here: who may ask for work, and their standing in a case."""

from collections.abc import Set
from enum import StrEnum
from typing import Final

from caseworker.core.people.messages import Standing


class RepositoryRole(StrEnum):
    """A person's role in a repository, as the forge tells it."""

    NONE = "none"
    READ = "read"
    TRIAGE = "triage"
    WRITE = "write"
    MAINTAIN = "maintain"
    ADMIN = "admin"


_STANDING: Final = {
    RepositoryRole.NONE: Standing.OTHER,
    RepositoryRole.READ: Standing.OTHER,
    RepositoryRole.TRIAGE: Standing.OTHER,
    RepositoryRole.WRITE: Standing.DEVELOPER,
    RepositoryRole.MAINTAIN: Standing.OWNER,
    RepositoryRole.ADMIN: Standing.OWNER,
}


def is_owner(login: str, owners: Set[str]) -> bool:
    """Whether this person is in `allowed_owners`. Logins don't differ by case."""
    return login.casefold() in {owner.casefold() for owner in owners}


def standing_of(login: str, role: RepositoryRole, owners: Set[str], *, opened_it: bool) -> Standing:
    """`opened_it`: this person opened the issue, so that they may answer questions about it."""
    if is_owner(login, owners):
        return Standing.OWNER
    standing = _STANDING[role]
    return Standing.REPORTER if standing is Standing.OTHER and opened_it else standing


def may_ask(standing: Standing) -> bool:
    """Whether this person may ask for a workflow. Others are not answered."""
    return standing in (Standing.OWNER, Standing.DEVELOPER)
