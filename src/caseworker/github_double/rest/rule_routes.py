"""Branch protection and rulesets."""

from caseworker.github_double import git_store
from caseworker.github_double.access import CHANGE_SETTINGS, READ_SETTINGS, SEE
from caseworker.github_double.acts.repository_acts import protect, unprotect
from caseworker.github_double.derive.effective_rules import protection_of, rulesets_of
from caseworker.github_double.entities.protection import RequiredCheck, ReviewRule
from caseworker.github_double.front import Answer
from caseworker.github_double.refusals import NotFound
from caseworker.github_double.rest.exchange import Call, RestRoute
from caseworker.github_double.rest.fields import Fields
from caseworker.github_double.shapes.rule_shapes import (
    branch_rule_json,
    full_ruleset_json,
    protection_json,
    ruleset_json,
)


def get_protection(call: Call) -> Answer:
    """404 also where rulesets protect the branch: they are told elsewhere."""
    repository, branch = call.repository(READ_SETTINGS), call.part("branch")
    protection = protection_of(repository, branch)
    if protection is None:
        raise NotFound("Branch not protected")
    return Answer(protection_json(call.github, repository, branch, protection))


def put_protection(call: Call) -> Answer:
    repository, branch, fields = call.repository(CHANGE_SETTINGS), call.part("branch"), call.fields
    if branch not in git_store.branches(repository.path):
        raise NotFound("Branch not found")
    checks, reviews = fields.record("required_status_checks"), fields.record("required_pull_request_reviews")
    protection = protect(
        call.github,
        call.actor,
        repository,
        branch,
        checks=None if checks is None else _checks(checks),
        is_strict=checks is not None and checks.flag("strict"),
        reviews=None if reviews is None else _reviews(reviews),
    )
    protection.binds_admins = fields.flag("enforce_admins")
    protection.needs_linear_history = fields.flag("required_linear_history")
    protection.allows_force_pushes = fields.flag("allow_force_pushes")
    protection.allows_deletions = fields.flag("allow_deletions")
    protection.needs_resolved_threads = fields.flag("required_conversation_resolution")
    protection.is_locked = fields.flag("lock_branch")
    return Answer(protection_json(call.github, repository, branch, protection))


def delete_protection(call: Call) -> Answer:
    unprotect(call.actor, call.repository(CHANGE_SETTINGS), call.part("branch"))
    return Answer(None, 204)


def list_branch_rules(call: Call) -> Answer:
    """Rules of rulesets that count for a branch; anybody who sees the repository may read them."""
    repository = call.repository(SEE)
    rulesets = rulesets_of(repository, call.part("branch"))
    pairs = [(ruleset, rule) for ruleset in rulesets for rule in ruleset.rules]
    return call.page(pairs, lambda pair: branch_rule_json(repository, *pair))


def list_rulesets(call: Call) -> Answer:
    repository = call.repository(SEE)
    return call.page(repository.records.rulesets, lambda one: ruleset_json(call.github, repository, one))


def get_ruleset(call: Call) -> Answer:
    repository, number = call.repository(SEE), call.number("id")
    found = next((one for one in repository.records.rulesets if one.id == number), None)
    if found is None:
        raise NotFound
    return Answer(full_ruleset_json(call.github, repository, found))


def _checks(fields: Fields) -> list[RequiredCheck]:
    pinned = [
        RequiredCheck(context=one.required("context"), app_id=one.number("app_id")) for one in fields.records("checks")
    ]
    known = {one.context for one in pinned}
    return pinned + [RequiredCheck(context=one) for one in fields.texts("contexts") if one not in known]


def _reviews(fields: Fields) -> ReviewRule:
    count = fields.number("required_approving_review_count")
    return ReviewRule(
        approvals=1 if count is None else count,
        dismisses_stale=fields.flag("dismiss_stale_reviews"),
        needs_code_owners=fields.flag("require_code_owner_reviews"),
        needs_last_push_approval=fields.flag("require_last_push_approval"),
    )


_HOME = "/repos/{owner}/{repo}"

ROUTES = (
    RestRoute("GET", f"{_HOME}/branches/{{branch:path}}/protection", get_protection),
    RestRoute("PUT", f"{_HOME}/branches/{{branch:path}}/protection", put_protection),
    RestRoute("DELETE", f"{_HOME}/branches/{{branch:path}}/protection", delete_protection),
    RestRoute("GET", f"{_HOME}/rules/branches/{{branch:path}}", list_branch_rules),
    RestRoute("GET", f"{_HOME}/rulesets", list_rulesets),
    RestRoute("GET", f"{_HOME}/rulesets/{{id:int}}", get_ruleset),
)
