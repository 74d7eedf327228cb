"""How people reach an agent at work: what they say is handed to it between two of its steps, and before it hands in.

Who may be heard, and what is written down about it, is decided behind the `Ear`. How it is worded is in `quoting`.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

import structlog

from caseworker.agents.quotes import overheard, portion
from caseworker.agents.roles import OUTCOME_TOOL
from caseworker.core.people.messages import Message
from caseworker.ports import Ear

if TYPE_CHECKING:
    from claude_agent_sdk import HookContext, HookInput, HookMatcher
    from claude_agent_sdk.types import HookEvent, SyncHookJSONOutput

    Hook = Callable[[HookInput, str | None, HookContext], Awaitable[SyncHookJSONOutput]]

_HAND_INS: Final = 2
"""How often an outcome is held back because somebody spoke: a lively thread must not keep a turn from ending."""
_AT_ONCE: Final = 9_000
"""Characters given after a tool. Tried: of 31,000 the agent's program puts all but the first 2,000 into a file."""
_PATIENCE: Final = 600.0
"""Seconds that the agent's program waits for us. If it went on before, what was claimed would not be seen."""

log = structlog.get_logger()


class Hearing:
    """The ear of one attempt. `asked` counts its model calls: what is shown after a call is read with the next one."""

    def __init__(self, ear: Ear, asked: Callable[[], int]) -> None:
        self.ear = ear
        self._asked = asked
        self._one_at_a_time = asyncio.Lock()  # tools of one answer may end together
        self._waiting: list[Message] = []
        """Claimed by the turn, and still to be shown."""
        self._shown: list[Message] = []
        self._shown_at = -1
        """After how many model calls."""
        self._passed_at = -1
        """After how many model calls an outcome was let pass."""
        self._held_back = 0
        self._holding = False

    def hooks(self) -> "dict[HookEvent, list[HookMatcher]]":
        from claude_agent_sdk import HookMatcher

        def calling(hook: "Hook", tool: str | None = None) -> list[HookMatcher]:
            return [HookMatcher(matcher=tool, hooks=[hook], timeout=_PATIENCE)]

        return {
            "PreToolUse": calling(self._before_handing_in, OUTCOME_TOOL),
            "PostToolUse": calling(self._after_a_tool),
            "PostToolUseFailure": calling(self._after_a_failed_tool),
        }

    def took_back(self) -> bool:
        """Whether the last outcome was held back for somebody's words; told once. The agent's program counts that as
        an invalid answer, and ends."""
        held, self._holding = self._holding, False
        return held

    async def _after_a_tool(self, call: "HookInput", _: str | None, __: "HookContext") -> "SyncHookJSONOutput":
        text = await self._between_steps(call)
        return {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": text}} if text else {}

    async def _after_a_failed_tool(self, call: "HookInput", _: str | None, __: "HookContext") -> "SyncHookJSONOutput":
        text = await self._between_steps(call)
        if not text:
            return {}
        return {"hookSpecificOutput": {"hookEventName": "PostToolUseFailure", "additionalContext": text}}

    async def _between_steps(self, call: "HookInput") -> str:
        async with self._one_at_a_time:
            # Handed in, by this or by another tool of the same answer: nothing would be read any more.
            if call.get("tool_name") == OUTCOME_TOOL or self._passed_at == self._asked():
                return ""
            await self._listen()
            given = self._show(portion(self._waiting, _AT_ONCE))
            return overheard(given) if given else ""

    async def _before_handing_in(self, _: "HookInput", __: str | None, ___: "HookContext") -> "SyncHookJSONOutput":
        async with self._one_at_a_time:
            if self._shown_at == self._asked():  # by another tool of the same answer: the model has not read it yet
                self._waiting[:0] = self._shown
            # What the turn has claimed is shown, come what may; for more it listens twice.
            if not self._waiting and self._held_back < _HAND_INS:
                await self._listen()
            given = self._show(len(self._waiting))
            self._holding = bool(given)
            if not given:
                self._passed_at = self._asked()
                return {}
            self._held_back += 1
            return {
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse",
                    "permissionDecision": "deny",
                    "permissionDecisionReason": overheard(given),
                }
            }

    async def _listen(self) -> None:
        """Without an answer the agent goes on: what was said waits, unclaimed."""
        try:
            news = await self.ear.news()
        except Exception:  # whatever it is: the SDK would swallow it without a word
            log.warning("could not look for messages in the middle of a turn", exc_info=True)
        else:
            self._waiting.extend(news)

    def _show(self, count: int) -> list[Message]:
        given, self._waiting = self._waiting[:count], self._waiting[count:]
        if given:
            self._shown, self._shown_at = given, self._asked()
        return given
