"""What a model call costs. Money is counted in whole micro-dollars, so that sums don't drift."""

import math
import re
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

MICROS = 1_000_000
Micros = Annotated[int, Field(ge=0)]


class Usage(BaseModel):
    model_config = ConfigDict(frozen=True)
    input_tokens: int = 0
    output_tokens: int = 0
    cache_write_tokens: int = 0
    """Written to the cache that lasts five minutes."""
    long_cache_write_tokens: int = 0
    """Written to the cache that lasts an hour, which is more expensive."""
    cache_read_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            long_cache_write_tokens=self.long_cache_write_tokens + other.long_cache_write_tokens,
            cache_read_tokens=self.cache_read_tokens + other.cache_read_tokens,
        )


class Price(BaseModel):
    """Dollars per million tokens, which is micro-dollars per token."""

    model_config = ConfigDict(frozen=True)
    input: float
    output: float
    cache_write: float
    long_cache_write: float
    cache_read: float


def _price(dollars_in: float, dollars_out: float, *, cache_read: float = 0.1) -> Price:
    """Anthropic's cache prices: a write costs 1.25 times the input (2 times if kept for an hour), a read a tenth."""
    return Price(
        input=dollars_in,
        output=dollars_out,
        cache_write=dollars_in * 1.25,
        long_cache_write=dollars_in * 2,
        cache_read=dollars_in * cache_read,
    )


PRICES: Final[tuple[tuple[str, Price], ...]] = (
    ("haiku", _price(1, 5)),
    ("sonnet-5", _price(2, 10)),
    ("sonnet", _price(3, 15)),
    ("opus-5-5", _price(4, 20, cache_read=0.05)),
    ("opus-5", _price(5, 25)),
    ("opus", _price(15, 75)),
    ("fable", _price(10, 50)),
)
"""List prices by a part of the model's name; the first match counts. If a family has several prices, the highest."""

_HIGHEST_PRICE: Final = max((price for _, price in PRICES), key=lambda price: price.output)


def price_of(model: str) -> Price:
    """An unknown model has the highest price: a cap reached too early asks a person, one reached too late spends."""
    return next((price for family, price in PRICES if family in model), _HIGHEST_PRICE)


def cost(model: str, usage: Usage) -> int:
    price = price_of(model)
    micros = (
        usage.input_tokens * price.input
        + usage.output_tokens * price.output
        + usage.cache_write_tokens * price.cache_write
        + usage.long_cache_write_tokens * price.long_cache_write
        + usage.cache_read_tokens * price.cache_read
    )
    return math.ceil(micros - 1e-9)  # rounded up; the margin removes float errors


def worst_case(model: str, request_bytes: int, max_tokens: int) -> int:
    """What to reserve before a call: a token per three bytes, all written to the hour cache, and the longest answer."""
    return cost(model, Usage(long_cache_write_tokens=request_bytes // 3 + 1, output_tokens=max_tokens))


def dollars(micros: int) -> str:
    return f"${micros / MICROS:.2f}" if micros >= 10_000 or micros == 0 else f"${micros / MICROS:.4f}"


_AMOUNT: Final = re.compile(r"\+?\s*+\$?\s*+(\d{1,6}(?:[.,]\d{1,2})?)\s*+(?:usd|dollars?|\$)?", re.IGNORECASE)


AMOUNTS: Final = "`+5` or `+2.50` adds so many dollars"


def micros_of(text: str) -> int:
    """Parses the amount that a person adds to a budget: `+5`, `$2.50`. 0: the text is no amount."""
    found = _AMOUNT.fullmatch(text.strip())
    return round(float(found[1].replace(",", ".")) * MICROS) if found else 0
