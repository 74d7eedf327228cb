"""A model that answers single questions over HTTP: what a comment wants, what to say in a chat, what a thread says."""

import itertools
import json
import re
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from caseworker.agents.role_tools import ANSWER_TOOL
from caseworker.agents.upstreams import ModelAnswer, ModelCall
from caseworker.agents.upstreams.scripted_answers import Block, error_answer, message_answer
from tests.edges.agents_provider import provider
from tests.world.terminal import REHEARSAL


class QuestionModel:
    rehearsed = False

    def __init__(self) -> None:
        self.asked: list[str] = []
        """The questions, as they were sent."""
        self._intents: deque[dict[str, object]] = deque()
        self._chats: deque[dict[str, object]] = deque()
        self._numbers = itertools.count(1)

    def finds(self, workflow: str, confidence: float) -> None:
        self._intents.append({"workflow": workflow, "confidence": confidence, "rationale": "It says so."})

    def chats(self, mode: str, text: str, **more: object) -> None:
        self._chats.append({"output": {"mode": mode, "text": text, **more}})

    @property
    def digested(self) -> str:
        """Everything that it was given to sum up."""
        return "\n".join(text for text in self.asked if "comment " in text)

    async def send(self, call: ModelCall) -> ModelAnswer:
        text = json.dumps(call.document.get("messages"))
        self.asked.append(text)
        answer = self._answer(json.dumps(call.document.get("tools")), text)
        if answer is None:
            return error_answer("overloaded")
        name = f"msg_{next(self._numbers)}"
        used: Block = {"type": "tool_use", "id": f"toolu_{name}", "name": ANSWER_TOOL, "input": answer}
        return message_answer(call, name, [used])

    async def close(self) -> None:
        """Nothing is held open."""

    def _answer(self, tools: str, text: str) -> dict[str, object] | None:
        if "rationale" in tools:
            return self._intents.popleft() if self._intents else None
        if "directives" in tools:
            numbers = [int(number) for number in re.findall(r"comment (\d+)", text)]
            return {"directives": [], "context": [{"comments": numbers, "text": f"{len(numbers)} remarks."}]}
        return self._chats.popleft() if self._chats else None


@asynccontextmanager
async def serving_questions() -> AsyncIterator[tuple[QuestionModel, str]]:
    """The model, and its address."""
    model = QuestionModel()
    async with provider(REHEARSAL.read_text()) as served:
        served.model = model
        yield model, served.url
