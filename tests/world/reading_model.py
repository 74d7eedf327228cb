"""A model that decides by what it reads, not by the number of its turn: it asks whatever its prompt does not answer."""

import itertools
import json

from caseworker.agents.role_tools import CONVERSATION_TOOL, OUTCOME_TOOL, full_name
from caseworker.agents.upstreams import ModelAnswer, ModelCall
from caseworker.agents.upstreams.scripted_answers import Block, message_answer

PAGE, ORDER = "Which page shows the error?", "Which order was it?"
RULE = "Never ask again what has been answered"
"""The sentence of the prompt that it obeys."""


class ReadingModel:
    """The investigator of a bug case. It knows the cause once it has read an order's number and the rule."""

    rehearsed = False

    def __init__(self, bug: str = "") -> None:
        self.bug = bug
        self._numbers = itertools.count(1)

    async def send(self, call: ModelCall) -> ModelAnswer:
        name = f"msg_{next(self._numbers)}"
        tools = tool_names(dict(call.document))
        if OUTCOME_TOOL not in tools:
            return message_answer(call, name, [{"type": "text", "text": "ok"}])
        tool, arguments = self._decide(tools, json.dumps(call.document.get("messages")))
        used: Block = {"type": "tool_use", "id": f"toolu_{name}", "name": tool, "input": arguments}
        return message_answer(call, name, [used])

    async def close(self) -> None:
        """Nothing is held open."""

    def _decide(self, tools: list[str], read: str) -> tuple[str, dict[str, object]]:
        record = full_name(CONVERSATION_TOOL)
        if record not in tools:
            return OUTCOME_TOOL, _asks(PAGE)
        if "oldest first." not in read:
            return record, {"bug_id": self.bug}
        return OUTCOME_TOOL, _FOUND if RULE in read and "order 1182" in read else _asks(ORDER)


def tool_names(document: dict[str, object]) -> list[str]:
    tools = document.get("tools")
    return [str(tool.get("name")) for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []


def _asks(question: str) -> dict[str, object]:
    return {"action": "ask_reporter", "summary": "Vague.", "confidence": 0, "clarification_questions": [question]}


_FOUND: dict[str, object] = {
    "action": "post_findings",
    "summary": "The discount is applied twice.",
    "for_reporter": "Discounts are counted twice.",
    "confidence": 0.9,
    "evidence": [{"source": "greeting.txt:1", "shows": "the wrong sum"}],
}
