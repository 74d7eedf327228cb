"""The verdict over a pull request, told to people."""

from datetime import UTC, datetime

from caseworker.core.base.ids import Sha
from caseworker.core.pull.own_check import HeadWatch, watch_in
from caseworker.core.pull.pull_facts import Decided, Watch
from caseworker.core.pull.reasons import Evidence, Reason, ReasonKind
from caseworker.core.pull.verdict import Verdict
from caseworker.core.telling.verdict_words import headline, ready_check, shown_evidence, verdict_section

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
HEAD = Sha("abcdef1234567890")
KNOWN = HeadWatch(head=HEAD, watch=Watch(us="caseworker[bot]", pushed=(HEAD,), pushed_at=NOON), barrier_seconds=60)
FAILED = Reason(
    kind=ReasonKind.FAILING_CHECKS,
    mover="us",
    since=NOON,
    evidence=(Evidence(what="lint: failure"),),
    act="resolve",
    help="Push a fix.",
)
WANTED = Reason(kind=ReasonKind.REVIEW_REQUIRED, mover="reviewer", names=("olga",), act="ask_person", help="Review it.")


def test_all_reasons_are_told_with_who_must_move() -> None:
    verdict = Verdict(outcome="not_ready", head=HEAD, reasons=(FAILED, WANTED), looked_at=NOON)
    assert headline(verdict) == "Not ready: checks have failed, and 1 more."
    assert (
        verdict_section(verdict, is_over=False)
        == """\
### Merge readiness

**Not ready: checks have failed, and 1 more.**

- **checks have failed (failing_checks) since 2026-03-02 12:00 UTC**
  - must move: Caseworker
  - seen: `lint: failure`
  - what helps: Push a fix.

- **a review is required (review_required)**
  - must move: the reviewer, olga
  - what helps: Review it.

Looked at abcdef1234 at 2026-03-02 12:00 UTC."""
    )


def test_equal_evidence_is_told_once_with_its_count() -> None:
    twice = FAILED.model_copy(update={"evidence": (*FAILED.evidence, *FAILED.evidence)})
    assert shown_evidence(twice) == ["lint: failure (2 of this name)"]


def test_what_checks_are_called_cannot_format_the_comment() -> None:
    evil = FAILED.model_copy(update={"evidence": (Evidence(what="`**@olga** <!-- x"),)})
    section = verdict_section(Verdict(outcome="not_ready", head=HEAD, reasons=(evil,), looked_at=NOON), is_over=False)
    assert "  - seen: `` `**@olga** <!-- x ``" in section.splitlines()


def test_the_check_run_is_neutral_until_ready() -> None:
    not_yet = ready_check(Verdict(outcome="not_ready", head=HEAD, reasons=(FAILED,), looked_at=NOON), KNOWN)
    ready = ready_check(Verdict(outcome="ready", head=HEAD, looked_at=NOON), KNOWN)
    assert (not_yet.conclusion, ready.conclusion, ready.commit) == ("neutral", "success", HEAD)
    assert ready.title == "Ready: a person can merge it."


def test_the_check_run_carries_what_the_session_knows_of_the_head() -> None:
    check = ready_check(Verdict(outcome="ready", head=HEAD, looked_at=NOON), KNOWN, is_over=True)
    assert watch_in(check.summary, HEAD) == KNOWN
    assert watch_in(check.summary, Sha("another")) is None
    assert "this does not change any more" in check.summary


def test_a_decision_of_a_person_is_told_with_who_made_it() -> None:
    queued = Decided(how="merge_queue", by="olga", position=2)
    switched = Decided(how="auto_merge", by="olga")
    told = [headline(Verdict(outcome="decided", head=HEAD, decided=one, looked_at=NOON)) for one in (queued, switched)]
    assert told == [
        "olga has put it into the merge queue, place 2.",
        "olga has switched auto-merge on: GitHub merges it when its rules are met.",
    ]
