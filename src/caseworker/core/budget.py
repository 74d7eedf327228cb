"""What a model call costs. Money is counted in whole micro-dollars: cents that are added up must not drift."""

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

MICROS = 1_000_000
Micros = Annotated[int, Field(ge=0)]


class Usage(BaseModel):
    model_config = ConfigDict(frozen=True)
    input_tokens: int = 0
    output_tokens: int = 0
    cache_write_tokens: int = 0
    cache_read_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            cache_read_tokens=self.cache_read_tokens + other.cache_read_tokens,
        )


class Price(BaseModel):
    """Micro-dollars per million tokens, which is dollars per million times a million."""

    model_config = ConfigDict(frozen=True)
    input: float
    output: float
    cache_write: float
    cache_read: float


def _price(dollars_in: float, dollars_out: float) -> Price:
    """Anthropic's rule for caches: a write costs 1.25 of the input, a read a tenth."""
    return Price(input=dollars_in, output=dollars_out, cache_write=dollars_in * 1.25, cache_read=dollars_in * 0.1)


PRICES: Final[tuple[tuple[str, Price], ...]] = (
    ("haiku", _price(1, 5)),
    ("sonnet", _price(3, 15)),
    ("opus", _price(15, 75)),
)
"""Dollars per million tokens by family, found in the model's name; settings may override."""

_DEAREST: Final = max((price for _, price in PRICES), key=lambda price: price.output)


def price_of(model: str) -> Price:
    """An unknown model counts as the dearest: a cap that is too tight asks a person, one too loose spends."""
    return next((price for family, price in PRICES if family in model), _DEAREST)


def cost(model: str, usage: Usage) -> int:
    price = price_of(model)
    dollars_per_million = (
        usage.input_tokens * price.input
        + usage.output_tokens * price.output
        + usage.cache_write_tokens * price.cache_write
        + usage.cache_read_tokens * price.cache_read
    )
    return round(dollars_per_million)  # tokens * dollars / million, times a million micros


def worst_case(model: str, request_bytes: int, max_tokens: int) -> int:
    """What to reserve before a call: every three bytes a token, all of it written to the cache, the longest answer."""
    return cost(model, Usage(cache_write_tokens=request_bytes // 3 + 1, output_tokens=max_tokens))


def dollars(micros: int) -> str:
    return f"${micros / MICROS:.2f}" if micros >= 10_000 or micros == 0 else f"${micros / MICROS:.4f}"
