"""Pull requests on our own GitHub, looked after by Caseworker: what people ask for, and what can be seen."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from caseworker.core.base.ids import CaseId, TraceId, pull_case
from caseworker.core.base.policy import Policy
from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.base.workflow_names import PullWork
from caseworker.core.people.commands import Command, MessageKind, StartWork
from caseworker.core.people.messages import NO_MESSAGE, NewMessage, Standing
from caseworker.core.pull.case import PullCase, PullState, SessionEnd
from caseworker.github_double.entities.repository import PullRequest, ReviewComment
from caseworker.intake.conversation import Words
from caseworker.ports import NewPullCase
from caseworker.ports.github import thread_on
from tests.patience import LOOK, PATIENCE
from tests.world.github_office import GitHubOffice

WITH_BARRIER = Policy(turn_retries=1, pull_look_seconds=0.3, pull_look_most_seconds=0.5)
NO_BARRIER = WITH_BARRIER.model_copy(update={"review_barrier_seconds": 0})
"""Looks often; nobody has to wait for people to look."""
NO_CHECKS = NO_BARRIER.model_copy(update={"checks_begin_seconds": 0})
"""No check is waited for that has not begun."""


@dataclass
class PullSession:
    office: GitHubOffice
    pull: PullRequest
    case: CaseId

    async def now(self) -> PullCase:
        stored = await self.office.world.store.pull_cases.load(self.case)
        assert stored is not None
        return stored.case

    async def expect_state(self, *states: PullState) -> PullCase:
        return await self.expect(lambda case: case.state in states, " or ".join(states))

    async def expect_end(self, end: SessionEnd) -> PullCase:
        return await self.expect(lambda case: case.session.end is end, end)

    async def expect_waiting_for(self, reason: str) -> PullCase:
        def waits(case: PullCase) -> bool:
            verdict = case.sight.verdict
            return case.state is PullState.WAITING and verdict is not None and verdict.leading == reason

        return await self.expect(waits, f"waiting for {reason}")

    async def expect_other_head(self, than: str) -> str:
        """Waits until somebody has pushed."""
        deadline = time.monotonic() + PATIENCE
        while self.pull.head.sha == than:
            assert time.monotonic() < deadline, f"nothing was pushed\n{await self.story()}"
            await asyncio.sleep(LOOK)
        return self.pull.head.sha

    async def says(self, text: str, command: Command | None = None, *, standing: Standing = Standing.OWNER) -> None:
        external = f"said {time.monotonic_ns()}"
        words = Words(surface="github", external_id=external, author="olga", text=text, command=command)
        await self.office.world.conversation.say(self.case, words, standing)

    async def hears_late(self, comment: ReviewComment) -> None:
        """The event of this comment arrives only now."""
        words = Words(
            surface="github",
            external_id=f"late {comment.id}",
            author=comment.author.login,
            text=comment.body,
            reference=f"github.test/acme/shop review_comment:{comment.id}",
        )
        await self.office.world.conversation.say(self.case, words, Standing.OWNER)

    async def expect_outcome(self, external_id: str, outcome: str) -> None:
        """Waits for the receipt of a message."""

        async def receipt() -> str | None:
            said = await self.office.world.store.inbox.of(self.case)
            return next((one.outcome for one in said if one.external_id == external_id), None)

        deadline = time.monotonic() + PATIENCE
        while (found := await receipt()) != outcome:
            assert time.monotonic() < deadline, f"its outcome is {found}\n{await self.story()}"
            await asyncio.sleep(LOOK)

    async def rings(self) -> None:
        """As an event of GitHub would."""
        await self.office.world.parts.doorbell.ring(self.case, NO_MESSAGE, MessageKind.WORDS)

    async def expect_look_since(self, last: datetime | None) -> None:
        """Waits until it has looked since."""
        await self.expect(lambda case: case.sight.looked_at != last, "another look")

    async def story(self) -> str:
        recorded = await self.office.world.store.record.whole(self.case)
        return "\n".join(f"{one.entry}" for one in recorded)

    async def expect(self, is_so: Callable[[PullCase], bool], what: str) -> PullCase:
        deadline = time.monotonic() + PATIENCE
        while not is_so(case := await self.now()):
            assert time.monotonic() < deadline, f"not seen: {what}; {case.state}: {case.reason}\n{await self.story()}"
            await asyncio.sleep(LOOK)
        return case


async def asks_for(
    office: GitHubOffice, pull: PullRequest, work: PullWork = "ship", *, policy: Policy = NO_BARRIER
) -> PullSession:
    """An owner asks for a workflow on a pull request."""
    store, number = office.world.store, pull.issue.number
    host = office.github.state.api_url.removeprefix("http://").partition("/")[0]
    remote = RemoteRepository(host=host, owner=office.shop.owner.login, name=office.shop.name)
    repository = await store.repositories.register(remote)
    case = pull_case(repository, number)
    office.world.cases.append(case)
    trace = TraceId(f"trace-{number}")
    first = NewMessage(
        case=case,
        surface="github",
        external_id=f"{work} {number} {time.monotonic_ns()}",
        author="olga",
        standing=Standing.OWNER,
        command=StartWork(workflow=work),
        text=f"bot:{work}",
        trace=trace,
    )
    new = NewPullCase(
        repository=repository,
        number=number,
        title=pull.issue.title,
        url="",
        author=pull.issue.author.login,
        policy=policy,
        rehearsal=None,
        trace=trace,
        thread=thread_on(remote, number),
    )
    if not await store.pull_cases.open(new, work, first):
        assert await store.pull_cases.start(first, work)
    await office.world.parts.doorbell.ring(case, NO_MESSAGE, MessageKind.WORDS)
    return PullSession(office, pull, case)
