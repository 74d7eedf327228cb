"""Base class of the entries of a case's record."""

from pydantic import BaseModel, ConfigDict


class RecordEntry(BaseModel):
    model_config = ConfigDict(frozen=True)
