"""The fixtures of the scenarios: a home, and Temporal's server."""

from tests.scenarios.conftest import home, temporal

__all__ = ["home", "temporal"]
