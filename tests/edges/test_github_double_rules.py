"""What the GitHub double computes: mergeability, merge state, review decision, threads, approvals, closing words."""

from pathlib import Path

import pytest

from caseworker.github_double.acts.check_acts import CheckReport, add_check_run, create_status, open_suite
from caseworker.github_double.acts.merge_acts import update_branch
from caseworker.github_double.acts.repository_acts import add_ruleset, protect
from caseworker.github_double.acts.review_acts import reply, resolve_thread
from caseworker.github_double.derive.closing_words import closed_numbers
from caseworker.github_double.derive.merge_state import (
    blockers,
    look_mergeable,
    merge_state,
    review_decision,
)
from caseworker.github_double.entities.check_records import Conclusion
from caseworker.github_double.entities.protection import RequiredCheck, ReviewRule, Rule
from caseworker.github_double.entities.repository import PullRequest, Repository
from caseworker.github_double.refusals import MethodNotAllowed
from tests.world.github import GitHubWorld, Person

LINES = "".join(f"line {number}\n" for number in range(1, 21))


@pytest.fixture
def world(tmp_path: Path) -> GitHubWorld:
    return GitHubWorld(tmp_path)


@pytest.fixture
def olga(world: GitHubWorld) -> Person:
    person = world.user("olga")
    world.repository(person, "shop", {"cart.py": LINES})
    return person


@pytest.fixture
def shop(world: GitHubWorld, olga: Person) -> Repository:
    return world.state.repository("olga", "shop")


@pytest.fixture
def sam(world: GitHubWorld, shop: Repository) -> Person:
    return world.user("sam", role="write", on=shop)


@pytest.fixture
def pull(sam: Person, shop: Repository) -> PullRequest:
    sam.commits(shop, "fix", {"cart.py": LINES.replace("line 10\n", "line ten\n")})
    return sam.opens_pull(shop, "fix")


def state_of(pull: PullRequest) -> str:
    look_mergeable(pull)
    return merge_state(pull, look_mergeable(pull))


def test_the_first_look_at_mergeability_is_unknown(pull: PullRequest, olga: Person, shop: Repository) -> None:
    assert [look_mergeable(pull), look_mergeable(pull)] == ["UNKNOWN", "MERGEABLE"]
    olga.commits(shop, "main", {"cart.py": LINES.replace("line 10\n", "line X\n")})
    # After the base has moved the old trial is shown once more.
    assert [look_mergeable(pull), look_mergeable(pull)] == ["MERGEABLE", "CONFLICTING"]
    assert merge_state(pull, "CONFLICTING") == "DIRTY"


def test_behind_counts_only_where_the_branch_must_be_up_to_date(
    world: GitHubWorld, pull: PullRequest, olga: Person, shop: Repository
) -> None:
    olga.commits(shop, "main", {"other.py": "x\n"})
    assert state_of(pull) == "CLEAN"
    protect(world.state, olga.actor, shop, "main", checks=[], is_strict=True)
    assert state_of(pull) == "BEHIND"


def test_a_required_check_that_nobody_reported_blocks(
    world: GitHubWorld, pull: PullRequest, olga: Person, shop: Repository
) -> None:
    protect(world.state, olga.actor, shop, "main", checks=["ci"])
    assert (state_of(pull), blockers(pull)) == ("BLOCKED", ['Required status check "ci" is expected.'])
    create_status(world.state, olga.actor, shop, sha=pull.head.sha, state="pending", context="ci")
    assert blockers(pull) == ['Required status check "ci" is pending.']
    create_status(world.state, olga.actor, shop, sha=pull.head.sha, state="success", context="ci")
    assert state_of(pull) == "CLEAN"


def test_a_check_pinned_to_an_app_counts_only_from_that_app(
    world: GitHubWorld, pull: PullRequest, olga: Person, shop: Repository
) -> None:
    ci, other = world.app(olga, "ci")[0], world.app(olga, "other")[0]
    rule = Rule(type="required_status_checks", checks=(RequiredCheck(context="test", app_id=ci.id),))
    add_ruleset(world.state, olga.actor, shop, "main rules", [rule])
    for app, expected in ((other, "BLOCKED"), (ci, "CLEAN")):
        suite = open_suite(world.state, shop, app, pull.head.sha)
        add_check_run(world.state, app.bot, shop, suite, "test", CheckReport(conclusion="success"))
        assert state_of(pull) == expected


@pytest.mark.parametrize(
    ("conclusion", "expected"),
    [
        ("success", "CLEAN"),
        ("neutral", "CLEAN"),
        ("skipped", "CLEAN"),
        ("failure", "UNSTABLE"),
        ("cancelled", "UNSTABLE"),
        ("timed_out", "UNSTABLE"),
        ("action_required", "UNSTABLE"),
        ("stale", "UNSTABLE"),
        ("startup_failure", "UNSTABLE"),
    ],
)
def test_a_check_that_is_not_required_makes_it_unstable(
    world: GitHubWorld, pull: PullRequest, olga: Person, shop: Repository, conclusion: Conclusion, expected: str
) -> None:
    app = world.app(olga, "ci")[0]
    suite = open_suite(world.state, shop, app, pull.head.sha)
    add_check_run(world.state, app.bot, shop, suite, "lint", CheckReport(conclusion=conclusion))
    assert state_of(pull) == expected


