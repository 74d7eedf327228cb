"""The verdict over a pull request: each reason alone, all combinations, and what must hold for any facts."""

from datetime import timedelta
from itertools import chain, combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caseworker.core.pull.own_check import BARRIER, CHECK_NAME, SETTLE
from caseworker.core.pull.pull_facts import (
    CheckFact,
    Decided,
    DemandedCheck,
    Demands,
    HeldRun,
    Mergeability,
    PullFacts,
    ReviewFact,
    Reviews,
    ThreadFact,
    Unread,
    Watch,
)
from caseworker.core.pull.reasons import EXPLANATIONS, ReasonKind
from caseworker.core.pull.verdict import Verdict, judge, wants_another_look
from tests.core.pull import pull_examples as example
from tests.core.pull.pull_examples import BASELINE, CI, HEAD, LONG_AGO, NOW, OTHER, OURS, READY, Change, with_state

Kind = ReasonKind
CHANGES: dict[Kind, Change] = {
    Kind.CI_AWAITING_APPROVAL: example.held,
    Kind.FAILING_CHECKS: example.failing,
    Kind.CHECK_MISSING: example.missing,
    Kind.PENDING_CHECKS: example.pending,
    Kind.CHANGES_REQUESTED: example.changes,
    Kind.OPEN_THREADS: example.threads,
    Kind.REVIEW_REQUIRED: example.review_wanted,
    Kind.DRAFT: example.draft,
}
MERGES = {
    "fine": (None, "mergeable", False),
    "conflict": (Kind.BEHIND_BASE, "conflicting", False),
    "behind": (Kind.BEHIND_BASE, "mergeable", False),
    "unknown": (Kind.MERGEABLE_PENDING, "unknown", False),
    "stale": (Kind.MERGEABLE_PENDING, "mergeable", True),
}
BLOCKS = {
    Kind.FAILING_CHECKS,
    Kind.CHECK_MISSING,
    Kind.PENDING_CHECKS,
    Kind.CHANGES_REQUESTED,
    Kind.OPEN_THREADS,
    Kind.REVIEW_REQUIRED,
}


def github_state(merge: str, on: set[Kind]) -> str:
    """The merge state as GitHub would tell it for these conditions."""
    if merge in ("conflict", "unknown"):
        return {"conflict": "dirty", "unknown": "unknown"}[merge]
    if Kind.DRAFT in on:
        return "draft"
    if on & BLOCKS:
        return "blocked"
    return "behind" if merge == "behind" else "clean"


def build(merge: str, on: set[Kind]) -> PullFacts:
    facts = READY
    for kind in CHANGES:
        if kind in on:
            facts = CHANGES[kind](facts)
    _, answer, is_stale = MERGES[merge]
    merged = example.merge_answer(answer, github_state(merge, on), is_stale=is_stale)
    return facts.model_copy(update={"mergeability": merged})


def expected(merge: str, on: set[Kind]) -> list[Kind]:
    wanted = set(on)
    if Kind.CHANGES_REQUESTED in on:
        wanted.discard(Kind.REVIEW_REQUIRED)  # GitHub tells only the worse one
    kind = MERGES[merge][0]
    hides = merge == "behind" and github_state(merge, on) != "behind"  # GitHub tells one state at a time
    if kind is not None and not hides:
        wanted.add(kind)
    return [one for one in Kind if one in wanted]


def kinds(verdict: Verdict) -> list[Kind]:
    return [reason.kind for reason in verdict.reasons]


@pytest.mark.parametrize("merge", MERGES)
@pytest.mark.parametrize("watch", ["nobody", "ours", "taken over", "just pushed"])
def test_every_combination_lists_exactly_its_reasons_in_order(merge: str, watch: str) -> None:
    seen = {
        "nobody": Watch(),
        "ours": OURS,
        "taken over": OURS.model_copy(update={"pushed": (OTHER,)}),
        "just pushed": OURS.model_copy(update={"pushed_at": NOW - timedelta(minutes=5)}),
    }[watch]
    rows = 0
    for on in map(set, chain.from_iterable(combinations(CHANGES, size) for size in range(len(CHANGES) + 1))):
        wanted = expected(merge, on)
        if watch == "taken over":
            wanted = [Kind.HUMAN_TOOK_OVER, *wanted]
        if watch == "just pushed":
            reviewed = Kind.CHANGES_REQUESTED in on  # olga has reviewed this very commit
            wanted = wanted if reviewed else [*wanted, Kind.REVIEW_BARRIER]
        verdict = judge(build(merge, on), now=NOW, watch=seen)
        assert kinds(verdict) == wanted, (merge, watch, sorted(on))
        assert verdict.outcome == ("not_ready" if wanted else "ready")
        rows += 1
    assert rows == 256


