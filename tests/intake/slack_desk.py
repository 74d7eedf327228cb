"""The real Slack intake on the real store, behind a running fake Slack, with a bell that records its rings."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Policy, Service
from caseworker.core.base.repositories import LocalRepository
from caseworker.core.people.messages import Audience, Message
from caseworker.intake.conversation import Conversation
from caseworker.intake.new_cases import NewCases
from caseworker.intake.slack import Received, ReportsChannel, SlackIntake
from caseworker.ports import StoredBug, Thread
from caseworker.store.store import Store
from tests.edges.slack_world import chat_of, in_socket_mode
from tests.intake.bell import RecordingBell
from tests.world.slack import SlackDouble

REPORTS, SUMMARY = "C0REPORTS", "C0SUMMARY"
ADA, GRACE = "U0ADA", "U0GRACE"


class Desk:
    """The intake behind a running Slack."""

    def __init__(self, store: Store, slack: SlackDouble, intake: SlackIntake, bell: RecordingBell) -> None:
        self.store, self.slack, self.bell = store, slack, bell
        self.intake = intake
        self.received: list[Received] = []
        self.answered: list[tuple[Thread, str]] = []

    async def receive(self, event_id: str, event: Mapping[str, object]) -> None:
        self.received.append(await self.intake.receive(event_id, event))

    @property
    def kinds(self) -> list[str]:
        return [received.kind for received in self.received]

    async def only_bug(self) -> StoredBug:
        [bug] = await self.store.bugs.list()
        return bug

    async def messages(self) -> list[Message]:
        return await self.store.inbox.of((await self.only_bug()).case.id)

    async def summary_thread(self, case: CaseId) -> str:
        """Make the summary thread as the flow would."""
        anchor = await chat_of(self.slack).post(Thread(surface="slack", channel=SUMMARY), "bug", key="summary")
        thread = Thread(surface="slack", channel=SUMMARY, anchor=anchor)
        await self.store.threads.add(case, Audience.DEVELOPERS, thread)
        return anchor


@asynccontextmanager
async def open_desk(store: Store) -> AsyncIterator[Desk]:
    slack = SlackDouble(channels=(REPORTS, SUMMARY, "C0RANDOM"), patience=3.0)
    await slack.start()
    bell = RecordingBell()
    place = ReportsChannel(
        channel=REPORTS,
        repository=await store.repositories.register(LocalRepository(path=Path("/srv/shop"))),
        policy=Policy(attempts=2, services={"billing": Service(aliases=("invoices",))}),
        elsewhere={"billing": await store.repositories.register(LocalRepository(path=Path("/srv/billing")))},
    )
    answered: list[tuple[Thread, str]] = []

    async def answer(thread: Thread, text: str) -> None:
        answered.append((thread, text))

    intake = SlackIntake(
        store=store,
        conversation=Conversation(store=store, doorbell=bell),
        new_cases=NewCases(store=store, doorbell=bell),
        place=replace(place, answer=answer),
    )
    intake.know_bot(await chat_of(slack).whoami())
    desk = Desk(store, slack, intake, bell)
    desk.answered = answered
    try:
        async with in_socket_mode(slack, desk.receive):
            yield desk
    finally:
        await slack.stop()
