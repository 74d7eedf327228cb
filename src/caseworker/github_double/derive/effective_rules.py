"""The rules that count for one branch: classic protection and all active rulesets together, the strictest winning."""

from dataclasses import dataclass
from fnmatch import fnmatchcase

from caseworker.github_double.entities.protection import Protection, RequiredCheck, Rule, Ruleset
from caseworker.github_double.entities.repository import Repository


@dataclass(frozen=True, kw_only=True)
class EffectiveRules:
    checks: tuple[RequiredCheck, ...] = ()
    is_strict: bool = False
    """The head must contain the newest base."""
    needs_pull: bool = False
    approvals: int = 0
    dismisses_stale: bool = False
    needs_last_push_approval: bool = False
    needs_resolved_threads: bool = False
    forbids_force_pushes: bool = False
    forbids_deletion: bool = False
    is_locked: bool = False
    uses_queue: bool = False
    """Nothing is merged but by the merge queue."""
    needs_signatures: bool = False
    binds_admins: bool = True
    push_logins: frozenset[str] | None = None
    bypass_logins: frozenset[str] = frozenset()


def protection_of(repository: Repository, branch: str) -> Protection | None:
    """The classic protection of a branch: an exact name before a pattern."""
    exact = repository.records.protections.get(branch)
    if exact is not None:
        return exact
    return next((one for one in repository.records.protections.values() if fnmatchcase(branch, one.pattern)), None)


def rulesets_of(repository: Repository, branch: str) -> list[Ruleset]:
    """Active rulesets that include the branch."""
    return [
        one
        for one in repository.records.rulesets
        if one.enforcement == "active"
        and _matches(repository, branch, one.include)
        and not _matches(repository, branch, one.exclude)
    ]


def rules_of(repository: Repository, branch: str) -> EffectiveRules:
    protection = protection_of(repository, branch)
    rulesets = rulesets_of(repository, branch)
    rules = [rule for ruleset in rulesets for rule in ruleset.rules]
    reviews = [rule.reviews for rule in rules if rule.type == "pull_request"]
    checks = [check for rule in _of_type(rules, "required_status_checks") for check in rule.checks]
    if protection is not None:
        checks += protection.checks or ()
        reviews += [protection.reviews] if protection.reviews is not None else []
    return EffectiveRules(
        checks=tuple(dict.fromkeys(checks)),
        is_strict=any(rule.is_strict for rule in rules) or bool(protection and protection.is_strict),
        needs_pull=bool(reviews),
        approvals=max((one.approvals for one in reviews), default=0),
        dismisses_stale=any(one.dismisses_stale for one in reviews),
        needs_last_push_approval=any(one.needs_last_push_approval for one in reviews),
        needs_resolved_threads=any(rule.needs_resolved_threads for rule in rules)
        or bool(protection and protection.needs_resolved_threads),
        forbids_force_pushes=bool(_of_type(rules, "non_fast_forward"))
        or bool(protection and not protection.allows_force_pushes),
        forbids_deletion=bool(_of_type(rules, "deletion")) or bool(protection and not protection.allows_deletions),
        is_locked=bool(_of_type(rules, "update")) or bool(protection and protection.is_locked),
        uses_queue=bool(_of_type(rules, "merge_queue")),
        needs_signatures=bool(_of_type(rules, "required_signatures")),
        binds_admins=bool(rules) or bool(protection and protection.binds_admins),
        push_logins=protection.push_logins if protection else None,
        bypass_logins=frozenset(login for ruleset in rulesets for login in ruleset.bypass_logins),
    )


def is_protected(repository: Repository, branch: str) -> bool:
    return protection_of(repository, branch) is not None or bool(rulesets_of(repository, branch))


def _of_type(rules: list[Rule], kind: str) -> list[Rule]:
    return [rule for rule in rules if rule.type == kind]


def _matches(repository: Repository, branch: str, patterns: tuple[str, ...]) -> bool:
    return any(
        pattern == "~ALL"
        or (pattern == "~DEFAULT_BRANCH" and branch == repository.default_branch)
        or fnmatchcase(f"refs/heads/{branch}", pattern)
        or fnmatchcase(branch, pattern)
        for pattern in patterns
    )