def test_a_clean_pull_request_is_ready() -> None:
    verdict = judge(READY, now=NOW)
    assert (verdict.outcome, verdict.reasons, verdict.head) == ("ready", (), HEAD)


@pytest.mark.parametrize("state", ["closed", "merged"])
def test_a_pull_request_that_is_not_open_is_never_ready(state: str) -> None:
    subject = READY.subject.model_copy(update={"state": state})
    assert judge(READY.model_copy(update={"subject": subject}), now=NOW).outcome == state


@pytest.mark.parametrize("how", ["merge_queue", "auto_merge"])
def test_queued_or_auto_merge_means_that_a_person_has_decided(how: str) -> None:
    decided = Decided.model_validate({"how": how, "by": "olga"})
    verdict = judge(example.pending(READY).model_copy(update={"decided": decided}), now=NOW)
    assert (verdict.outcome, kinds(verdict)) == ("decided", [Kind.PENDING_CHECKS])


def test_checks_that_no_rule_demands_count_when_none_is_demanded() -> None:
    red = CheckFact(name="lint", state="failed", result="timed_out")
    ruled = with_state(READY.model_copy(update={"checks": (CI, red)}), "unstable")
    assert judge(ruled, now=NOW).outcome == "ready"
    free = ruled.model_copy(update={"checks": (red,), "demands": Demands()})
    [reason] = judge(free, now=NOW).reasons
    assert (reason.kind, reason.evidence[0].what) == (Kind.FAILING_CHECKS, "lint: timed out")


@pytest.mark.parametrize(("age", "wanted"), [(SETTLE - timedelta(seconds=1), [Kind.PENDING_CHECKS]), (SETTLE, [])])
def test_no_checks_are_green_only_after_they_have_settled(age: timedelta, wanted: list[Kind]) -> None:
    facts = READY.model_copy(update={"checks": (), "demands": Demands(approvals=1)})
    for field in ("head_since", "updated_at"):
        subject = facts.subject.model_copy(update={field: NOW - age})
        assert kinds(judge(facts.model_copy(update={"subject": subject}), now=NOW)) == wanted


def test_a_required_check_is_pending_before_and_missing_after_settling() -> None:
    facts = with_state(example.missing(READY), "blocked")
    young = facts.subject.model_copy(update={"head_since": NOW - timedelta(minutes=1)})
    assert kinds(judge(facts.model_copy(update={"subject": young}), now=NOW)) == [Kind.PENDING_CHECKS]
    [reason] = judge(facts, now=NOW).reasons
    assert (reason.kind, reason.evidence[0].what) == (Kind.CHECK_MISSING, "deploy: never reported")


def test_a_required_check_of_another_app_is_missing_and_says_so() -> None:
    foreign = CheckFact(name="deploy", state="passed", app="imitator")
    facts = with_state(example.missing(READY).model_copy(update={"checks": (CI, foreign)}), "blocked")
    [reason] = judge(facts, now=NOW).reasons
    assert reason.evidence[0].what == "deploy: reported by imitator, and the rule wants it from another App"


def test_a_conflict_explains_checks_that_never_begin() -> None:
    facts = example.missing(READY).model_copy(
        update={"mergeability": Mergeability(answer="conflicting", state="dirty")}
    )
    young = facts.subject.model_copy(update={"head_since": NOW})
    behind, absent = judge(facts.model_copy(update={"subject": young}), now=NOW).reasons
    assert (behind.kind, absent.kind) == (Kind.BEHIND_BASE, Kind.CHECK_MISSING)
    assert absent.evidence[0].what == "deploy: no workflow starts while there is a conflict"


def test_an_expected_context_is_a_check_that_nobody_reported() -> None:
    waited = CheckFact(name="legacy", state="expected", is_required=True)
    facts = with_state(READY.model_copy(update={"checks": (CI, waited)}), "blocked")
    assert kinds(judge(facts, now=NOW)) == [Kind.CHECK_MISSING]


