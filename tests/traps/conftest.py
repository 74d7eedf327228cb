"""The home of the scenarios."""

from tests.scenarios.conftest import home

__all__ = ["home"]
