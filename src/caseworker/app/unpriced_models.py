"""Finds the models of the settings whose prices nobody knows, and says what that means."""

from collections.abc import Sequence

from caseworker.agents.price_list import PriceList
from caseworker.app.settings import Settings


def unpriced(settings: Settings) -> list[str]:
    """Only asked for models that somebody has set: the default ones are in every list."""
    return PriceList(settings.prices).unknown(settings.models.values()) if settings.models else []


def told_unpriced(models: Sequence[str]) -> str:
    named = ", ".join(models)
    return (
        f"nobody knows what {named} costs, so the highest price is counted and budgets end early. Set it under "
        "[prices] in caseworker.toml: dollars for a million tokens, 0 for a model of your own; "
        "`caseworker docs models` says more"
    )
