"""`python -m bench.prove`: runs the storm, the contest with two mutants, the copies and the outage; prints tables."""

import argparse
import asyncio
import signal
import sys
import time
from pathlib import Path
from random import SystemRandom

from rich.console import Console

from bench.home import private_folder
from bench.prove.contest import contests
from bench.prove.storming import Size, storming


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.prove", description="Prove that nothing said is lost.")
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--kills", type=int, default=102, help="a third each of worker, Temporal and serving process")
    parser.add_argument("--rate", type=float, default=16.0, help="messages a second")
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(1_000_000), help="drawn without one")
    parser.add_argument("--only", choices=("storm", "sudden", "contest"), default=None)
    parser.add_argument("--keep", type=Path, default=None, help="a folder for databases and logs, to look into later")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that processes and folders are removed also then
    size = Size(messages=given.messages, cases=given.cases, kills=given.kills, rate=given.rate)
    with private_folder() as private:
        folder: Path = given.keep or private
        folder.mkdir(parents=True, exist_ok=True)
        return asyncio.run(prove(folder, size, given.seed, given.only))


async def prove(folder: Path, size: Size, seed: int, only: str | None) -> int:
    console, aside = Console(), Console(stderr=True)
    begun, holds = time.monotonic(), True
    console.print(f"seed {seed}: `python -m bench.prove --seed {seed}` draws the same again", highlight=False)
    if only != "contest":
        sized = None if only == "sudden" else size
        holds &= await storming(folder / "storm", sized, seed, console, aside, sudden=only != "storm")
    if only in (None, "contest"):
        holds &= await contests(folder, seed, console, aside)
    words = "proved" if holds else "NOT proved"
    console.print(f"{words} in {(time.monotonic() - begun) / 60:.1f} minutes, seed {seed}", highlight=False)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
