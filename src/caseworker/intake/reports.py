"""Bug reports and what is said about them, from any surface: committed first, then rung."""

from dataclasses import dataclass

import structlog

from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.ids import CaseId, MessageId, RepositoryId
from caseworker.core.base.policy import Policy
from caseworker.core.base.text import clip
from caseworker.core.bug.reports import title_of
from caseworker.core.people.grammar import Spoken, reopens, understand
from caseworker.core.people.messages import (
    NOBODY,
    TEXT_LIMIT,
    Message,
    MessageKind,
    NewAttachment,
    NewMessage,
    Resolution,
    Standing,
)
from caseworker.core.people.receipts import NOT_THE_REPORTER, OVER
from caseworker.intake.manual import new_trace
from caseworker.ports import Doorbell, NewBug, Store, StoredBug, Thread

log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class Words:
    """What a person said, as its surface gave it."""

    surface: str
    external_id: str
    author: str
    text: str
    reference: str = ""
    refers_to: str = ""
    kind: MessageKind | None = None
    """What it is, where the surface knows: an edit, a deletion, a command given as one. Otherwise the text tells."""
    resolution: Resolution | None = None
    """Of a close whose kind is given."""
    attachments: tuple[NewAttachment, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Reported:
    case: CaseId
    new: bool
    """False: the message, or its thread, belonged to this case already; nothing was written."""


class Reports:
    def __init__(self, *, store: Store, doorbell: Doorbell, policy: Policy) -> None:
        self._store = store
        self._doorbell = doorbell
        self._policy = policy

    async def report(
        self,
        words: Words,
        *,
        repository: RepositoryId,
        rehearsal: str | None,
        thread: Thread | None = None,
        policy: Policy | None = None,
    ) -> Reported:
        """A new bug case. Whoever says this is its reporter."""
        trace, text = new_trace(), _text(words)
        bug = NewBug(
            title=title_of(text),
            reporter=words.author,
            repository=repository,
            policy=policy or self._policy,
            rehearsal=rehearsal,
            trace=trace,
            thread=thread,
        )
        first = NewMessage(
            case=CaseId(""),  # drawn by the store
            surface=words.surface,
            external_id=words.external_id,
            author=words.author,
            standing=Standing.REPORTER,
            kind=MessageKind.WORDS,
            text=text,
            trace=trace,
            reference=words.reference,
            attachments=words.attachments,
        )
        case, new = await self._store.bugs.open(bug, first)
        if new:
            await self._ring(case, NOBODY, MessageKind.WORDS)
        return Reported(case=case, new=new)

    async def say(self, case: CaseId, words: Words, standing: Standing) -> Message | None:
        """None: it was there already."""
        return await self.say_to(await self.bug(case), words, standing)

    async def bug(self, case: CaseId) -> StoredBug:
        bug = await self._store.bugs.load(case)
        if bug is None:
            raise Refused(f"There is no bug case {case}.", todo="`caseworker cases` lists what there is.")
        return bug

    async def say_to(self, bug: StoredBug, words: Words, standing: Standing) -> Message | None:
        """For who has read the case already. It may be a moment old: a close of that moment is the flow's to settle."""
        case = bug.case.id
        text = _text(words)
        spoken = _spoken(words, text, standing, bug)
        message = await self._store.inbox.put(
            NewMessage(
                case=case,
                surface=words.surface,
                external_id=words.external_id,
                author=words.author,
                standing=standing,
                kind=spoken.kind,
                text=text,
                trace=bug.trace,
                reference=words.reference,
                refers_to=words.refers_to,
                resolution=spoken.resolution,
                outcome=await self._outcome(spoken.kind, text, standing, bug),
                attachments=words.attachments,
            )
        )
        if message is not None and message.outcome is None:
            await self._ring(case, message.id, message.kind)
        return message

    async def _outcome(self, kind: MessageKind, text: str, standing: Standing, bug: StoredBug) -> str | None:
        """What came of it, where that is known at once: then nobody is rung. Who may not speak does not reopen either.
        Where something waits that may open the case again, the flow decides."""
        if standing is Standing.OTHER:
            return NOT_THE_REPORTER
        if not bug.case.is_over or reopens(kind, text):
            return None
        waiting = any(message.turn is None for message in await self._store.inbox.of(bug.case.id))
        return None if waiting else OVER

    async def _ring(self, case: CaseId, message: MessageId, kind: MessageKind) -> None:
        """Committed is what counts: a bell not heard costs time only, the reconciler rings again."""
        try:
            await self._doorbell.ring(case, message, kind)
        except Transient as error:
            log.warning("bell not rung", case=case, error=str(error))


def _text(words: Words) -> str:
    """PostgreSQL can't hold a NUL, and nobody sees one. Who sends a file without a word has said something, too."""
    text = words.text.replace("\0", "")
    if not text.strip() and words.attachments:
        text = f"(attached: {', '.join(file.title for file in words.attachments)})".replace("\0", "")
    return clip(text, TEXT_LIMIT)


def _spoken(words: Words, text: str, standing: Standing, bug: StoredBug) -> Spoken:
    if words.kind is not None:
        return Spoken(kind=words.kind, resolution=words.resolution)
    return understand(text, standing, asked=bug.case.people.asked_to_close == words.author)
