"""Bug reports and messages about them, on the real store: each is committed and rung once, and nothing else is rung."""

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId, MessageId, RepositoryId
from caseworker.core.base.policy import Policy
from caseworker.core.base.repositories import LocalRepository
from caseworker.core.bug.case import BugState
from caseworker.core.people.commands import (
    Approve,
    Close,
    CloseIncomplete,
    Command,
    Edit,
    FixMerged,
    HandBack,
    MessageKind,
    Resolution,
    Retry,
    Say,
    Takeover,
)
from caseworker.core.people.messages import TEXT_LIMIT, Message, NewAttachment, Standing
from caseworker.core.people.receipts import NOT_THE_REPORTER, OVER
from caseworker.intake.background_bell import BackgroundBell
from caseworker.intake.conversation import Conversation, Words
from caseworker.intake.new_cases import NewCases, Opened
from caseworker.ports import StoredBug, Thread
from caseworker.store.store import Store
from tests.intake.bell import RecordingBell

THREAD = Thread(surface="slack", channel="C1", anchor="1.000001")


@pytest.fixture
def bell() -> RecordingBell:
    return RecordingBell()


@dataclass(frozen=True)
class Reports:
    """Opens cases, and sends messages to them."""

    new_cases: NewCases
    conversation: Conversation

    async def report(self, words: Words, repository: RepositoryId) -> Opened:
        return await self.new_cases.report(words, repository=repository, policy=Policy(), rehearsal=None, thread=THREAD)

    async def say(self, case: CaseId, words: Words, standing: Standing) -> Message | None:
        return await self.conversation.say(case, words, standing)


@pytest.fixture
def reports(store: Store, bell: RecordingBell) -> Reports:
    return Reports(NewCases(store=store, doorbell=bell), Conversation(store=store, doorbell=bell))


def words(text: str, *, id: str = "e1", author: str = "ada", command: Command | None = None) -> Words:
    return Words(surface="slack", external_id=id, author=author, text=text, reference=f"C1:{id}", command=command)


async def opened(store: Store, reports: Reports, text: str = "checkout is broken\nsince 9:40") -> CaseId:
    return (
        await reports.report(words(text), await store.repositories.register(LocalRepository(path=Path("/srv/shop"))))
    ).case


async def stored(store: Store, case: CaseId) -> StoredBug:
    bug = await store.bugs.load(case)
    assert bug is not None
    return bug


async def change(store: Store, case: CaseId, **fields: object) -> None:
    bug = await stored(store, case)
    await store.bugs.save(bug.case.updated(**fields), trace=bug.trace)


async def said(reports: Reports, case: CaseId, text: str, standing: Standing, *, id: str = "e2") -> Message:
    message = await reports.say(case, words(text, id=id, author="grace"), standing)
    assert message is not None
    return message


async def test_a_report_opens_a_case_with_its_text_its_reporter_and_its_thread(
    store: Store, reports: Reports, bell: RecordingBell
) -> None:
    case = await opened(store, reports)
    bug = await stored(store, case)
    assert (bug.title, bug.reporter, bug.surface) == ("checkout is broken", "ada", "slack")
    [message] = await store.inbox.of(case)
    assert (message.text, message.standing) == ("checkout is broken\nsince 9:40", Standing.REPORTER)
    assert (await store.threads.find(THREAD) or ("",))[0] == case
    assert bell.rung == [(case, MessageId(0), MessageKind.WORDS)]


async def test_fifty_deliveries_of_one_report_make_one_case_and_one_bell(
    store: Store, reports: Reports, bell: RecordingBell
) -> None:
    repository = await store.repositories.register(LocalRepository(path=Path("/srv/shop")))
    results = await asyncio.gather(*(reports.report(words("broken"), repository) for _ in range(50)))
    assert [result.new for result in results].count(True) == 1
    assert len({result.case for result in results}) == 1
    assert len(await store.bugs.list()) == 1
    assert len(bell.rung) == 1


async def test_a_failed_ring_loses_nothing(store: Store, reports: Reports, bell: RecordingBell) -> None:
    bell.away = True
    case = await opened(store, reports)
    message = await said(reports, case, "more", Standing.DEVELOPER)
    assert [number for _, number, _ in await store.inbox.unclaimed()][-1] == message.id


