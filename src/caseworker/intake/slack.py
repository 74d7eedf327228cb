"""Takes Slack events: finds the case that an event is for, and the author's standing.

Events are committed when `receive` returns; it waits for no call to Slack and for no model.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, assert_never

import structlog

from caseworker.core.base.errors import Transient
from caseworker.core.base.ids import CaseId, RepositoryId
from caseworker.core.base.policy import Policy
from caseworker.core.bug.reports import read_report
from caseworker.core.issue.options import waits_for_a_person
from caseworker.core.kinds import KINDS
from caseworker.core.people.commands import Close, CloseIncomplete, Command, Delete, Edit, StopFix
from caseworker.core.people.messages import Audience, Message, Standing
from caseworker.intake.conversation import Conversation, Words, read_command, understand
from caseworker.intake.new_cases import NewCases, TooManyCases
from caseworker.intake.slack_events import Deleted, Edited, Nothing, SlackMessage, parse_event
from caseworker.ports import POST, Store, StoredAny, StoredBug, StoredCase, Thread, begins_thread

log = structlog.get_logger()

SURFACE: Final = "slack"
_RECENT: Final = 24 * 3_600.0
"""Seconds between a thread's first message and a reply that may stand in for it."""


@dataclass(frozen=True, kw_only=True)
class ReportsChannel:
    """The channel where bugs are reported, and the repository that a report there is about."""

    channel: str
    repository: RepositoryId
    policy: Policy
    rehearsal: str | None = None
    elsewhere: Mapping[str, RepositoryId] = field(default_factory=dict)
    """The repositories of services whose code is elsewhere, by service."""
    answer: Callable[[Thread, str], Awaitable[None]] | None = None
    """Tells the author of a message that opens no case why not."""


@dataclass(frozen=True, kw_only=True)
class Received:
    kind: Literal["reported", "said", "duplicate", "ignored"]
    case: CaseId | None = None
    why: str = ""


