"""Caps of a whole deployment that an owner can change while it runs."""

from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class CapName(StrEnum):
    DAILY_BUDGET = "daily_budget_usd"
    """In micros of a dollar: what all cases and questions together may cost within 24 hours."""
    CASES_PER_HOUR = "cases_per_hour"
    """How many bug cases one person may open within an hour."""


class Cap(BaseModel):
    """What an owner has set, instead of the setting of the same name."""

    model_config = ConfigDict(frozen=True)
    name: CapName
    value: int
    set_by: str
    set_at: datetime
