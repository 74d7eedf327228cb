"""A line of the story of a case."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Mark = Literal["case", "state", "turn", "agent", "tool", "failed", "good", "bad", "person", "quiet"]


class Told(BaseModel):
    """`mark` is its kind, for colour and sign."""

    model_config = ConfigDict(frozen=True)
    mark: Mark
    text: str
