"""Every line of an explanation carries the number of the entry of the record that says so."""

from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.ids import CaseId, MessageId, RepositoryId, Sha, TraceId
from caseworker.core.base.policy import Milestone, Policy, Severity
from caseworker.core.base.roles import Role, Task
from caseworker.core.bug.case import About
from caseworker.core.evidence.builds import Stage
from caseworker.core.issue.apply import apply_fact
from caseworker.core.issue.case import IssueCase, Wait
from caseworker.core.issue.command_facts import fact_of
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import Subject, WaitingFor
from caseworker.core.people.commands import Approve, MessageKind, Rerun
from caseworker.core.people.messages import Audience, Claimed, Standing
from caseworker.core.pull.case import PullState, new_pull_case
from caseworker.core.pull.verdict import judge
from caseworker.core.record.entries import (
    BranchPushed,
    BugRead,
    BuildRan,
    CaseOpened,
    Entry,
    MessageRecorded,
    Posted,
    PullRequestOpened,
    Recorded,
    Transitioned,
    TurnCompleted,
)
from caseworker.core.record.pull_entries import PullJudged
from caseworker.core.telling.bound_words import bound_words
from caseworker.core.telling.bug_why import why_bug
from caseworker.core.telling.pull_why import why_pull
from caseworker.core.telling.why import Why, why
from tests.core.examples import BASE, HEAD, MORNING, OTHER, a_build, a_case, a_proven_case, a_run
from tests.core.pull.pull_examples import NOW, READY, failing, threads
from tests.core.telling.why_examples import BUGS

S = IssueState
TYPED = TerminalPhrasing()


def test_proof_leads_to_the_turns_and_builds_of_its_commit() -> None:
    case = a_proven_case(S.WAITING_FOR_HUMAN_INPUT, built=HEAD, pull_request=1, pushed=HEAD)
    record = _record(
        e11=_turn(Role.DEVELOPER, Task.IMPLEMENT, HEAD),
        e12=_build(Stage.RED, BASE),
        e13=_build(Stage.HEAD, HEAD, proves=True),
        e14=_turn(Role.TECH_LEAD, Task.REVIEW, HEAD),
        e15=PullRequestOpened(number=1, title="Fix", branch="agent/issue-1", base="main", url=""),
        e16=BranchPushed(branch="agent/issue-1", commit=HEAD),
        e17=_turn(Role.SENIOR_DEVELOPER, Task.FIX, OTHER),
        e18=_build(Stage.HEAD, OTHER),
        e19=_turn(Role.TECH_LEAD, Task.REVIEW, OTHER),
    )
    found = _sources(why(case, Policy(), TYPED, record=record))
    assert {label: found[label] for label in ("Change", "Red first", "Green", "Reviewed", "Delivered")} == {
        "Change": 11,
        "Red first": 13,
        "Green": 13,
        "Reviewed": 14,
        "Delivered": 16,
    }


def test_each_approval_leads_to_the_message_that_gave_it() -> None:
    case = _approved(_approved(a_case(), Subject.PLAN, message=1), Subject.NO_RED_TEST, message=3)
    record = _record(
        e11=_said(1, MessageKind.APPROVE), e12=_said(3, MessageKind.APPROVE), e13=_said(4, MessageKind.APPROVE)
    )
    told = [fact for fact in why(case, Policy(), TYPED, record=record).evidence if " by ann" in fact.text]
    assert {fact.text.partition(":")[0]: fact.entry for fact in told} == {"Agreed by ann": 11, "Waived by ann": 12}


def test_limits_and_money_lead_to_the_move_and_the_turn_that_counted_last() -> None:
    moved = Transitioned(number=1, from_state=S.RECEIVED, to_state=S.ANALYZING_REQUIREMENTS, reason="clear")
    record = _record(e11=OPENED, e12=_turn(Role.PM, Task.TRIAGE, BASE), e13=moved)
    policy = Policy(until=Milestone.PLAN)
    found = _sources(why(a_case(), policy, TYPED, spent=1, record=record))
    assert (found["Limits"], found["Money"], found["Milestone"]) == (13, 12, 11)