def test_a_required_check_whose_only_result_is_superseded_is_missing() -> None:
    old = CI.model_copy(update={"name": "deploy", "is_superseded": True})
    demands = READY.demands.model_copy(update={"checks": (*READY.demands.checks, DemandedCheck(name="deploy"))})
    facts = READY.model_copy(update={"checks": (CI, old), "demands": demands})
    assert kinds(judge(facts, now=NOW)) == [Kind.CHECK_MISSING]


def test_a_superseded_failure_explains_a_block_that_nothing_else_does() -> None:
    old = CI.model_copy(update={"state": "failed", "result": "failure", "is_superseded": True, "id": "9"})
    facts = READY.model_copy(update={"checks": (old, CI)})
    assert judge(facts, now=NOW).outcome == "ready"
    [reason] = judge(with_state(facts, "blocked"), now=NOW).reasons
    assert (reason.kind, reason.evidence[0].what, reason.evidence[0].id) == (
        Kind.FAILING_CHECKS,
        "ci: failure, an older run",
        "9",
    )


def test_a_block_without_reasons_says_what_could_not_be_read() -> None:
    unread = Unread(what="branch protection", permission="administration: read")
    demands = READY.demands.model_copy(update={"unread": (unread,), "others": ("required_signatures",)})
    [reason] = judge(with_state(READY.model_copy(update={"demands": demands}), "blocked"), now=NOW).reasons
    assert (reason.kind, reason.mover) == (Kind.BLOCKED_UNEXPLAINED, "maintainer")
    assert [one.what for one in reason.evidence] == [
        "GitHub says blocked, and every rule that we can check is met",
        "the rule required_signatures is in force and can't be checked from outside",
        "could not read branch protection: needs administration: read",
    ]


def test_reasons_of_ours_alone_do_not_explain_a_block() -> None:
    facts = with_state(READY.model_copy(update={"demands": Demands(), "checks": (CI,)}), "blocked")
    threads = example.threads(facts).model_copy(update={"demands": Demands(checks=(DemandedCheck(name="ci"),))})
    assert kinds(judge(threads, now=NOW)) == [Kind.OPEN_THREADS, Kind.BLOCKED_UNEXPLAINED]


def test_a_server_without_merge_states_is_judged_by_mergeable() -> None:
    assert judge(with_state(READY, None), now=NOW).outcome == "ready"
    conflict = READY.model_copy(update={"mergeability": Mergeability(answer="conflicting")})
    assert kinds(judge(conflict, now=NOW)) == [Kind.BEHIND_BASE]
    strict = READY.demands.model_copy(update={"up_to_date": True})
    unsaid = with_state(READY.model_copy(update={"demands": strict}), None)
    assert kinds(judge(unsaid, now=NOW)) == [Kind.BLOCKED_UNEXPLAINED]


@pytest.mark.parametrize(
    ("last_by", "mover", "names"),
    [("rita", "us", ()), ("sam", "reviewer", ("rita",)), ("caseworker[bot]", "reviewer", ("rita",))],
)
def test_a_thread_waits_for_whoever_did_not_speak_last(last_by: str, mover: str, names: tuple[str, ...]) -> None:
    thread = ThreadFact(id="PRRT_1", opened_by="rita", last_by=last_by, last_at=LONG_AGO, is_outdated=True)
    [reason] = judge(READY.model_copy(update={"threads": (thread,)}), now=NOW, watch=OURS).reasons
    assert (reason.mover, reason.names, reason.since) == (mover, names, LONG_AGO)


def test_requested_changes_wait_for_the_reviewer_after_a_newer_commit() -> None:
    review = ReviewFact(by="olga", verdict="changes_requested", commit=OTHER, at=LONG_AGO, counts=True)
    reviews = Reviews(decision="changes_requested", latest=(review,))
    [reason] = judge(with_state(READY.model_copy(update={"reviews": reviews}), "blocked"), now=NOW).reasons
    assert (reason.mover, reason.names, reason.act) == ("reviewer", ("olga",), "ask_person")


def test_requested_changes_of_somebody_without_write_access_do_not_count() -> None:
    review = ReviewFact(by="ann", verdict="changes_requested", commit=HEAD)
    reviews = Reviews(decision="approved", latest=(*READY.reviews.latest, review))
    assert judge(READY.model_copy(update={"reviews": reviews}), now=NOW).outcome == "ready"


