"""The one entry for messages to a case, from every surface and for every kind of case.

A message is understood (parsed once, checked for authority and for the case's state), committed, and rung.
"""

from dataclasses import dataclass, replace
from typing import Final, assert_never

import structlog

from caseworker.core.base.budget import no_amount, too_much
from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.ids import CaseId, MessageId
from caseworker.core.base.text import squeezed
from caseworker.core.bug.command_moves import bug_misfit
from caseworker.core.issue.options import awaits_agreement, misfit, refuse_misfit
from caseworker.core.people.authority import may, refusal
from caseworker.core.people.commands import Command, MessageKind, RaiseBudget, Say, StopFix
from caseworker.core.people.grammar import Context, InBug, InIssue, InPull, parse
from caseworker.core.people.messages import TEXT_LIMIT, Message, NewAttachment, NewMessage, Standing
from caseworker.core.people.phrasing import Page, Phrasing, begin
from caseworker.core.people.receipts import OVER, not_done
from caseworker.core.pull.command_fit import pull_misfit
from caseworker.ports import Doorbell, Store, StoredAny, StoredBug, StoredCase, StoredPull

log = structlog.get_logger()

TERMINAL: Final = "terminal"


@dataclass(frozen=True, kw_only=True)
class Words:
    """What a person wrote, as its surface gave it."""

    surface: str
    external_id: str
    """The surface's own id: a second delivery is a no-op."""
    author: str
    text: str
    reference: str = ""
    refers_to: str = ""
    command: Command | None = None
    """The command, where the surface knows it: an edit, a button, a command of the terminal. None: parse the text."""
    refused_in: Phrasing | None = None
    """The phrasing of a surface where the author waits: a command that does not fit is refused at once, in this
    phrasing, and not recorded. None: nobody waits."""
    attachments: tuple[NewAttachment, ...] = ()

    @property
    def clean_text(self) -> str:
        """Without NUL, which PostgreSQL can't store, and of bounded length: patterns read it. A message with only files
        names them."""
        text = self.text.replace("\0", "")
        if not text.strip() and self.attachments:
            text = f"(attached: {', '.join(file.title for file in self.attachments)})".replace("\0", "")
        return squeezed(text, TEXT_LIMIT)


@dataclass(frozen=True, kw_only=True)
class Understood:
    """A message that may be committed."""

    message: NewMessage
    after_the_end: bool
    """Whether it asks for nothing and the case was over: no bell is needed."""


class Conversation:
    def __init__(self, *, store: Store, doorbell: Doorbell) -> None:
        self._store = store
        self._doorbell = doorbell

    async def load(self, case: CaseId, *, todo: str = "") -> StoredAny:
        """`todo`: what the surface tells people to do if there is no such case."""
        stored = await self._store.cases.find(case)
        if stored is None:
            raise Refused(f"There is no case {case}.", todo=todo)
        return stored

    async def say(self, case: CaseId, words: Words, standing: Standing) -> Message | None:
        """None: this message was there already."""
        return await self.put(understand(await self.load(case), words, standing))

    async def put(self, understood: Understood) -> Message | None:
        """Commit it, then ring. The flow checks again, since the case may have changed."""
        if understood.after_the_end:
            understood = replace(understood, message=await self._settled(understood.message))
        message = await self._store.inbox.put(understood.message)
        if message is not None and message.outcome is None:
            await ring(self._doorbell, message.case, message.id, message.kind)
        return message

    async def _settled(self, message: NewMessage) -> NewMessage:
        """Settle the message, unless another one waits that may reopen the case: then the flow decides."""
        waiting = any(other.turn is None for other in await self._store.inbox.of(message.case))
        return message if waiting else message.model_copy(update={"outcome": OVER})


async def ring(doorbell: Doorbell, case: CaseId, message: MessageId, kind: MessageKind) -> None:
    """Ring, and ignore failure: the message is committed, and the reconciler rings again."""
    try:
        await doorbell.ring(case, message, kind)
    except Transient as error:
        log.warning("bell not rung", case=case, error=str(error))


def understand(stored: StoredAny, words: Words, standing: Standing) -> Understood:
    """Parse and check a message. Raises `Refused` for a command that does not fit, if its author waits; otherwise the
    receipt says so."""
    text = words.clean_text
    command = _command(stored, words, text, standing)
    outcome = refusal(stored.kind, standing, command)
    if outcome is None:
        outcome = _fit_outcome(stored, command, words.refused_in)
    message = NewMessage(
        case=stored.case.id,
        surface=words.surface,
        external_id=words.external_id,
        author=words.author,
        standing=standing,
        command=command,
        text=command.amount if isinstance(command, RaiseBudget) else text,
        trace=stored.trace,
        reference=words.reference,
        refers_to=words.refers_to,
        outcome=outcome,
        refused=outcome is not None,
        attachments=words.attachments,
    )
    over = not isinstance(stored, StoredCase) and stored.case.is_over
    asks = command.reopens or isinstance(command, StopFix)
    return Understood(message=message, after_the_end=over and outcome is None and not asks)


def read_command(
    stored: StoredAny, author: str, text: str, standing: Standing, given: Command | None = None
) -> Command:
    """What a text is to this case now. `given`: what its surface already knows it to be."""
    return parse(text, standing, _context(stored, author), given)


def _command(stored: StoredAny, words: Words, text: str, standing: Standing) -> Command:
    """A command from an outsider who may not give it counts as plain words. One of the team is refused instead: as
    words it would start a turn, which must not obey it either."""
    command = read_command(stored, words.author, text, standing, words.command)
    is_outside = standing is not Standing.DEVELOPER
    if words.command is None and is_outside and not may(stored.kind, standing, command):
        return _command(stored, replace(words, command=Say()), text, standing)
    return command


def _context(stored: StoredAny, author: str) -> Context:
    match stored:
        case StoredBug():
            asked = stored.case.people.asked_to_close == author
            return InBug(asked=asked, stop_asked=stored.case.repair.stop_asked)
        case StoredCase():
            return InIssue(awaits=awaits_agreement(stored.case))
        case StoredPull():
            return InPull()
        case _:
            assert_never(stored)


def _wrong_amount(stored: StoredAny, command: RaiseBudget) -> str:
    if command.micros == 0:
        return no_amount(command.amount)
    return too_much(command.micros, stored.policy.budget_micros + stored.case.people.extra_micros)


def _fit_outcome(stored: StoredAny, command: Command, refused_in: Phrasing | None) -> str | None:
    """The receipt of a command that does not fit the case's state. In a bug's threads its flow answers."""
    if isinstance(command, RaiseBudget) and (wrong := _wrong_amount(stored, command)):
        if refused_in is not None:
            raise Refused(f"{wrong[0].upper()}{wrong[1:]}.")
        return not_done(wrong)
    match stored:
        case StoredBug():
            reason = bug_misfit(stored.case, command) if refused_in is not None else None
        case StoredCase():
            if refused_in is not None:
                refuse_misfit(stored.case, command, refused_in)
            reason = misfit(stored.case, command)
        case StoredPull():
            reason = pull_misfit(stored.case, command)
        case _:
            assert_never(stored)
    if reason is not None and refused_in is not None:
        todo = f"{begin(refused_in.page(stored.case.id, Page.WHY))} says what would move it."
        raise Refused(f"{stored.case.id}: {reason}.", todo=todo)
    return None if reason is None else not_done(reason)
