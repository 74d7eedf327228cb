"""`help`: measures how fast commands answer that only print something."""

import sys
from typing import Final

from bench.home import Home, open_home, private_folder, timed
from bench.projects import ISSUE, make_shop, rehearsal
from bench.report import Report, Row

_TIMES: Final = 8
_HELP_TARGET: Final = 0.3


def measure() -> Report:
    with private_folder() as folder:
        with open_home(folder / "h") as home:
            home.runs_case(make_shop(folder / "shop"), ISSUE, rehearsal(folder / "shop.yaml"))
        return Report(
            name="help",
            title="commands that only answer",
            rows=_rows(home),
            notes=("Interleaved; the records hold one whole case; no host runs.",),
        )


def _rows(home: Home) -> list[Row]:
    python: list[float] = []
    answers: dict[tuple[str, ...], list[float]] = {("--help",): [], ("cases",): [], ("show", "#1"): []}
    for _ in range(_TIMES):
        python.append(timed([sys.executable, "-c", "pass"], home.environment).seconds)
        for arguments, seconds in answers.items():
            seconds.append(home.types(*arguments).seconds)
    rows = [
        Row(
            what=f"caseworker {' '.join(arguments)}",
            samples=seconds,
            target=_HELP_TARGET if arguments == ("--help",) else None,
        )
        for arguments, seconds in answers.items()
    ]
    return [Row(what="python -c pass", samples=python), *rows]
