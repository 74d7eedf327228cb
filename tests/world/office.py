"""The two Slack channels of a scenario, connected to the world by the real Slack client libraries."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from temporalio.client import Client

from caseworker.chats.mrkdwn import to_mrkdwn
from caseworker.chats.surface_phrasing import ReplyPhrasing, TerminalPhrasing
from caseworker.core.base.repositories import LocalRepository, RemoteRepository
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.messages import Audience
from caseworker.core.people.phrasing import begin
from caseworker.intake.background_bell import BackgroundBell
from caseworker.intake.conversation import Conversation
from caseworker.intake.new_cases import NewCases
from caseworker.intake.slack import ReportsChannel, SlackIntake
from caseworker.intake.slack_catchup import CatchUp, Pace
from caseworker.ports import Thread
from tests.edges.slack_world import chat_of, in_socket_mode, over_http
from tests.patience import LOOK, PATIENCE
from tests.world.bugs import BugInWorld
from tests.world.slack import SlackDouble, UploadedFile
from tests.world.slack_state import Json
from tests.world.world import REPORTS, SUMMARIES, World, open_world

RITA, ADA, GRACE, STRANGER = "U0RITA", "U0ADA", "U0GRACE", "U0STRANGER"
Way = Literal["socket", "http"]


@dataclass
class Office:
    world: World
    slack: SlackDouble
    intake: SlackIntake
    way: Way
    _listening: AsyncExitStack = field(default_factory=AsyncExitStack)

    # --- what people do

    async def rita_reports(
        self,
        text: str,
        *,
        files: Sequence[UploadedFile] = (),
        blocks: Sequence[Json] | None = None,
        copies: int = 1,
    ) -> "SlackBug":
        """Writes in the reports channel. The case exists as soon as the event is acknowledged."""
        anchor = await self.slack.user_writes(REPORTS, RITA, text, files=files, blocks=blocks, copies=copies)
        return await self.case_of(anchor)

    async def case_of(self, anchor: str) -> "SlackBug":
        """Finds the case that was reported in this thread."""
        found = await self.world.store.threads.find(Thread(surface="slack", channel=REPORTS, anchor=anchor))
        assert found is not None
        case, _ = found
        if case not in self.world.cases:
            self.world.cases.append(case)
        return SlackBug(self.world, case, self, anchor)

    # --- what time and machines do

    async def listens(self) -> None:
        listening = over_http if self.way == "http" else in_socket_mode
        await self._listening.enter_async_context(listening(self.slack, self.intake.receive))

    async def stops_listening(self) -> None:
        await self._listening.aclose()

    async def catches_up(self) -> int:
        """Reads missed messages, as `serve` does when it starts. Returns how many it took."""
        pace = Pace(reads=0.0)
        chat = chat_of(self.slack)
        return await CatchUp(store=self.world.store, slack=chat, intake=self.intake, channel=REPORTS, pace=pace).look()


@dataclass
class SlackBug(BugInWorld):
    office: Office
    anchor: str

    # --- what people do

    async def in_reports(self, user: str, text: str, *, copies: int = 1) -> str:
        return await self.office.slack.user_writes(REPORTS, user, text, thread=self.anchor, copies=copies)

    async def in_summaries(self, user: str, text: str) -> str:
        return await self.office.slack.user_writes(SUMMARIES, user, text, thread=await self.summary_anchor())

    async def rita_edits(self, text: str) -> None:
        """Rita edits her report."""
        await self.office.slack.edits(REPORTS, self.anchor, text)

    # --- what we expect

    async def expect_reaction(self, ts: str, channel: str = SUMMARIES) -> None:
        """Waits until the bot has reacted to this message."""
        deadline = time.monotonic() + PATIENCE
        while self.office.slack.reactions(channel, ts) != ["eyes"]:
            assert time.monotonic() < deadline, await self.story()
            await asyncio.sleep(LOOK)

    async def expect_told_once(self) -> None:
        """Waits until the two threads have exactly the posts that are on record, once and in order. A post is in Slack
        a moment before it is on record."""
        deadline = time.monotonic() + PATIENCE
        while (seen := await self._seen()) != (on_record := await self._on_record()):
            assert time.monotonic() < deadline, (seen, on_record)
            await asyncio.sleep(LOOK)

    async def _seen(self) -> tuple[list[str], list[str]]:
        return self.told_in_reports(), await self.told_in_summaries()

    async def _on_record(self) -> tuple[list[str], list[str]]:
        of_reporter = await self.posts(audience=Audience.REPORTER)
        of_developers = await self.posts(audience=Audience.DEVELOPERS)
        hosts = ("github.com", "slack.com")
        replies = [self._as_replies(text) for text in of_developers]
        return [to_mrkdwn(text, hosts) for text in of_reporter], [to_mrkdwn(text, hosts) for text in replies]

    def _as_replies(self, text: str) -> str:
        """A post as Slack phrases it: the record has the terminal's commands."""
        typed, said = TerminalPhrasing(), ReplyPhrasing()
        given = [*((kind, "") for kind in MessageKind), (MessageKind.BUDGET, "+5")]
        ways = [(typed.command(self.id, *one), said.command(self.id, *one)) for one in given]
        for there, here in [*ways, (typed.resolve(self.id), said.resolve(self.id))]:
            text = re.sub(rf"(?<=[.?] ){re.escape(there)}", begin(here), text).replace(there, here)
        return text

    # --- what can be looked at

    async def summary_anchor(self) -> str:
        deadline = time.monotonic() + PATIENCE
        while Audience.DEVELOPERS not in (threads := dict(await self.world.store.threads.bound(self.id))):
            assert time.monotonic() < deadline, await self.story()
            await asyncio.sleep(LOOK)
        return threads[Audience.DEVELOPERS].anchor

    def told_in_reports(self) -> list[str]:
        """The bot's posts in the report's thread."""
        return [said.text for said in self.office.slack.posts(REPORTS, self.anchor)]

    async def told_in_summaries(self) -> list[str]:
        """The bot's posts in the developers' thread, including the summary that begins it."""
        anchor = await self.summary_anchor()
        return [said.text for said in self.office.slack.posts(SUMMARIES) if anchor in (said.ts, said.thread)]


