"""Texts about builds, for agents and for pull requests."""

import re
from collections.abc import Sequence

from caseworker.core.base.text import code
from caseworker.core.evidence.builds import Build, CommandRun, Stage, how_it_ended
from caseworker.core.evidence.test_report import count_words


def _bullets(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def run_words(run: CommandRun, *, lines: int = 25) -> str:
    """A command, how it ended, and the end of its output in a code fence that no output can close."""
    tail = "\n".join(run.output.strip().splitlines()[-lines:])
    longest = max((len(ticks) for ticks in re.findall(r"`+", tail)), default=0)
    fence = "`" * max(3, longest + 1)
    counts = f": {count_words(run.report)}" if run.report is not None else ""
    return f"{code(run.command)} {how_it_ended(run)} after {run.seconds:.1f} s{counts}\n\n{fence}\n{tail}\n{fence}"


def build_words(build: Build) -> str:
    """For an agent: the commit, the commands, and how each ended."""
    title = {
        Stage.BASE: "On the base",
        Stage.RED: "With the new test and without the change",
        Stage.HEAD: "On the head",
    }
    runs = "\n\n".join(run_words(run) for run in build.runs)
    told = f"{title[build.stage]} ({build.commit[:12]}):\n\n{runs}"
    if build.proof is None:
        return told
    again = "\n\n".join([f"{build.proof.verdict.reason}.", *(run_words(run) for run in build.proof.runs)])
    return f"{told}\n\nThe tests as they are on the head, run on the base's code:\n\n{again}"


def build_feedback(build: Build) -> str:
    """For the developer: the failed commands and the end of their output."""
    return "\n\n".join(run_words(run, lines=60) for run in build.runs if not run.passed)


def forbidden_feedback(sentences: Sequence[str], instruments: Sequence[str] = ()) -> str:
    """For the developer: forbidden paths that were changed, and diagnostic lines that are left."""
    kept = " If the issue can't be solved without it, leave it and say why: a person is asked then."
    return f"{_bullets([*sentences, *instruments])}\n\nTake that back.{'' if instruments else kept}"


def latest(builds: Sequence[Build], stage: Stage) -> Build | None:
    return next((build for build in reversed(builds) if build.stage is stage), None)