def test_reviews_decide_as_the_rules_want_them(
    world: GitHubWorld, pull: PullRequest, olga: Person, shop: Repository
) -> None:
    assert review_decision(pull) is None
    protect(world.state, olga.actor, shop, "main", reviews=ReviewRule(approvals=1))
    assert (review_decision(pull), state_of(pull)) == ("REVIEW_REQUIRED", "BLOCKED")
    world.user("stranger").approves(pull)
    assert review_decision(pull) == "REVIEW_REQUIRED"
    olga.requests_changes(pull)
    assert (review_decision(pull), state_of(pull)) == ("CHANGES_REQUESTED", "BLOCKED")
    olga.approves(pull)
    assert (review_decision(pull), state_of(pull)) == ("APPROVED", "CLEAN")


def test_a_push_dismisses_approvals_where_the_rule_says_so(
    world: GitHubWorld, pull: PullRequest, olga: Person, sam: Person, shop: Repository
) -> None:
    protect(world.state, olga.actor, shop, "main", reviews=ReviewRule(dismisses_stale=True))
    review = olga.approves(pull)
    sam.commits(shop, "fix", {"more.py": "x\n"})
    assert (review.state, review_decision(pull)) == ("DISMISSED", "REVIEW_REQUIRED")


def test_an_approval_before_the_last_push_does_not_meet_the_last_push_rule(
    world: GitHubWorld, pull: PullRequest, olga: Person, sam: Person, shop: Repository
) -> None:
    protect(world.state, olga.actor, shop, "main", reviews=ReviewRule(needs_last_push_approval=True))
    olga.approves(pull)
    assert review_decision(pull) == "APPROVED"
    sam.commits(shop, "fix", {"more.py": "x\n"})
    assert review_decision(pull) == "REVIEW_REQUIRED"


def test_an_approval_outlives_an_update_that_does_not_change_the_diff(
    world: GitHubWorld, pull: PullRequest, olga: Person, sam: Person, shop: Repository
) -> None:
    reviews = ReviewRule(dismisses_stale=True, needs_last_push_approval=True)
    protect(world.state, olga.actor, shop, "main", reviews=reviews)
    review = olga.approves(pull)
    olga.commits(shop, "main", {"beside.py": "x\n"})
    update_branch(world.state, sam.actor, pull)
    assert (review.state, review_decision(pull)) == ("APPROVED", "APPROVED")
    sam.commits(shop, "fix", {"more.py": "x\n"})
    assert (review.state, review_decision(pull)) == ("DISMISSED", "REVIEW_REQUIRED")


def test_threads_move_with_the_code_and_outdate_where_it_changed(
    pull: PullRequest, olga: Person, sam: Person, shop: Repository
) -> None:
    olga.remarks(pull, "cart.py", 10, "Why in words?")
    olga.remarks(pull, "cart.py", 12, "And this?")
    now = LINES.replace("line 10\n", "line TEN\n").replace("line 3\n", "line 3\nline 3b\n")
    sam.commits(shop, "fix", {"cart.py": now})
    first, second = pull.threads
    assert (first.is_outdated, second.is_outdated, second.line) == (True, False, 13)


def test_an_open_thread_blocks_where_conversations_must_be_resolved(
    world: GitHubWorld, pull: PullRequest, olga: Person, sam: Person, shop: Repository
) -> None:
    protect(world.state, olga.actor, shop, "main").needs_resolved_threads = True
    olga.remarks(pull, "cart.py", 10, "Why?")
    reply(world.state, sam.actor, pull.threads[0], body="Because.")
    assert state_of(pull) == "BLOCKED"
    resolve_thread(world.state, sam.actor, pull.threads[0])
    assert state_of(pull) == "CLEAN"


def test_a_person_cannot_merge_what_the_rules_block(
    world: GitHubWorld, pull: PullRequest, olga: Person, sam: Person, shop: Repository
) -> None:
    protect(world.state, olga.actor, shop, "main", checks=["ci"])
    with pytest.raises(MethodNotAllowed, match='"ci" is expected'):
        sam.merges(pull)
    olga.merges(pull)  # an admin, whom this rule does not bind
    assert pull.merged is not None


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Fixes #1", [1]),
        ("closes: #2, resolved #3", [2, 3]),
        ("Fix olga/shop#4 and fixes https://github.com/olga/shop/issues/5", [4, 5]),
        ("fixes other/repo#6", []),
        ("prefixes #7, fixes 8, see #9", []),
        (None, []),
    ],
)
def test_closing_words(shop: Repository, text: str | None, numbers: list[int]) -> None:
    assert closed_numbers(text, shop) == numbers