def test_an_adopted_head_is_not_a_takeover() -> None:
    adopted = OURS.model_copy(update={"baseline": HEAD, "pushed": ()})
    assert judge(READY, now=NOW, watch=adopted).outcome == "ready"
    assert (
        judge(READY, now=NOW, watch=adopted.model_copy(update={"baseline": BASELINE})).leading is Kind.HUMAN_TOOK_OVER
    )


@pytest.mark.parametrize(("ago", "wanted"), [(BARRIER - timedelta(seconds=1), [Kind.REVIEW_BARRIER]), (BARRIER, [])])
def test_the_review_barrier_lasts_twenty_minutes(ago: timedelta, wanted: list[Kind]) -> None:
    assert kinds(judge(READY, now=NOW, watch=OURS.model_copy(update={"pushed_at": NOW - ago}))) == wanted


def test_a_thread_of_a_stranger_is_left_to_a_maintainer() -> None:
    strange = ThreadFact(id="T9", path="README.md", line=8, opened_by="sam", last_by="sam", by_stranger=True)
    [reason] = judge(READY.model_copy(update={"threads": (strange,)}), now=NOW).reasons
    assert (reason.kind, reason.mover, reason.act) == (Kind.OPEN_THREADS, "maintainer", "ask_person")
    assert "no write access" in reason.evidence[0].what
    both = READY.model_copy(update={"threads": (strange, strange.model_copy(update={"by_stranger": False}))})
    assert judge(both, now=NOW).reasons[0].mover == "us"


def test_the_review_of_a_bot_or_a_stranger_does_not_end_the_review_barrier() -> None:
    watch = OURS.model_copy(update={"pushed_at": NOW})
    for is_person, may_write, wanted in (
        (True, True, []),
        (True, False, [Kind.REVIEW_BARRIER]),
        (False, True, [Kind.REVIEW_BARRIER]),
    ):
        review = ReviewFact(by="k", verdict="commented", commit=HEAD, is_person=is_person, may_write=may_write)
        reviews = Reviews(decision="approved", latest=(*READY.reviews.latest, review))
        assert kinds(judge(READY.model_copy(update={"reviews": reviews}), now=NOW, watch=watch)) == wanted


def test_further_looks_are_wanted_only_while_github_computes() -> None:
    assert not wants_another_look(READY)
    assert wants_another_look(build("unknown", set()))
    assert wants_another_look(build("stale", set()))


def test_every_reason_has_words() -> None:
    assert list(EXPLANATIONS) == list(ReasonKind)


_checks = st.builds(
    CheckFact,
    name=st.sampled_from(["ci", "lint", "deploy"]),
    state=st.sampled_from(["passed", "failed", "pending", "expected"]),
    is_required=st.booleans(),
    is_superseded=st.booleans(),
)
_reviews = st.builds(
    Reviews,
    decision=st.sampled_from([None, "approved", "changes_requested", "review_required"]),
    latest=st.lists(
        st.builds(
            ReviewFact,
            by=st.sampled_from(["rita", "olga"]),
            verdict=st.sampled_from(["approved", "changes_requested", "commented"]),
            commit=st.sampled_from([HEAD, OTHER, None]),
            counts=st.booleans(),
        ),
        max_size=2,
    ).map(tuple),
)
_demands = st.builds(
    Demands,
    checks=st.sets(st.sampled_from(["ci", "deploy"])).map(
        lambda names: tuple(DemandedCheck(name=name) for name in sorted(names))
    ),
    approvals=st.integers(0, 2),
    threads_resolved=st.booleans(),
    up_to_date=st.booleans(),
)
_states = ["behind", "blocked", "clean", "dirty", "draft", "has_hooks", "unknown", "unstable", None]
_facts = st.builds(
    PullFacts,
    subject=st.builds(
        lambda is_draft, is_fork, age: READY.subject.model_copy(
            update={"is_draft": is_draft, "is_fork": is_fork, "head_since": NOW - timedelta(minutes=age)}
        ),
        st.booleans(),
        st.booleans(),
        st.integers(0, 20),
    ),
    mergeability=st.builds(
        Mergeability,
        answer=st.sampled_from(["mergeable", "conflicting", "unknown"]),
        state=st.sampled_from(_states),
        is_stale=st.booleans(),
    ),
    checks=st.lists(_checks, max_size=4).map(tuple),
    held_runs=st.sampled_from([(), (HeldRun(app="actions"),)]),
    demands=_demands,
    threads=st.sampled_from([(), (ThreadFact(id="t", opened_by="rita"),)]),
    reviews=_reviews,
)
_watches = st.builds(
    Watch,
    us=st.just("caseworker[bot]"),
    baseline=st.sampled_from([None, HEAD, BASELINE]),
    pushed=st.sampled_from([(), (HEAD,), (OTHER,)]),
    pushed_at=st.sampled_from([None, NOW, LONG_AGO]),
)


