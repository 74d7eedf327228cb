"""The story of a case as a timeline: one item per record entry, turns with their steps apart, long waits marked."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import CaseId
from caseworker.core.record.bug_conversation import text_for_reader
from caseworker.core.record.entries import (
    AgentSaid,
    MessageRecorded,
    Posted,
    Recorded,
    ToolCalled,
    ToolReturned,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
)
from caseworker.core.telling.story import tell
from caseworker.core.telling.told import Told
from caseworker.ports import Store

LONG_WAIT: Final = timedelta(minutes=10)
"""A pause of at least this length is shown as one line."""
STEPS: Final = frozenset({"agent_said", "tool_called", "tool_returned"})
"""Entries inside a turn. There may be thousands, so they are read turn by turn."""
QUIET: Final = frozenset({"messages_claimed", "workspace_removed", "attempt_ended"})
"""Entries that only programs need: nothing is told of them."""
_OUTPUT: Final = 4_000
"""Characters of a tool's output that a page shows."""
_READ: Final = 500


class StoryItem(BaseModel):
    model_config = ConfigDict(frozen=True)

    sequence: int
    at: datetime
    kind: str
    lines: tuple[Told, ...]
    wait_seconds: float = 0
    """How long nothing had happened before it. 0: not worth a line."""
    turn: int | None = None
    attempt: int = 1
    part: Literal["entry", "turn", "step", "turn_end"] = "entry"
    text: str = ""
    """More to read: what an agent said, what a tool returned, a person's whole message."""
    failed: bool = False

    @property
    def steps_id(self) -> str:
        return f"steps-{self.turn}-{self.attempt}"


def story_items(
    record: Iterable[Recorded], *, attempts: dict[int, int] | None = None, before: datetime | None = None
) -> list[StoryItem]:
    """The items of these entries. `attempts`: the newest attempt of each turn before them; it is updated. `before`:
    the time of the entry before them."""
    known = {} if attempts is None else attempts
    items: list[StoryItem] = []
    for recorded in record:
        item = _item(recorded, known)
        if item is None:
            continue
        if before is not None and recorded.at - before >= LONG_WAIT and item.part != "step":
            item = item.model_copy(update={"wait_seconds": (recorded.at - before).total_seconds()})
        before = recorded.at
        items.append(item)
    return items


def _item(recorded: Recorded, attempts: dict[int, int]) -> StoryItem | None:
    entry = recorded.entry
    item = StoryItem(sequence=recorded.sequence, at=recorded.at, kind=entry.kind, lines=tuple(tell(entry)))
    match entry:
        case TurnStarted():
            attempts[entry.turn] = entry.attempt
            return item.model_copy(update={"turn": entry.turn, "attempt": entry.attempt, "part": "turn"})
        case TurnCompleted() | TurnFailed():
            failed = isinstance(entry, TurnFailed)
            place = {"turn": entry.turn, "attempt": entry.attempt, "part": "turn_end", "failed": failed}
            return item.model_copy(update=place)
        case AgentSaid() | ToolCalled() | ToolReturned():
            return _step(item, entry, attempts.get(entry.turn, 1))
        case MessageRecorded(text=text):
            return item.model_copy(update={"text": text})
        case Posted():
            return item.model_copy(update={"text": text_for_reader(entry, buttons=True)})
        case _:
            bad = any(line.mark in ("bad", "failed") for line in item.lines)
            return item.model_copy(update={"failed": bad}) if item.lines else None


def _step(item: StoryItem, entry: AgentSaid | ToolCalled | ToolReturned, attempt: int) -> StoryItem:
    place: dict[str, object] = {"turn": entry.turn, "attempt": attempt, "part": "step"}
    match entry:
        case AgentSaid(text=text):
            return item.model_copy(update={**place, "text": text})
        case ToolReturned(output=output, ok=ok):
            return item.model_copy(update={**place, "text": output[-_OUTPUT:], "failed": not ok})
        case _:
            return item.model_copy(update=place)


async def steps_of(store: Store, case: CaseId, *, after: int) -> list[StoryItem]:
    """The steps of the attempt whose turn_started entry has this number."""
    began = await store.record.read(case, after=after - 1, limit=1)
    if not began or not isinstance(began[0].entry, TurnStarted):
        return []
    start, found = began[0].entry, list[Recorded]()
    while page := await store.record.read(case, after=found[-1].sequence if found else after, limit=_READ):
        for recorded in page:
            entry = recorded.entry
            if isinstance(entry, TurnStarted):
                return story_items(_steps(found, start.turn), attempts={start.turn: start.attempt})
            found.append(recorded)
        if any(isinstance(one.entry, TurnCompleted | TurnFailed) and one.entry.turn == start.turn for one in page):
            break
    return story_items(_steps(found, start.turn), attempts={start.turn: start.attempt})


def _steps(found: Iterable[Recorded], turn: int) -> list[Recorded]:
    return [
        one for one in found if isinstance(one.entry, AgentSaid | ToolCalled | ToolReturned) and one.entry.turn == turn
    ]
