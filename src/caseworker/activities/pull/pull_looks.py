"""Reads a pull request for its case: the verdict, why checks failed, and what a push would void. Shows the verdict."""

import asyncio
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final

import structlog
from temporalio import activity

from caseworker.activities.pull.pull_ports import PullPorts
from caseworker.activities.pull.pull_steps import run_step
from caseworker.contract.wire import (
    FailuresReply,
    HeadReply,
    OutlookReply,
    Postponed,
    PullRequestWork,
    PushOutlook,
    SeenReply,
)
from caseworker.core.pull.approvals import voided_by_push
from caseworker.core.pull.case import Failure
from caseworker.core.pull.failure_signature import signature_of
from caseworker.core.pull.failures import FailedCheck, WorkflowAttempt, kind_of
from caseworker.core.pull.next_acts import to_rerun
from caseworker.core.pull.own_check import CHECK_NAME
from caseworker.core.pull.pull_events import FailuresRead, HeadMoved, HeadSame, NotPossible, Seen
from caseworker.core.pull.pull_facts import PullFacts
from caseworker.core.pull.session_verdict import head_watch, judge_head
from caseworker.core.pull.verdict import LOOKS, Verdict, wants_another_look
from caseworker.core.record.pull_entries import ChecksRerun, PullJudged
from caseworker.core.telling.verdict_words import ready_check
from caseworker.ports import StoredPull

log = structlog.get_logger()

_MOST_FAILURES: Final = 20


