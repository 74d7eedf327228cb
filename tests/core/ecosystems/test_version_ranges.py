"""Versions compared with the ranges that repositories write."""

import pytest

from caseworker.core.ecosystems.version_ranges import fits, lowest_major, pep440


@pytest.mark.parametrize(
    ("version", "wanted", "expected"),
    [
        ("Python 3.11.7", ">=3.8", True),
        ("Python 3.11.7", ">=3.12", False),
        ("Python 3.11.7", ">=3.8,<3.11", False),
        ("Python 3.11.7", ">=3.8,!=3.9.*,<4", True),
        ("Python 3.11.7", "^3.9", True),
        ("Python 3.11.7", "~3.11", True),
        ("Python 3.11.7", "~=3.10", True),
        ("Python 3.11.7", "==3.10.*", False),
        ("v20.20.2", ">=18.12 || 16", True),
        ("v20.20.2", "^18 || ^22", False),
        ("v20.20.2", "20.x", True),
        ("v20.20.2", "18 - 21", True),
        ("v20.20.2", "*", True),
        ("v20.20.2", "lts/iron", True),
        ("go version go1.22.1 linux/amd64", ">=1.23", False),
        ("", ">=3", True),
    ],
)
def test_a_version_is_compared_with_a_range(version: str, wanted: str, expected: bool) -> None:
    assert fits(version, wanted) is expected


@pytest.mark.parametrize(
    ("wanted", "expected"), [(">=18.12 || 20", 18), ("^22.1", 22), ("<21", None), ("", None), ("lts/*", None)]
)
def test_the_lowest_major_version_is_read_from_a_range(wanted: str, expected: int | None) -> None:
    assert lowest_major(wanted) == expected


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("^3.9", ">=3.9,<4"),
        ("^0.20.1", ">=0.20.1,<0.21"),
        ("~3.9", ">=3.9,<3.10"),
        (">=3.8,<4.0", ">=3.8,<4.0"),
        ("3.11", "==3.11.*"),
        ("*", ""),
    ],
)
def test_poetrys_ranges_become_ones_that_every_tool_reads(wanted: str, expected: str) -> None:
    assert pep440(wanted) == expected
