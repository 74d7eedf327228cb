"""A line of the story of a case."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Mark = Literal["case", "state", "turn", "agent", "tool", "failed", "good", "bad", "person", "quiet"]


class Told(BaseModel):
    """`mark` is its kind, for colour and sign."""

    model_config = ConfigDict(frozen=True)
    mark: Mark
    text: str
    state: str = ""
    """Of a move: the name of the state, which `text` begins with."""
    why: str = ""
    """Of a move: the rest of its `text`."""


def told_move(state: str, why: str) -> Told:
    return Told(mark="state", text=f"{state}  {why}".rstrip(), state=state, why=why)