async def test_a_message_is_put_and_rung_and_its_second_delivery_is_not(
    store: Store, reports: Reports, bell: RecordingBell
) -> None:
    case = await opened(store, reports)
    message = await said(reports, case, "it began at 9:40", Standing.REPORTER)
    assert await reports.say(case, words("it began at 9:40", id="e2"), Standing.REPORTER) is None
    assert bell.rung[1:] == [(case, message.id, MessageKind.WORDS)]


async def test_a_message_to_a_case_that_does_not_exist_is_refused(reports: Reports) -> None:
    with pytest.raises(Refused, match="no case bug-0000"):
        await reports.say(CaseId("bug-0000"), words("hello"), Standing.REPORTER)


@pytest.mark.parametrize(
    ("text", "standing", "command"),
    [
        ("never mind", Standing.REPORTER, Close()),
        ("I'll take it", Standing.DEVELOPER, Takeover()),
        ("I'll take it", Standing.REPORTER, Say()),
        ("hand back", Standing.DEVELOPER, HandBack()),
        ("close", Standing.DEVELOPER, CloseIncomplete()),
        ("close code_fix: fixed it", Standing.DEVELOPER, Close(resolution=Resolution.CODE_FIX, reason="fixed it")),
        ("close to a fix, I think", Standing.DEVELOPER, Say()),
        ("thanks a lot", Standing.DEVELOPER, Say(asks=False)),
    ],
)
async def test_the_authors_standing_decides_whether_text_is_a_command(
    store: Store, reports: Reports, text: str, standing: Standing, command: Command
) -> None:
    case = await opened(store, reports)
    message = await said(reports, case, text, standing)
    assert (message.command, message.outcome) == (command, None)
    assert (await store.inbox.of(case))[-1].command == command


async def test_only_the_person_who_was_asked_completes_an_incomplete_close(store: Store, reports: Reports) -> None:
    case = await opened(store, reports)
    await change(store, case, asked_to_close="grace")
    asked = await reports.say(case, words("duplicate: of bug-7F3K", id="e2", author="grace"), Standing.DEVELOPER)
    other = await reports.say(case, words("duplicate: of bug-7F3K", id="e3", author="eve"), Standing.DEVELOPER)
    assert asked is not None
    assert other is not None
    assert (asked.kind, other.kind) == (MessageKind.CLOSE, MessageKind.WORDS)


async def test_a_message_of_a_third_person_is_recorded_and_rings_nobody(
    store: Store, reports: Reports, bell: RecordingBell
) -> None:
    case = await opened(store, reports)
    message = await said(reports, case, "never mind", Standing.OTHER)
    assert (message.kind, message.outcome, message.turn) == (MessageKind.WORDS, NOT_THE_REPORTER, 0)
    assert len(bell.rung) == 1
    assert message.id not in [number for _, number, _ in await store.inbox.unclaimed()]


@pytest.mark.parametrize(
    ("text", "standing", "outcome"),
    [
        ("thanks!", Standing.REPORTER, OVER),
        ("never mind", Standing.REPORTER, OVER),
        ("it is broken again", Standing.REPORTER, None),
        ("it is broken again", Standing.OTHER, NOT_THE_REPORTER),
    ],
)
async def test_a_case_that_is_over_is_rung_only_for_what_reopens_it(
    store: Store, reports: Reports, bell: RecordingBell, text: str, standing: Standing, outcome: str | None
) -> None:
    case = await opened(store, reports)
    await store.inbox.claim(case, turn=1)
    await change(store, case, state=BugState.RESOLVED)
    message = await said(reports, case, text, standing)
    assert message.outcome == outcome
    assert len(bell.rung) == (2 if outcome is None else 1)


async def test_a_close_after_an_unread_reopening_message_is_left_to_the_flow(store: Store, reports: Reports) -> None:
    case = await opened(store, reports)
    await store.inbox.claim(case, turn=1)
    await change(store, case, state=BugState.RESOLVED)
    await reports.say(case, words("it is broken again", id="e2"), Standing.REPORTER)
    close = await reports.say(case, words("never mind", id="e3"), Standing.REPORTER)
    assert close is not None
    assert (close.kind, close.outcome) == (MessageKind.CLOSE, None)


