"""What people say and command from here: committed, rung, and waited for until something came of it."""

import signal
import sys
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from rich.console import Console

from caseworker.app.desk import Desk, at_desk, find_case, person, reading
from caseworker.app.settings import Settings
from caseworker.app.terminal.interrupted import Interrupted
from caseworker.app.terminal.live_view import print_json
from caseworker.app.terminal.receipts import turns_begun, was_refused
from caseworker.app.terminal.show import await_outcome
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId
from caseworker.core.issue.options import COMMAND, refuse_misfit
from caseworker.core.kinds import KINDS
from caseworker.core.people.messages import (
    SPOKEN,
    TEXT_LIMIT,
    Audience,
    Message,
    MessageKind,
    Resolution,
    Standing,
    receipt,
)
from caseworker.intake.manual import SURFACE, meant
from caseworker.intake.reports import Words
from caseworker.ports import StoredAny, StoredBug, StoredCase

VoiceName = Literal["reporter", "developer"]
_RECEIPT_SECONDS = 30.0
_WORDS_SECONDS = 2.0


@dataclass(frozen=True, kw_only=True)
class Speaker:
    """Somebody at this terminal, in one case."""

    case: CaseId
    name: str
    standing: Standing


_SPEAKS_FOR: Final[Mapping[VoiceName, Audience]] = {"reporter": Audience.REPORTER, "developer": Audience.DEVELOPERS}


def speaker_in(stored: StoredAny, voice: VoiceName, name: str | None) -> Speaker:
    """Whoever speaks for the reporter has their name, unless another is given."""
    kind = KINDS[stored.kind]
    standing = kind.at_terminal.get(_SPEAKS_FOR[voice])
    if standing is None:
        raise Refused(f"{stored.case.id} is an {kind.noun}: nobody reported it.", todo="Leave `--as reporter` out.")
    reporter = stored.reporter if isinstance(stored, StoredBug) and voice == "reporter" else None
    return Speaker(case=stored.case.id, name=name or reporter or person(), standing=standing)


def given(text: str) -> str:
    """`-` is standard input, whatever bytes it holds; everything else is what it says."""
    if text != "-":
        return text
    piped = sys.stdin.buffer.read().decode("utf-8", "replace").strip()
    if not piped:
        raise Refused(
            "`-` reads the words from standard input, and there are none.", todo='Pipe them in, or type them: "...".'
        )
    return piped


def readable(text: str) -> str:
    """What a terminal passes on may be no text at all."""
    clean = text.encode("utf-8", "replace").decode()
    if len(clean) > TEXT_LIMIT:
        raise Refused(f"That message has {len(clean)} characters; {TEXT_LIMIT} are taken.", todo="Shorten it.")
    return clean


async def send(
    desk: Desk,
    speaker: Speaker,
    text: str,
    *,
    kind: MessageKind | None = None,
    resolution: Resolution | None = None,
) -> Message:
    """Without a kind, the words themselves say whether they are a command."""
    text, key = readable(text), str(uuid.uuid4())
    if speaker.standing is Standing.OWNER:
        return await desk.intake.say(speaker.case, author=speaker.name, kind=kind, text=text, client_id=key)
    words = Words(surface=SURFACE, external_id=key, author=speaker.name, text=text, kind=kind, resolution=resolution)
    message = await desk.reports.say(speaker.case, words, speaker.standing)
    assert message is not None, "a new id can't have been there before"
    return message


async def say_to(
    settings: Settings,
    console: Console,
    name: str,
    text: str,
    voice: VoiceName,
    author: str | None,
    *,
    kind: MessageKind | None = None,
    as_json: bool,
) -> int:
    """Words, and answers. An answer is refused by an issue case that has asked nothing."""
    text = given(text)
    if not text.strip():
        raise Refused("There are no words in that message.")
    readable(text)
    stored = await _find(settings, name)
    speaker = speaker_in(stored, voice, author)
    if isinstance(stored, StoredCase):
        refuse_misfit(stored.case, *meant(stored.case, kind, text))
    return await _tell(settings, console, speaker, text, kind=kind, as_json=as_json)


async def command(
    settings: Settings, console: Console, name: str, kind: MessageKind, text: str, author: str | None, *, as_json: bool
) -> int:
    """What only an issue case can be told. 2 if it does not fit, before anything is sent; 3 if the case has not obeyed
    yet: the command is recorded, and will be."""
    text = given(text)
    stored = await _find(settings, name)
    if isinstance(stored, StoredBug):
        todo = f"`caseworker why {stored.case.id}` says what would move it."
        raise Refused(f"{stored.case.id} is a bug case: `{COMMAND[kind]}` is for issue cases.", todo=todo)
    return await _command(settings, console, stored, kind, text, author, as_json=as_json)


