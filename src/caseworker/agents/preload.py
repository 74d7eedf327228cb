"""Loads what the first turn of a worker needs, while the worker waits for other processes."""

from contextlib import suppress

from caseworker.agents.agent_program import agent_binary, execute_only
from caseworker.agents.price_list import PriceList
from caseworker.core.base.errors import Refused
from caseworker.core.base.policy import DEFAULT_MODEL


def preload() -> None:
    """Imports the agent's SDK and the prices, and makes the copy of the agent's program. Together they take about a
    second. To be called in a thread; whatever is missing is told by the turn that needs it."""
    with suppress(Refused, OSError):
        execute_only(agent_binary())  # imports the SDK
    PriceList().of(DEFAULT_MODEL)
