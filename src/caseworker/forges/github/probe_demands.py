"""What a base branch demands, from all that GitHub shows: protection, the public summary of it, rulesets. Pure."""

from collections.abc import Sequence
from typing import Final

from caseworker.core.pull.pull_facts import DemandedCheck, Demands, Unread
from caseworker.forges.github.payloads import RuleData
from caseworker.forges.github.probe_payloads import (
    BaseRef,
    DescribedCheck,
    Parameters,
    ProtectionRule,
    RuleNode,
    UpdateRule,
)

_NEVER_IN_THE_WAY: Final = {
    "CREATION",
    "DELETION",
    "MERGE_QUEUE",
    "NON_FAST_FORWARD",
    "PULL_REQUEST",
    "REQUIRED_LINEAR_HISTORY",
    "REQUIRED_STATUS_CHECKS",
}
"""Rules that are judged, or that only say how to merge."""


def demands_of(
    base: BaseRef | None, rules: Sequence[RuleNode], *, uses_queue: bool, unread: Sequence[Unread] = ()
) -> Demands:
    """`rules`: of all pages and sources. Where the details of a protection are hidden, that is in `unread`."""
    public = (base.refUpdateRule if base else None) or UpdateRule()
    full = base.branchProtectionRule if base else None
    given = [one.parameters for one in rules if one.parameters is not None]
    hidden = list(unread)
    if base and base.refUpdateRule and full is None and not any(one.what == "branch protection" for one in unread):
        hidden.append(Unread(what="branch protection", permission="administration: read"))
    protection = full or ProtectionRule()
    return Demands(
        checks=_checks(public, protection, given),
        approvals=max([public.requiredApprovingReviewCount or 0, *(one.requiredApprovingReviewCount for one in given)]),
        threads_resolved=public.requiresConversationResolution
        or any(one.requiredReviewThreadResolution for one in given),
        up_to_date=protection.requiresStrictStatusChecks or any(one.strictRequiredStatusChecksPolicy for one in given),
        approval_after_last_push=protection.requireLastPushApproval
        or any(one.requireLastPushApproval for one in given),
        voids_stale_approvals=protection.dismissesStaleReviews or any(one.dismissStaleReviewsOnPush for one in given),
        uses_queue=uses_queue,
        others=_others(public, protection, rules),
        unread=tuple(hidden),
    )


def rule_of_rest(rule: RuleData) -> RuleNode:
    """The same rule as REST tells it: the second source, which needs fewer permissions."""
    told = rule.parameters
    parameters = None
    if told is not None:
        parameters = Parameters(
            strictRequiredStatusChecksPolicy=told.strict_required_status_checks_policy,
            requiredStatusChecks=[
                DescribedCheck(context=one.context, integrationId=one.integration_id)
                for one in told.required_status_checks
            ],
            requiredApprovingReviewCount=told.required_approving_review_count,
            dismissStaleReviewsOnPush=told.dismiss_stale_reviews_on_push,
            requireLastPushApproval=told.require_last_push_approval,
            requiredReviewThreadResolution=told.required_review_thread_resolution,
        )
    return RuleNode(type=rule.type.upper(), parameters=parameters)


def _checks(public: UpdateRule, protection: ProtectionRule, given: Sequence[Parameters]) -> tuple[DemandedCheck, ...]:
    """A pinned check wins over the same name without its App, which the public summary leaves out."""
    described = [
        *(protection.requiredStatusChecks or ()),
        *(check for one in given for check in one.requiredStatusChecks),
    ]
    pinned = {check.context: _pin(check) for check in described}
    names = [*pinned, *(name for name in public.requiredStatusCheckContexts or () if name)]
    return tuple(DemandedCheck(name=name, app=pinned.get(name)) for name in dict.fromkeys(names))


def _pin(check: DescribedCheck) -> int | None:
    """GitHub writes -1 where any App may report it."""
    app = check.integrationId if check.integrationId is not None else (check.app.databaseId if check.app else None)
    return None if app == -1 else app


def _others(public: UpdateRule, protection: ProtectionRule, rules: Sequence[RuleNode]) -> tuple[str, ...]:
    found = [one.type.lower() for one in rules if one.type not in _NEVER_IN_THE_WAY]
    found += ["required_signatures"] * public.requiresSignatures
    found += ["lock_branch"] * protection.lockBranch
    found += ["required_deployments"] * protection.requiresDeployments
    return tuple(dict.fromkeys(found))
