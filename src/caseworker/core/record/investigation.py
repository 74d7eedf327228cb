"""Entries of the record about an investigation."""

from typing import Literal

from caseworker.core.base.ids import Sha
from caseworker.core.base.roles import Role
from caseworker.core.investigation.measurements import InstrumentName
from caseworker.core.outcomes.investigation import Hypothesis
from caseworker.core.record.entry import RecordEntry


class MatrixRevised(RecordEntry):
    """The hypotheses of an investigation after a turn, and what that turn changed."""

    kind: Literal["matrix_revised"] = "matrix_revised"
    investigation: int
    version: int
    iteration: int
    turn: int
    role: Role
    hypotheses: list[Hypothesis]
    changes: list[str]


class Tied(RecordEntry):
    """A piece of evidence and the entry it refers to. `event` null: it is a line of a file, which was checked."""

    kind: Literal["command", "file", "run"]
    source: str
    shows: str
    event: int | None = None


class CauseProven(RecordEntry):
    """The investigator named a cause, and all its evidence was found. The tech lead has not reviewed it yet."""

    kind: Literal["cause_proven"] = "cause_proven"
    iteration: int
    hypothesis: str
    cause: str
    evidence: list[Tied]


class InstrumentRan(RecordEntry):
    """A profile, stress or trace. Evidence cites it by instrument and number."""

    kind: Literal["instrument_ran"] = "instrument_ran"
    instrument: InstrumentName
    number: int
    turn: int
    command: str
    commit: Sha
    status: Literal["measured", "unavailable"]
    how: str
    """What was used."""
    summary: str
    report: str = ""


class Bisected(RecordEntry):
    kind: Literal["bisected"] = "bisected"
    number: int
    turn: int
    good: str
    bad: str
    script: str
    runs: int
    status: Literal["found", "not_found", "refused"]
    reason: str
    culprit_hash: str = ""
    culprit_message: str = ""
    log: str = ""
