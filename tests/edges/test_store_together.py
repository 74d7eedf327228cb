"""Writes that share a transaction: everyone gets an answer of their own."""

import asyncio
from collections.abc import Sequence

import pytest

from caseworker.core.errors import Refused, Transient
from caseworker.store.together import MOST, Together


class Ledger:
    """Writes numbers down, all of a batch or none; refuses odd things."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.away = False

    async def write(self, numbers: Sequence[int]) -> list[str]:
        await asyncio.sleep(0)
        if self.away:
            raise Transient("The disk is away.")
        if 13 in numbers:
            raise Refused("Not thirteen.", todo="Take another.")
        self.batches.append(list(numbers))
        return [f"number {number}" for number in numbers]


async def test_who_comes_while_others_are_written_is_written_next_together_and_in_order() -> None:
    ledger = Ledger()
    write = Together(ledger.write)
    answers = await asyncio.gather(*(write(number) for number in range(100, 100 + MOST + 5)))
    assert answers == [f"number {number}" for number in range(100, 100 + MOST + 5)]
    assert [len(batch) for batch in ledger.batches] == [MOST, 5]
    assert [number for batch in ledger.batches for number in batch] == list(range(100, 100 + MOST + 5))


async def test_one_that_is_refused_does_not_take_the_others_with_it() -> None:
    ledger = Ledger()
    write = Together(ledger.write)
    answers = await asyncio.gather(*(write(number) for number in (12, 13, 14)), return_exceptions=True)
    assert [str(answer) for answer in answers] == ["number 12", "Not thirteen. Take another.", "number 14"]
    assert ledger.batches == [[12], [14]]


async def test_while_the_disk_is_away_everyone_is_told_and_the_next_one_is_tried_again() -> None:
    ledger = Ledger()
    write = Together(ledger.write)
    ledger.away = True
    told = await asyncio.gather(*(write(number) for number in (1, 2)), return_exceptions=True)
    assert all(isinstance(answer, Transient) for answer in told)
    ledger.away = False
    assert await write(3) == "number 3"
    with pytest.raises(Refused):
        await write(13)
