"""The proof of a change: the run that failed without it, and the run that passed with it."""

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from caseworker.core.evidence.builds import Build, CommandRun, Purpose, Stage
from caseworker.core.telling.build_texts import latest


class RedAndGreen(BaseModel):
    model_config = ConfigDict(frozen=True)

    red: tuple[CommandRun, ...]
    red_words: str
    green: tuple[CommandRun, ...]


def proof_of(builds: Sequence[Build]) -> RedAndGreen | None:
    """Null: one of them is missing."""
    red, head = latest(builds, Stage.RED), latest(builds, Stage.HEAD)
    if head is not None and head.proof is not None and head.proof.runs:
        words = "its tests on the code before"
        return RedAndGreen(red=head.proof.runs, red_words=words, green=_tests(head))
    if red is None or head is None:
        return None
    return RedAndGreen(red=_tests(red), red_words="the new test without the fix", green=_tests(head))


def _tests(build: Build) -> tuple[CommandRun, ...]:
    """The runs that decide: of the new test, or else of all tests."""
    new = tuple(run for run in build.runs if run.purpose is Purpose.NEW_TEST)
    return new or tuple(run for run in build.runs if run.purpose is Purpose.TEST)
