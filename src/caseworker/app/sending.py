"""What people say and command from here: committed, rung, and waited for until something came of it."""

import sys
import uuid
from dataclasses import dataclass
from typing import Literal

import typer
from rich.console import Console

from caseworker.app.desk import Desk, at_desk, find_case, person, reading
from caseworker.app.receipts import turns_begun
from caseworker.app.settings import Settings
from caseworker.app.showing import await_outcome
from caseworker.app.view import print_json
from caseworker.core.errors import Refused
from caseworker.core.ids import CaseId
from caseworker.core.messages import TEXT_LIMIT, Message, MessageKind, Resolution, Standing, receipt
from caseworker.intake.manual import SURFACE
from caseworker.intake.reports import Words
from caseworker.ports import StoredBug, StoredCase

VoiceName = Literal["reporter", "developer"]
_RECEIPT_SECONDS = 30.0


@dataclass(frozen=True, kw_only=True)
class Speaker:
    """Somebody at this terminal, in one case."""

    case: CaseId
    name: str
    standing: Standing


def speaker_in(stored: StoredCase | StoredBug, voice: VoiceName, name: str | None) -> Speaker:
    """Whoever speaks for the reporter has their name, unless another is given; in an issue case all are owners."""
    if isinstance(stored, StoredCase):
        if voice == "reporter":
            raise Refused(f"{stored.case.id} is an issue case: nobody reported it.", todo="Leave `--as reporter` out.")
        return Speaker(case=stored.case.id, name=name or person(), standing=Standing.OWNER)
    if voice == "reporter":
        return Speaker(case=stored.case.id, name=name or stored.reporter, standing=Standing.REPORTER)
    return Speaker(case=stored.case.id, name=name or person(), standing=Standing.DEVELOPER)


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
        said = kind or MessageKind.WORDS
        return await desk.intake.say(speaker.case, author=speaker.name, kind=said, text=text, client_id=key)
    words = Words(surface=SURFACE, external_id=key, author=speaker.name, text=text, kind=kind, resolution=resolution)
    message = await desk.reports.say(speaker.case, words, speaker.standing)
    assert message is not None, "a new id can't have been there before"
    return message


async def say_to(
    settings: Settings, console: Console, name: str, text: str, voice: VoiceName, author: str | None, *, as_json: bool
) -> int:
    if not text.strip():
        raise Refused("There are no words in that message.")
    readable(text)
    speaker = speaker_in(await _find(settings, name), voice, author)
    await _tell(settings, console, speaker, text, seconds=2, as_json=as_json)
    return 0


async def close_case(
    settings: Settings, console: Console, name: str, reason: str, resolution: str, *, as_json: bool
) -> int:
    """3 if the case has not obeyed yet: the command is recorded, and will be."""
    stored = await _find(settings, name)
    speaker = speaker_in(stored, "developer", None)
    kind = None
    if isinstance(stored, StoredBug):
        if stored.case.is_over:
            raise Refused(f"{stored.case.id} is resolved already: {stored.case.reason}.")
        kind = _resolution(resolution)
        reason = _reason(reason)
    elif resolution:
        raise Refused(f"{stored.case.id} is an issue case.", todo="`--resolution` is for bug cases; leave it out.")
    return await _tell(settings, console, speaker, reason, kind=MessageKind.CLOSE, resolution=kind, as_json=as_json)


async def take_over(settings: Settings, console: Console, name: str, author: str | None, *, as_json: bool) -> int:
    speaker = _developer(await _find(settings, name), author)
    return await _tell(settings, console, speaker, "I'll take it.", kind=MessageKind.TAKEOVER, as_json=as_json)


async def hand_back(settings: Settings, console: Console, name: str, author: str | None, *, as_json: bool) -> int:
    speaker = _developer(await _find(settings, name), author)
    return await _tell(settings, console, speaker, "Hand back.", kind=MessageKind.HAND_BACK, as_json=as_json)


def _developer(stored: StoredCase | StoredBug, author: str | None) -> Speaker:
    if isinstance(stored, StoredCase):
        raise Refused(
            f"{stored.case.id} is an issue case: taking over and handing back are not yet for issue cases.",
            todo=f"`caseworker close {stored.case.id}` ends it.",
        )
    if stored.case.is_over:
        raise Refused(f"{stored.case.id} is resolved: {stored.case.reason}.", todo="A word to it opens it again.")
    return speaker_in(stored, "developer", author)


async def _find(settings: Settings, name: str) -> StoredCase | StoredBug:
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
    seconds: float = _RECEIPT_SECONDS,
    as_json: bool,
) -> int:
    async with at_desk(settings, any_host=True) as desk:
        sent = await send(desk, speaker, text, kind=kind, resolution=resolution)
        await desk.keep_host()  # the one we rang may just have been ending
        message = await await_outcome(desk.store, speaker.case, sent.id, seconds=seconds)
        words = receipt(message, await turns_begun(desk.store, speaker.case))
    if as_json:
        print_json({"case": speaker.case, "message": sent.id, "kind": sent.kind.value, "receipt": words})
    else:
        console.print(f"{speaker.case}: {words}", markup=False)
    return 0 if message.outcome is not None else 3


_KINDS = ", ".join(kind.value for kind in Resolution)


def _resolution(given: str) -> Resolution:
    if not given and sys.stdin.isatty():
        given = typer.prompt(f"How was it resolved ({_KINDS})")
    try:
        return Resolution(given.strip().lower().replace(" ", "_").replace("-", "_"))
    except ValueError:
        wrong = f"`{given}` is no resolution." if given else "A bug is closed with a resolution and a reason."
        raise Refused(wrong, todo=f"--resolution takes one of {_KINDS}; --reason says why.") from None


def _reason(given: str) -> str:
    if not given.strip() and sys.stdin.isatty():
        given = typer.prompt("Why, for the record")
    if not given.strip():
        raise Refused("A bug is closed with a resolution and a reason.", todo='Say why: --reason "...".')
    return given.strip()
