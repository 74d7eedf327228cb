"""`caseworker conversation`: prints everything said in a case, each message of a person with its receipt."""

from collections.abc import Sequence

from rich.console import Console

from caseworker.app.desk import find_case, reading
from caseworker.app.settings import Settings
from caseworker.app.terminal.live_view import TIMES, print_json
from caseworker.app.terminal.receipts import turns_begun
from caseworker.app.terminal.talk import Talk
from caseworker.core.people.messages import Message, receipt
from caseworker.core.record.conversation import Line, conversation
from caseworker.core.record.entries import Recorded
from caseworker.ports import Store, StoredAny


async def lines_with_receipts(store: Store, stored: StoredAny, record: Sequence[Recorded]) -> list[tuple[Line, str]]:
    """Each line with its receipt, which is empty for posts of the bot."""
    case, turns = stored.case, await turns_begun(store, stored.case.id)
    messages: dict[int | None, Message] = {message.id: message for message in await store.inbox.of(case.id)}
    return [
        (line, receipt(messages[line.message], turns) if line.message in messages else "")
        for line in conversation(record)
    ]


async def show_conversation(settings: Settings, console: Console, name: str, *, as_json: bool) -> None:
    async with reading(settings) as store:
        stored = await find_case(store, name)
        lines = await lines_with_receipts(store, stored, await store.record.whole(stored.case.id))
    if as_json:
        print_json({"case": stored.case.id, "title": stored.title, "conversation": conversation_json(lines)})
    else:
        console.print(TIMES, style="dim")
        print_conversation(lines, console)


def conversation_json(lines: list[tuple[Line, str]]) -> list[dict[str, object]]:
    return [
        {
            "at": line.at.isoformat(),
            "speaker": line.speaker,
            "author": line.author,
            "about": line.about,
            "to": line.audience.value if line.audience is not None else None,
            "text": line.text,
            "message": line.message,
            "receipt": told or None,
        }
        for line, told in lines
    ]


def print_conversation(lines: list[tuple[Line, str]], console: Console) -> None:
    talk = Talk(console)
    for line, told in lines:
        talk.show(line)
        if told:
            console.print(talk.aside(told, sign="↳"), highlight=False)
