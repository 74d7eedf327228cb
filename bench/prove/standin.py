"""A stand-in for the model behind the runtime port: it logs which messages it was given, and answers at random.

A real agent takes 220 MB and most of a second; the proof is about everything around it.
"""

import asyncio
import json
import os
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from caseworker.core.base.roles import Role, Task
from caseworker.core.outcomes.outcome import Outcome, parse_outcome
from caseworker.core.record.entries import AgentEvent
from caseworker.ports import AgentFailed, AgentFinished, Brief, Ear

_MARK: Final = re.compile(r"\[m-(\d{6})\]")


def mark(number: int) -> str:
    return f"[m-{number:06d}]"


def marks(text: str) -> list[int]:
    return [int(number) for number in _MARK.findall(text)]


@dataclass(frozen=True, kw_only=True)
class Given:
    """Messages that one attempt of a turn was given, in order: with its brief, or while it worked."""

    case: str
    turn: int
    attempt: int
    numbers: tuple[int, ...]


class StandIn:
    """`asks_only`: it asks the reporter at once. `deaf`: it hears nobody while it works."""

    def __init__(self, log: Path, *, seed: int, asks_only: bool = False, deaf: bool = False) -> None:
        self._log = log
        self._seed = seed
        self._asks_only = asks_only
        self._deaf = deaf

    async def run(
        self, brief: Brief, saw: Callable[[Sequence[AgentEvent]], Awaitable[None]], ear: Ear
    ) -> AgentFinished | AgentFailed:
        if self._asks_only:
            return AgentFinished(outcome=_asks(), calls=0)
        lot = Random(f"{self._seed} {brief.attempt.case} {brief.attempt.turn}")
        self._note(brief, marks(brief.prompt))
        for _ in range(lot.choice((1, 2))):
            await asyncio.sleep(lot.uniform(0.02, 0.2))
            if self._deaf:
                continue
            heard = [number for message in await ear.news() for number in marks(message.text)]
            self._note(brief, heard)
        (outcome,) = lot.choices((_asks(), _finds("post_findings"), _finds("resolved")), weights=(35, 55, 10))
        return AgentFinished(outcome=outcome, calls=0)

    def _note(self, brief: Brief, numbers: Sequence[int]) -> None:
        """One write, so that a kill leaves a whole line or none."""
        attempt = brief.attempt
        line = json.dumps([attempt.case, attempt.turn, attempt.number, list(numbers)]) + "\n"
        file = os.open(self._log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, line.encode())
        finally:
            os.close(file)


def read_log(log: Path) -> list[Given]:
    lines = log.read_text().splitlines() if log.exists() else []
    return [
        Given(case=case, turn=turn, attempt=attempt, numbers=tuple(numbers))
        for case, turn, attempt, numbers in map(json.loads, lines)
    ]


def _asks() -> Outcome:
    return _answer("ask_reporter", clarification_questions=["Which page shows the error?"])


def _finds(action: str) -> Outcome:
    return _answer(
        action,
        for_reporter="We know why it fails.",
        evidence=[{"source": "shop/cart.py:12", "shows": "the discount is applied twice"}],
    )


def _answer(action: str, **fields: object) -> Outcome:
    whole = {"action": action, "summary": "The discount is applied twice.", "confidence": 0.8, **fields}
    return parse_outcome(Role.INVESTIGATOR, Task.BUG, whole)