class PullLooks:
    def __init__(self, ports: PullPorts) -> None:
        self._ports = ports

    @activity.defn
    async def look_at_pull(self, request: PullRequestWork) -> SeenReply:
        return await run_step(self._ports.store, request.case.id, lambda stored: self._look(request, stored))

    @activity.defn
    async def see_head(self, request: PullRequestWork) -> HeadReply:
        return await run_step(self._ports.store, request.case.id, lambda stored: self._see_head(request, stored))

    @activity.defn
    async def read_failures(self, request: PullRequestWork) -> FailuresReply:
        return await run_step(self._ports.store, request.case.id, lambda stored: self._failures(request, stored))

    @activity.defn
    async def rerun_checks(self, request: PullRequestWork) -> Postponed | None:
        reply = await run_step(self._ports.store, request.case.id, lambda stored: self._rerun(request, stored))
        return _without_refusal(reply, "checks were not started again")

    @activity.defn
    async def foresee_push(self, request: PullRequestWork) -> OutlookReply:
        return await run_step(self._ports.store, request.case.id, lambda stored: self._foresee(request, stored))

    @activity.defn
    async def report_verdict(self, request: PullRequestWork) -> Postponed | None:
        reply = await run_step(self._ports.store, request.case.id, lambda stored: self._report(request, stored))
        return _without_refusal(reply, "the verdict was not shown on the head")

    async def _look(self, request: PullRequestWork, stored: StoredPull) -> Seen:
        """Looks again while GitHub computes the merge, at most three times."""
        facts = await self._ports.look(stored)
        for seconds in LOOKS:
            if not wants_another_look(facts):
                break
            await asyncio.sleep(seconds)
            facts = await self._ports.look(stored)
        verdict, before = await self._judge(request, facts), request.case.sight.verdict
        is_news = before is None or _told(before) != _told(verdict)
        if is_news:  # a pull request is looked at many times
            told = sha256(repr(_told(verdict)).encode()).hexdigest()[:20]
            key = f"judged/{request.case.progress.transitions}/{request.case.sight.looked_at}/{told}"
            entry = PullJudged(verdict=verdict)
            await self._ports.store.record.append(request.case.id, [entry], trace=stored.trace, key=key)
        subject = facts.subject
        return Seen(
            verdict=verdict,
            head_branch=subject.branch,
            base_branch=subject.base,
            is_fork=subject.is_fork,
            ci_minutes=await self._ci_minutes(request, stored) if is_news else None,
        )

    async def _see_head(self, request: PullRequestWork, stored: StoredPull) -> HeadMoved | HeadSame:
        head = (await self._ports.look(stored)).subject.head
        return HeadSame() if head == request.case.work.started_from else HeadMoved(head=head)

    async def _ci_minutes(self, request: PullRequestWork, stored: StoredPull) -> int | None:
        """Null: this session has pushed nothing. It takes a request for each push."""
        case = request.case
        pushed = case.watch.pushed[case.session.pushed_before :]
        if not pushed:
            return None
        ref = await self._ports.store.repositories.ref(stored.repository)
        return (await self._ports.forge.failures.minutes(ref, pushed)).minutes

    async def _judge(self, request: PullRequestWork, facts: PullFacts) -> Verdict:
        us = await self._ports.forge.verdicts.whoami()
        return judge_head(
            facts, head_watch(request.case, facts.subject.head, request.policy, us=us), now=datetime.now(UTC)
        )

    async def _failures(self, request: PullRequestWork, stored: StoredPull) -> FailuresRead:
        facts = await self._ports.look(stored)
        ref = await self._ports.store.repositories.ref(stored.repository)
        failed = await self._ports.forge.failures.failed(ref, facts)
        own = [_failure(one) for one in failed if one.name != CHECK_NAME]
        return FailuresRead(head=facts.subject.head, failures=tuple(own[:_MOST_FAILURES]))

    async def _rerun(self, request: PullRequestWork, stored: StoredPull) -> None:
        ref = await self._ports.store.repositories.ref(stored.repository)
        again = to_rerun(request.case)
        runs = {one.run: one.attempt for one in again if one.run is not None}
        for run, attempt in runs.items():
            await self._ports.forge.failures.rerun(ref, WorkflowAttempt(run=run, attempt=attempt))
        if again:
            flakes = [one.check for one in again if one.kind == "flake"]
            entry = ChecksRerun(checks=[one.check for one in again], commit=again[0].commit, flakes=flakes)
            key = f"rerun/{request.case.progress.transitions}"
            await self._ports.store.record.append(request.case.id, [entry], trace=stored.trace, key=key)

    async def _foresee(self, request: PullRequestWork, stored: StoredPull) -> PushOutlook:
        facts = await self._ports.look(stored)
        voids = voided_by_push(facts, changes_diff=request.case.changes_diff)
        is_certain = any(one.is_certain for one in voids)  # one rule decides about all
        return PushOutlook(voids=tuple(one.by for one in voids), is_certain=is_certain)

    async def _report(self, request: PullRequestWork, stored: StoredPull) -> None:
        case, verdict = request.case, request.case.sight.verdict
        if verdict is None:
            return
        us = await self._ports.forge.verdicts.whoami()
        known = head_watch(case, verdict.head, request.policy, us=us)
        check = ready_check(verdict, known, url=stored.url, is_over=case.is_over)
        ref = await self._ports.store.repositories.ref(stored.repository)
        key = f"{request.case.id}/ready/{verdict.head}"
        if not await self._ports.forge.verdicts.report(ref, check, key=key):
            log.info("this account may write neither check runs nor statuses", case=request.case.id)


def _failure(check: FailedCheck) -> Failure:
    again = check.rerun
    return Failure(
        check=check.name,
        signature=signature_of(check),
        kind=kind_of(check),
        commit=check.head,
        url=check.url,
        run=again.run if again is not None else None,
        attempt=again.attempt if again is not None else 1,
    )


def _told(verdict: Verdict) -> tuple[object, ...]:
    return (verdict.head, verdict.outcome, tuple((reason.kind, reason.evidence) for reason in verdict.reasons))


def _without_refusal(reply: NotPossible | Postponed | None, what: str) -> Postponed | None:
    """Logs a refusal instead of returning it: what was refused is only shown to people, so the work goes on."""
    if isinstance(reply, NotPossible):
        log.warning(what, error=reply.reason)
        return None
    return reply
