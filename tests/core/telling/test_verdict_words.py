"""The verdict over a pull request, told to people."""

from datetime import UTC, datetime

import pytest

from caseworker.core.base.ids import Sha
from caseworker.core.pull.own_check import HeadWatch, watch_in, watch_in_link
from caseworker.core.pull.pull_facts import Decided, Watch
from caseworker.core.pull.reasons import Evidence, Reason, ReasonKind
from caseworker.core.pull.verdict import Verdict
from caseworker.core.telling.verdict_words import headline, mover_name, ready_check, shown_evidence, verdict_section

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
HEAD = Sha("abcdef1234567890")
URL = "https://github.com/acme/shop/pull/9"
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


@pytest.mark.parametrize(
    ("moves", "name"),
    [
        (WANTED, "the reviewer, olga"),
        (WANTED.model_copy(update={"mover": "service", "names": ("ci: unit",)}), "ci: unit"),
        (WANTED.model_copy(update={"mover": "nobody", "names": ()}), "nobody"),
    ],
)
def test_a_table_names_who_must_move(moves: Reason, name: str) -> None:
    assert mover_name(moves) == name


def test_equal_evidence_is_told_once_with_its_count() -> None:
    twice = FAILED.model_copy(update={"evidence": (*FAILED.evidence, *FAILED.evidence)})
    assert shown_evidence(twice) == ["lint: failure (2 of this name)"]


def test_what_checks_are_called_cannot_format_the_comment() -> None:
    evil = FAILED.model_copy(update={"evidence": (Evidence(what="`**@olga** <!-- x"),)})
    section = verdict_section(Verdict(outcome="not_ready", head=HEAD, reasons=(evil,), looked_at=NOON), is_over=False)
    assert "  - seen: `` `**@olga** <!-- x ``" in section.splitlines()


def test_the_check_run_is_neutral_until_ready() -> None:
    not_yet = ready_check(Verdict(outcome="not_ready", head=HEAD, reasons=(FAILED,), looked_at=NOON), KNOWN, url=URL)
    ready = ready_check(Verdict(outcome="ready", head=HEAD, looked_at=NOON), KNOWN, url=URL)
    assert (not_yet.conclusion, ready.conclusion, ready.commit) == ("neutral", "success", HEAD)
    assert ready.title == "Ready: a person can merge it."


def test_the_check_run_carries_what_the_session_knows_of_the_head() -> None:
    check = ready_check(Verdict(outcome="ready", head=HEAD, looked_at=NOON), KNOWN, url=URL, is_over=True)
    assert watch_in(check.summary, HEAD) == KNOWN
    assert watch_in(check.summary, Sha("another")) is None
    assert "this does not change any more" in check.summary


@pytest.mark.parametrize(
    "watch",
    [
        Watch(us="caseworker[bot]", pushed=(HEAD,), pushed_at=NOON, head_seen_at=NOON),
        Watch(us="olga", baseline=HEAD),
        Watch(us="olga", baseline=Sha("fedcba098765"), pushed=(Sha("111111111111"),)),
        Watch(),
    ],
)
def test_the_link_of_a_status_carries_what_the_session_knows_of_the_head(watch: Watch) -> None:
    known = HeadWatch(head=HEAD, watch=watch, settle_seconds=5, barrier_seconds=60)
    link = ready_check(Verdict(outcome="ready", head=HEAD, looked_at=NOON), known, url=URL).link
    assert link.startswith(f"{URL}#caseworker=watch&")
    assert watch_in_link(link, HEAD) == known


@pytest.mark.parametrize(
    "fragment",
    [
        "",
        "#x=1",
        "#caseworker=watch",
        "#caseworker=watch&settle=x&barrier=1",
        "#caseworker=watch&settle=1&barrier=-1",
        f"#caseworker=watch&settle=1&barrier=1&pushed={'9' * 30}",
    ],
)
def test_a_link_that_is_not_ours_says_nothing(fragment: str) -> None:
    assert watch_in_link(f"{URL}{fragment}", HEAD) is None


def test_a_decision_of_a_person_is_told_with_who_made_it() -> None:
    queued = Decided(how="merge_queue", by="olga", position=2)
    switched = Decided(how="auto_merge", by="olga")
    told = [headline(Verdict(outcome="decided", head=HEAD, decided=one, looked_at=NOON)) for one in (queued, switched)]
    assert told == [
        "olga has put it into the merge queue, place 2.",
        "olga has switched auto-merge on: GitHub merges it when its rules are met.",
    ]
