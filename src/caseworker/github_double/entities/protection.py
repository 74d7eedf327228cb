"""Branch protection and rulesets."""

from dataclasses import dataclass, field
from typing import Literal


@dataclass(kw_only=True, frozen=True)
class RequiredCheck:
    context: str
    app_id: int | None = None
    """The App that must report it; None: any."""


@dataclass(kw_only=True, frozen=True)
class ReviewRule:
    approvals: int = 1
    dismisses_stale: bool = False
    needs_code_owners: bool = False
    needs_last_push_approval: bool = False


@dataclass(kw_only=True, eq=False)
class Protection:
    """Classic protection of the branches that match a pattern."""

    id: int
    node_id: str
    pattern: str
    checks: tuple[RequiredCheck, ...] | None = None
    """None: no status checks are required."""
    is_strict: bool = False
    """Whether the branch must be up to date with its base."""
    reviews: ReviewRule | None = None
    needs_resolved_threads: bool = False
    binds_admins: bool = False
    needs_linear_history: bool = False
    allows_force_pushes: bool = False
    allows_deletions: bool = False
    is_locked: bool = False
    push_logins: frozenset[str] | None = None
    """Who may push; None: everybody with write access."""


@dataclass(kw_only=True, frozen=True)
class Rule:
    """One rule of a ruleset. Which fields count depends on its type."""

    type: Literal[
        "pull_request",
        "required_status_checks",
        "non_fast_forward",
        "deletion",
        "creation",
        "update",
        "required_linear_history",
        "required_signatures",
        "merge_queue",
    ]
    checks: tuple[RequiredCheck, ...] = ()
    is_strict: bool = False
    reviews: ReviewRule = ReviewRule(approvals=0)
    needs_resolved_threads: bool = False


@dataclass(kw_only=True, eq=False)
class Ruleset:
    id: int
    node_id: str
    name: str
    enforcement: Literal["active", "disabled", "evaluate"] = "active"
    include: tuple[str, ...] = ("~DEFAULT_BRANCH",)
    """Patterns of ref names, or `~DEFAULT_BRANCH` and `~ALL`."""
    exclude: tuple[str, ...] = ()
    rules: list[Rule] = field(default_factory=list)
    bypass_logins: frozenset[str] = frozenset()
