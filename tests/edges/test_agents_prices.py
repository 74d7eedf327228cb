"""What a call costs: by the settings, the list, or the most; and never nothing because a server does not count."""

import json

from caseworker.agents.meter import Meter
from caseworker.agents.price_list import PriceList
from caseworker.core.base.budget import Price, Usage
from caseworker.core.base.policy import Policy

FREE = Price.model_validate(0)


def test_every_default_model_is_in_the_list_with_all_its_prices() -> None:
    prices = PriceList()
    assert prices.unknown(Policy().models.values()) == []
    for price in map(prices.of, Policy().models.values()):
        assert 0 < price.cache_read < price.input < price.cache_write < price.long_cache_write < price.output


def test_a_price_in_the_settings_wins_over_the_list_and_makes_a_model_known() -> None:
    prices = PriceList({"qwen3:32b": FREE, "claude-haiku-4-5": FREE})
    assert prices.of("qwen3:32b") == prices.of("claude-haiku-4-5") == FREE
    assert prices.unknown(["qwen3:32b", "llama-nobody-knows"]) == ["llama-nobody-knows"]


def test_a_model_that_nobody_knows_costs_the_most() -> None:
    known = [PriceList().of(model) for model in ("claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-4-5")]
    unknown = PriceList().of("llama-nobody-knows")
    assert all(unknown.output >= price.output and unknown.input >= price.input for price in known)


def test_a_name_of_a_proxy_and_one_with_a_context_size_are_understood() -> None:
    prices = PriceList()
    assert (
        prices.of("anthropic/claude-sonnet-5-5") == prices.of("claude-sonnet-5-5[1m]") == prices.of("claude-sonnet-5-5")
    )
    assert prices.unknown(["openai/gpt-5"]) == []


def test_an_answer_without_usage_is_counted_by_its_bytes() -> None:
    whole = Meter(streamed=False, request_bytes=4_000)
    whole.feed(json.dumps({"content": [{"type": "text", "text": "x" * 400}]}).encode())
    whole.end()
    assert whole.usage.input_tokens == 1_000
    assert whole.usage.output_tokens >= 100


def test_a_stream_whose_server_counts_nothing_is_counted_by_its_bytes() -> None:
    stream = Meter(streamed=True, request_bytes=4_000)
    for event in (
        {"type": "message_start", "message": {"usage": {"input_tokens": 0, "output_tokens": 0}}},
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "x" * 400}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 0}},
    ):
        stream.feed(f"data: {json.dumps(event)}\n".encode())
    assert stream.usage == Usage(input_tokens=1_000, output_tokens=100)


def test_a_call_without_any_answer_has_no_usage() -> None:
    assert Meter(streamed=True, request_bytes=4_000).usage == Usage()
