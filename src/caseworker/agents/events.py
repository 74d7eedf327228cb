"""Turns the SDK's messages into events for the record, and passes them on in small batches.

A message counts only if the gateway saw the model say it, or ask for its tool: else it is not the agent's.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final

from caseworker.agents.role_tools import OUTCOME_TOOL, short_name
from caseworker.agents.witness import Witness
from caseworker.core.base.redaction import Redactor
from caseworker.core.base.text import clip
from caseworker.core.record.entries import AgentEvent, AgentSaid, ToolCalled, ToolReturned

if TYPE_CHECKING:
    from claude_agent_sdk import Message, ToolResultBlock

OUTPUT_LIMIT: Final = 2_000
_SUMMARY_LIMIT: Final = 300
_SUMMARY_INPUTS: Final = ("command", "script", "file_path", "pattern", "path", "bug_id", "description")
"""Inputs of tools that say in one line what is done, the most informative first."""
_FLUSH_SECONDS: Final = 0.2
_FLUSH_EVENTS: Final = 20


class Watcher:
    """Makes the events of one attempt. One instance per attempt, because it matches results to calls."""

    def __init__(self, turn: int, redactor: Redactor, *, workspace: Path, witness: Witness) -> None:
        self._turn = turn
        self._workspace = f"{workspace}/"
        self._redactor = redactor
        self._witness = witness
        self._called: set[str] = set()
        self._returned: set[str] = set()
        self.rejection = ""
        """Why the agent's program rejected the last outcome; empty if it did not."""

    def events(self, message: "Message") -> Iterator[AgentEvent]:
        from claude_agent_sdk import AssistantMessage, TextBlock, ToolResultBlock, ToolUseBlock, UserMessage

        if not isinstance(message, AssistantMessage | UserMessage) or isinstance(message.content, str):
            return
        if isinstance(message, AssistantMessage) and message.error is not None:
            return  # the program's own text about a failed call; the end of the turn is recorded in better words
        for block in message.content:
            match block:
                case TextBlock(text=text) if isinstance(message, AssistantMessage) and text.strip():
                    if self._witness.said(text):
                        yield AgentSaid(turn=self._turn, text=self._clean(text))
                case ToolUseBlock(id=call):
                    yield from self._tool_called(call)
                case ToolResultBlock():
                    yield from self._tool_returned(block)

    def _tool_called(self, call: str) -> Iterator[AgentEvent]:
        """The call as the model asked for it, once, except an outcome: the record shows that separately."""
        asked = self._witness.asked.get(call)
        if asked is None or asked.name == OUTCOME_TOOL or call in self._called:
            return
        self._called.add(call)
        summary = self._redactor.text(_summary(asked.arguments).replace(self._workspace, ""))
        yield ToolCalled(turn=self._turn, call=call, tool=short_name(asked.name), summary=summary)

    def _tool_returned(self, block: "ToolResultBlock") -> Iterator[AgentEvent]:
        call, failed = block.tool_use_id, bool(block.is_error)
        asked = self._witness.asked.get(call)
        if asked is None or call in self._returned:
            return
        self._returned.add(call)
        if asked.name == OUTCOME_TOOL:
            self.rejection = _text_of(block.content) if failed else ""
        else:
            yield ToolReturned(turn=self._turn, call=call, ok=not failed, output=self._clean(_text_of(block.content)))

    def _clean(self, text: str) -> str:
        """Redacts first and clips then: a secret cut in two would not be recognised."""
        return clip(self._redactor.text(text), OUTPUT_LIMIT)


def _summary(arguments: dict[str, object]) -> str:
    value = next((str(arguments[name]) for name in _SUMMARY_INPUTS if arguments.get(name)), "")
    line = " ".join(value.split())
    return line if len(line) <= _SUMMARY_LIMIT else line[: _SUMMARY_LIMIT - 1] + "…"


def _text_of(content: object) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", f"[{part.get('type')}]")) for part in content if isinstance(part, dict))
    return str(content or "")


class Batches:
    """Passes events to a reader every 0.2 s or 20 events, in its own task: a slow reader must not delay the agent."""

    def __init__(self, reader: Callable[[Sequence[AgentEvent]], Awaitable[None]]) -> None:
        self._reader = reader
        self._waiting: list[AgentEvent] = []
        self._some = asyncio.Event()
        self._many = asyncio.Event()
        self._delivering = False
        self._delivered = asyncio.Event()
        """Set each time the reader has taken a batch, or has failed."""
        self._ending = False
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> "Batches":
        self._task = asyncio.create_task(self._deliver(), name="agent-events")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Delivers the rest, unless the attempt was cancelled: then nothing more may be written for it."""
        assert self._task is not None
        if error is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
            return
        self._ending = True
        self._some.set()
        self._many.set()
        await self._task

    def add(self, events: Sequence[AgentEvent]) -> None:
        self.raise_if_broken()
        if events:
            self._waiting.extend(events)
            self._some.set()
            if len(self._waiting) >= _FLUSH_EVENTS:
                self._many.set()

    async def all_told(self) -> None:
        """Waits until the reader has taken everything that was added."""
        while self._waiting or self._delivering:
            self.raise_if_broken()
            self._some.set()
            self._many.set()
            self._delivered.clear()
            await self._delivered.wait()

    def raise_if_broken(self) -> None:
        """Raises the reader's error, if there was one: an attempt must not go on when its events can't be recorded."""
        if self._task is not None and self._task.done():
            self._task.result()

    async def _deliver(self) -> None:
        while self._waiting or not self._ending:
            await self._some.wait()
            with suppress(TimeoutError):
                async with asyncio.timeout(_FLUSH_SECONDS):
                    await self._many.wait()
            batch, self._waiting = self._waiting, []
            if not self._ending:
                self._some.clear()
                self._many.clear()
            if batch:
                self._delivering = True
                try:
                    await self._reader(batch)
                finally:
                    self._delivering = False
                    self._delivered.set()
