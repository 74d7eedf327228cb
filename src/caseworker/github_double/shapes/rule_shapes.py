"""Branch protection, rulesets and their rules as JSON."""

from caseworker.github_double.entities.protection import Protection, RequiredCheck, Rule, Ruleset
from caseworker.github_double.entities.repository import Repository
from caseworker.github_double.shapes.repository_shapes import repository_page, repository_url
from caseworker.github_double.state import GitHub, Json


def protection_json(github: GitHub, repository: Repository, branch: str, protection: Protection) -> Json:
    url = f"{repository_url(github, repository)}/branches/{branch}/protection"
    body: Json = {
        "url": url,
        "enforce_admins": {"url": f"{url}/enforce_admins", "enabled": protection.binds_admins},
        "required_signatures": {"url": f"{url}/required_signatures", "enabled": False},
        "required_linear_history": {"enabled": protection.needs_linear_history},
        "allow_force_pushes": {"enabled": protection.allows_force_pushes},
        "allow_deletions": {"enabled": protection.allows_deletions},
        "block_creations": {"enabled": False},
        "required_conversation_resolution": {"enabled": protection.needs_resolved_threads},
        "lock_branch": {"enabled": protection.is_locked},
        "allow_fork_syncing": {"enabled": False},
    }
    if protection.checks is not None:
        body["required_status_checks"] = {
            "url": f"{url}/required_status_checks",
            "strict": protection.is_strict,
            "contexts": [check.context for check in protection.checks],
            "contexts_url": f"{url}/required_status_checks/contexts",
            "checks": [{"context": check.context, "app_id": check.app_id} for check in protection.checks],
        }
    if protection.reviews is not None:
        reviews = protection.reviews
        body["required_pull_request_reviews"] = {
            "url": f"{url}/required_pull_request_reviews",
            "dismiss_stale_reviews": reviews.dismisses_stale,
            "require_code_owner_reviews": reviews.needs_code_owners,
            "required_approving_review_count": reviews.approvals,
            "require_last_push_approval": reviews.needs_last_push_approval,
        }
    return body


def ruleset_json(github: GitHub, repository: Repository, ruleset: Ruleset) -> Json:
    """The entry of the list; the full form adds conditions and rules."""
    url = f"{repository_url(github, repository)}/rulesets/{ruleset.id}"
    page = f"{repository_page(github, repository)}/rules/{ruleset.id}"
    return {
        "id": ruleset.id,
        "node_id": ruleset.node_id,
        "name": ruleset.name,
        "target": "branch",
        "source_type": "Repository",
        "source": repository.full_name,
        "enforcement": ruleset.enforcement,
        "_links": {"self": {"href": url}, "html": {"href": page}},
    }


def full_ruleset_json(github: GitHub, repository: Repository, ruleset: Ruleset) -> Json:
    names = {"include": list(ruleset.include), "exclude": list(ruleset.exclude)}
    return {
        **ruleset_json(github, repository, ruleset),
        "conditions": {"ref_name": names},
        "rules": [rule_json(rule) for rule in ruleset.rules],
    }


def rule_json(rule: Rule) -> Json:
    body: Json = {"type": rule.type}
    if rule.type == "pull_request":
        body["parameters"] = {
            "required_approving_review_count": rule.reviews.approvals,
            "dismiss_stale_reviews_on_push": rule.reviews.dismisses_stale,
            "require_code_owner_review": rule.reviews.needs_code_owners,
            "require_last_push_approval": rule.reviews.needs_last_push_approval,
            "required_review_thread_resolution": rule.needs_resolved_threads,
            "allowed_merge_methods": ["merge", "squash", "rebase"],
        }
    elif rule.type == "required_status_checks":
        body["parameters"] = {
            "strict_required_status_checks_policy": rule.is_strict,
            "do_not_enforce_on_create": False,
            "required_status_checks": [_check_json(check) for check in rule.checks],
        }
    return body


def branch_rule_json(repository: Repository, ruleset: Ruleset, rule: Rule) -> Json:
    """An entry of `rules/branches/{branch}`: the rule, and where it comes from."""
    source = {"ruleset_source_type": "Repository", "ruleset_source": repository.full_name, "ruleset_id": ruleset.id}
    return {**rule_json(rule), **source}


def _check_json(check: RequiredCheck) -> Json:
    return {"context": check.context, **({} if check.app_id is None else {"integration_id": check.app_id})}
