"""Options of the whole suite."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--keep-histories", default=None, help="a folder for the workflow histories of the scenarios")
