"""Whether a pull request is ready, for the terminal and for programs: looks, judges, and gives a stable model."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict

from caseworker.core.base.repositories import RepositoryRef
from caseworker.core.pull.own_check import HeadWatch, watch_by_address
from caseworker.core.pull.pull_facts import PullFacts
from caseworker.core.pull.reasons import Reason, ReasonKind
from caseworker.core.pull.session_verdict import judge_head
from caseworker.core.pull.verdict import LOOKS, Verdict, wants_another_look
from caseworker.ports.pull_probe import PullProbe


class Readiness(BaseModel):
    """What `caseworker ready --json` prints. Fields are added, never changed."""

    model_config = ConfigDict(frozen=True)

    version: Literal[1] = 1
    pull_request: str
    url: str
    title: str
    head: str
    ready: bool
    outcome: Literal["ready", "not_ready", "decided", "merged", "closed"]
    leading: ReasonKind | None
    reasons: tuple[Reason, ...]
    looked_at: AwareDatetime


def _now() -> datetime:
    return datetime.now(UTC)


async def _by_address(facts: PullFacts) -> HeadWatch:
    return watch_by_address(facts)


async def look_and_judge(
    probe: PullProbe,
    repository: RepositoryRef,
    number: int,
    *,
    clock: Callable[[], datetime] = _now,
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    knowing: Callable[[PullFacts], Awaitable[HeadWatch]] = _by_address,
) -> tuple[PullFacts, Verdict]:
    """Looks again while GitHub computes the merge, at most three times. For a waiting person: a flow uses timers.
    `knowing`: what else is known of the head."""
    facts = await probe.look(repository, number)
    for seconds in LOOKS:
        if not wants_another_look(facts):
            break
        await pause(seconds)
        facts = await probe.look(repository, number)
    return facts, judge_head(facts, await knowing(facts), now=clock())


def readiness(name: str, facts: PullFacts, verdict: Verdict) -> Readiness:
    return Readiness(
        pull_request=name,
        url=facts.subject.url,
        title=facts.subject.title,
        head=facts.subject.head,
        ready=verdict.outcome == "ready",
        outcome=verdict.outcome,
        leading=verdict.leading,
        reasons=verdict.reasons,
        looked_at=verdict.looked_at,
    )
