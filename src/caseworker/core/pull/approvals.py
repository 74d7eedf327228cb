"""Which approvals a push to the head would void, by reviewer, and under which rule. Pure."""

from enum import StrEnum

from caseworker.core.pull.pull_facts import Fact, PullFacts


class ApprovalRule(StrEnum):
    """Why an approval does not outlive a push."""

    DISMISS_STALE = "dismiss_stale"
    """Approvals are dismissed when somebody pushes."""
    LAST_PUSH = "last_push"
    """The approval stays, but somebody else than the pusher must approve the last push."""
    UNREAD = "unread"
    """The rules of the base branch could not be read: it may be either of the others, or none."""


class VoidedApproval(Fact):
    by: str
    rule: ApprovalRule
    is_certain: bool
    """False: GitHub keeps an approval where the push does not change the diff, and nobody but GitHub can say whether
    it sees a change. Or the rules could not be read."""


def voided_by_push(facts: PullFacts, *, changes_diff: bool) -> tuple[VoidedApproval, ...]:
    """`changes_diff`: whether the push changes the diff of the pull request. A clean update from the base does not."""
    rule = _rule(facts)
    if rule is None:
        return ()
    is_certain = changes_diff and rule is not ApprovalRule.UNREAD
    return tuple(
        VoidedApproval(by=review.by, rule=rule, is_certain=is_certain)
        for review in facts.reviews.latest
        if review.verdict == "approved" and review.counts
    )


def _rule(facts: PullFacts) -> ApprovalRule | None:
    """The rule under which a push voids approvals. Dismissal comes first: it removes them all. Null: there is none."""
    demands = facts.demands
    if demands.voids_stale_approvals:
        return ApprovalRule.DISMISS_STALE
    if demands.approval_after_last_push:
        return ApprovalRule.LAST_PUSH
    return ApprovalRule.UNREAD if demands.unread else None
