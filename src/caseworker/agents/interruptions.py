"""Gives people's messages to an agent at work: after each of its tool calls, and before it hands in its outcome.

Which messages, and what is recorded about them, is decided behind the `Ear`. How they are worded is in `quotes`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Final

import structlog

from caseworker.agents.quotes import how_many_fit, mid_turn_text, tools_ended
from caseworker.agents.role_tools import OUTCOME_TOOL
from caseworker.core.people.messages import Message
from caseworker.ports import Ear, Guard, SentFiles

if TYPE_CHECKING:
    from claude_agent_sdk import HookContext, HookInput, HookMatcher
    from claude_agent_sdk.types import HookEvent, SyncHookJSONOutput

    Hook = Callable[[HookInput, str | None, HookContext], Awaitable[SyncHookJSONOutput]]

_HAND_INS: Final = 2
"""How often an outcome is held back because of new messages: a lively thread must not keep a turn from ending."""
_AT_ONCE: Final = 9_000
"""Characters given after a tool call. Tried: of 31,000 the agent's program puts all but the first 2,000 into a file."""
_PATIENCE: Final = 600.0
"""Seconds that the agent's program waits for a hook. If it stopped waiting, the agent would miss claimed messages."""

log = structlog.get_logger()


class Hearing:
    """Gives messages to the agent of one attempt.

    `asked` returns the number of its model calls so far: the model reads what is shown now with its next call.
    """

    def __init__(self, ear: Ear, asked: Callable[[], int]) -> None:
        self.ear = ear
        self._asked = asked
        self._one_at_a_time = asyncio.Lock()  # the tools of one answer may end at the same time
        self._waiting: list[Message] = []
        """Messages that the turn has claimed and has not shown yet."""
        self._shown: list[Message] = []
        self._shown_at = -1
        """The number of model calls when they were shown."""
        self._passed_at = -1
        """The number of model calls when an outcome was let through."""
        self._held_back = 0
        self._holding = False
        self.guard: Guard | None = None
        """Says why tools were ended that used too much of the machine."""

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
        """Whether the last outcome was held back because of new messages. True once only.

        The agent's program counts such an outcome as an invalid answer, and ends.
        """
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
            # An outcome was handed in, by this or another tool call of the same answer: the model reads nothing more.
            if call.get("tool_name") == OUTCOME_TOOL or self._passed_at == self._asked():
                return ""
            await self._listen()
            ended = [tools_ended(why) for why in (self.guard.news() if self.guard is not None else ())]
            given = self._show(how_many_fit(self._waiting, _AT_ONCE))
            return "\n\n".join([*ended, await self._text(given)] if given else ended)

    async def _before_handing_in(self, _: "HookInput", __: str | None, ___: "HookContext") -> "SyncHookJSONOutput":
        async with self._one_at_a_time:
            if self._shown_at == self._asked():  # shown with another tool of this answer, so not read by the model yet
                self._waiting[:0] = self._shown
            # Claimed messages are always shown. For new ones an outcome is held back a limited number of times.
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
                    "permissionDecisionReason": await self._text(given),
                }
            }

    async def _listen(self) -> None:
        """Claims new messages. After an error the agent goes on, and the messages stay unclaimed."""
        try:
            news = await self.ear.news()
        except Exception:  # the SDK would swallow any error without a message
            log.warning("could not look for messages in the middle of a turn", exc_info=True)
        else:
            self._waiting.extend(news)

    async def _text(self, given: Sequence[Message]) -> str:
        try:
            files = await self.ear.files(given)
        except Exception:  # as above; the next turn has them
            log.warning("could not get the files of messages in the middle of a turn", exc_info=True)
            files = SentFiles()
        return mid_turn_text(given, files)

    def _show(self, count: int) -> list[Message]:
        given, self._waiting = self._waiting[:count], self._waiting[count:]
        if given:
            self._shown, self._shown_at = given, self._asked()
        return given
