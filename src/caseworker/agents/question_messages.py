"""A single question in the provider's form: the call, what is read from the reply, and what a repair says.

The answer is handed in through a tool, whose input is the answer's JSON schema. The tool is offered, not forced: a
model that always thinks refuses to be forced. An answer in plain JSON counts as well."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

from caseworker.agents.role_tools import ANSWER_TOOL
from caseworker.agents.schemas import without_titles
from caseworker.agents.upstreams import ModelCall
from caseworker.ports import Question

A = TypeVar("A", bound=BaseModel)

Message = dict[str, object]
_VERSION: Final = "2023-06-01"
_HOW: Final = f"Answer with one call of the tool `{ANSWER_TOOL}`, and write nothing beside it."
_AGAIN: Final = f"Call `{ANSWER_TOOL}` once more, with the whole answer corrected."
_FENCED: Final = re.compile(r"\A```\w*\n(.*)\n```\Z", re.DOTALL)


class _Block(BaseModel):
    type: str
    id: str = ""
    name: str = ""
    input: dict[str, JsonValue] = {}
    text: str = ""


class _Reply(BaseModel):
    content: list[dict[str, JsonValue]]
    stop_reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class Reply:
    content: list[dict[str, JsonValue]]
    """As it came: a repair sends it back."""
    blocks: list[_Block]
    stop_reason: str


@dataclass(frozen=True, kw_only=True)
class Malformed:
    problem: str


def first_message(text: str) -> Message:
    return {"role": "user", "content": text}


def model_call(question: Question[A], messages: Sequence[Message]) -> ModelCall:
    tool = {
        "name": ANSWER_TOOL,
        "description": "Hands in the answer.",
        "input_schema": without_titles(question.answer.model_json_schema()),
    }
    document = {
        "model": question.model.removesuffix("[1m]"),  # a note on the context's size, which the API does not know
        "max_tokens": question.max_tokens,
        "system": f"{question.system}\n\n{_HOW}",
        "tools": [tool],
        "messages": list(messages),
    }
    body = json.dumps(document).encode()
    headers = {"anthropic-version": _VERSION}
    return ModelCall(path="/v1/messages", query="", headers=headers, body=body, document=document)


def read_reply(body: bytes) -> Reply | None:
    """None: this is no message of the Messages API."""
    try:
        found = _Reply.model_validate_json(body)
        blocks = [_Block.model_validate(block) for block in found.content]
    except ValidationError:
        return None
    return Reply(content=found.content, blocks=blocks, stop_reason=found.stop_reason or "")


def answer_in(reply: Reply, shape: type[A]) -> A | Malformed:
    if reply.stop_reason == "max_tokens":
        return Malformed(problem="it was cut off, because it is too long")
    given = [block.input for block in _calls(reply) if block.name == ANSWER_TOOL]
    try:
        if given:
            return shape.model_validate_json(json.dumps(given[0]))
        text = "".join(block.text for block in reply.blocks).strip()
        fenced = _FENCED.match(text)
        return shape.model_validate_json(fenced[1] if fenced else text)
    except ValidationError as error:
        return Malformed(problem=_problems(error))


def repair(reply: Reply, found: Malformed) -> list[Message]:
    """The model's own words, and what is wrong with them."""
    problem = f"This does not fit: {found.problem}\n{_AGAIN}"
    results = [
        {"type": "tool_result", "tool_use_id": call.id, "is_error": True, "content": problem} for call in _calls(reply)
    ]
    said: list[Message] = [{"role": "assistant", "content": reply.content}] if reply.content else []
    return [*said, {"role": "user", "content": results or problem}]


def _calls(reply: Reply) -> list[_Block]:
    return [block for block in reply.blocks if block.type == "tool_use"]


def _problems(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_input=False)
    return "; ".join(f"{'.'.join(str(part) for part in one['loc']) or ANSWER_TOOL}: {one['msg']}" for one in found)
