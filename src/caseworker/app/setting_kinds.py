"""Kinds of values that several settings have: amounts of money, addresses, names of models."""

from typing import Annotated, Final
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from caseworker.core.base.budget import MOST_DOLLARS

MOST_CASES: Final = 1_000_000


def _is_web_address(text: str) -> str:
    try:
        found = urlsplit(text)
    except ValueError:
        found = urlsplit("")
    if found.scheme in ("http", "https") and found.netloc:
        return text
    hint = f": http://{text}" if text and "//" not in text else ""
    raise PydanticCustomError("address", "an address begins with http:// or https://{hint}", {"hint": hint})


def _is_model(name: str) -> str:
    if not name.strip():
        raise PydanticCustomError("model", "the name of a model is missing")
    return name


def refuse_switch(value: object) -> object:
    """Else `true` counts as 1."""
    if isinstance(value, bool):
        raise PydanticCustomError("number", "Input should be a number, not true or false")
    return value


Dollars = Annotated[float, Field(ge=0, le=MOST_DOLLARS)]
WebAddress = Annotated[str, AfterValidator(_is_web_address)]
ModelName = Annotated[str, AfterValidator(_is_model)]
