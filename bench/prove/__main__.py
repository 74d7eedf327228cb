"""`python -m bench.prove`: the storm, the contest with two mutants, the copies, the absence; tables, an exit code."""

import argparse
import asyncio
import signal
import sys
import time
from pathlib import Path
from random import Random, SystemRandom

from rich.console import Console

from bench.home import private_folder
from bench.prove.checking import Check
from bench.prove.contest import contests
from bench.prove.people import storm
from bench.prove.processes import Setup, open_stage
from bench.prove.showing import Column, show
from bench.prove.sudden import copies, outage
from bench.prove.trials import Trial


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.prove", description="Prove that nothing said is lost.")
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--kills", type=int, default=102, help="a third each of worker, Temporal and serving process")
    parser.add_argument("--rate", type=float, default=16.0, help="messages a second")
    parser.add_argument("--seed", type=int, default=None, help="drawn and printed without one")
    parser.add_argument("--only", choices=("storm", "contest", "sudden"), default=None)
    parser.add_argument("--keep", type=Path, default=None, help="a folder for databases and logs, to look into later")
    arguments = parser.parse_args()
    signal.signal(
        signal.SIGTERM, lambda *_: sys.exit(143)
    )  # so that processes are stopped and folders removed then, too
    return asyncio.run(prove(arguments))


async def prove(arguments: argparse.Namespace) -> int:
    console, aside = Console(), Console(stderr=True)
    seed = arguments.seed if arguments.seed is not None else SystemRandom().randrange(1_000_000)
    begun, holds = time.monotonic(), True
    console.print(f"seed {seed}: `python -m bench.prove --seed {seed}` draws the same again", highlight=False)
    with private_folder() as private:
        folder = arguments.keep or private
        folder.mkdir(parents=True, exist_ok=True)
        if arguments.only in (None, "storm", "sudden"):
            holds &= await _storm(folder / "storm", arguments, seed, console, aside)
        if arguments.only in (None, "contest"):
            holds &= await contests(folder, seed, console, aside)
    words = "proved" if holds else "NOT proved"
    console.print(f"{words} in {(time.monotonic() - begun) / 60:.1f} minutes, seed {seed}", highlight=False)
    return 0 if holds else 1


async def _storm(home: Path, arguments: argparse.Namespace, seed: int, console: Console, aside: Console) -> bool:
    lot = Random(seed)
    seconds = arguments.messages / arguments.rate
    async with open_stage(home, Setup(seed=seed)) as stage:
        columns = []
        if arguments.only != "sudden":
            conversations = storm(arguments.messages, arguments.cases, seconds, lot)
            trial = Trial(stage=stage, conversations=conversations, lot=lot, aside=aside)
            await trial.run(seconds=seconds, kills=arguments.kills)
            share = arguments.messages / 10_000
            counts = [
                *(
                    Check(what=f"kill -9 of {name}", found=n, at_least=arguments.kills // 4)
                    for name, n in stage.kills.items()
                ),
                Check(
                    what="kill -9, all while messages were sent",
                    found=sum(stage.kills.values()),
                    at_least=arguments.kills,
                ),
                Check(what="continue-as-news", found=await trial.continued(), at_least=min(100, 100 * share)),
                Check(what="reopenings", found=trial.reopenings(), at_least=min(50, 50 * share)),
                Check(what="came to rest (1: yes)", found=trial.rested, at_least=1),
                Check(what="seconds of sending", found=round(trial.sending)),
                Check(what="seconds until rest", found=round(trial.resting)),
            ]
            columns.append(Column(name="the storm", checks=[*trial.checks(), *counts]))
            show("Acknowledged is handled once, in order, and answered once", columns, console)
        sudden = [await copies(stage, aside), await outage(stage, lot, aside)]
        for title, checks in sudden:
            show(title, [Column(name="", checks=checks)], console)
        return all(check.holds for column in columns for check in column.checks) and all(
            check.holds for _, checks in sudden for check in checks
        )


if __name__ == "__main__":
    sys.exit(main())
