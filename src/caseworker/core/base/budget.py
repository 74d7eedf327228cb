"""What a model call costs. Money is counted in whole micro-dollars, so that sums don't drift."""

import math
import re
from fractions import Fraction
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, model_validator

MICROS = 1_000_000
MOST_DOLLARS: Final = 1_000_000
"""The largest amount that a setting, an option or a cap may have."""
Micros = Annotated[int, Field(ge=0)]
Rate = Annotated[float, Field(ge=0, le=MOST_DOLLARS)]


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
    """Dollars per million tokens, which is micro-dollars per token. A cache without a price of its own costs what
    input costs."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
    input: Rate
    output: Rate
    cache_write: Rate
    long_cache_write: Rate
    cache_read: Rate

    @model_validator(mode="before")
    @classmethod
    def _fill_caches(cls, given: object) -> object:
        """A single number is the price of everything: 0 for a model of one's own."""
        if isinstance(given, int | float) and not isinstance(given, bool):
            given = {"input": given, "output": given}
        if not isinstance(given, dict) or "input" not in given:
            return given
        write = given.get("cache_write", given["input"])
        usual = {"cache_write": write, "long_cache_write": write, "cache_read": given["input"]}
        return {**usual, **given}


def cost(price: Price, usage: Usage) -> int:
    tokens_and_prices = (
        (usage.input_tokens, price.input),
        (usage.output_tokens, price.output),
        (usage.cache_write_tokens, price.cache_write),
        (usage.long_cache_write_tokens, price.long_cache_write),
        (usage.cache_read_tokens, price.cache_read),
    )
    # Exact, from the prices as they are written: a sum of floats may be just above a whole number.
    return math.ceil(sum(tokens * Fraction(str(rate)) for tokens, rate in tokens_and_prices))


def worst_case(price: Price, request_bytes: int, max_tokens: int) -> int:
    """What to reserve before a call: a token per three bytes, all at the dearest price of input, and the longest
    answer."""
    dearest = max(price.input, price.cache_write, price.long_cache_write, price.cache_read)
    highest = price.model_copy(update={"input": dearest})
    return cost(highest, Usage(input_tokens=request_bytes // 3 + 1, output_tokens=max_tokens))


def cache_words(usage: Usage) -> str:
    """How much of the input the provider had in its cache, which costs about a tenth. Empty: nothing was sent."""
    written = usage.cache_write_tokens + usage.long_cache_write_tokens
    sent = usage.input_tokens + written + usage.cache_read_tokens
    if not sent:
        return ""
    share = round(100 * usage.cache_read_tokens / sent)
    return f"{sent:,} tokens sent to models, {usage.cache_read_tokens:,} of them ({share} %) from the provider's cache"


def dollars(micros: int) -> str:
    return f"${micros / MICROS:.2f}" if micros >= 10_000 or micros == 0 else f"${micros / MICROS:.4f}"


_AMOUNT: Final = re.compile(r"\+?\s*+\$?\s*+(\d{1,6}(?:[.,]\d{1,2})?)\s*+(?:usd|dollars?|\$)?", re.IGNORECASE)


def no_amount(text: str) -> str:
    """Why a text for which `micros_of` is 0 adds nothing to a budget."""
    return f"`{text}` is no amount: `+5` or `+2.50` adds so many dollars"


def too_much(micros: int, cap: int) -> str:
    """Why a case that may spend `cap` gets no more. Empty: it may."""
    if cap + micros <= MOST_DOLLARS * MICROS:
        return ""
    return f"that budget is too large: at most {MOST_DOLLARS:,} dollars, and this case has {dollars(cap)} already"


def micros_of(text: str) -> int:
    """Parses the amount that a person adds to a budget: `+5`, `$2.50`. 0: the text is no amount."""
    found = _AMOUNT.fullmatch(text.strip())
    return round(float(found[1].replace(",", ".")) * MICROS) if found else 0
