"""What a model call costs. Money is counted in whole micro-dollars: cents that are added up must not drift."""

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
    """Kept for five minutes."""
    long_cache_write_tokens: int = 0
    """Kept for an hour, and dearer."""
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
    """Anthropic's rule for caches: a write costs 1.25 of the input, twice if kept for an hour; a read a tenth."""
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
"""List prices by what the model's name holds, the first that fits. Where a family has several, never too low."""

_DEAREST: Final = max((price for _, price in PRICES), key=lambda price: price.output)


def price_of(model: str) -> Price:
    """An unknown model counts as the dearest: a cap that is too tight asks a person, one too loose spends."""
    return next((price for family, price in PRICES if family in model), _DEAREST)


def cost(model: str, usage: Usage) -> int:
    price = price_of(model)
    micros = (
        usage.input_tokens * price.input
        + usage.output_tokens * price.output
        + usage.cache_write_tokens * price.cache_write
        + usage.long_cache_write_tokens * price.long_cache_write
        + usage.cache_read_tokens * price.cache_read
    )
    return math.ceil(micros - 1e-9)  # never a fraction too low; the margin takes off what floats add


def worst_case(model: str, request_bytes: int, max_tokens: int) -> int:
    """What to reserve before a call: every three bytes a token, all of it written to a cache, the longest answer."""
    return cost(model, Usage(long_cache_write_tokens=request_bytes // 3 + 1, output_tokens=max_tokens))


def dollars(micros: int) -> str:
    return f"${micros / MICROS:.2f}" if micros >= 10_000 or micros == 0 else f"${micros / MICROS:.4f}"


_AMOUNT: Final = re.compile(r"\+?\s*\$?\s*(\d{1,6}(?:[.,]\d{1,2})?)\s*(?:usd|dollars?|\$)?", re.IGNORECASE)


def micros_of(text: str) -> int:
    """`+5`, `$2.50`: what a person adds to a budget. 0: that is no amount."""
    found = _AMOUNT.fullmatch(text.strip())
    return round(float(found[1].replace(",", ".")) * MICROS) if found else 0