@asynccontextmanager
async def open_office(home: Path, client: Client, *, way: Way = "socket") -> AsyncIterator[Office]:
    """Opens a world with Slack, wired as in `serve`: events come over a WebSocket or HTTP, posts go out by the Web API,
    and no acknowledgement waits for Temporal."""
    async with (
        slack_double() as slack,
        open_world(home, client, slack=slack) as world,
        slack_office(world, slack, LocalRepository(path=world.repository), way=way) as office,
    ):
        yield office


@asynccontextmanager
async def slack_double() -> AsyncIterator[SlackDouble]:
    slack = SlackDouble()
    await slack.start()
    try:
        yield slack
    finally:
        await slack.stop()


@asynccontextmanager
async def slack_office(
    world: World, slack: SlackDouble, about: LocalRepository | RemoteRepository, *, way: Way = "socket"
) -> AsyncIterator[Office]:
    """The two channels in a world that has this Slack. `about`: the repository that reports are about."""
    bell = BackgroundBell(world.parts.doorbell)
    repository = await world.store.repositories.register(about)
    place = ReportsChannel(channel=REPORTS, repository=repository, policy=world.policy)
    intake = SlackIntake(
        store=world.store,
        conversation=Conversation(store=world.store, doorbell=bell),
        new_cases=NewCases(store=world.store, doorbell=bell),
        place=place,
    )
    office = Office(world, slack, intake, way)
    await office.listens()
    try:
        yield office
    finally:
        await office.stops_listening()
        await bell.drain()