async def test_a_command_that_the_surface_gives_is_not_parsed(store: Store, reports: Reports) -> None:
    case = await opened(store, reports)
    message = await reports.say(case, words("never mind", id="e2", command=Edit()), Standing.REPORTER)
    assert message is not None
    assert message.kind is MessageKind.EDIT


@pytest.mark.parametrize(
    ("command", "standing", "outcome"),
    [
        (Takeover(), Standing.REPORTER, "not for a reporter to decide"),
        (Approve(), Standing.DEVELOPER, "not for a bug case"),
        (FixMerged(), Standing.OWNER, "not for a bug case"),
        (Close(), Standing.OTHER, NOT_THE_REPORTER),
    ],
)
async def test_a_command_that_its_author_may_not_give_is_recorded_and_rings_nobody(
    store: Store, reports: Reports, bell: RecordingBell, command: Command, standing: Standing, outcome: str
) -> None:
    case = await opened(store, reports)
    message = await reports.say(case, words("", id="e2", command=command), standing)
    assert message is not None
    assert (message.outcome, message.refused) == (outcome, True)
    assert len(bell.rung) == 1


@pytest.mark.parametrize("command", [HandBack(), Retry()])
async def test_a_command_that_changes_nothing_is_refused_where_its_author_waits(
    store: Store, reports: Reports, bell: RecordingBell, command: Command
) -> None:
    case, known = await opened(store, reports), len(bell.rung)
    typed = replace(words("go on", id="e2", command=command), refused_in=TerminalPhrasing())
    with pytest.raises(Refused) as refused:
        await reports.say(case, typed, Standing.DEVELOPER)
    assert str(refused.value).startswith(f"{case}: ")
    assert (len(await store.inbox.of(case)), len(bell.rung)) == (1, known)


async def test_long_texts_are_clipped_nul_characters_removed_and_files_noted(store: Store, reports: Reports) -> None:
    case = await opened(store, reports, "a\0b" + "x" * 2 * TEXT_LIMIT)
    bug = await stored(store, case)
    assert len(bug.report) <= TEXT_LIMIT
    assert bug.report.startswith("abx")
    file = NewAttachment(title="app.log", size=3, source="https://files.slack.com/x")
    await reports.say(
        case,
        Words(surface="slack", external_id="e2", author="ada", text="see", attachments=(file,)),
        Standing.REPORTER,
    )
    [attachment] = await store.attachments.of(case)
    assert (attachment.title, attachment.is_missing) == ("app.log", True)


# --- the bell in the background


class _SlowBell(RecordingBell):
    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()

    async def ring(self, case: CaseId, message: MessageId, kind: MessageKind) -> None:
        await self.gate.wait()
        await super().ring(case, message, kind)


async def test_a_background_bell_is_not_waited_for_and_is_drained_at_the_end() -> None:
    slow = _SlowBell()
    background = BackgroundBell(slow, at_once=2)
    for number in range(5):
        await background.ring(CaseId(f"bug-000{number}"), MessageId(number), MessageKind.WORDS)
    assert slow.rung == []
    slow.gate.set()
    await background.drain()
    assert len(slow.rung) == 5


async def test_one_ring_covers_all_earlier_messages_but_not_a_close() -> None:
    slow = _SlowBell()
    background = BackgroundBell(slow)
    case = CaseId("bug-7F3K")
    await background.ring(case, MessageId(1), MessageKind.WORDS)
    await asyncio.sleep(0)  # it is being rung now: later messages need another ring
    for number, kind in [(2, MessageKind.WORDS), (3, MessageKind.CLOSE), (4, MessageKind.WORDS)]:
        await background.ring(case, MessageId(number), kind)
    slow.gate.set()
    await background.drain()
    assert sorted(number for _, number, _ in slow.rung) == [1, 3, 4]


async def test_background_bells_may_fail_and_their_number_is_limited() -> None:
    slow = _SlowBell()
    background = BackgroundBell(slow, most=2)
    slow.away = True
    for number in range(5):
        await background.ring(CaseId(f"bug-000{number}"), MessageId(number), MessageKind.WORDS)
    slow.gate.set()
    await background.drain()
    slow.away = False
    await background.ring(CaseId("bug-7F3K"), MessageId(9), MessageKind.WORDS)
    await background.drain()
    assert [number for _, number, _ in slow.rung] == [9]
