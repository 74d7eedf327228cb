"""Facts of pull requests for tests: a ready one, and one change of it for each reason."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from caseworker.core.base.ids import Sha
from caseworker.core.pull.pull_facts import (
    CheckFact,
    DemandedCheck,
    Demands,
    HeldRun,
    Mergeability,
    MergeState,
    PullFacts,
    ReviewFact,
    Reviews,
    Subject,
    ThreadFact,
    Watch,
)

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
LONG_AGO = NOW - timedelta(days=1)
HEAD, OTHER, BASELINE = Sha("a" * 40), Sha("b" * 40), Sha("c" * 40)
CI = CheckFact(name="ci", state="passed", result="success", is_required=True, app="github-actions")

READY = PullFacts(
    subject=Subject(number=7, author="sam", head=HEAD, base="main", head_since=LONG_AGO, updated_at=LONG_AGO),
    mergeability=Mergeability(answer="mergeable", state="clean"),
    checks=(CI,),
    demands=Demands(checks=(DemandedCheck(name="ci"),), approvals=1, threads_resolved=True),
    reviews=Reviews(
        decision="approved",
        latest=(ReviewFact(by="rita", verdict="approved", commit=OTHER, at=LONG_AGO, counts=True),),
    ),
)
OURS = Watch(us="caseworker[bot]", baseline=BASELINE, pushed=(HEAD,), pushed_at=LONG_AGO, head_seen_at=LONG_AGO)

Change = Callable[[PullFacts], PullFacts]


def with_state(facts: PullFacts, state: MergeState | None) -> PullFacts:
    return facts.model_copy(update={"mergeability": facts.mergeability.model_copy(update={"state": state})})


def _add_check(facts: PullFacts, check: CheckFact) -> PullFacts:
    return facts.model_copy(update={"checks": (*facts.checks, check)})


def held(facts: PullFacts) -> PullFacts:
    return facts.model_copy(update={"held_runs": (HeldRun(app="github-actions", workflow="CI", since=LONG_AGO),)})


def failing(facts: PullFacts) -> PullFacts:
    return _add_check(facts, CheckFact(name="lint", state="failed", result="failure", is_required=True, since=LONG_AGO))


def missing(facts: PullFacts) -> PullFacts:
    wanted = (*facts.demands.checks, DemandedCheck(name="deploy", app=3))
    return facts.model_copy(update={"demands": facts.demands.model_copy(update={"checks": wanted})})


def pending(facts: PullFacts) -> PullFacts:
    return _add_check(facts, CheckFact(name="slow", state="pending", result="queued", is_required=True, app="ci-app"))


def changes(facts: PullFacts) -> PullFacts:
    review = ReviewFact(by="olga", verdict="changes_requested", commit=HEAD, at=LONG_AGO, counts=True)
    latest = (*facts.reviews.latest, review)
    return facts.model_copy(update={"reviews": Reviews(decision="changes_requested", latest=latest)})


def threads(facts: PullFacts) -> PullFacts:
    thread = ThreadFact(id="PRRT_1", path="a.py", line=3, opened_by="rita", last_by="rita", last_at=LONG_AGO)
    return facts.model_copy(update={"threads": (thread,)})


def review_wanted(facts: PullFacts) -> PullFacts:
    """GitHub tells only the worse one: requested changes hide that approvals are missing."""
    if facts.reviews.decision == "changes_requested":
        return facts
    return facts.model_copy(update={"reviews": Reviews(decision="review_required", requested=("olga",))})


def draft(facts: PullFacts) -> PullFacts:
    return facts.model_copy(update={"subject": facts.subject.model_copy(update={"is_draft": True})})


def merge_answer(answer: str, state: str, *, is_stale: bool = False) -> Mergeability:
    return Mergeability.model_validate({"answer": answer, "state": state, "is_stale": is_stale})
