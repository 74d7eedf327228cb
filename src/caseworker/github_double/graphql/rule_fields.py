"""Branch protection and rulesets in GraphQL."""

from typing import Final

from caseworker.github_double.entities.protection import Protection, Rule, Ruleset
from caseworker.github_double.graphql.ask import Fields
from caseworker.github_double.graphql.node_views import BranchRules, RequiredCheckView, RuleParameters, RuleView

REF_UPDATE_RULE: Final[Fields[BranchRules]] = {
    "pattern": lambda found, _: found.pattern,
    "requiredStatusCheckContexts": lambda found, _: [check.context for check in found.rules.checks],
    "requiredApprovingReviewCount": lambda found, _: found.rules.approvals,
    "requiresConversationResolution": lambda found, _: found.rules.needs_resolved_threads,
    "requiresCodeOwnerReviews": lambda _, __: False,
    "requiresLinearHistory": lambda _, __: False,
    "requiresSignatures": lambda _, __: False,
    "allowsForcePushes": lambda found, _: not found.rules.forbids_force_pushes,
    "allowsDeletions": lambda found, _: not found.rules.forbids_deletion,
    "blocksCreations": lambda _, __: False,
    "viewerAllowedToDismissReviews": lambda _, __: False,
    "viewerCanPush": lambda found, ask: not found.rules.is_locked and not found.rules.needs_pull,
}


def _reviews(protection: Protection) -> bool:
    return protection.reviews is not None


PROTECTION: Final[Fields[Protection]] = {
    "id": lambda found, _: found.node_id,
    "databaseId": lambda found, _: found.id,
    "pattern": lambda found, _: found.pattern,
    "isAdminEnforced": lambda found, _: found.binds_admins,
    "requiresStatusChecks": lambda found, _: found.checks is not None,
    "requiresStrictStatusChecks": lambda found, _: found.is_strict,
    "requiredStatusCheckContexts": lambda found, _: [check.context for check in found.checks or ()],
    "requiredStatusChecks": lambda found, _: [RequiredCheckView(check=check) for check in found.checks or ()],
    "requiresApprovingReviews": lambda found, _: _reviews(found),
    "requiredApprovingReviewCount": lambda found, _: found.reviews.approvals if found.reviews else None,
    "dismissesStaleReviews": lambda found, _: bool(found.reviews and found.reviews.dismisses_stale),
    "requireLastPushApproval": lambda found, _: bool(found.reviews and found.reviews.needs_last_push_approval),
    "requiresCodeOwnerReviews": lambda found, _: bool(found.reviews and found.reviews.needs_code_owners),
    "requiresConversationResolution": lambda found, _: found.needs_resolved_threads,
    "requiresLinearHistory": lambda found, _: found.needs_linear_history,
    "requiresCommitSignatures": lambda _, __: False,
    "requiresDeployments": lambda _, __: False,
    "allowsForcePushes": lambda found, _: found.allows_force_pushes,
    "allowsDeletions": lambda found, _: found.allows_deletions,
    "restrictsPushes": lambda found, _: found.push_logins is not None,
    "lockBranch": lambda found, _: found.is_locked,
}
REQUIRED_CHECK: Final[Fields[RequiredCheckView]] = {
    "context": lambda found, _: found.check.context,
    "integrationId": lambda found, _: found.check.app_id,
    "app": lambda found, ask: ask.github.apps.get(found.check.app_id) if found.check.app_id is not None else None,
}


def _has_parameters(rule: Rule) -> bool:
    return rule.type in ("pull_request", "required_status_checks")


RULE: Final[Fields[RuleView]] = {
    "id": lambda found, _: f"RR_{found.ruleset.id}_{found.rule.type}",
    "type": lambda found, _: found.rule.type.upper(),
    "parameters": lambda found, _: RuleParameters(rule=found.rule) if _has_parameters(found.rule) else None,
    "repositoryRuleset": lambda found, _: found.ruleset,
}
PULL_PARAMETERS: Final[Fields[RuleParameters]] = {
    "requiredApprovingReviewCount": lambda found, _: found.rule.reviews.approvals,
    "dismissStaleReviewsOnPush": lambda found, _: found.rule.reviews.dismisses_stale,
    "requireCodeOwnerReview": lambda found, _: found.rule.reviews.needs_code_owners,
    "requireLastPushApproval": lambda found, _: found.rule.reviews.needs_last_push_approval,
    "requiredReviewThreadResolution": lambda found, _: found.rule.needs_resolved_threads,
    "allowedMergeMethods": lambda _, __: ["MERGE", "SQUASH", "REBASE"],
}
CHECK_PARAMETERS: Final[Fields[RuleParameters]] = {
    "strictRequiredStatusChecksPolicy": lambda found, _: found.rule.is_strict,
    "doNotEnforceOnCreate": lambda _, __: False,
    "requiredStatusChecks": lambda found, _: [RequiredCheckView(check=check) for check in found.rule.checks],
}
RULESET: Final[Fields[Ruleset]] = {
    "id": lambda found, _: found.node_id,
    "databaseId": lambda found, _: found.id,
    "name": lambda found, _: found.name,
    "enforcement": lambda found, _: found.enforcement.upper(),
    "target": lambda _, __: "BRANCH",
}
