"""Tokens of a deployment, as its settings have them. Imports little: the settings need it."""

import hashlib
import secrets
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

TOKEN_PREFIX: Final = "cwt_"


class Rank(StrEnum):
    """What a viewer may do, the least first. The authority table decides about each command again."""

    READER = "reader"
    """Looks only."""
    DEVELOPER = "developer"
    """Has the standing of a developer in every case."""
    OWNER = "owner"
    """Has the standing of a person at the terminal."""


class Token(BaseModel):
    """A token as the settings have it: `dashboard_tokens.NAME`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    """Of the token. `caseworker token NAME` prints both."""
    rank: Rank = Rank.READER
    repositories: tuple[str, ...] = ("*",)


def new_token() -> tuple[str, Token]:
    secret = f"{TOKEN_PREFIX}{secrets.token_urlsafe(32)}"
    return secret, Token(sha256=digest(secret))


def digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