class SlackIntake:
    def __init__(self, *, store: Store, conversation: Conversation, new_cases: NewCases, place: ReportsChannel) -> None:
        self._store = store
        self._conversation = conversation
        self._new_cases = new_cases
        self._place = place
        self._bot_user = ""

    def know_bot(self, user: str) -> None:
        """Tells the bot's own user id: its messages are ignored, also if Slack does not mark them as a bot's."""
        self._bot_user = user

    async def receive(self, event_id: str, event: Mapping[str, object]) -> Received:
        """Raises `Transient` when it could not be committed: then Slack has to send it again."""
        received = await self._receive(event_id, event)
        if received.kind == "ignored":
            log.debug("slack event ignored", event_id=event_id, why=received.why)
        else:
            log.info("slack event taken", event_id=event_id, kind=received.kind, case=received.case)
        return received

    async def _receive(self, event_id: str, event: Mapping[str, object]) -> Received:
        match parse_event(event, bot_user=self._bot_user):
            case SlackMessage() as said:
                return await self._receive_message(event_id, said)
            case Edited() as edited:
                return await self._receive_change(event_id, edited, Edit())
            case Deleted() as deleted:
                return await self._receive_change(event_id, deleted, Delete())
            case Nothing(why=why):
                return Received(kind="ignored", why=why)
            case never:
                assert_never(never)

    async def _receive_message(self, event_id: str, said: SlackMessage) -> Received:
        thread = Thread(surface=SURFACE, channel=said.channel, anchor=said.thread or said.ts)
        known = await self._store.threads.find(thread)
        if known is not None:
            return await self._send_to_case(event_id, said, thread, *known)
        if said.thread and await self._store.effects.beginning(POST, begins_thread(said.channel)):
            # People see a summary before its thread is on record, and may answer at once: Slack sends the answer again.
            raise Transient(f"A thread is being begun in {said.channel}: whose it is, is not known yet.")
        if said.channel != self._place.channel:
            return Received(kind="ignored", why="neither in the reports channel nor in a thread of a case")
        if said.thread and not _stands_in(said):
            return Received(kind="ignored", why="in a thread that is no case")
        return await self._open_case(event_id, said, thread)

    async def _open_case(self, event_id: str, said: SlackMessage, thread: Thread) -> Received:
        try:
            reported = await self._new_cases.report(
                _words(event_id, said),
                repository=self._repository_for(said.text),
                rehearsal=self._place.rehearsal,
                thread=thread,
                policy=self._place.policy,
            )
        except TooManyCases as refused:
            if refused.first and self._place.answer is not None:
                await self._place.answer(thread, str(refused))
            return Received(kind="ignored", why=str(refused))
        if reported.new:
            return Received(kind="reported", case=reported.case)
        # A reply may have opened the thread's case a moment ago, and then this message is not in it yet.
        return await self._send_to_case(event_id, said, thread, reported.case, Audience.REPORTER)

    def _repository_for(self, text: str) -> RepositoryId:
        """The repository of the first service that the report names, else the one for all reports."""
        named = read_report(text, self._place.policy.services).services
        elsewhere = (self._place.elsewhere[service] for service in named if service in self._place.elsewhere)
        return next(elsewhere, self._place.repository)

    async def _send_to_case(
        self, event_id: str, said: SlackMessage, thread: Thread, owner: CaseId, audience: Audience
    ) -> Received:
        words = _words(event_id, said)
        stored, command = await self._addressed_case(words, thread, owner, audience)
        words = replace(words, text=_without_name(words.text, stored.case.id), command=command)
        is_reporter = isinstance(stored, StoredBug) and stored.reporter == said.author
        standing = KINDS[stored.kind].standing_in_thread(audience, is_reporter=is_reporter)
        message = await self._conversation.put(understand(stored, words, standing))
        return _result(stored.case.id, message)

    async def _addressed_case(
        self, words: Words, thread: Thread, owner: CaseId, audience: Audience
    ) -> tuple[StoredAny, Command | None]:
        """The case that a message is for, and its command if it was parsed to tell. A developers' thread may hold a bug
        and its fixes: then it is the case whose name the message begins with, else the bug for what closes it or
        answers its question, else the fix that waits, else the bug."""
        bug = await self._conversation.load(owner)
        if audience is not Audience.DEVELOPERS:
            return bug, None
        guests = [await self._conversation.load(case) for case in await self._store.threads.guests(thread)]
        named = [case for case in (*guests, bug) if _without_name(words.text, case.case.id) != words.text]
        if named:
            return named[0], None
        waiting = [case for case in guests if isinstance(case, StoredCase) and waits_for_a_person(case.case)]
        if not waiting:
            return bug, None
        command = read_command(
            bug, words.author, words.clean_text, KINDS[bug.kind].standing_in_thread(audience, is_reporter=False)
        )
        if isinstance(command, Close | CloseIncomplete | StopFix):
            return bug, command
        return max(waiting, key=lambda case: case.changed_at), None

    async def _receive_change(self, event_id: str, change: Edited | Deleted, command: Command) -> Received:
        reference = _reference(change.channel, change.ts)
        original = await self._store.inbox.find(SURFACE, reference)
        if original is None:
            return Received(kind="ignored", why="a change of what was never taken")
        newest = await self._newest_words(original)
        text = newest if isinstance(change, Deleted) else change.text
        if isinstance(change, Edited) and text == newest:
            return Received(kind="ignored", why="changed to what it is known to say")
        words = Words(
            surface=SURFACE,
            external_id=event_id,
            author=change.author or original.author,
            text=text,
            refers_to=reference,
            command=command,
        )
        # An author who edits their own message keeps their standing; any other editor has none.
        standing = original.standing if words.author == original.author else Standing.OTHER
        return _result(original.case, await self._conversation.say(original.case, words, standing))

    async def _newest_words(self, original: Message) -> str:
        """The text after all edits so far: going back to the first text is an edit, too."""
        said = await self._store.inbox.of(original.case)
        edits = [message for message in said if message.refers_to == original.reference]
        return edits[-1].text if edits else original.text


def _without_name(text: str, case: CaseId) -> str:
    """Remove a case's name at the beginning, which addresses that case: `local/shop#3: approve`."""
    named = re.match(rf"\s*`?{re.escape(case)}`?(?:\s*[:,]\s*|\s+)(?=\S)", text, re.IGNORECASE)
    return text[named.end() :] if named else text


def _stands_in(reply: SlackMessage) -> bool:
    """Whether a reply may open the case of a thread whose first message never came, or comes later: only if its own
    author began that thread, not long before. Replies of others open nothing. Threads of bots and threads older than
    our presence are ignored, so that Slack does not send them again."""
    try:
        recent = 0 <= float(reply.ts) - float(reply.thread) <= _RECENT
    except ValueError:
        return False
    return recent and reply.author == reply.thread_author


def _words(event_id: str, said: SlackMessage) -> Words:
    return Words(
        surface=SURFACE,
        external_id=event_id,
        author=said.author,
        text=said.text,
        reference=_reference(said.channel, said.ts),
        attachments=said.files,
    )


def _reference(channel: str, ts: str) -> str:
    return f"{channel}:{ts}"


def _result(case: CaseId, message: Message | None) -> Received:
    return Received(kind="said" if message is not None else "duplicate", case=case)
