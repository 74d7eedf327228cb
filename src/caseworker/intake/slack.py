"""Slack as a surface: which case an event speaks to, and as whom. Committed when `receive` returns; no call of Slack's
and no model is waited for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, assert_never

import structlog

from caseworker.core.base.errors import Transient
from caseworker.core.base.ids import CaseId, RepositoryId
from caseworker.core.base.policy import Policy
from caseworker.core.bug.reports import read_report
from caseworker.core.kinds import KINDS
from caseworker.core.people.messages import Audience, Message, MessageKind, Standing
from caseworker.intake.reports import Reports, Words
from caseworker.intake.slack_events import Deleted, Edited, Nothing, SlackMessage, parse_event
from caseworker.ports import POST, Store, Thread, begins_thread

log = structlog.get_logger()

SURFACE: Final = "slack"
_RECENT: Final = 24 * 3_600.0
"""Seconds between a thread's first message and a reply that may stand in for it."""


@dataclass(frozen=True, kw_only=True)
class ReportsChannel:
    """Where bugs are reported, and what a report there is about."""

    channel: str
    repository: RepositoryId
    policy: Policy
    rehearsal: str | None = None
    elsewhere: Mapping[str, RepositoryId] = field(default_factory=dict)
    """By service: where its code is, if not there."""


@dataclass(frozen=True, kw_only=True)
class Received:
    kind: Literal["reported", "said", "duplicate", "ignored"]
    case: CaseId | None = None
    why: str = ""


class SlackIntake:
    def __init__(self, *, store: Store, reports: Reports, place: ReportsChannel) -> None:
        self._store = store
        self._reports = reports
        self._place = place

    async def receive(self, event_id: str, event: Mapping[str, object]) -> Received:
        """Raises `Transient` when it could not be committed: then Slack has to send it again."""
        received = await self._received(event_id, event)
        if received.kind == "ignored":
            log.debug("slack event ignored", event_id=event_id, why=received.why)
        else:
            log.info("slack event taken", event_id=event_id, kind=received.kind, case=received.case)
        return received

    async def _received(self, event_id: str, event: Mapping[str, object]) -> Received:
        match parse_event(event):
            case SlackMessage() as said:
                return await self._heard(event_id, said)
            case Edited() as edited:
                return await self._changed(event_id, edited, MessageKind.EDIT)
            case Deleted() as deleted:
                return await self._changed(event_id, deleted, MessageKind.DELETION)
            case Nothing(why=why):
                return Received(kind="ignored", why=why)
            case never:
                assert_never(never)

    async def _heard(self, event_id: str, said: SlackMessage) -> Received:
        thread = Thread(surface=SURFACE, channel=said.channel, anchor=said.thread or said.ts)
        known = await self._store.threads.find(thread)
        if known is not None:
            return await self._said(event_id, said, *known)
        if said.thread and await self._store.effects.beginning(POST, begins_thread(said.channel)):
            # People see a summary before its thread is on record, and may answer at once: Slack sends it again.
            raise Transient(f"A thread is being begun in {said.channel}: whose it is, is not known yet.")
        if said.channel != self._place.channel:
            return Received(kind="ignored", why="neither in the reports channel nor in a thread of a case")
        if said.thread and not _stands_in(said):
            return Received(kind="ignored", why="in a thread that is no case")
        return await self._opened(event_id, said, thread)

    async def _opened(self, event_id: str, said: SlackMessage, thread: Thread) -> Received:
        reported = await self._reports.report(
            _words(event_id, said),
            repository=self._repository_for(said.text),
            rehearsal=self._place.rehearsal,
            thread=thread,
            policy=self._place.policy,
        )
        if reported.new:
            return Received(kind="reported", case=reported.case)
        # A reply may have opened the thread's case a moment ago, and then this message is not in it yet.
        return await self._said(event_id, said, reported.case, Audience.REPORTER)

    def _repository_for(self, text: str) -> RepositoryId:
        """Of the first service that the report names, if its code is elsewhere."""
        named = read_report(text, self._place.policy.services).services
        elsewhere = (self._place.elsewhere[service] for service in named if service in self._place.elsewhere)
        return next(elsewhere, self._place.repository)

    async def _said(self, event_id: str, said: SlackMessage, case: CaseId, audience: Audience) -> Received:
        bug = await self._reports.bug(case)
        standing = KINDS[bug.kind].standing_in_thread(audience, is_reporter=bug.reporter == said.author)
        message = await self._reports.say_to(bug, _words(event_id, said), standing)
        return _result(case, message)

    async def _changed(self, event_id: str, change: Edited | Deleted, kind: MessageKind) -> Received:
        reference = _reference(change.channel, change.ts)
        original = await self._store.inbox.find(SURFACE, reference)
        if original is None:
            return Received(kind="ignored", why="a change of what was never taken")
        text = original.text if isinstance(change, Deleted) else change.text
        if isinstance(change, Edited) and text == await self._newest_words(original):
            return Received(kind="ignored", why="changed to what it is known to say")
        words = Words(
            surface=SURFACE,
            external_id=event_id,
            author=change.author or original.author,
            text=text,
            refers_to=reference,
            kind=kind,
        )
        # Whoever changes their own words stands where they stood; anybody else does not count.
        standing = original.standing if words.author == original.author else Standing.OTHER
        return _result(original.case, await self._reports.say(original.case, words, standing))

    async def _newest_words(self, original: Message) -> str:
        """After all the edits that were taken: going back to the first words is one, too."""
        said = await self._store.inbox.of(original.case)
        edits = [message for message in said if message.refers_to == original.reference]
        return edits[-1].text if edits else original.text


def _stands_in(reply: SlackMessage) -> bool:
    """Whether a reply opens the case of a thread whose first message never came, or comes later: only if its own author
    began that thread, not long before. A third person's word opens nothing, and nor do the threads of bots and those
    from before we were there: they are none of our business, and Slack must not be told to send them again."""
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
