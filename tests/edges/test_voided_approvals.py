"""What we say of approvals before a push is what our own GitHub does with them after it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from caseworker.core.pull.approvals import ApprovalRule, voided_by_push
from caseworker.core.pull.pull_facts import PullFacts
from caseworker.forges.github.probe import GitHubProbe
from caseworker.github_double.acts.merge_acts import update_branch
from caseworker.github_double.acts.pull_acts import create_pull
from caseworker.github_double.acts.push_acts import write_file
from caseworker.github_double.acts.repository_acts import add_ruleset, protect
from caseworker.github_double.acts.review_acts import create_review
from caseworker.github_double.entities.protection import ReviewRule, Rule
from caseworker.github_double.entities.repository import PullRequest
from tests.edges.github_shop import Shop, opened_shop
from tests.edges.github_stage import propose

STALE = ReviewRule(approvals=1, dismisses_stale=True)
LAST = ReviewRule(approvals=1, needs_last_push_approval=True)


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[Shop]:
    async with opened_shop(tmp_path) as opened:
        yield opened


async def _look(shop: Shop, pull: PullRequest) -> PullFacts:
    return await GitHubProbe(shop.api).look(shop.ref, pull.number)


@pytest.mark.parametrize("source", ["protection", pytest.param("ruleset", marks=pytest.mark.slow)])
@pytest.mark.parametrize("changes_diff", [True, False])
@pytest.mark.parametrize(
    ("reviews", "rule"),
    [(STALE, ApprovalRule.DISMISS_STALE), (LAST, ApprovalRule.LAST_PUSH), (ReviewRule(approvals=1), None)],
)
async def test_github_voids_what_we_said(
    shop: Shop, reviews: ReviewRule, rule: ApprovalRule | None, changes_diff: bool, source: str
) -> None:
    state, olga, rita = shop.state, shop.people["olga"], shop.people["rita"]
    if source == "protection":
        protect(state, olga, shop.repository, "main", reviews=reviews)
    else:
        add_ruleset(state, olga, shop.repository, "main", [Rule(type="pull_request", reviews=reviews)])
    propose(state, rita, shop.repository, "fix", "calc.py", b"x = 2\n")
    pull = create_pull(state, rita, shop.repository, title="Fix", head="fix", base="main", body="")
    create_review(state, olga, pull, verdict="APPROVE", body="Good")
    before = await _look(shop, pull)
    said = voided_by_push(before, changes_diff=changes_diff)
    assert before.reviews.decision == "approved"
    assert [(one.by, one.rule, one.is_certain) for one in said] == (
        [] if rule is None else [("olga", rule, changes_diff)]
    )
    if changes_diff:
        write_file(state, rita, shop.repository, "more.txt", b"x\n", message="More", branch="fix")
    else:
        shop.origin.commit({"beside.txt": "x\n"})
        shop.origin.git("push", "-q", str(shop.repository.path), "main")
        update_branch(state, rita, pull)
    after = await _look(shop, pull)
    is_void = rule is not None and changes_diff
    assert after.reviews.decision == ("review_required" if is_void else "approved")
