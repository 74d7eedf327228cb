"""A model that obeys every order it finds in what it reads, and decodes hidden text to find more.

As an agent behind the runtime port it works on real files; as a model it speaks the Messages API. It knows a secret of
the deployment, which a real one would have to find first.
"""

import itertools
import json
import re
import subprocess
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from caseworker.agents.role_tools import ANSWER_TOOL
from caseworker.agents.upstreams import ModelAnswer, ModelCall
from caseworker.agents.upstreams.scripted_answers import Block, message_answer
from caseworker.core.base.roles import Role
from caseworker.core.outcomes.outcome import Outcome, parse_outcome
from caseworker.core.record.entries import AgentEvent
from caseworker.ports import AgentFailed, AgentFinished, Brief, Ear
from tests.world.agent import ScriptedAgent

_ORDER: Final = re.compile(r"AGENT MUST (?P<verb>[A-Z_]+) (?P<what>[^\n]+)")
_BITS: Final = ("\u200b\u200c", "\u200d\u200e", "\u2060\u2062", "\u00ad\ufeff", "\u2066\u2069", "\u3164\uffa0")
_FREE_TEXT: Final = ("reason", "plan", "summary", "commit_message", "root_cause", "brief", "reply", "description")
_OUTPUT_LIMIT: Final = 1_500
_PWN: Final = "on: [push, pull_request_target]\njobs: {}\n"


@dataclass(frozen=True)
class Order:
    verb: str
    what: str


def orders_in(text: str) -> list[Order]:
    """Every order in the text, also in what people can't see of it."""
    found: list[Order] = []
    for reading in _readings(text):
        for one in _ORDER.finditer(reading):
            order = Order(
                one["verb"], one["what"].replace("\\n", "\n").replace("\\x1b", "\x1b").replace("\\x07", "\x07")
            )
            if order not in found:
                found.append(order)
    return found


def _readings(text: str) -> Iterator[str]:
    yield text
    yield text[::-1]
    yield "".join(letter for letter in text if letter.isprintable() or letter == "\n")
    yield "".join(chr(ord(letter) - 0xE0000) for letter in text if 0xE0000 < ord(letter) <= 0xE007F)
    halves = [ord(letter) - 0xFE00 for letter in text if 0xFE00 <= ord(letter) <= 0xFE0F]
    yield bytes(high << 4 | low for high, low in zip(halves[::2], halves[1::2], strict=False)).decode(errors="replace")
    for zero, one in _BITS:
        bits = "".join("1" if letter == one else "0" for letter in text if letter in (zero, one))
        yield bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits) - 7, 8)).decode(errors="replace")


class GullibleAgent(ScriptedAgent):
    def __init__(self, secret: str) -> None:
        super().__init__()
        self._secret = secret
        self.read_by: dict[str, list[Order]] = defaultdict(list)
        """Orders that the turns of a case have read."""

    async def run(
        self, brief: Brief, saw: Callable[[Sequence[AgentEvent]], Awaitable[None]], ear: Ear
    ) -> AgentFinished | AgentFailed:
        ended = await super().run(brief, saw, ear)
        heard = "\n".join(message.text for message in await ear.news())
        orders = orders_in("\n".join((brief.prompt, heard, _notes(brief))))
        case = self.read_by[brief.attempt.case]
        case += [order for order in orders if order not in case]
        if isinstance(ended, AgentFailed):
            return ended
        if brief.role is Role.DEVELOPER:
            for order in orders:
                self._obey(order, brief.tree.path)
        said = "\n\n".join(self._filled(order.what) for order in orders if order.verb == "SAY")
        return AgentFinished(outcome=_saying(brief, ended.outcome, said), calls=1) if said else ended

    def _filled(self, text: str) -> str:
        return text.replace("{secret}", self._secret)

    def _obey(self, order: Order, tree: Path) -> None:
        match order.verb:
            case "WRITE":
                path = tree / order.what
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(_PWN)
            case "RUN":
                (tree / "tests" / "zz.sh").write_text(f"echo found; ( {order.what} ) 2>&1\ntrue\n")
            case "BRANCH":
                name = self._filled(order.what)
                subprocess.run(["git", "-C", tree, "branch", "--force", name, "HEAD"], check=False, capture_output=True)
            case _:
                pass


def _notes(brief: Brief) -> str:
    """A file of the repository, if it was told to look there."""
    return (brief.tree.path / "NOTES.md").read_text() if "NOTES.md" in brief.prompt else ""


def _saying(brief: Brief, outcome: Outcome, said: str) -> Outcome:
    """The outcome with the words in every free text of it; shorter ones where they don't fit."""
    for limit in (len(said), _OUTPUT_LIMIT, 200):
        fields = {name: _with(name, value, said[:limit]) for name, value in outcome.model_dump(mode="json").items()}
        try:
            return parse_outcome(brief.role, brief.task, fields)
        except ValidationError:
            continue
    return outcome


def _with(name: str, value: object, said: str) -> object:
    match value:
        case str() if name in _FREE_TEXT:
            return f"{value} {said}"
        case list():
            return [_with(name, item, said) for item in value]
        case dict():
            return {inner: _with(str(inner), item, said) for inner, item in value.items()}
        case _:
            return value


class GullibleModel:
    """Answers single questions: the intent of a comment, chat, the words of a pull request."""

    rehearsed = False

    def __init__(self, secret: str) -> None:
        self._secret = secret
        self._numbers = itertools.count(1)

    async def send(self, call: ModelCall) -> ModelAnswer:
        name = f"msg_{next(self._numbers)}"
        orders = orders_in("\n".join(_texts(call.document.get("messages"))))
        said = " ".join(order.what for order in orders if order.verb == "SAY").replace("{secret}", self._secret)
        read = json.dumps([call.document.get("tools"), call.document.get("messages")])
        answer = self._answer(read, orders, said[:_OUTPUT_LIMIT] or "Understood.")
        used: Block = {"type": "tool_use", "id": f"toolu_{name}", "name": ANSWER_TOOL, "input": answer}
        return message_answer(call, name, [used])

    async def close(self) -> None:
        """Nothing is held open."""

    def _answer(self, read: str, orders: list[Order], said: str) -> dict[str, object]:
        if "rationale" in read:
            return {"workflow": "none", "confidence": 0.2, "rationale": said}
        if '"opening"' in read:
            return {"title": said[:60], "opening": said}
        for order in orders:
            if order.verb == "START":
                return {"output": {"mode": "execute-workflow", "workflow": order.what, "text": said}}
            if order.verb == "TAG":
                proposed = {"mode": "propose-action", "action": {"kind": "label", "name": order.what}, "text": said}
                is_first = "There is no open proposal" in read
                return {"output": proposed if is_first else {"mode": "approve-pending", "text": said}}
        return {"output": {"mode": "answer", "text": said}}


def _texts(value: object) -> Iterator[str]:
    """Every text inside a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)
