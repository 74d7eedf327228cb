"""A bug case in a scenario: what its people do, and what we expect."""

import asyncio
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from caseworker.contract.names import workflow_id
from caseworker.core.base.ids import CaseId
from caseworker.core.bug.case import About, BugState, status_of
from caseworker.core.people.messages import Audience, Message, Standing, receipt
from caseworker.core.record.bug_conversation import Line, conversation
from caseworker.core.record.entries import BugMoved, Posted, Recorded
from caseworker.core.telling.story import tell
from caseworker.intake.conversation import Words
from caseworker.ports import StoredBug
from tests.patience import LOOK, PATIENCE

if TYPE_CHECKING:
    from tests.world.world import World

_COUNTER = itertools.count(1)


def words(text: str, author: str) -> Words:
    return Words(surface="terminal", external_id=f"{author} {next(_COUNTER)}", author=author, text=text)


@dataclass
class BugInWorld:
    world: "World"
    id: CaseId

    # --- what people do

    async def reporter_says(self, text: str) -> None:
        await self.world.conversation.say(self.id, words(text, "rita"), Standing.REPORTER)

    async def developer_says(self, text: str, *, author: str = "ada") -> None:
        await self.world.conversation.say(self.id, words(text, author), Standing.DEVELOPER)

    async def stranger_says(self, text: str) -> None:
        await self.world.conversation.say(self.id, words(text, "stranger"), Standing.OTHER)

    # --- what we expect

    async def expect_state(self, state: BugState) -> StoredBug:
        return await self.expect(lambda stored: stored.case.state is state, f"the state {state}")

    async def expect_end(self) -> StoredBug:
        """Waits until the case is resolved and its workflow has ended: all posts, clean-up and receipts are done."""
        await self.expect_state(BugState.RESOLVED)
        handle = self.world.client.get_workflow_handle(workflow_id(self.id))
        await asyncio.wait_for(handle.result(), timeout=PATIENCE)
        return await self.stored()

    async def expect(self, is_so: Callable[[StoredBug], bool], what: str) -> StoredBug:
        deadline = time.monotonic() + PATIENCE
        while not is_so(stored := await self.stored()):
            if time.monotonic() > deadline:
                raise AssertionError(f"{self.id} did not come to {what}; its story:\n{await self.story()}")
            await asyncio.sleep(LOOK)
        return stored

    async def expect_post(self, about: About, audience: Audience, *, times: int = 1) -> str:
        deadline = time.monotonic() + PATIENCE
        while len(found := await self.posts(about, audience)) < times:
            if time.monotonic() > deadline:
                raise AssertionError(f"nothing about {about} was said to the {audience}:\n{await self.story()}")
            await asyncio.sleep(LOOK)
        return found[-1]

    async def expect_question(self, text: str, *, times: int = 1) -> None:
        assert await self.expect_post(About.QUESTION, Audience.REPORTER, times=times) == text
        await self.expect_post(About.QUESTION, Audience.DEVELOPERS, times=times)
        await self.expect_state(BugState.AWAITING_REPORTER)

    async def expect_findings(self, *, times: int = 1) -> None:
        await self.expect_post(About.FINDINGS, Audience.REPORTER, times=times)
        await self.expect_post(About.FINDINGS, Audience.DEVELOPERS, times=times)
        await self.expect_state(BugState.AWAITING_DEV)

    async def expect_receipts(self, *expected: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while (seen := await self.receipts()) != list(expected):
            if time.monotonic() > deadline:
                raise AssertionError(f"expected the receipts {list(expected)}, saw {seen}")
            await asyncio.sleep(LOOK)

    async def expect_all_answered(self) -> None:
        """Waits until every message has an outcome and the case waits for developers."""
        deadline = time.monotonic() + PATIENCE
        while any(message.outcome is None for message in await self.messages()):
            assert time.monotonic() < deadline, f"{await self.receipts()}\n{await self.story()}"
            await asyncio.sleep(LOOK)
        await self.expect_state(BugState.AWAITING_DEV)

    # --- what can be looked at

    async def stored(self) -> StoredBug:
        stored = await self.world.store.bugs.load(self.id)
        assert stored is not None
        return stored

    async def status(self) -> str:
        return status_of((await self.stored()).case).value

    async def record(self) -> list[Recorded]:
        return await self.world.store.record.read(self.id, limit=10_000)

    async def states(self) -> list[BugState]:
        return [r.entry.to_state for r in await self.record() if isinstance(r.entry, BugMoved)]

    async def posts(self, about: About | None = None, audience: Audience | None = None) -> list[str]:
        said = [r.entry for r in await self.record() if isinstance(r.entry, Posted)]
        return [p.text for p in said if about in (None, p.about) and audience in (None, p.audience)]

    async def messages(self) -> list[Message]:
        return await self.world.store.inbox.of(self.id)

    async def receipts(self) -> list[str]:
        turns = (await self.stored()).case.progress.turns
        return [receipt(message, turns) for message in await self.messages()]

    async def conversation(self) -> list[Line]:
        return conversation(await self.record())

    async def story(self) -> str:
        return "\n".join(told.text for recorded in await self.record() for told in tell(recorded.entry))
