"""`caseworker conversation`: prints everything said in a case, each message of a person with its receipt."""

from rich.console import Console

from caseworker.app.desk import find_case, reading
from caseworker.app.settings import Settings
from caseworker.app.terminal.live_view import print_json
from caseworker.app.terminal.local_times import zone_words
from caseworker.app.terminal.talk import Talk
from caseworker.core.record.bug_conversation import Line
from caseworker.views.conversations import conversation_json, lines_with_receipts


async def show_conversation(settings: Settings, console: Console, name: str, *, as_json: bool) -> None:
    async with reading(settings) as store:
        stored = await find_case(store, name)
        lines = await lines_with_receipts(store, stored, await store.record.whole(stored.case.id))
    if as_json:
        print_json({"case": stored.case.id, "title": stored.title, "conversation": conversation_json(lines)})
    else:
        console.print(zone_words(), style="dim")
        print_conversation(lines, console)


def print_conversation(lines: list[tuple[Line, str]], console: Console) -> None:
    talk = Talk(console)
    for line, told in lines:
        talk.show(line)
        if told:
            console.print(talk.aside(told, sign="↳"), highlight=False)
