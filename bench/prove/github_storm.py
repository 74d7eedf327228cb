"""The GitHub storm: people label and comment on many issues while processes are killed and deliveries go astray."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from random import Random
from typing import Final, TypeVar

from rich.console import Console

from bench.prove.checking import Check
from bench.prove.github_facts import claims, counts
from bench.prove.github_stage import GitHubStage, open_github_stage
from bench.prove.processes import Target
from bench.prove.showing import Column, show
from bench.prove.standin import mark
from caseworker.github_double.entities.repository import Issue
from caseworker.github_double.faults import DeliveryFailure

T = TypeVar("T")
_TARGETS: Final[tuple[Target, ...]] = ("worker", "temporal", "serving")
_WORKFLOWS: Final = ("triage", "plan")
_FAULTS: Final[tuple[DeliveryFailure, ...]] = ("dropped", "duplicated", "delayed", "swapped")
_FAULTY: Final = 0.2
"""Share of the deliveries that go astray in one of these ways."""
_STILL: Final = 3.0
_STUCK: Final = 150.0
"""Seconds without any change after which nothing more is expected."""


@dataclass(frozen=True, kw_only=True)
class GitHubSize:
    deliveries: int
    issues: int
    kills: int
    rate: float
    """Deliveries a second."""

    @property
    def comments(self) -> int:
        """For each issue: its other deliveries are its opening and its labels."""
        return max(1, self.deliveries // self.issues - 1 - len(_WORKFLOWS))

    @property
    def seconds(self) -> float:
        return self.deliveries / self.rate


async def github_storm(home: Path, size: GitHubSize, seed: int, console: Console, aside: Console) -> bool:
    async with open_github_stage(home) as stage:
        storm = _Storm(stage=stage, size=size, lot=Random(seed), aside=aside)
        column = await storm.run()
    show("On GitHub: each comment handled once, one tracking comment per run, no write twice", [column], console)
    return column.holds


class _Storm:
    def __init__(self, *, stage: GitHubStage, size: GitHubSize, lot: Random, aside: Console) -> None:
        self._stage = stage
        self._size = size
        self._lot = lot
        self._aside = aside
        self._numbers = count(1)
        self._begun = time.monotonic()
        self._busy = True

    async def run(self) -> Column:
        beside = [asyncio.create_task(self._kill()), asyncio.create_task(self._tell())]
        try:
            async with asyncio.TaskGroup() as group:
                for number in range(self._size.issues):
                    group.create_task(self._follow(self._size.seconds * 0.5 * number / self._size.issues))
            sending = time.monotonic() - self._begun
            await beside[0]
            self._busy = False
            rested = await self._rest()
        finally:
            for task in beside:
                task.cancel()
        each, stage = self._size.kills // 4, self._stage
        return Column(
            name="the storm",
            checks=[
                *counts(stage),
                *claims(stage, len(_WORKFLOWS)),
                *(Check(what=f"kill -9 of {name}", found=many, at_least=each) for name, many in stage.kills.items()),
                Check(what="came to rest (1: yes)", found=rested, at_least=1),
                Check(what="seconds of sending", found=round(sending)),
                Check(what="seconds from then to rest", found=round(time.monotonic() - self._begun - sending)),
            ],
        )

    # --- what people do

    async def _follow(self, at: float) -> None:
        """One issue: opened, labelled, and talked about once its run is seen."""
        await asyncio.sleep(at)
        stage, lot, pause = self._stage, self._lot, self._size.seconds * 0.5 / self._size.comments
        issue = self._astray(lambda: stage.olga.opens_issue("The greeting misspells the world", on=stage.shop))
        for number, workflow in enumerate(_WORKFLOWS):
            self._astray(partial(stage.olga.labels, issue, f"bot:{workflow}"))
            await self._until(partial(stage.is_done, issue, workflow))
            first, last = (self._size.comments * share // len(_WORKFLOWS) for share in (number, number + 1))
            for _ in range(first, last):
                await asyncio.sleep(lot.uniform(0, 2 * pause))
                self._astray(lambda: self._comments(issue))

    def _comments(self, issue: Issue) -> None:
        who = self._lot.choice((self._stage.olga, self._stage.ben))
        who.comments(issue, f"It happens on Tuesdays, too {mark(next(self._numbers))}")

    def _astray(self, act: Callable[[], T]) -> T:
        """Does something whose delivery may go astray."""
        faults = self._stage.github.double.faults
        if self._lot.random() < _FAULTY:
            kind = self._lot.choice(_FAULTS)
            faults.delivery(kind, seconds=self._lot.uniform(0.2, 3.0) if kind == "delayed" else 0.0)
        return act()

    # --- what happens to the processes

    async def _kill(self) -> None:
        """Kill each target once in each of its time slices, at a random moment."""
        moments: list[tuple[float, Target]] = []
        for place, target in enumerate(_TARGETS):
            many = (self._size.kills + len(_TARGETS) - 1 - place) // len(_TARGETS)
            moments += [(self._size.seconds * (one + self._lot.random()) / many, target) for one in range(many)]
        for at, target in sorted(moments):
            await asyncio.sleep(at - (time.monotonic() - self._begun))
            while not self._stage.kill(target):  # noqa: ASYNC110  # it is being started: as soon as it lives
                await asyncio.sleep(0.02)

    # --- waiting

    async def _until(self, is_so: Callable[[], bool]) -> None:
        deadline = time.monotonic() + max(_STUCK, self._size.seconds) * 2
        while not is_so() and time.monotonic() < deadline:  # noqa: ASYNC110  # GitHub's page: told by no event
            await asyncio.sleep(0.1)

    async def _rest(self) -> bool:
        """Wait until every claim holds and nothing changes any more. False: it does not come to that."""
        last, since = self._facts(), time.monotonic()
        while True:
            await asyncio.sleep(0.5)
            now = self._facts()
            if now != last:
                last, since = now, time.monotonic()
            still = time.monotonic() - since
            holds = all(check.holds for check in claims(self._stage, len(_WORKFLOWS)))
            if still > _STUCK or (holds and still > _STILL):
                return holds

    def _facts(self) -> list[float]:
        return [check.found for check in (*claims(self._stage, len(_WORKFLOWS)), *counts(self._stage)[2:6])]

    async def _tell(self) -> None:
        while True:
            await asyncio.sleep(10)
            found = ", ".join(f"{check.what} {check.found:g}" for check in counts(self._stage)[:5])
            open_ones = [f"{one.what} {one.found:g}" for one in claims(self._stage, len(_WORKFLOWS)) if not one.holds]
            kills, now = sum(self._stage.kills.values()), time.monotonic() - self._begun
            text = f"{now:5.0f} s: {found}; kills {kills}; {open_ones}"
            self._aside.print(text, style="dim", highlight=False, markup=False, soft_wrap=True)
