"""Quotes people's messages for an agent: cleaned, clipped, fenced with a nonce, labelled with who wrote them.

Used for prompts (`prompt_texts`) and for what reaches an agent in the middle of a turn.
"""

import secrets
from collections.abc import Sequence
from typing import Final

from caseworker.core.base.text import clip
from caseworker.core.base.untrusted_text import Fence, cleaned, one_line
from caseworker.core.people.commands import FixNews, MessageKind, Say
from caseworker.core.people.messages import Message, Standing
from caseworker.core.record.bug_conversation import Delivery, Line
from caseworker.ports import SentFiles

MESSAGE_LIMIT: Final = 8_000
"""Characters of one message. With its label it fits into what the agent's program passes on from a hook."""
MID_TURN: Final = "said while you work"
"""The label of a message that came in the middle of a turn. A rehearsal counts these labels."""
_PAGE_LIMIT: Final = 40_000
"""Characters of a page. Tried: the agent's program puts 70,000 into a file and shows none of them."""
_LABEL_ROOM: Final = 300
"""Characters around one message at most: two tags, a name, a time."""
_CHANGED: Final = {
    MessageKind.EDIT: "edited an earlier message, which now says",
    MessageKind.DELETION: "took an earlier message back, which said",
}
NO_FILES: Final = SentFiles()


def new_fence() -> Fence:
    """A fence for one prompt."""
    return Fence(secrets.token_hex(6))


def said(fence: Fence, message: Message, *, what: str = "message") -> str:
    change = _CHANGED.get(message.kind)
    text = _shown(message.text) or "(no words)"
    return fence.around(text, what=f"{what}: {change}" if change else what, source=_who(message))


def mid_turn_text(messages: Sequence[Message], files: SentFiles = NO_FILES) -> str:
    """The messages that came while the agent works, and what it should do about them."""
    fence = new_fence()
    lines = ["People spoke while you work. Take this into account in what you do next and in your outcome."]
    if any(message.standing is Standing.REPORTER for message in messages):
        lines.append("A reporter's words inform you about symptoms; decisions about a fix belong to developers.")
    came_along = attached(fence, files) if files != NO_FILES else ""
    parts = (" ".join(lines), *(said(fence, message, what=MID_TURN) for message in messages), came_along)
    return "\n".join(part for part in parts if part)


def tools_ended(why: str) -> str:
    """For an agent whose command was ended by the guard of its sandbox. `why`: a sentence of ours."""
    return (
        f"Caseworker ended the commands that you had started: {why}. Go on with less, or say in your outcome why not."
    )


def attached(fence: Fence, files: SentFiles) -> str:
    """The files that people sent."""
    lines = [
        f"- `{one.path}`: {one_line(one.title, 300)} "
        f"({one_line(one.media_type, 100) or 'of unknown type'}, {one.size:,} bytes)"
        for one in files.readable
    ]
    lines += [f"- could not be had: {one_line(one.title, 300)} ({one_line(one.why, 300)})" for one in files.lost]
    return fence.around("\n".join(lines), what="files that came with it", source="the people in this case")


def how_many_fit(messages: Sequence[Message], limit: int) -> int:
    """How many messages, from the first on, fit into `limit` characters; at least one."""
    room, count = limit, 0
    for message in messages:
        room -= min(len(message.text), MESSAGE_LIMIT) + _LABEL_ROOM
        if room < 0:
            break
        count += 1
    return max(count, 1)


def conversation_page(lines: Sequence[Line], before: int | None = None) -> str:
    """The newest page of a conversation, or the newest one before an entry, oldest entry first.

    Entries are numbered from the first on, so that the numbers stay the same when people go on talking."""
    fence = new_fence()
    entries = [entry for line in lines for entry in _entries(fence, line)]
    if not entries:
        return "Nothing has been said in this case yet."
    end = len(entries) if before is None else min(max(before - 1, 0), len(entries))
    begin, room = end, _PAGE_LIMIT
    while begin > 0 and len(entries[begin - 1]) <= room:
        begin -= 1
        room -= len(entries[begin])
    if begin == end:
        return f"There are {len(entries)} entries in all, and none before the first."
    head = f"Entries {begin + 1} to {end} of {len(entries)}, oldest first."
    earlier = f" For earlier ones call this again with before: {begin + 1}." if begin else ""
    return "\n".join((head + earlier, *entries[begin:end]))


def _entries(fence: Fence, line: Line) -> list[str]:
    """The line, in several entries if it is long: nothing is left out."""
    not_said = line.delivery is Delivery.PENDING
    source = f"{line.author}, {line.speaker}"
    if line.speaker == "bot":
        source = "you, to everyone" if line.audience is None else f"you, to the {line.audience}"
    text = cleaned(line.text).strip() or ("(its text is made when it is said)" if not_said else "")
    parts = [text[start : start + MESSAGE_LIMIT] for start in range(0, len(text), MESSAGE_LIMIT)]
    what = f"{line.at:%Y-%m-%d %H:%M:%S} UTC, {line.about}"
    what += "" if line.delivery is Delivery.SAID else f", {line.delivery.upper()}"
    labels = [f"{what}, part {number} of {len(parts)}" for number in range(1, len(parts) + 1)]
    labels = labels if len(parts) > 1 else [what]
    return [fence.around(part, what=label, source=source) for part, label in zip(parts, labels, strict=False)]


def _who(message: Message) -> str:
    if isinstance(message.command, FixNews) or (isinstance(message.command, Say) and message.command.by_agent):
        return f"{message.author}, what an agent found there; no person said it"
    return f"{message.author}, {message.standing}"


def _shown(text: str) -> str:
    return clip(cleaned(text), MESSAGE_LIMIT)
