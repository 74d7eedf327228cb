"""What a model's tokens cost: by the settings, else by the list prices of the package `genai-prices`, else the most.

The list is data inside a package: nothing is asked over the network. It is imported when the first price is needed,
because that takes 0.2 s.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Final

from caseworker.core.base.budget import Price

if TYPE_CHECKING:
    from genai_prices.types import ModelPrice

_CONTEXT_SIZE: Final = "[1m]"
"""A suffix of the agent's program, not of the model."""
_DEAREST_OF: Final = "anthropic"


class PriceList:
    def __init__(self, own: Mapping[str, Price] | None = None) -> None:
        """`own`: the prices in the settings, by the model's exact name. They win over the list."""
        self._own = own or {}

    def of(self, model: str) -> Price:
        """The price of a model. An unknown one gets the highest price: it is better to reach a cap too early, and ask a
        person, than too late."""
        return self._known(model) or _dearest()

    def unknown(self, models: Iterable[str]) -> list[str]:
        """Those for which the highest price is taken."""
        return [model for model in dict.fromkeys(models) if self._known(model) is None]

    def _known(self, model: str) -> Price | None:
        name = model.removesuffix(_CONTEXT_SIZE)
        return self._own.get(model) or self._own.get(name) or _listed(name)


@cache
def _listed(model: str) -> Price | None:
    from genai_prices.data_snapshot import get_snapshot

    for provider, name in _readings(model):
        try:
            _, found = get_snapshot().find_provider_model(name, None, provider, None)
        except LookupError:
            continue
        return _price(found.get_prices(datetime.now(UTC)))
    return None


def _readings(model: str) -> Iterator[tuple[str | None, str]]:
    """(provider, model): a proxy's names are often `openai/gpt-5`."""
    yield None, model
    provider, slash, name = model.partition("/")
    if slash:
        yield provider, name
        yield None, name.rpartition("/")[2]


@cache
def _dearest() -> Price:
    from genai_prices.data_snapshot import get_snapshot

    now = datetime.now(UTC)
    provider = get_snapshot().find_provider(None, _DEAREST_OF, None)
    prices = [price for model in provider.models if (price := _price(model.get_prices(now))) is not None]
    return Price(**{name: max(getattr(price, name) for price in prices) for name in Price.model_fields})


def _price(listed: "ModelPrice") -> Price | None:
    told = {
        "input": _dollars(listed.input_mtok),
        "output": _dollars(listed.output_mtok),
        "cache_write": _dollars(listed.cache_write_mtok),
        "long_cache_write": _dollars(listed.cache_write_1h_mtok),
        "cache_read": _dollars(listed.cache_read_mtok),
    }
    if told["input"] is None or told["output"] is None:
        return None
    return Price(**{name: value for name, value in told.items() if value is not None})


def _dollars(price: object) -> float | None:
    """Dollars for a million tokens. Of prices that rise with the length of the prompt, the highest."""
    if price is None or isinstance(price, Decimal):
        return None if price is None else float(price)
    tiers = [price.base, *(tier.price for tier in price.tiers)]  # type: ignore[attr-defined]  # a TieredPrices
    return max(float(one) for one in tiers)
