"""`python -m bench.prove`: runs the storms, the contest with mutants, the attacks, the traps and the walks."""

import argparse
import asyncio
import signal
import sys
import time
from pathlib import Path
from random import SystemRandom
from typing import Final

from rich.console import Console

from bench.home import private_folder
from bench.prove.attacks import attacks
from bench.prove.contest import contests
from bench.prove.github_storm import GitHubSize, github_storm
from bench.prove.injection import injections
from bench.prove.storming import Size, storming
from bench.prove.traps import traps
from bench.prove.walks import walks

_ON_ISSUES: Final = ("github", "injection", "attacks", "traps", "walk")
_PARTS: Final = ("storm", "sudden", "contest", *_ON_ISSUES)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.prove", description="Prove that nothing said is lost.")
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--kills", type=int, default=102, help="a third each of worker, Temporal and serving process")
    parser.add_argument("--rate", type=float, default=16.0, help="messages a second")
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(1_000_000), help="drawn without one")
    parser.add_argument("--only", choices=_PARTS, default=None)
    parser.add_argument("--deliveries", type=int, default=2_000, help="of the storm on GitHub")
    parser.add_argument("--issues", type=int, default=100, help="of the storm on GitHub")
    parser.add_argument("--github-kills", type=int, default=60, help="of the storm on GitHub, a third each")
    parser.add_argument("--walks", type=int, default=3, help="how many seeds to walk with over a pull request")
    parser.add_argument("--steps", type=int, default=500, help="of each of these walks")
    parser.add_argument("--attack", default="", help="only the attacks with this in their name")
    parser.add_argument("--lie", default="", help="only the lies with this in their name")
    parser.add_argument("--keep", type=Path, default=None, help="a folder for databases and logs, to look into later")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that processes and folders are removed also then
    size = Size(messages=given.messages, cases=given.cases, kills=given.kills, rate=given.rate)
    with private_folder() as private:
        folder: Path = given.keep or private
        folder.mkdir(parents=True, exist_ok=True)
        holds = given.only in _ON_ISSUES or asyncio.run(prove(folder, size, given.seed, given.only))
        if given.only is None or given.only in _ON_ISSUES:
            github = GitHubSize(deliveries=given.deliveries, issues=given.issues, kills=given.github_kills, rate=4.0)
            holds &= asyncio.run(prove_issues(folder, github, given))
        return 0 if holds else 1


async def prove(folder: Path, size: Size, seed: int, only: str | None) -> bool:
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
    return holds


async def prove_issues(folder: Path, size: GitHubSize, given: argparse.Namespace) -> bool:
    console, aside, holds = Console(), Console(stderr=True), True
    if given.only in (None, "injection"):
        holds &= await injections(folder, given.attack, console, aside)
    if given.only in (None, "attacks"):
        holds &= await attacks(folder, given.attack, console)
    if given.only in (None, "traps"):
        holds &= await traps(folder, given.lie, console, aside)
    if given.only in (None, "walk"):
        seeds = [given.seed + number for number in range(given.walks)]
        holds &= await walks(folder, seeds=seeds, steps=given.steps, console=console, aside=aside)
    if given.only in (None, "github"):
        console.print(f"seed {given.seed} of the storm on GitHub", highlight=False)
        holds &= await github_storm(folder / "github-storm", size, given.seed, console, aside)
    return holds


if __name__ == "__main__":
    sys.exit(main())
