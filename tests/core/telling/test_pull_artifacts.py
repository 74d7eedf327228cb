"""The pages of a review and of a resolve run, compared whole."""

from datetime import UTC, datetime

from caseworker.core.base.ids import RepositoryId, Sha
from caseworker.core.casefile.review_learnings import ReviewLearning, Scope
from caseworker.core.outcomes.pull_work import CheckAnswer, PullResolveOutcome, PullReviewOutcome
from caseworker.core.pull.findings import Reproduction
from caseworker.core.record.pull_entries import FindingPublished, ThreadAnswered
from caseworker.core.telling.pull_artifacts import resolve_page, review_page
from tests.core.pull.review_examples import a_finding, an_answer

HEAD = Sha("c0ffee" * 7)


def test_a_review_lists_findings_by_severity_with_what_became_of_them() -> None:
    blocker = a_finding(severity="blocker", title="It loses orders", reproduction="sh t.sh")
    nit, old = a_finding(severity="nit", title="Typo"), a_finding(severity="nit", title="Long line")
    shown = Reproduction(commit=HEAD, command="sh t.sh", result="failed", exit_code=1, output="E")
    published = [
        FindingPublished(turn=1, finding=blocker, how="thread", reproduction=shown, url="https://x/1"),
        FindingPublished(turn=1, finding=nit, how="artifact", note="422"),
        FindingPublished(turn=1, finding=old, how="said_before"),
    ]
    rule = ReviewLearning(
        id=7,
        repository=RepositoryId("acme/shop"),
        author="olga",
        source="https://x/7",
        at=datetime(2026, 1, 5, tzinfo=UTC),
        scope=Scope.PATHS,
        glob="*.py",
        text="Taxes are left to the till.",
    )
    review = PullReviewOutcome(
        status="REVIEWED", summary="It adds orders.", checked=["The tests ran."], findings=[nit, blocker, old]
    )
    assert review_page(review, published, [rule]) == (
        "# Review\n\nIt adds orders.\n\n"
        "## Blocker (1)\n\n"
        "- [`shop.py:3`](https://x/1) It loses orders\n  An order of 10 costs 10.\n"
        "  Shown: `sh t.sh` fails on c0ffeec0ff with exit code 1.\n\n"
        "## Nit (2)\n\n"
        "- `shop.py:3` Typo\n  An order of 10 costs 10.\n"
        "  (no comment can be put on this line, so it is told here alone)\n\n"
        "- `shop.py:3` Long line\n  An order of 10 costs 10.\n  (said in an earlier review)\n\n"
        "## What was checked\n\n- The tests ran.\n\n"
        "**Learnings used**\n\n- `*.py`: Taxes are left to the till. ([olga](https://x/7))\n"
    )


def test_a_review_without_findings_says_what_it_checked() -> None:
    review = PullReviewOutcome(status="REVIEWED", summary="It is sound.", checked=["Read all.", "Ran the tests."])
    assert review_page(review) == (
        "# Review\n\nIt is sound.\n\n## Findings\n\nNone.\n\n## What was checked\n\n- Read all.\n- Ran the tests.\n"
    )


def test_a_resolve_page_has_threads_checks_and_what_is_outstanding() -> None:
    outcome = PullResolveOutcome(
        status="PARTIAL",
        summary="It adds the tax.",
        threads=[an_answer(), an_answer(thread="T2", verdict="invalid", reply="It is right.", changed=False)],
        checks=[
            CheckAnswer(check="unit", cause="The tax was missing.", fixed=True, reproduced="pytest -q"),
            CheckAnswer(check="lint", cause="Unknown.", fixed=False),
        ],
    )
    answered = [
        ThreadAnswered(
            turn=2, number="T1", place="shop.py:3", verdict="valid", resolved=True, commit=HEAD, url="https://x/1"
        ),
        ThreadAnswered(turn=2, number="T2", place="cart.py:9", verdict="invalid"),
    ]
    assert resolve_page(outcome, answered, ["failing checks: lint"]) == (
        "# Resolve\n\nIt adds the tax.\n\n## Threads\n\n"
        "- T1 [`shop.py:3`](https://x/1): valid, resolved. It adds the tax now. Changed in c0ffeec0ff.\n"
        "- T2 `cart.py:9`: invalid, stays open. It is right.\n\n"
        "## Checks\n\n"
        "- `unit`: fixed. The tax was missing. Seen by `pytest -q`.\n"
        "- `lint`: not fixed. Unknown. Not reproduced here.\n\n"
        "## Outstanding\n\n- failing checks: lint\n- Open threads: T2.\n"
    )


def test_a_resolve_page_with_nothing_left_says_so() -> None:
    page = resolve_page(PullResolveOutcome(status="RESOLVED", summary="Done."))
    assert page == "# Resolve\n\nDone.\n\n## Outstanding\n\nNothing.\n"
