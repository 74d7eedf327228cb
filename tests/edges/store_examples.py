"""Rows for tests of the store, with defaults, so that a test names only what it is about."""

from itertools import count
from pathlib import Path

from caseworker.core.base.ids import CaseId, RepositoryId, Sha, TraceId, issue_case
from caseworker.core.base.policy import Policy
from caseworker.core.base.repositories import LocalRepository
from caseworker.core.base.roles import Role, Task
from caseworker.core.casefile.model import CaseFile
from caseworker.core.evidence.builds import Build, CommandRun, Purpose, Stage
from caseworker.core.issue.case import IssueCase
from caseworker.core.outcomes.pm import IssueType, TriageOutcome
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.messages import NewAttachment, NewMessage, Standing
from caseworker.core.record.entries import TurnCompleted, TurnFailed
from caseworker.ports import Attempt, FinishedTurn, Issue, NewBug, NewIssue, PullRequest, StoredBug, Thread
from caseworker.store.store import Store
from tests.world.commands import command_of

TRACE = TraceId("trace-1")
HEAD = Sha("a" * 40)
NOWHERE = CaseId("")
"""The case in a first message that opens a bug case: the store chooses the real name."""
_external_ids = count(1)


def said(
    case: CaseId,
    text: str = "it is broken",
    *,
    id: str | None = None,
    kind: MessageKind = MessageKind.WORDS,
    standing: Standing = Standing.OWNER,
    reference: str = "",
    outcome: str | None = None,
    attachments: tuple[NewAttachment, ...] = (),
) -> NewMessage:
    return NewMessage(
        case=case,
        surface="cli",
        external_id=id or f"message-{next(_external_ids)}",
        author="ann",
        standing=standing,
        command=command_of(kind, text),
        text=text,
        trace=TRACE,
        reference=reference,
        outcome=outcome,
        attachments=attachments,
    )


async def repository(store: Store, folder: str = "/srv/shop") -> RepositoryId:
    return await store.repositories.register(LocalRepository(path=Path(folder)))


async def filed(store: Store, title: str = "Checkout is broken") -> Issue:
    return await store.repositories.new_issue(await repository(store), NewIssue(title=title, body="It says 500."))


async def open_case(
    store: Store, title: str = "Checkout is broken", *, parent: CaseId | None = None, id: str | None = None
) -> CaseId:
    """Opens a case. `id`: the id of its first message."""
    issue = await filed(store, title)
    case = issue_case(issue.repository, issue.number)
    first = said(case, id=id)
    assert await store.cases.open(issue, policy=Policy(), rehearsal=None, trace=TRACE, first=first, parent=parent)
    return case


def bug_report(*, thread: Thread | None = None, rehearsal: str | None = None) -> NewBug:
    return NewBug(
        title="Checkout says 500",
        reporter="grace",
        repository=RepositoryId("local/shop"),
        policy=Policy(),
        rehearsal=rehearsal,
        trace=TRACE,
        thread=thread,
    )


def reported(text: str = "checkout says 500 since 9:40", *, id: str | None = None, reference: str = "") -> NewMessage:
    return said(NOWHERE, text, id=id, standing=Standing.REPORTER, reference=reference)


async def new_bug(store: Store, *, thread: Thread | None = None) -> tuple[CaseId, bool]:
    return await store.bugs.open(bug_report(thread=thread), reported())


async def open_bug(store: Store, *, thread: Thread | None = None) -> CaseId:
    case, new = await new_bug(store, thread=thread)
    assert new
    return case


async def stored_bug(store: Store, case: CaseId) -> StoredBug:
    stored = await store.bugs.load(case)
    assert stored is not None
    return stored


async def snapshot(store: Store, case: CaseId) -> IssueCase:
    stored = await store.cases.load(case)
    assert stored is not None
    return stored.case


async def case_file(store: Store, case: CaseId) -> CaseFile:
    stored = await store.cases.load(case)
    assert stored is not None
    return stored.file


async def begun(store: Store, case: CaseId, turn: int = 1) -> Attempt:
    attempt = await begin(store, case, turn)
    assert isinstance(attempt, Attempt)
    return attempt


async def begin(store: Store, case: CaseId, turn: int = 1) -> Attempt | FinishedTurn:
    return await store.turns.begin(
        case, turn, role=Role.PM, task=Task.TRIAGE, worker="host-1", activity=b"token", trace=TRACE
    )


def finished(attempt: Attempt) -> FinishedTurn:
    outcome = TriageOutcome(
        status="PROCEED", type=IssueType.BUG_FIX, scope="SMALL", complexity="simple", reason="One file."
    )
    return FinishedTurn(
        turn=attempt.turn,
        attempt=attempt.number,
        role=Role.PM,
        task=Task.TRIAGE,
        outcome=outcome,
        checkpoint=HEAD,
        session=attempt.session,
        calls=3,
        cost_micros=1_200,
    )


def completed_entry(attempt: Attempt) -> TurnCompleted:
    return TurnCompleted(
        turn=attempt.turn,
        attempt=attempt.number,
        role=Role.PM,
        task=Task.TRIAGE,
        status="PROCEED",
        summary="One file.",
        checkpoint=HEAD,
        calls=3,
        cost_micros=1_200,
    )


def failed_entry(attempt: Attempt) -> TurnFailed:
    return TurnFailed(turn=attempt.turn, attempt=attempt.number, role=Role.PM, task=Task.TRIAGE, reason="killed")


async def complete(store: Store, attempt: Attempt) -> bool:
    file = await case_file(store, attempt.case)
    return await store.turns.complete(attempt, finished(attempt), file, completed_entry(attempt))


async def kinds(store: Store, case: CaseId) -> list[str]:
    return [recorded.entry.kind for recorded in await store.record.read(case)]


def build(number: int = 1, *, output: str = "1 passed") -> Build:
    run = CommandRun(purpose=Purpose.TEST, command="pytest", exit_code=0, seconds=0.5, output=output)
    return Build(number=number, stage=Stage.HEAD, commit=HEAD, runs=(run,))


def pull(case: CaseId | None, *, head: str = "agent/issue-1") -> PullRequest:
    return PullRequest(
        repository=RepositoryId("local/shop"),
        number=0,
        case=case,
        title="Fix the checkout",
        body="Fixes #1.",
        base="main",
        head=head,
        head_sha=HEAD,
        state="open",
        url="",
    )