async def close_case(
    settings: Settings, console: Console, name: str, reason: str, resolution: str, author: str | None, *, as_json: bool
) -> int:
    reason = given(reason)
    stored = await _find(settings, name)
    if isinstance(stored, StoredCase):
        if resolution:
            todo = "`--resolution` is for bug cases; leave it out."
            raise Refused(f"{stored.case.id} is an issue case.", todo=todo)
        return await _command(settings, console, stored, MessageKind.CLOSE, reason, author, as_json=as_json)
    if stored.case.is_over:
        raise Refused(f"{stored.case.id} is resolved already: {stored.case.reason}.")
    speaker = speaker_in(stored, "developer", author)
    asks = sys.stdin.isatty() and not as_json
    chosen, why = _resolution(resolution, asks=asks), _reason(reason, asks=asks)
    return await _tell(settings, console, speaker, why, kind=MessageKind.CLOSE, resolution=chosen, as_json=as_json)


async def take_over(settings: Settings, console: Console, name: str, author: str | None, *, as_json: bool) -> int:
    return await _either(settings, console, name, MessageKind.TAKEOVER, "I'll take it.", author, as_json=as_json)


async def hand_back(settings: Settings, console: Console, name: str, author: str | None, *, as_json: bool) -> int:
    return await _either(settings, console, name, MessageKind.HAND_BACK, "Hand back.", author, as_json=as_json)


async def _either(
    settings: Settings, console: Console, name: str, kind: MessageKind, text: str, author: str | None, *, as_json: bool
) -> int:
    stored = await _find(settings, name)
    if isinstance(stored, StoredCase):
        return await _command(settings, console, stored, kind, text, author, as_json=as_json)
    if stored.case.is_over:
        raise Refused(f"{stored.case.id} is resolved: {stored.case.reason}.", todo="A word to it opens it again.")
    return await _tell(settings, console, speaker_in(stored, "developer", author), text, kind=kind, as_json=as_json)


async def _command(
    settings: Settings,
    console: Console,
    stored: StoredCase,
    kind: MessageKind,
    text: str,
    author: str | None,
    *,
    as_json: bool,
) -> int:
    refuse_misfit(stored.case, kind, readable(text))  # before a host is started for it
    speaker = speaker_in(stored, "developer", author)
    return await _tell(settings, console, speaker, text, kind=kind, as_json=as_json)


async def _find(settings: Settings, name: str) -> StoredAny:
    async with reading(settings) as store:
        return await find_case(store, name)


async def _tell(
    settings: Settings,
    console: Console,
    speaker: Speaker,
    text: str,
    *,
    kind: MessageKind | None = None,
    resolution: Resolution | None = None,
    as_json: bool,
) -> int:
    async with at_desk(settings, any_host=True) as desk:
        sent = await send(desk, speaker, text, kind=kind, resolution=resolution)
        await desk.keep_host()  # the one we rang may just have been ending
        seconds = _WORDS_SECONDS if sent.kind in SPOKEN else _RECEIPT_SECONDS
        message = await await_outcome(desk.store, speaker.case, sent.id, seconds=seconds)
        words = receipt(message, await turns_begun(desk.store, speaker.case))
    if as_json:
        print_json({"case": speaker.case, "message": sent.id, "kind": sent.kind.value, "receipt": words})
    else:
        console.print(f"{speaker.case}: {words}", markup=False)
    return exit_code_of(message)


def exit_code_of(message: Message) -> int:
    """Words are said once they are recorded; a command is done, refused by the case itself, or still to be obeyed."""
    if message.kind in SPOKEN:
        return 0
    if message.outcome is None:
        return 3
    return 2 if was_refused(message) else 0


_KINDS = ", ".join(kind.value for kind in Resolution)


def _resolution(said: str, *, asks: bool) -> Resolution:
    if not said and asks:
        said = _asked(f"How was it resolved ({_KINDS})")
    try:
        return Resolution(said.strip().lower().replace(" ", "_").replace("-", "_"))
    except ValueError:
        wrong = f"`{said}` is no resolution." if said else "A bug is closed with a resolution and a reason."
        raise Refused(wrong, todo=f"--resolution takes one of {_KINDS}; --reason says why.") from None


def _reason(said: str, *, asks: bool) -> str:
    if not said.strip() and asks:
        said = _asked("Why, for the record")
    if not said.strip():
        raise Refused("A bug is closed with a resolution and a reason.", todo='Say why: --reason "...".')
    return said.strip()


def _asked(question: str) -> str:
    """On standard error: standard output may be read by a program. asyncio keeps the first Ctrl-C to itself, and who
    waits for a line never hears of it; so while somebody is asked, it is a plain interrupt."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        sys.stderr.write(f"{question}: ")
        sys.stderr.flush()
        line = sys.stdin.readline()
    except KeyboardInterrupt:
        line = ""
    finally:
        signal.signal(signal.SIGINT, before)
    if not line:
        sys.stderr.write("\n")
        raise Interrupted("Interrupted. Nothing was sent: the case stays as it is.")
    return line.strip()
