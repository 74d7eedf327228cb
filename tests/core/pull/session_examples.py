"""Sessions, verdicts and messages for tests of the pull case's rules."""

from datetime import UTC, datetime, timedelta

from caseworker.core.base.ids import CaseId, MessageId, Sha
from caseworker.core.base.policy import Policy
from caseworker.core.base.workflow_names import PullWork
from caseworker.core.people.commands import Command, StartWork
from caseworker.core.people.messages import Claimed, Standing
from caseworker.core.pull.case import Failure, PullCase, new_pull_case
from caseworker.core.pull.decide import look
from caseworker.core.pull.next_acts import after_look
from caseworker.core.pull.pull_events import Seen
from caseworker.core.pull.reasons import EXPLANATIONS, Act, Mover, Reason, ReasonKind
from caseworker.core.pull.verdict import Verdict

NOW = datetime(2026, 11, 17, 10, 0, tzinfo=UTC)
POLICY = Policy()
CASE = CaseId("acme/shop!7")
HEAD, NEXT = Sha("a" * 40), Sha("b" * 40)


def claimed(command: Command, *, standing: Standing = Standing.OWNER, id: int = 1, author: str = "ada") -> Claimed:
    return Claimed(id=MessageId(id), command=command, author=author, standing=standing)


def begun(work: PullWork = "ship", *, seconds: int | None = None, now: datetime = NOW) -> PullCase:
    start = claimed(StartWork(workflow=work, deadline_seconds=seconds))
    return look(new_pull_case(CASE, work), [start], POLICY, now).after


def reason(kind: ReasonKind, *, mover: Mover = "us", act: Act = "resolve", since: datetime | None = None) -> Reason:
    return Reason(kind=kind, mover=mover, act=act, help=EXPLANATIONS[kind].helps, since=since)


def verdict(*reasons: Reason, head: Sha = HEAD, now: datetime = NOW) -> Verdict:
    return Verdict(outcome="not_ready" if reasons else "ready", head=head, reasons=reasons, looked_at=now)


def seen(*reasons: Reason, head: Sha = HEAD, now: datetime = NOW) -> Seen:
    found = verdict(*reasons, head=head, now=now)
    return Seen(verdict=found, head_branch="fix", base_branch="main", is_fork=False)


def looked(case: PullCase, *reasons: Reason, head: Sha = HEAD, now: datetime = NOW) -> PullCase:
    return after_look(case, seen(*reasons, head=head, now=now), POLICY, now)


def failure(check: str = "unit", *, kind: str = "ours", commit: Sha = HEAD, signature: str = "") -> Failure:
    return Failure.model_validate(
        {"check": check, "signature": signature or f"sig-{check}", "kind": kind, "commit": commit, "run": 11}
    )


def later(minutes: float) -> datetime:
    return NOW + timedelta(minutes=minutes)
