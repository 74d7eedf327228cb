"""Options and fixtures of the whole suite."""

import pytest

pytest_plugins = ["tests.databases"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--keep-histories", default=None, help="a folder for the workflow histories of the scenarios")
