"""An upstream that answers the model calls of one attempt from a rehearsal script, with the provider's API."""

import asyncio
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caseworker.agents.quotes import MID_TURN
from caseworker.agents.rehearsal import Rehearsal, Step
from caseworker.agents.role_tools import OUTCOME_TOOL, full_name
from caseworker.agents.upstreams import ModelAnswer, ModelCall, NotScripted
from caseworker.agents.upstreams.scripted_answers import Block, error_answer, message_answer, tokens_in, whole_answer
from caseworker.core.base.roles import Role, Task

_HEARING_SECONDS: Final = 60.0
"""How long a step is repeated while it waits for a message."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """Which part of the script this attempt plays, and the values to fill in."""

    role: Role
    task: Task
    nth: int
    session: str
    case: str
    workspace: Path

    def __str__(self) -> str:
        return f"{self.role}/{self.task} (nth {self.nth})"


def no_turn_for(part: Part) -> str:
    return f"the rehearsal has no turn for {part}"


class RehearsedUpstream:
    rehearsed = True

    def __init__(self, rehearsal: Rehearsal, part: Part, *, pace: float | None = None) -> None:
        self._steps = rehearsal.steps_for(part.role, part.task, part.nth)
        self._part = part
        self._pace = rehearsal.pace if pace is None else pace
        self._asked: dict[str, tuple[int, int]] = {}
        """(step, number of the answer) of each request so far: a repeated request gets the same answer again."""
        self._next = 0
        self._heard_before: int | None = None
        """Mid-turn messages of earlier turns, which were in the conversation when this attempt began."""
        self._heard = 0
        """Mid-turn messages of this attempt that were in the last request."""
        self._patient_until = 0.0
        self._answers = 0

    async def send(self, call: ModelCall) -> ModelAnswer:
        if call.path == "/v1/messages/count_tokens":
            return whole_answer(200, {"input_tokens": tokens_in(call)})
        if not _is_main_loop(call.document):
            return message_answer(call, "msg_side", [{"type": "text", "text": "ok"}])
        number, answer = self._step_for(call)
        step = self._script()[number]
        await asyncio.sleep(self._pace if step.delay is None else step.delay)
        if step.error is not None:
            return error_answer(step.error)
        # Each answer has its own id: the agent's program merges messages with the same id.
        name = f"{self._part.session}_{answer}"
        return message_answer(call, f"msg_{name}", self._content(step, name))

    async def close(self) -> None:
        """Nothing is held open."""

    def _script(self) -> tuple[Step, ...]:
        if self._steps is None:
            raise NotScripted(no_turn_for(self._part))
        return self._steps

    def _step_for(self, call: ModelCall) -> tuple[int, int]:
        steps = self._script()
        digest = _digest(call.document)
        known = self._asked.get(digest)
        if known is not None and steps[known[0]].error is None:
            return known
        heard = self._heard_since(call.document)
        if not self._is_again(heard):
            self._next += 1
            self._patient_until = asyncio.get_running_loop().time() + _HEARING_SECONDS
        if self._next > len(steps):
            steps_said = "1 step" if len(steps) == 1 else f"{len(steps)} steps"
            raise NotScripted(f"the rehearsal of {self._part} ran out after {steps_said}")
        self._heard = heard
        self._answers += 1
        self._asked[digest] = (self._next - 1, self._answers)
        return self._asked[digest]

    def _heard_since(self, document: Mapping[str, object]) -> int:
        in_conversation = json.dumps(document.get("messages")).count(f'what=\\"{MID_TURN}')
        if self._heard_before is None:
            self._heard_before = in_conversation
        return in_conversation - self._heard_before

    def _is_again(self, heard: int) -> bool:
        """Whether the last step is played again: it still waits for a message, or its outcome was held back.

        An outcome is held back because of messages that the script did not expect.
        """
        if not 0 < self._next <= len(self._script()):
            return False
        last = self._script()[self._next - 1]
        if last.hear is not None and heard < last.hear:
            return asyncio.get_running_loop().time() < self._patient_until
        return last.outcome is not None and self._next == len(self._script()) and heard > self._heard

    def _content(self, step: Step, name: str) -> list[Block]:
        blocks: list[Block] = []
        if step.say is not None:
            blocks.append({"type": "text", "text": self._filled_in(step.say)})
        calls = [(tool.call, tool.arguments) for tool in step.tool_calls()]
        if step.outcome is not None:
            calls.append((OUTCOME_TOOL, step.outcome))
        for index, (tool, arguments) in enumerate(calls):
            use = {"id": f"toolu_{name}_{index}", "name": full_name(tool), "input": self._filled_in(arguments)}
            blocks.append({"type": "tool_use", **use})
        return blocks

    def _filled_in(self, value: object) -> object:
        if isinstance(value, str):
            return value.replace("${workspace}", str(self._part.workspace)).replace("${case}", self._part.case)
        if isinstance(value, list):
            return [self._filled_in(item) for item in value]
        if isinstance(value, dict):
            return {key: self._filled_in(item) for key, item in value.items()}
        return value


def _is_main_loop(document: Mapping[str, object]) -> bool:
    tools = document.get("tools")
    return isinstance(tools, list) and any(
        isinstance(tool, dict) and tool.get("name") == OUTCOME_TOOL for tool in tools
    )


def _digest(document: Mapping[str, object]) -> str:
    """A hash of the conversation alone: a repeated request may have other headers, stream flag or metadata."""
    return hashlib.sha256(json.dumps(document.get("messages"), sort_keys=True).encode()).hexdigest()
