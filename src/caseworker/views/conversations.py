"""The conversation of a case, each line with its receipt."""

from collections.abc import Sequence

from caseworker.core.people.messages import Message, receipt
from caseworker.core.record.bug_conversation import Line, conversation
from caseworker.core.record.entries import Recorded
from caseworker.ports import Store, StoredAny
from caseworker.views.receipt_watch import turns_begun


async def lines_with_receipts(
    store: Store, stored: StoredAny, record: Sequence[Recorded], *, buttons: bool = False
) -> list[tuple[Line, str]]:
    """Each line with its receipt, which is empty for posts of the bot. `buttons`: for the dashboard."""
    case, turns = stored.case, await turns_begun(store, stored.case.id)
    messages: dict[int | None, Message] = {message.id: message for message in await store.inbox.of(case.id)}
    return [
        (line, receipt(messages[line.message], turns) if line.message in messages else "")
        for line in conversation(record, case.outbox, buttons=buttons)
    ]


def conversation_json(lines: list[tuple[Line, str]]) -> list[dict[str, object]]:
    return [
        {
            "at": line.at.isoformat(),
            "speaker": line.speaker,
            "author": line.author,
            "about": line.about,
            "to": line.audience.value if line.audience is not None else None,
            "text": line.text,
            "delivery": line.delivery.value,
            "message": line.message,
            "receipt": told or None,
        }
        for line, told in lines
    ]
