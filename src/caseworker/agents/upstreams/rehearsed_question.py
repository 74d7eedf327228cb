"""A model that answers one single question from a script."""

import asyncio

from caseworker.agents.rehearsal import QuestionStep, Rehearsal
from caseworker.agents.role_tools import ANSWER_TOOL
from caseworker.agents.upstreams import ModelAnswer, ModelCall, NotScripted
from caseworker.agents.upstreams.scripted_answers import Block, error_answer, message_answer


class RehearsedQuestion:
    rehearsed = True

    def __init__(self, rehearsal: Rehearsal, *, purpose: str, nth: int, pace: float | None = None) -> None:
        self._steps = rehearsal.answers_to(purpose, nth)
        self._name = f"{purpose} (nth {nth})"
        self._pace = rehearsal.pace if pace is None else pace
        self._calls = 0

    async def send(self, call: ModelCall) -> ModelAnswer:
        if self._steps is None:
            raise NotScripted(f"the rehearsal has no question for {self._name}")
        if self._calls >= len(self._steps):
            steps = "1 step" if len(self._steps) == 1 else f"{len(self._steps)} steps"
            raise NotScripted(f"the rehearsal of the question {self._name} ran out after {steps}")
        step = self._steps[self._calls]
        self._calls += 1
        await asyncio.sleep(self._pace if step.delay is None else step.delay)
        if step.error is not None:
            return error_answer(step.error)
        return message_answer(call, f"msg_{self._calls}", [_block(step, self._calls)])

    async def close(self) -> None:
        """Nothing is held open."""


def _block(step: QuestionStep, number: int) -> Block:
    if step.answer is None:
        return {"type": "text", "text": step.say or ""}
    return {"type": "tool_use", "id": f"toolu_{number}", "name": ANSWER_TOOL, "input": step.answer}