@given(_facts, _watches)
def test_no_verdict_is_ready_while_any_blocking_fact_holds(facts: PullFacts, watch: Watch) -> None:
    """The blocking facts are read here in another way than the verdict does."""
    newest = [one for one in facts.checks if not one.is_superseded]
    required = [one for one in newest if one.is_required]
    has_rule = bool(facts.demands.checks) or any(one.is_required for one in facts.checks)
    green = {one.name for one in required if one.state == "passed"}
    blocking = [
        facts.subject.is_draft,
        facts.mergeability.answer != "mergeable",
        facts.mergeability.state in ("behind", "blocked", "dirty", "unknown"),
        facts.mergeability.is_stale,
        any(one.name not in green for one in facts.demands.checks),
        any(one.state != "passed" for one in (required if has_rule else newest) if one.state != "expected"),
        any(one.state == "expected" for one in required if one.name not in green),
        bool(facts.threads),
        bool(facts.held_runs),
        facts.reviews.decision in ("changes_requested", "review_required"),
        not facts.checks and NOW - facts.subject.head_since < SETTLE,
        watch.baseline is not None and HEAD not in (watch.baseline, *watch.pushed),
    ]
    verdict = judge(facts, now=NOW, watch=watch)
    if any(blocking):
        assert verdict.outcome == "not_ready"
    assert (verdict.outcome == "ready") == (not verdict.reasons)


@given(_facts, _watches)
def test_reasons_come_once_in_order_and_each_says_who_moves_and_why(facts: PullFacts, watch: Watch) -> None:
    found = judge(facts, now=NOW, watch=watch).reasons
    order = list(ReasonKind)
    places = [order.index(reason.kind) for reason in found]
    assert places == sorted(set(places))
    assert all(reason.evidence and reason.help for reason in found)


@given(_facts, _watches)
def test_an_unmergeable_state_has_a_reason_or_is_called_unexplained(facts: PullFacts, watch: Watch) -> None:
    found = set(kinds(judge(facts, now=NOW, watch=watch)))
    needed: dict[str | None, set[Kind]] = {
        "behind": {Kind.BEHIND_BASE},
        "dirty": {Kind.BEHIND_BASE},
        "unknown": {Kind.MERGEABLE_PENDING},
        "blocked": {*BLOCKS, Kind.DRAFT, Kind.BEHIND_BASE, Kind.BLOCKED_UNEXPLAINED},
    }
    if (wanted := needed.get(facts.mergeability.state)) is not None:
        assert found & wanted


PASSED = CI.model_copy(update={"is_required": False})
RUNNING = CheckFact(name="slow", state="pending", result="queued")


@pytest.mark.parametrize(
    ("checks", "told"),
    [
        ((), "no check has reported yet; checks may begin until 12:09 UTC"),
        ((PASSED,), "all checks passed; further checks may still begin until 12:09 UTC"),
        ((PASSED, RUNNING), "checks are running"),
    ],
)
def test_checks_that_may_still_begin_are_not_said_to_run(checks: tuple[CheckFact, ...], told: str) -> None:
    young = READY.subject.model_copy(update={"head_since": NOW - timedelta(minutes=1)})
    facts = READY.model_copy(update={"checks": checks, "demands": Demands(), "subject": young})
    [reason] = judge(facts, now=NOW).reasons
    assert (reason.kind, reason.short) == (Kind.PENDING_CHECKS, told)
    assert (reason.until is None) is (told == "checks are running")


def test_our_own_check_run_is_no_reason_even_where_a_rule_demands_it() -> None:
    ours = CheckFact(name=CHECK_NAME, state="expected", is_required=True)
    demands = READY.demands.model_copy(update={"checks": (*READY.demands.checks, DemandedCheck(name=CHECK_NAME))})
    facts = READY.model_copy(update={"checks": (*READY.checks, ours), "demands": demands})
    assert judge(facts, now=NOW).outcome == "ready"
