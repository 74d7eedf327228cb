"""Rows of a parametrized test of which the first few run always and the rest with the slow tests."""

from collections.abc import Sequence

import pytest
from _pytest.mark import ParameterSet

Rows = Sequence[tuple[object, ...]]


def mostly_slow(rows: Rows, *, always: int, ids: Sequence[str] = ()) -> list[ParameterSet]:
    """Put rows that differ most from each other first."""
    return [
        pytest.param(*row, marks=() if number < always else (pytest.mark.slow,), id=ids[number] if ids else None)
        for number, row in enumerate(rows)
    ]
