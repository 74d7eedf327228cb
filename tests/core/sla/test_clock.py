"""The promises of a bug case: when they are due, and who is told."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caseworker.core.base.ids import CaseId, TraceId
from caseworker.core.base.policy import Policy, Severity
from caseworker.core.bug.case import About, BugState
from caseworker.core.people.messages import Audience
from caseworker.core.record.entries import BugMoved, Entry, Posted, Recorded, SlaChecked
from caseworker.core.sla.clock import Due, SlaFacts, due, epochs_of, listing, to_settle
from caseworker.core.sla.words import people_to_tell, promise_words, span, words_for

CASE = CaseId("bug-7F3K")
NINE = datetime(2026, 5, 4, 9, tzinfo=UTC)
POLICY = Policy(contacts=(("ada",), ("grace", "ada"), ("barbara",)))
S = BugState


def after(minutes: float) -> datetime:
    return NINE + timedelta(minutes=minutes)


class Story:
    """Builds the record of a case, in minutes since the report."""

    def __init__(self, severity: Severity | None = Severity.P0, policy: Policy = POLICY) -> None:
        self.severity = severity
        self.policy = policy
        self.state = S.INVESTIGATING
        self.record: list[Recorded] = []

    def add(self, minutes: float, entry: Entry) -> "Story":
        place = len(self.record) + 1
        self.record.append(Recorded(sequence=place, at=after(minutes), trace=TraceId("t"), version=1, entry=entry))
        return self

    def acknowledged(self, minutes: float, about: About = About.ACKNOWLEDGED) -> "Story":
        return self.add(minutes, Posted(audience=Audience.REPORTER, about=about, text="Thank you."))

    def moved(self, minutes: float, to: BugState) -> "Story":
        move = BugMoved(number=len(self.record), from_state=self.state, to_state=to, reason="so it was")
        self.state = to
        return self.add(minutes, move)

    @property
    def epochs(self) -> Sequence[SlaFacts]:
        return epochs_of(CASE, opened_at=NINE, severity=self.severity, record=self.record)

    def next(self, minutes: float) -> Due | None:
        return due(to_settle(self.epochs), self.policy, after(minutes))

    def look(self, minutes: float) -> SlaChecked | None:
        """Does and records the one thing that is due, if any, like the clock."""
        found = self.next(minutes)
        if found is None or found.result is None or found.at > after(minutes):
            return None
        check = SlaChecked(
            target=found.target,
            result=found.result,
            severity=self.severity or Severity.P2,
            due=found.promised,
            level=found.level,
        )
        self.add(minutes, check)
        return check

    def run(self, start: int, end: int) -> list[str]:
        """Checks every minute and returns what was done."""
        seen = []
        for minute in range(start, end + 1):
            while check := self.look(minute):
                seen.append(f"{minute} {check.target} {check.result} {check.level}")
                assert len(seen) < 100, "the clock does the same thing over and over"
        return seen


@pytest.mark.parametrize(
    ("severity", "minutes"),
    [(Severity.P0, 5), (Severity.P1, 15), (Severity.P2, 60), (Severity.P3, 240), (None, 60)],
)
def test_a_report_has_a_time_to_be_acknowledged(severity: Severity | None, minutes: int) -> None:
    found = Story(severity).next(0)
    assert found is not None
    assert (found.at, found.target, found.result, found.told) == (after(minutes), "acknowledge", "missed", True)


@pytest.mark.parametrize(("minutes", "result"), [(0, "met"), (5, "met"), (5.01, "missed"), (90, "missed")])
def test_an_acknowledgement_is_met_or_missed_by_its_own_time(minutes: float, result: str) -> None:
    found = Story().acknowledged(minutes).next(100)
    assert found is not None
    assert (found.target, found.result, found.told) == ("acknowledge", result, False)
    assert found.at <= after(100)


@pytest.mark.parametrize(("minutes", "result"), [(1, "met"), (60, "met"), (60.01, "missed")])
def test_a_resolution_is_met_or_missed_by_its_own_time(minutes: float, result: str) -> None:
    story = Story().acknowledged(0.1)
    story.look(1)
    found = story.moved(minutes, S.RESOLVED).next(200)
    assert found is not None
    assert (found.target, found.result, found.told) == ("resolve", result, False)


def test_a_case_closed_before_any_answer_counts_as_acknowledged() -> None:
    story = Story().moved(1, S.RESOLVED)
    assert story.run(1, 30) == ["1 acknowledge met 1", "1 resolve met 1"]
    assert story.next(30) is None


def test_an_ignored_case_climbs_the_levels_then_is_told_daily() -> None:
    assert Story().run(0, 3_000) == [
        "5 acknowledge missed 1",
        "20 follow_up reminded 1",
        "35 follow_up reminded 1",
        "50 follow_up escalated 2",
        "60 resolve missed 2",
        "75 follow_up reminded 2",
        "90 follow_up escalated 3",
        "105 follow_up reminded 3",
        "1545 follow_up reminded 3",
        "2985 follow_up reminded 3",
    ]


def test_an_acknowledged_case_is_followed_up_until_it_is_resolved() -> None:
    story = Story().acknowledged(1)
    assert story.run(1, 40) == ["1 acknowledge met 1", "15 follow_up reminded 1", "30 follow_up reminded 1"]
    story.moved(41, S.RESOLVED)
    assert story.run(41, 500) == ["41 resolve met 1"]


def test_with_one_level_of_contacts_or_none_there_is_no_escalation() -> None:
    for contacts in ((), (("ada",),)):
        story = Story(policy=POLICY.model_copy(update={"contacts": contacts})).acknowledged(1)
        assert {line.split()[-1] for line in story.run(1, 3_000)} == {"1"}


def test_nobody_is_told_while_the_case_waits_for_its_reporter() -> None:
    story = Story().acknowledged(1).moved(2, S.AWAITING_REPORTER)
    assert story.run(2, 200) == ["2 acknowledge met 1", "60 resolve missed 1"]
    assert story.next(200) == Due(
        at=after(215), target="follow_up", result=None, promised=after(75), level=1, number=1, told=False
    )


def test_the_reporters_answer_restarts_the_pause_before_a_follow_up() -> None:
    story = Story().acknowledged(1).moved(2, S.AWAITING_REPORTER)
    story.run(2, 29)
    story.moved(30, S.INVESTIGATING)
    assert story.run(30, 50) == ["45 follow_up reminded 1"]


def test_a_promise_missed_during_a_wait_for_the_reporter_is_not_told() -> None:
    story = Story().acknowledged(1).moved(2, S.AWAITING_REPORTER)
    story.run(2, 59)
    found = story.next(60)
    assert found is not None
    assert (found.at, found.target, found.result, found.told) == (after(60), "resolve", "missed", False)


@pytest.mark.parametrize("state", [S.AWAITING_DEV, S.DEV_TAKEOVER])
def test_developers_get_follow_ups_while_the_case_is_theirs(state: BugState) -> None:
    story = Story().acknowledged(1).moved(2, state)
    assert story.run(2, 20) == ["2 acknowledge met 1", "15 follow_up reminded 1"]


def test_after_an_outage_there_is_only_one_follow_up() -> None:
    story = Story(Severity.P1).acknowledged(1)
    story.run(1, 2)
    assert story.run(200, 229) == ["200 follow_up reminded 1"]
    assert story.run(230, 230) == ["230 follow_up reminded 1"]


def test_a_reopened_case_has_new_promises_from_the_reopening_on() -> None:
    story = Story().acknowledged(1)
    story.run(1, 1)
    story.moved(10, S.RESOLVED)
    assert story.run(10, 1_000) == ["10 resolve met 1"]
    story.moved(1_000, S.INVESTIGATING)
    assert story.run(1_000, 1_004) == []
    story.acknowledged(1_004, About.REOPENED)
    assert story.run(1_004, 1_020) == ["1004 acknowledge met 1", "1015 follow_up reminded 1"]
    assert [epoch.epoch for epoch in story.epochs] == [1, 2]


def test_missed_promises_are_settled_before_those_of_the_reopened_case() -> None:
    story = Story().acknowledged(1).moved(90, S.RESOLVED).moved(100, S.INVESTIGATING).acknowledged(101, About.REOPENED)
    assert story.run(102, 102) == ["102 acknowledge met 1", "102 resolve missed 1", "102 acknowledge met 1"]
    first, second = story.epochs
    assert (first.acknowledge, first.resolve, second.acknowledge, second.resolve) == ("met", "missed", "met", None)


def test_a_reopened_case_begins_at_the_first_level() -> None:
    story = Story()
    story.run(0, 90)
    story.moved(91, S.RESOLVED)
    story.moved(92, S.INVESTIGATING)
    assert [epoch.level for epoch in story.epochs] == [3, 1]


def test_a_severity_without_a_target_has_the_default() -> None:
    found = Story(policy=Policy(sla={})).next(0)
    assert found is not None
    assert found.at == after(5)


EVENTS = st.lists(
    st.tuples(
        st.sampled_from(
            ["look", "look", "look", "acknowledge", "reporter", "investigate", "dev", "resolve", "severity"]
        ),
        st.integers(0, 400),
    ),
    max_size=60,
)


@given(EVENTS, st.sampled_from([None, *Severity]))
def test_each_promise_is_recorded_once_and_levels_never_go_down(
    events: list[tuple[str, int]], severity: Severity | None
) -> None:
    story, minute = Story(severity), 0
    for event, wait in events:
        minute += wait
        match event:
            case "acknowledge":
                story.acknowledged(minute)
            case "reporter":
                story.moved(minute, S.AWAITING_REPORTER)
            case "investigate":
                story.moved(minute, S.INVESTIGATING)
            case "dev":
                story.moved(minute, S.AWAITING_DEV)
            case "resolve" if story.state is not S.RESOLVED:
                story.moved(minute, S.RESOLVED)
            case "severity":
                story.severity = [*Severity][wait % 4]
            case _:
                story.look(minute)
    if story.state is not S.RESOLVED:
        story.moved(minute, S.RESOLVED)
    for _ in range(2 * len(story.epochs) + 1):
        story.look(minute + 1)
    assert story.next(minute + 1) is None
    checks = [recorded.entry for recorded in story.record if isinstance(recorded.entry, SlaChecked)]
    for target in ("acknowledge", "resolve"):
        of_it = [check.result for check in checks if check.target == target]
        assert len(of_it) == len(story.epochs)
        assert set(of_it) <= {"met", "missed"}
        assert of_it == [getattr(epoch, target) for epoch in story.epochs]
    assert _never_down(story)


def _never_down(story: Story) -> bool:
    level, reopened = 1, 0
    for recorded in story.record:
        match recorded.entry:
            case BugMoved(from_state=S.RESOLVED):
                level, reopened = 1, reopened + 1
            case SlaChecked(target="follow_up", level=told):
                if not level <= told <= level + 1:
                    return False
                level = told
            case _:
                continue
    return True


@pytest.mark.parametrize(
    ("target", "result", "number", "minutes", "words"),
    [
        (
            "acknowledge",
            "missed",
            1,
            5,
            "**Not acknowledged in time**: bug-7F3K (P0: no cart) has had no answer for 5 min. @ada, please look.",
        ),
        (
            "resolve",
            "missed",
            1,
            60,
            "**Not resolved in time**: bug-7F3K (P0: no cart) has been open for 1 h. @ada, please look.",
        ),
        (
            "follow_up",
            "reminded",
            2,
            75,
            "@ada: bug-7F3K (P0: no cart) is still open after 1 h 15 min. This is follow-up 2.",
        ),
        (
            "follow_up",
            "escalated",
            3,
            1_530,
            "**Escalated to level 1**: @ada, bug-7F3K (P0: no cart) is still open after 1 d 1 h and 2 follow-ups.",
        ),
        ("acknowledge", "met", 1, 5, ""),
    ],
)
def test_developers_are_told_in_these_words(
    target: Literal["acknowledge", "resolve", "follow_up"],
    result: Literal["met", "missed", "reminded", "escalated"],
    number: int,
    minutes: int,
    words: str,
) -> None:
    facts = Story().epochs[-1]
    found = Due(at=NINE, target=target, result=result, promised=NINE, level=1, number=number)
    assert words_for(found, facts, title="no cart", people=["ada"], now=after(minutes)) == words


@pytest.mark.parametrize(
    ("result", "level", "people"),
    [
        ("missed", 1, ("ada", "margaret")),
        ("reminded", 1, ("ada",)),
        ("escalated", 2, ("grace", "ada")),
        ("reminded", 4, ("margaret",)),
    ],
)
def test_the_level_is_told_and_for_a_missed_promise_the_owners_too(
    result: Literal["missed", "reminded", "escalated"], level: int, people: tuple[str, ...]
) -> None:
    found = Due(at=NINE, target="follow_up", result=result, promised=NINE, level=level, number=1)
    assert people_to_tell(found, POLICY, ["margaret", "ada"][: 2 if result == "missed" else 1]) == people


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-5, "0 s"), (59, "59 s"), (60, "1 min"), (3_599, "59 min"), (3_600, "1 h"), (90_000, "1 d 1 h"), (86_400, "1 d")],
)
def test_a_duration_has_its_two_largest_units(seconds: int, words: str) -> None:
    assert span(timedelta(seconds=seconds)) == words


def test_open_cases_are_listed_the_longest_overdue_first() -> None:
    late, later, quiet, closed = Story(), Story(Severity.P1), Story(Severity.P2), Story()
    quiet.acknowledged(1)
    quiet.run(1, 1)
    closed.moved(5, S.RESOLVED)
    named = [("bug-C", quiet), ("bug-B", later), ("bug-A", late), ("bug-D", closed)]
    cases = [(story.epochs[-1].model_copy(update={"case": CaseId(name)}), POLICY) for name, story in named]
    lines = listing(cases, after(30))
    assert [line.case for line in lines] == ["bug-A", "bug-B", "bug-C"]
    assert [line.overdue_since for line in lines] == [after(5), after(15), None]
    shown = [(promise_words(line.acknowledge, after(30)), promise_words(line.resolve, after(30))) for line in lines]
    assert shown == [
        ("missed, due 25 min ago", "due in 30 min"),
        ("missed, due 15 min ago", "due in 3 h 30 min"),
        ("met", "due in 23 h 30 min"),
    ]
    assert [line.next_follow_up for line in lines] == [None, None, after(120)]


def test_a_missed_promise_is_listed_before_the_clock_records_it() -> None:
    facts = Story().acknowledged(2).epochs[-1]
    (line,) = listing([(facts, POLICY)], after(61))
    assert (line.acknowledge.kept, line.resolve.kept, line.overdue_since) == ("met", "missed", after(60))
