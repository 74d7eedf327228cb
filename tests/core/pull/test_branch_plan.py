"""What is done with a pull request's branch, as a table, and which approvals a push voids."""

from itertools import product
from typing import Any

import pytest

from caseworker.core.base.ids import Sha
from caseworker.core.pull.approvals import ApprovalRule, voided_by_push
from caseworker.core.pull.branch_plan import BranchFacts, BranchPlan, branch_facts, plan_branch
from caseworker.core.pull.branch_updates import BranchCommit
from caseworker.core.pull.pull_facts import Decided, Demands, PullFacts, ReviewFact, Unread
from tests.core.pull.pull_examples import READY, with_state

P = BranchPlan
OURS = BranchCommit(sha=Sha("1" * 40), author="us", committer="us", is_ours=True)
THEIRS = BranchCommit(sha=Sha("2" * 40), author="sam", committer="sam")
MERGE = BranchCommit(sha=Sha("3" * 40), author="us", committer="us", is_ours=True, is_merge=True)


@pytest.mark.parametrize(
    ("facts", "plan"),
    [
        ({}, P.LEAVE_ALONE),
        ({"all_ours": True}, P.LEAVE_ALONE),
        ({"standing": "unknown"}, P.LEAVE_ALONE),
        ({"standing": "behind", "is_decided": True}, P.LEAVE_ALONE),
        ({"owner_asked": True, "is_decided": True}, P.LEAVE_ALONE),
        ({"standing": "conflicting", "is_open": False}, P.LEAVE_ALONE),
        ({"is_fork": True}, P.LEAVE_ALONE),
        ({"standing": "behind", "all_ours": True}, P.REBASE),
        ({"standing": "conflicting", "all_ours": True}, P.REBASE),
        ({"owner_asked": True, "all_ours": True}, P.REBASE),
        ({"owner_asked": True}, P.REBASE),
        ({"owner_asked": True, "standing": "behind"}, P.REBASE),
        ({"standing": "behind"}, P.MERGE_IN),
        ({"standing": "conflicting"}, P.MERGE_IN),
        ({"standing": "behind", "all_ours": True, "has_merges": True}, P.MERGE_IN),
        ({"owner_asked": True, "has_merges": True}, P.MERGE_IN),
        ({"standing": "behind", "is_fork": True, "all_ours": True}, P.ASK_CONTRIBUTOR),
        ({"standing": "conflicting", "is_fork": True, "owner_asked": True}, P.ASK_CONTRIBUTOR),
        ({"is_fork": True, "owner_asked": True}, P.ASK_CONTRIBUTOR),
    ],
)
def test_the_plan_follows_from_the_facts(facts: dict[str, Any], plan: BranchPlan) -> None:
    assert plan_branch(BranchFacts(**facts)) is plan


def test_over_all_facts_people_and_forks_are_respected() -> None:
    flags = ("is_open", "is_decided", "is_fork", "all_ours", "has_merges", "owner_asked")
    for standing, *values in product(("current", "behind", "conflicting", "unknown"), *[(True, False)] * len(flags)):
        facts = BranchFacts.model_validate({"standing": standing, **dict(zip(flags, values, strict=True))})
        plan = plan_branch(facts)
        is_pushed = plan in (P.REBASE, P.MERGE_IN)
        assert not (is_pushed and (facts.is_fork or facts.is_decided or not facts.is_open))
        assert not (is_pushed and standing in ("current", "unknown") and not facts.owner_asked)
        if plan is P.REBASE:
            assert facts.all_ours or facts.owner_asked
            assert not facts.has_merges


@pytest.mark.parametrize(
    ("pull", "expected"),
    [
        (READY, {"standing": "current"}),
        (with_state(READY, "behind"), {"standing": "behind"}),
        (with_state(READY, "dirty"), {"standing": "conflicting"}),
        (with_state(READY, "blocked"), {"standing": "current"}),
        (with_state(READY, "unstable"), {"standing": "current"}),
        (with_state(READY, "unknown"), {"standing": "unknown"}),
        (with_state(READY, None), {"standing": "current"}),
        (READY.model_copy(update={"decided": Decided(how="auto_merge")}), {"is_decided": True}),
    ],
)
def test_behind_is_only_what_github_says(pull: PullFacts, expected: dict[str, object]) -> None:
    found = branch_facts(pull, [OURS], owner_asked=False)
    assert {name: getattr(found, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("commits", "all_ours", "has_merges"),
    [([OURS], True, False), ([OURS, THEIRS], False, False), ([OURS, MERGE], True, True), ([], False, False)],
)
def test_one_commit_of_a_person_makes_the_branch_theirs(
    commits: list[BranchCommit], all_ours: bool, has_merges: bool
) -> None:
    found = branch_facts(READY, commits, owner_asked=False)
    assert (found.all_ours, found.has_merges) == (all_ours, has_merges)


UNREAD = (Unread(what="branch protection", permission="administration: read"),)


@pytest.mark.parametrize(
    ("demands", "changes_diff", "expected"),
    [
        (Demands(approvals=1), True, None),
        (Demands(voids_stale_approvals=True), True, (ApprovalRule.DISMISS_STALE, True)),
        (Demands(voids_stale_approvals=True), False, (ApprovalRule.DISMISS_STALE, False)),
        (Demands(approval_after_last_push=True), True, (ApprovalRule.LAST_PUSH, True)),
        (Demands(approval_after_last_push=True), False, (ApprovalRule.LAST_PUSH, False)),
        (
            Demands(approval_after_last_push=True, voids_stale_approvals=True, unread=UNREAD),
            True,
            (ApprovalRule.DISMISS_STALE, True),
        ),
        (Demands(unread=UNREAD), True, (ApprovalRule.UNREAD, False)),
    ],
)
def test_a_push_voids_approvals_under_the_rule_that_takes_most(
    demands: Demands, changes_diff: bool, expected: tuple[ApprovalRule, bool] | None
) -> None:
    found = voided_by_push(READY.model_copy(update={"demands": demands}), changes_diff=changes_diff)
    wanted = [] if expected is None else [("rita", *expected)]
    assert [(one.by, one.rule, one.is_certain) for one in found] == wanted


def test_only_approvals_that_count_can_be_voided() -> None:
    others = [
        ReviewFact(by="sam", verdict="approved"),
        ReviewFact(by="olga", verdict="changes_requested", counts=True),
        ReviewFact(by="ada", verdict="dismissed", counts=True),
    ]
    reviews = READY.reviews.model_copy(update={"latest": (*READY.reviews.latest, *others)})
    facts = READY.model_copy(update={"reviews": reviews, "demands": Demands(voids_stale_approvals=True)})
    assert [one.by for one in voided_by_push(facts, changes_diff=True)] == ["rita"]
