"""The request and the result of a bisect. Workspaces run it."""

import re
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

MOST_RUNS: Final = 50
MOST_STEPS: Final = 60
"""Most commits that are tried, including the two ends."""
SKIP: Final = 125
"""Exit code of the script for a commit that can't be judged, as in `git bisect run`."""
REVISION: Final = re.compile(r"(?P<name>[A-Za-z0-9_][\w./-]*)(?P<back>(?:[~^]\d{0,6})*)", re.ASCII)
_INVALID_NAME: Final = re.compile(r"\.\.|//|/\.|\.lock(?:/|$)|[./]$")


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class BisectRequest(_Value):
    """Which commit broke it? Each is tried with a shell script: exit code 0 good, 125 skip, 1 to 127 bad."""

    good: str = Field(max_length=200, description="A commit where it worked: a hash, or HEAD~30.")
    bad: str = Field(default="HEAD", max_length=200, description="A commit where it fails.")
    script: str = Field(
        min_length=1, max_length=4_000, description="Run from the workspace's root, without network. 125: can't tell."
    )
    runs: int = Field(default=1, ge=1, le=MOST_RUNS, description="Of an intermittent bug: bad if one of them fails.")

    @field_validator("good", "bad")
    @classmethod
    def _check_revision(cls, revision: str) -> str:
        found = REVISION.fullmatch(revision)
        if found is None or _INVALID_NAME.search(found["name"]):
            raise ValueError("a revision is a hash, HEAD or a branch, and may end in ~3 or ^")
        return revision

    @field_validator("script")
    @classmethod
    def _check_script(cls, script: str) -> str:
        if not script.strip() or "\0" in script:
            raise ValueError("the script is empty, or no text")
        return script


class CulpritCommit(_Value):
    """The first bad commit. `outcomes.bug.Culprit` has the same fields, for what an agent claims."""

    hash: Annotated[str, Field(max_length=64)]
    author: Annotated[str, Field(max_length=200)]
    date: Annotated[str, Field(max_length=40)]
    message: Annotated[str, Field(max_length=2_000)]


CommitVerdict = Literal["good", "bad", "skip"]


class BisectStep(_Value):
    commit: str
    verdict: CommitVerdict
    exit_code: int
    """Exit code of the last run, which decided."""
    runs: int


class Bisection(_Value):
    status: Literal["found", "not_found", "refused"]
    """`refused`: nothing was searched, because the request is wrong."""
    reason: str
    """The result, why, and what to do next."""
    culprit: CulpritCommit | None = None
    steps: list[BisectStep] = []
    log: str = ""
    """A line for each step, with the end of the script's output."""


def verdict_of_commit(exit_code: int) -> CommitVerdict | None:
    """The verdict of an exit code. Null: the script was killed or could not be run, so the commit was not judged."""
    if exit_code == 0:
        return "good"
    if exit_code == SKIP:
        return "skip"
    return "bad" if 1 <= exit_code <= 127 else None
