"""Texts about builds, for agents and for pull requests."""

from collections.abc import Collection, Sequence

from caseworker.core.base.text import code, fenced
from caseworker.core.evidence.builds import Build, CommandRun, Stage, how_it_ended
from caseworker.core.evidence.test_report import count_words


def _bullets(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def run_words(run: CommandRun, *, lines: int = 25) -> str:
    """A command, how it ended, and the end of its output in a code fence that no output can close."""
    tail = "\n".join(run.output.strip().splitlines()[-lines:])
    return f"{_ending_words(run)}\n\n{fenced(tail)}"


def _ending_words(run: CommandRun) -> str:
    counts = f": {count_words(run.report)}" if run.report is not None else ""
    return f"{code(run.command)} {how_it_ended(run)} after {run.seconds:.1f} s{counts}"


def build_words(build: Build, feedback: str = "", told: Collection[str] = ()) -> str:
    """For an agent: the commit, the commands, and how each ended. Output is shown of failures only, each once, and not
    of those in the feedback that the agent gets as well, nor if only tests failed of which it was `told` how."""
    title = {
        Stage.BASE: "On the base",
        Stage.RED: "With the new test and without the change",
        Stage.HEAD: "On the head",
    }
    here = f"{title[build.stage]} ({build.commit[:12]}):\n\n{_failures_once(build.runs, feedback, told)}"
    if build.proof is None:
        return here
    verdict = build.proof.verdict  # where it names the tests, it says how they failed
    others = [run for run in build.proof.runs if not _is_told(run, verdict.tests)]
    again = f"{verdict.reason}.\n\n{_failures_once(others, feedback, ())}".strip()
    return f"{here}\n\nThe tests as they are on the head, run on the base's code:\n\n{again}"


def _failures_once(runs: Sequence[CommandRun], feedback: str, told: Collection[str]) -> str:
    """All tests and the new test alone fail in the same way: the shorter output, which comes last, shows it. Where it
    was told, the first command is enough."""
    runs = [run for number, run in enumerate(runs) if number == 0 or not _is_told(run, told)]
    last = {_failed_tests(run): number for number, run in enumerate(runs) if _failed_tests(run)}
    shown = [
        not (run.passed or _is_told(run, told))
        and last.get(_failed_tests(run), number) == number
        and _fed_back(run) not in feedback
        for number, run in enumerate(runs)
    ]
    return "\n\n".join(run_words(run) if show else _ending_words(run) for run, show in zip(runs, shown, strict=True))


def _is_told(run: CommandRun, told: Collection[str]) -> bool:
    return bool(failed := _failed_tests(run)) and failed <= set(told)


def _fed_back(run: CommandRun) -> str:
    return run_words(run, lines=60)


def _failed_tests(run: CommandRun) -> frozenset[str]:
    return frozenset(test.name for test in (*run.report.failed, *run.report.broken)) if run.report else frozenset()


def build_feedback(build: Build) -> str:
    """For the developer: the failed commands and the end of their output."""
    return "\n\n".join(_fed_back(run) for run in build.runs if not run.passed)


def forbidden_feedback(sentences: Sequence[str], instruments: Sequence[str] = ()) -> str:
    """For the developer: forbidden paths that were changed, and diagnostic lines that are left."""
    kept = " If the issue can't be solved without it, leave it and say why: a person is asked then."
    return f"{_bullets([*sentences, *instruments])}\n\nTake that back.{'' if instruments else kept}"


def latest(builds: Sequence[Build], stage: Stage) -> Build | None:
    return next((build for build in reversed(builds) if build.stage is stage), None)
