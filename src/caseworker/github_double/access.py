"""Who may see and do what: one row for each deed, and one check that every act goes through."""

from dataclasses import dataclass
from typing import Final

from caseworker.github_double.entities.accounts import Actor, Level, Permissions, Role, User
from caseworker.github_double.entities.repository import Repository
from caseworker.github_double.refusals import Forbidden, NotFound, Unauthorized

_LEVELS: Final[dict[Level, int]] = {"read": 1, "write": 2, "admin": 3}


@dataclass(frozen=True, kw_only=True)
class Deed:
    """What a token needs (any one of the subjects at the level), and the least role of the person behind it."""

    subjects: tuple[str, ...]
    level: Level
    role: Role

    @property
    def accepted(self) -> str:
        """For `X-Accepted-GitHub-Permissions`."""
        return "; ".join(f"{subject}={self.level}" for subject in self.subjects)


def _deed(subjects: str, level: Level, role: Role) -> Deed:
    return Deed(subjects=tuple(subjects.split()), level=level, role=role)


SEE: Final = _deed("metadata", "read", Role.READ)
READ_ISSUES: Final = _deed("issues", "read", Role.READ)
READ_TALK: Final = _deed("issues pull_requests", "read", Role.READ)
TALK: Final = _deed("issues pull_requests", "write", Role.READ)
OPEN_ISSUE: Final = _deed("issues", "write", Role.READ)
TRIAGE: Final = _deed("issues pull_requests", "write", Role.TRIAGE)
READ_PULLS: Final = _deed("pull_requests", "read", Role.READ)
OPEN_PULL: Final = _deed("pull_requests", "write", Role.READ)
EDIT_PULL: Final = _deed("pull_requests", "write", Role.TRIAGE)
REVIEW: Final = _deed("pull_requests", "write", Role.READ)
RESOLVE: Final = _deed("pull_requests", "write", Role.WRITE)
READ_CODE: Final = _deed("contents", "read", Role.READ)
PUSH: Final = _deed("contents", "write", Role.WRITE)
READ_CHECKS: Final = _deed("checks", "read", Role.READ)
WRITE_CHECKS: Final = _deed("checks", "write", Role.WRITE)
READ_STATUSES: Final = _deed("statuses", "read", Role.READ)
WRITE_STATUSES: Final = _deed("statuses", "write", Role.WRITE)
READ_ACTIONS: Final = _deed("actions", "read", Role.READ)
RUN_ACTIONS: Final = _deed("actions", "write", Role.WRITE)
READ_SETTINGS: Final = _deed("administration", "read", Role.ADMIN)
CHANGE_SETTINGS: Final = _deed("administration", "write", Role.ADMIN)
READ_HOOKS: Final = _deed("repository_hooks", "read", Role.ADMIN)
CHANGE_HOOKS: Final = _deed("repository_hooks", "write", Role.ADMIN)


def role_of(user: User | None, repository: Repository) -> Role:
    """The role of a person, whatever token they use."""
    if user is not None:
        if user is repository.owner:
            return Role.ADMIN
        if user.login in repository.collaborators:
            return repository.collaborators[user.login]
    return Role.NONE if repository.is_private else Role.READ


def sees(actor: Actor, repository: Repository) -> bool:
    """Whether the repository exists for this actor."""
    if not repository.is_private:
        return True
    token = actor.token
    if token is None:
        return role_of(actor.user, repository) >= Role.READ
    if token.kind == "installation":
        return covers(actor, repository) and _grants(token.permissions, SEE)
    if token.kind == "classic" and "repo" not in token.scopes:
        return False
    return covers(actor, repository) and role_of(actor.user, repository) >= Role.READ


def covers(actor: Actor, repository: Repository) -> bool:
    """Whether the actor's token was made for this repository."""
    token = actor.token
    if token is None or token.kind == "classic":
        return True
    if token.installation is not None:
        installation = token.installation
        if installation.account is not repository.owner or installation.suspended_at is not None:
            return False
        if installation.repository_ids is not None and repository.id not in installation.repository_ids:
            return False
    return token.repository_ids is None or repository.id in token.repository_ids


def may(actor: Actor, repository: Repository, deed: Deed) -> bool:
    return _why_not(actor, repository, deed) is None


def require(actor: Actor, repository: Repository, deed: Deed) -> None:
    """Raises what GitHub answers if the actor may not do it: 404 for what may not be seen, otherwise 401 or 403."""
    refusal = _why_not(actor, repository, deed)
    if refusal is not None:
        raise refusal


def _why_not(actor: Actor, repository: Repository, deed: Deed) -> NotFound | Unauthorized | Forbidden | None:
    if not sees(actor, repository):
        return NotFound()
    if deed.level == "read" and deed.role <= Role.READ and not repository.is_private:
        return None
    if actor.user is None:
        return Unauthorized("Requires authentication")
    by_token = _token_refusal(actor, repository, deed)
    if by_token is not None:
        return by_token
    is_installation = actor.token is not None and actor.token.kind == "installation"
    if is_installation or role_of(actor.user, repository) >= deed.role:
        return None
    rights = "admin rights" if deed.role is Role.ADMIN else f"{deed.role.name.lower()} access"
    return Forbidden(f"Must have {rights} to Repository.", accepted=deed.accepted)


def _token_refusal(actor: Actor, repository: Repository, deed: Deed) -> NotFound | Forbidden | None:
    token = actor.token
    if token is None:
        return None
    if token.kind == "classic":
        scopes = {"repo"} if repository.is_private else {"repo", "public_repo"}
        # GitHub answers 404, not 403, where a scope is missing.
        return None if scopes & set(token.scopes) else NotFound()
    if covers(actor, repository) and _grants(token.permissions, deed):
        return None
    kind = "integration" if token.kind == "installation" else "personal access token"
    return Forbidden(f"Resource not accessible by {kind}", accepted=deed.accepted)


def _grants(permissions: Permissions, deed: Deed) -> bool:
    granted = dict(permissions) or {}
    granted.setdefault("metadata", "read")
    return any(_LEVELS[granted[one]] >= _LEVELS[deed.level] for one in deed.subjects if one in granted)
