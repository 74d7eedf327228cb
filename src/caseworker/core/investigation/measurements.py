"""The instruments of an investigation beside bisect: what they are asked, and what they answer. Workspaces run them."""

import re
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

MOST_STRESS_RUNS: Final = 200
REPORT_LIMIT: Final = 8_000
"""Characters of a report."""
_PLACE: Final = re.compile(r"(?P<path>[^\s:'\"\\]{1,400}):(?P<line>[1-9]\d{0,6})")
_CALLS: Final = re.compile(r"(?:%?[a-z0-9_]+(?:,%?[a-z0-9_]+)*)?")


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CommandRequest(_Value):
    command: str = Field(
        min_length=1, max_length=4_000, description="Shell, run from the root of a copy of the commit, no network."
    )

    @field_validator("command")
    @classmethod
    def _check_command(cls, command: str) -> str:
        if not command.strip() or "\0" in command:
            raise ValueError("the command is empty, or no text")
        return command


class StressRequest(CommandRequest):
    """How often does it fail, and with which seeds? `{seed}` in the command and $SEED are the run's number."""

    runs: int = Field(default=50, ge=1, le=MOST_STRESS_RUNS)
    first_seed: int = Field(default=1, ge=0, le=1_000_000)
    parallel: int = Field(default=0, ge=0, le=64, description="Runs at once; 0: one for each core, which is the most.")
    seconds_each: int = Field(default=60, ge=1, le=600)


class ObservedRequest(CommandRequest):
    setup: str = Field(default="", max_length=4_000, description="Shell, run before it and not measured: a build.")


class ProfileRequest(ObservedRequest):
    """Where does the time go?"""

    top: int = Field(default=20, ge=1, le=40, description="How many places.")


class TraceRequest(ObservedRequest):
    """What happens, and in which order?"""

    at: str = Field(default="", max_length=420, description="path:line: the backtraces there. Empty: the calls.")
    calls: str = Field(default="", max_length=200, description="Of strace, e.g. %file,%network. Empty: all.")

    @field_validator("at")
    @classmethod
    def _check_place(cls, at: str) -> str:
        if at and (_PLACE.fullmatch(at) is None or at.startswith(("/", "-")) or ".." in at.split("/")):
            raise ValueError("a place is path:line, with the path from the root of the repository")
        return at

    @field_validator("calls")
    @classmethod
    def _check_calls(cls, calls: str) -> str:
        if _CALLS.fullmatch(calls) is None:
            raise ValueError("calls are names with commas between them, such as openat,%network")
        return calls

    @property
    def place(self) -> tuple[str, int] | None:
        found = _PLACE.fullmatch(self.at)
        return (found["path"].removeprefix("./"), int(found["line"])) if found is not None else None


InstrumentRequest = StressRequest | ProfileRequest | TraceRequest
InstrumentName = Literal["stress", "profile", "trace"]
_NAMES: Final[dict[type[InstrumentRequest], InstrumentName]] = {
    StressRequest: "stress",
    ProfileRequest: "profile",
    TraceRequest: "trace",
}


def name_of(request: type[InstrumentRequest]) -> InstrumentName:
    return _NAMES[request]


class Measurement(_Value):
    status: Literal["measured", "unavailable"]
    """`unavailable`: nothing was measured, and `summary` says why. It can't be cited."""
    how: str
    """What was used: cProfile, strace, ..."""
    summary: str
    report: Annotated[str, Field(max_length=REPORT_LIMIT + 200)] = ""
    """The table, the places, or the backtraces."""


def unavailable(how: str, why: str) -> Measurement:
    return Measurement(status="unavailable", how=how, summary=why)
