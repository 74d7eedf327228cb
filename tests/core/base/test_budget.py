"""Costs are whole micro-dollars, rounded up, and sums of many calls don't drift."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caseworker.core.base.budget import MICROS, Price, Usage, cost, dollars, worst_case

MILLION = 1_000_000
TOKENS = st.integers(0, 2_000_000)
USAGES = st.builds(
    Usage,
    input_tokens=TOKENS,
    output_tokens=TOKENS,
    cache_write_tokens=TOKENS,
    long_cache_write_tokens=TOKENS,
    cache_read_tokens=TOKENS,
)
SMALL = Price(input=1, output=5, cache_write=1.25, long_cache_write=2, cache_read=0.1)
DOLLARS = st.floats(0, 100).map(lambda price: round(price, 3))
MODELS = st.builds(
    Price, input=DOLLARS, output=DOLLARS, cache_write=DOLLARS, long_cache_write=DOLLARS, cache_read=DOLLARS
)


@pytest.mark.parametrize(
    ("usage", "usd"),
    [
        (Usage(), 0),
        (Usage(input_tokens=MILLION), 1),
        (Usage(output_tokens=MILLION), 5),
        (Usage(cache_write_tokens=MILLION), 1.25),
        (Usage(long_cache_write_tokens=MILLION), 2),
        (Usage(cache_read_tokens=MILLION), 0.1),
        (Usage(input_tokens=MILLION, output_tokens=MILLION, cache_read_tokens=MILLION), 6.1),
    ],
)
def test_a_million_tokens_cost_the_list_price(usage: Usage, usd: float) -> None:
    assert cost(SMALL, usage) == round(usd * MICROS)


def test_a_fraction_of_a_micro_is_rounded_up() -> None:
    assert cost(SMALL, Usage(cache_read_tokens=1)) == 1
    assert cost(SMALL, Usage(cache_read_tokens=10)) == 1
    assert cost(SMALL, Usage(cache_read_tokens=11)) == 2


def test_a_cache_without_a_price_of_its_own_costs_what_input_costs() -> None:
    assert Price.model_validate({"input": 2, "output": 8}) == Price(
        input=2, output=8, cache_write=2, long_cache_write=2, cache_read=2
    )
    assert Price.model_validate(0) == Price(input=0, output=0, cache_write=0, long_cache_write=0, cache_read=0)


def test_a_large_whole_cost_is_not_rounded_up_by_an_error_of_floats() -> None:
    price = Price(input=0, output=1.6, cache_write=17, long_cache_write=1.6, cache_read=1.6)
    usage = Usage(
        output_tokens=999_996, cache_write_tokens=1_879_663, long_cache_write_tokens=107, cache_read_tokens=1_602
    )
    assert cost(price, usage) == 33_556_999


@given(model=MODELS, usage=USAGES)
def test_a_cost_is_the_exact_price_rounded_up(model: Price, usage: Usage) -> None:
    price = model
    tokens_and_prices = [
        (usage.input_tokens, price.input),
        (usage.output_tokens, price.output),
        (usage.cache_write_tokens, price.cache_write),
        (usage.long_cache_write_tokens, price.long_cache_write),
        (usage.cache_read_tokens, price.cache_read),
    ]
    exact = sum(tokens * Fraction(price).limit_denominator(1_000) for tokens, price in tokens_and_prices)
    assert exact <= cost(model, usage) < exact + 1


@given(model=MODELS, parts=st.tuples(*[TOKENS] * 4), spare_bytes=st.integers(0, 5), output=TOKENS, spare=TOKENS)
def test_the_reservation_covers_any_usage_of_the_request(
    model: Price, parts: tuple[int, int, int, int], spare_bytes: int, output: int, spare: int
) -> None:
    fresh, written, long_written, read = parts
    usage = Usage(
        input_tokens=fresh,
        cache_write_tokens=written,
        long_cache_write_tokens=long_written,
        cache_read_tokens=read,
        output_tokens=output,
    )
    assert worst_case(model, 3 * sum(parts) + spare_bytes, output + spare) >= cost(model, usage)


def test_a_request_of_one_byte_reserves_one_token() -> None:
    assert worst_case(SMALL, 1, 0) == 2


@given(model=MODELS, usages=st.lists(USAGES, max_size=30))
def test_sums_do_not_drift(model: Price, usages: list[Usage]) -> None:
    """The order of calls does not matter, and adding up tokens first never costs more."""
    costs = [cost(model, usage) for usage in usages]
    together = cost(model, sum(usages, Usage()))
    assert sum(costs) == sum(reversed(costs))
    assert together <= sum(costs) <= together + len(usages)


def test_ten_thousand_small_calls_cost_ten_thousand_times_one() -> None:
    one = cost(SMALL, Usage(input_tokens=7, output_tokens=3, cache_read_tokens=10))
    assert sum([one] * 10_000) == 230_000


@pytest.mark.parametrize(
    ("micros", "words"),
    [
        (0, "$0.00"),
        (100, "$0.0001"),
        (9_999, "$0.0100"),
        (10_000, "$0.01"),
        (1_234_567, "$1.23"),
        (5 * MICROS, "$5.00"),
        (1_234 * MICROS, "$1234.00"),
    ],
)
def test_money_is_shown_in_dollars(micros: int, words: str) -> None:
    assert dollars(micros) == words