def test_a_milestone_leads_to_the_message_that_has_set_it() -> None:
    asked = Claimed(id=MessageId(2), command=Rerun(milestone=Milestone.PLAN), author="ann", standing=Standing.OWNER)
    fact = fact_of(asked)
    assert fact is not None
    case = _approved(apply_fact(a_case(), fact), Subject.PLAN, message=3)
    record = _record(e11=OPENED, e12=_said(2, MessageKind.RERUN), e13=_said(3, MessageKind.APPROVE))
    assert _sources(why(case, Policy(), TYPED, record=record))["Milestone"] == 12


def test_what_has_not_happened_has_no_source() -> None:
    case = a_proven_case(S.REVIEWING_CODE, green=None, built=None, approved=None)
    record = _record(e11=_build(Stage.BASE, BASE), e12=_turn(Role.TECH_LEAD, Task.REVIEW, OTHER))
    found = _sources(why(case, Policy(), TYPED, record=record))
    assert (found["Green"], found["Reviewed"]) == (None, None)


def test_what_a_case_is_bound_to_leads_to_its_build_and_its_beginning() -> None:
    record = _record(e11=OPENED, e12=_build(Stage.BASE, BASE), e13=_said(2, MessageKind.BUDGET))
    build = a_build(a_run("make test"))
    bound = bound_words(Policy(), base=BASE, cap=5_000_000, builds=[build], record=record)
    assert [fact.entry for fact in bound] == [12, 12, 12, 11]
    raised = bound_words(Policy(), base=BASE, cap=9_000_000, builds=[build], record=record)
    assert raised[-1].entry == 13


def test_facts_of_a_bug_lead_to_its_reading_and_its_posts() -> None:
    read = BugRead(severity=Severity.P1, services=[], owners=[], vague=True)
    record = _record(e11=read, e12=_posted(About.FINDINGS), e13=_posted(About.FIX_OPENED))
    bug = next(bug for bug in BUGS.values() if bug.repair.fix is not None and bug.people.findings_posted)
    found = _sources(why_bug(bug, TYPED, record))
    assert (found["Severity"], found["Findings"], found["Fix"]) == (11, 12, 13)


def test_reasons_of_a_pull_request_lead_to_the_look_that_found_them() -> None:
    verdict = judge(threads(failing(READY)), now=NOW)
    case = new_pull_case(CaseId("acme/shop!7"), "ship").updated(state=PullState.WAITING, verdict=verdict)
    facts = why_pull(case, TYPED, _record(e11=PullJudged(verdict=verdict), e12=OPENED)).evidence
    assert facts
    assert {fact.entry for fact in facts} == {11}


OPENED = CaseOpened(repository=RepositoryId("acme/shop"), number=7, title="Total", rehearsed=True)


def _approved(case: IssueCase, subject: Subject, *, message: int) -> IssueCase:
    waits = case.updated(wait=Wait(reason=WaitingFor.APPROVAL, subject=subject))
    said = Claimed(id=MessageId(message), command=Approve(), author="ann", standing=Standing.OWNER)
    agreed = fact_of(said)
    assert agreed is not None
    return apply_fact(waits, agreed)


def _sources(told: Why) -> dict[str, int | None]:
    return {fact.text.partition(":")[0]: fact.entry for fact in told.evidence}


def _record(**entries: Entry) -> list[Recorded]:
    """By name: `e11` is entry 11."""
    return [
        Recorded(sequence=int(name[1:]), at=MORNING, trace=TraceId("t"), version=1, entry=entry)
        for name, entry in entries.items()
    ]


def _turn(role: Role, task: Task, commit: Sha) -> TurnCompleted:
    return TurnCompleted(
        turn=1, attempt=1, role=role, task=task, status="DONE", summary="", checkpoint=commit, calls=1, cost_micros=1
    )


def _build(stage: Stage, commit: Sha, *, proves: bool = False) -> BuildRan:
    return BuildRan(
        number=1, stage=stage, commit=commit, verdict="red", reason="", runs=[], proves="red" if proves else None
    )


def _said(message: int, kind: MessageKind) -> MessageRecorded:
    return MessageRecorded(
        message=MessageId(message),
        surface="web",
        author="ann",
        standing=Standing.OWNER,
        message_kind=kind,
        text="Approved.",
    )


def _posted(about: About) -> Posted:
    return Posted(audience=Audience.DEVELOPERS, about=about, text="")
