"""Every line of an explanation leads to the entry of the record that says so."""

from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.ids import MessageId, TraceId
from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Role, Task
from caseworker.core.evidence.builds import Stage
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.messages import Standing
from caseworker.core.record.entries import BuildRan, Entry, MessageRecorded, PullRequestOpened, Recorded, TurnCompleted
from caseworker.core.telling.bug_why import why_bug
from caseworker.core.telling.why import why
from caseworker.views.fact_sources import COMPUTED, SOURCES, label_of, with_sources
from tests.core.examples import BASE, HEAD, MORNING
from tests.core.telling.why_examples import BUGS, ISSUES


def test_every_line_of_why_has_a_source_or_is_known_to_be_computed() -> None:
    lines = [line for case in ISSUES.values() for line in why(case, Policy(), TerminalPhrasing(), spent=1).evidence]
    lines += [line for bug in BUGS.values() for line in why_bug(bug, TerminalPhrasing()).evidence]
    assert {label_of(line) for line in lines} <= SOURCES.keys() | COMPUTED


def test_a_fact_leads_to_the_newest_entry_that_says_so() -> None:
    approves = MessageRecorded(
        message=MessageId(1),
        surface="terminal",
        author="ann",
        standing=Standing.OWNER,
        message_kind=MessageKind.APPROVE,
        text="Approved.",
    )
    opened = PullRequestOpened(number=1, title="Fix", branch="agent/issue-1", base="main", url="file:///shop")
    record = _record(
        _turn(Role.DEVELOPER, Task.IMPLEMENT),
        _build(Stage.RED),
        _build(Stage.HEAD),
        _turn(Role.TECH_LEAD, Task.REVIEW),
        approves,
        _build(Stage.HEAD),
        opened,
    )
    lines = [
        "Change: commit x.",
        "Red first: seen.",
        "Green: commit x was built.",
        "Reviewed: approved.",
        "Waived by ann: that.",
        "Delivered: branch `agent/issue-1`.",
        "Money: $0.10 of $5.00 are spent.",
    ]
    assert [fact.entry for fact in with_sources(lines, record)] == [11, 12, 16, 14, 15, 17, None]


def test_what_is_not_on_the_record_has_no_link() -> None:
    assert [fact.entry for fact in with_sources(["Reviewed: not approved yet."], [])] == [None]


def _record(*entries: Entry) -> list[Recorded]:
    return [
        Recorded(sequence=number, at=MORNING, trace=TraceId("t"), version=1, entry=entry)
        for number, entry in enumerate(entries, start=11)
    ]


def _turn(role: Role, task: Task) -> TurnCompleted:
    return TurnCompleted(
        turn=1, attempt=1, role=role, task=task, status="DONE", summary="", checkpoint=HEAD, calls=1, cost_micros=1
    )


def _build(stage: Stage) -> BuildRan:
    return BuildRan(number=1, stage=stage, commit=BASE, verdict="red", reason="", runs=[])
