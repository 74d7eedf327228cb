"""Commands are stored whole, and workflows see them without people's words."""

from typing import get_args

import pytest
from pydantic import BaseModel, TypeAdapter

from caseworker.core.base.policy import Milestone
from caseworker.core.people.commands import (
    Approve,
    Close,
    Command,
    HandBack,
    MessageKind,
    RaiseBudget,
    Reject,
    Resolution,
    Say,
)

COMMAND: TypeAdapter[Command] = TypeAdapter(Command)
UNION: tuple[type[BaseModel], ...] = get_args(get_args(Command)[0])
GIVEN: list[Command] = [
    Say(asks=False),
    Approve(milestone=Milestone.PLAN, subject="plan"),
    Reject(reason="keep the API"),
    HandBack(asks=True),
    RaiseBudget(micros=5_000_000, amount="+5"),
    Close(resolution=Resolution.DUPLICATE, reason="of bug-7F3K"),
]


def test_every_message_kind_has_one_command() -> None:
    kinds = [model.model_fields["kind"].default for model in UNION]
    assert sorted(kinds) == sorted(MessageKind)


@pytest.mark.parametrize("command", GIVEN, ids=lambda command: command.kind)
def test_a_command_is_read_back_as_it_was_stored(command: Command) -> None:
    assert COMMAND.validate_json(COMMAND.dump_json(command)) == command


@pytest.mark.parametrize("command", GIVEN, ids=lambda command: command.kind)
def test_a_bare_command_has_everything_but_its_authors_words(command: Command) -> None:
    words = {"reason": "", "amount": ""}
    expected = {name: words.get(name, value) for name, value in command.model_dump().items()}
    assert command.bare().model_dump() == expected


def test_bare_removes_all_free_text() -> None:
    """`bare` must drop every field with people's words: workflow history is kept forever."""
    allowed = {"reason", "amount", "subject"}
    for model in UNION:
        texts = {name for name, field in model.model_fields.items() if field.annotation in (str, str | None)}
        assert texts <= allowed, model
