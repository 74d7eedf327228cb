"""Sends what people say here to its case, and waits for the outcome."""

import sys
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from rich.console import Console

from caseworker.app.desk import Desk, at_desk, find_case, reading
from caseworker.app.processes.own_name import person
from caseworker.app.settings import Settings
from caseworker.app.terminal.live_view import print_json
from caseworker.app.terminal.show import await_outcome
from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId
from caseworker.core.issue.options import options, waits_for_a_person
from caseworker.core.kinds import KINDS
from caseworker.core.people.commands import Command
from caseworker.core.people.messages import SPOKEN, TEXT_LIMIT, Audience, Message, Standing, receipt
from caseworker.intake.conversation import TERMINAL, Understood, Words, understand
from caseworker.ports import Store, StoredAny, StoredBug, StoredCase
from caseworker.views.receipt_watch import turns_begun, was_refused

VoiceName = Literal["reporter", "developer"]
_RECEIPT_SECONDS = 30.0
_WORDS_SECONDS = 2.0
_REHEARSED_SECONDS = 10.0
"""A script answers at once, or says that it has no answer: worth waiting for."""


@dataclass(frozen=True, kw_only=True)
class Speaker:
    """A person at this terminal, in one case."""

    case: CaseId
    name: str
    standing: Standing


_SPEAKS_FOR: Final[Mapping[VoiceName, Audience]] = {"reporter": Audience.REPORTER, "developer": Audience.DEVELOPERS}


def speaker_in(stored: StoredAny, voice: VoiceName, name: str | None) -> Speaker:
    """A person who speaks for the reporter gets the reporter's name, unless another is given."""
    kind = KINDS[stored.kind]
    standing = kind.at_terminal.get(_SPEAKS_FOR[voice])
    if standing is None:
        raise Refused(f"{stored.case.id} is {kind.a_noun}: nobody reported it.", todo="Leave `--as reporter` out.")
    reporter = stored.reporter if isinstance(stored, StoredBug) and voice == "reporter" else None
    return Speaker(case=stored.case.id, name=name or reporter or person(), standing=standing)


def own_voice(stored: StoredAny, name: str | None) -> VoiceName:
    """The person who reported a bug is its reporter."""
    is_reporter = isinstance(stored, StoredBug) and stored.reporter == (name or person())
    return "reporter" if is_reporter else "developer"


def text_or_stdin(text: str) -> str:
    """`-` reads standard input, whatever bytes it holds; everything else is taken as it is."""
    if text != "-":
        return text
    piped = sys.stdin.buffer.read().decode("utf-8", "replace").strip()
    if not piped:
        raise Refused(
            "`-` reads the words from standard input, and there are none.", todo='Pipe them in, or type them: "...".'
        )
    return piped


def readable(text: str) -> str:
    """Replace bytes that are no text, and refuse what is too long."""
    clean = text.encode("utf-8", "replace").decode()
    if len(clean) > TEXT_LIMIT:
        raise Refused(f"That message has {len(clean)} characters; {TEXT_LIMIT} are taken.", todo="Shorten it.")
    return clean


async def send(desk: Desk, speaker: Speaker, text: str, command: Command | None = None) -> Message:
    """Without a command, the text decides whether it is one."""
    stored = await desk.conversation.load(speaker.case, todo="`caseworker cases` lists what there is.")
    return await _put(desk, understand(stored, _words(speaker, text, command), speaker.standing))


async def say_to(
    settings: Settings,
    console: Console,
    name: str,
    text: str,
    voice: VoiceName | None,
    author: str | None,
    *,
    command: Command | None = None,
    as_json: bool,
) -> int:
    """Send words or an answer. An issue case that has asked nothing refuses an answer. Without a voice, whoever has
    reported the bug speaks as its reporter."""
    text = text_or_stdin(text)
    if not text.strip():
        raise Refused("There are no words in that message.")
    readable(text)
    stored = await find(settings, name)
    speaker = speaker_in(stored, voice or own_voice(stored, author), author)
    return await tell(settings, console, stored, speaker, text, command, as_json=as_json)


async def find(settings: Settings, name: str) -> StoredAny:
    async with reading(settings) as store:
        return await find_case(store, name)


async def tell(
    settings: Settings,
    console: Console,
    stored: StoredAny,
    speaker: Speaker,
    text: str,
    command: Command | None,
    *,
    as_json: bool,
) -> int:
    """The exit code: 2 if the command does not fit, before a host is started for it; 3 if the case has not obeyed yet.
    The command is recorded, and will be obeyed."""
    understood = understand(stored, _words(speaker, text, command), speaker.standing)
    async with at_desk(settings, any_host=True) as desk:
        sent = await _put(desk, understood)
        await desk.keep_host()  # the host that we rang may just have been ending
        words_seconds = _WORDS_SECONDS if stored.rehearsal is None else _REHEARSED_SECONDS
        seconds = words_seconds if sent.kind in SPOKEN else _RECEIPT_SECONDS
        message = await await_outcome(desk.store, speaker.case, sent.id, seconds=seconds)
        words = receipt(message, await turns_begun(desk.store, speaker.case))
        decides = (
            await what_decides(desk.store, speaker.case) if sent.kind in SPOKEN and message.outcome is not None else ""
        )
    if as_json:
        print_json({"case": speaker.case, "message": sent.id, "kind": sent.kind.value, "receipt": words})
    else:
        console.print(f"{speaker.case}: {words}", markup=False)
        if decides:
            console.print(decides, markup=False)
    return exit_code_of(message)


async def what_decides(store: Store, case: CaseId) -> str:
    """The command that an issue case waits for, for people whose words did not decide it. Empty: none."""
    stored = await store.cases.find(case)
    if not isinstance(stored, StoredCase) or not waits_for_a_person(stored.case):
        return ""
    first = options(stored.case)[0]
    return first.words(TerminalPhrasing()) if first.kind not in (None, *SPOKEN) else ""


def exit_code_of(message: Message) -> int:
    """Words are done once they are recorded. A command is done, refused by the case, or still to be obeyed."""
    if message.kind in SPOKEN:
        return 0
    if message.outcome is None:
        return 3
    return 2 if was_refused(message) else 0


def _words(speaker: Speaker, text: str, command: Command | None) -> Words:
    return Words(
        surface=TERMINAL,
        external_id=str(uuid.uuid4()),
        author=speaker.name,
        text=readable(text),
        command=command,
        refused_in=TerminalPhrasing(),
    )


async def _put(desk: Desk, understood: Understood) -> Message:
    message = await desk.conversation.put(understood)
    assert message is not None, "a new id can't have been there before"
    return message
