"""Computes the hypothesis matrix over time from the outcomes of a case's turns: what each iteration changed.

The matrix is stored nowhere else. A turn is saved together with its outcome, so the two can't disagree.
"""

from collections.abc import Sequence
from typing import Final, Protocol

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.roles import Role
from caseworker.core.outcomes.answers import WorkOutcome
from caseworker.core.outcomes.developer import ImplementationOutcome
from caseworker.core.outcomes.investigation import (
    CauseReviewOutcome,
    Diagnostic,
    DiagnosticOutcome,
    EvidenceBundle,
    Hypothesis,
    InvestigationOutcome,
    InvestigationRequest,
    RootCause,
    UnblockingOutcome,
)
from caseworker.core.outcomes.outcome import Outcome

MOST_ITERATIONS: Final = 5
"""Limit per investigation. Nothing resets it."""
MOST_INVESTIGATIONS: Final = 3
"""Limit per case; each is about a different problem."""

_ASKING: Final = frozenset({"INVESTIGATION_NEEDED", "SPAWN_INVESTIGATOR", "ESCALATE", "BLOCKED"})
"""Statuses with which a request for an investigation counts. With any other status it is ignored."""


class CompletedTurn(Protocol):
    """A completed turn."""

    @property
    def turn(self) -> int: ...
    @property
    def role(self) -> Role: ...
    @property
    def outcome(self) -> Outcome: ...


class Revision(BaseModel):
    """The whole matrix after a turn, and what that turn changed in it."""

    model_config = ConfigDict(frozen=True)
    version: int
    investigation: int
    iteration: int
    """0: the investigation was requested with it."""
    turn: int
    role: Role
    hypotheses: tuple[Hypothesis, ...]
    changes: tuple[str, ...]


class Measured(BaseModel):
    model_config = ConfigDict(frozen=True)
    turn: int
    outcome: DiagnosticOutcome
    iteration: int = 0
    request: Diagnostic | None = None
    """What the iteration asked to measure."""


class Inquiry(BaseModel):
    """One investigation, computed from its turns."""

    model_config = ConfigDict(frozen=True)
    number: int
    request: InvestigationRequest | None = None
    revisions: tuple[Revision, ...] = ()
    iterations: tuple[InvestigationOutcome, ...] = ()
    diagnostics: tuple[Measured, ...] = ()
    reviews: tuple[CauseReviewOutcome, ...] = ()
    reviewed_after: tuple[int, ...] = ()
    """For each review, the number of iterations before it."""
    bundle: EvidenceBundle | None = None
    """The newest one that a blocked developer handed in."""
    resources: tuple[str, ...] = ()
    """What the pm gave it when it was stuck."""

    @property
    def hypotheses(self) -> tuple[Hypothesis, ...]:
        return self.revisions[-1].hypotheses if self.revisions else ()

    @property
    def root_cause(self) -> RootCause | None:
        """The newest root cause that an iteration claimed, or a diagnostic after it."""
        claims = [(after, one.root_cause) for after, one in enumerate(self.iterations, 1)]
        claims += [(one.iteration, one.outcome.root_cause) for one in self.diagnostics]
        in_order = sorted(claims, key=lambda claim: claim[0])
        return next((cause for _, cause in reversed(in_order) if cause is not None), None)


def inquiries(turns: Sequence[CompletedTurn]) -> list[Inquiry]:
    """All investigations of a case, oldest first, including one that was requested and has no iteration yet."""
    found: list[Inquiry] = []
    for turned in turns:
        match turned.outcome:
            case InvestigationOutcome() as outcome:
                found = found or [Inquiry(number=1)]
                found[-1] = _add_iteration(found[-1], turned, outcome)
            case DiagnosticOutcome() as outcome if found:
                found[-1] = _add_diagnostic(found[-1], turned, outcome)
            case CauseReviewOutcome() as outcome if found:
                found[-1] = _add_review(found[-1], outcome)
            case UnblockingOutcome(status="CONTINUE") as outcome if found:
                found[-1] = found[-1].model_copy(update={"resources": (*found[-1].resources, outcome.resources)})
            case other:
                request = getattr(other, "investigation", None)
                if isinstance(request, InvestigationRequest) and other.status in _ASKING and not _asks_first(other):
                    found = _add_request(found, turned, request)
                if isinstance(other, ImplementationOutcome) and other.status in _ASKING and other.evidence:
                    found = found or [Inquiry(number=1)]
                    found[-1] = found[-1].model_copy(update={"bundle": other.evidence})
    return found


def _asks_first(outcome: Outcome) -> bool:
    """Whether it asked another role first, and will answer again."""
    return isinstance(outcome, WorkOutcome) and bool(outcome.ask)


def _add_review(inquiry: Inquiry, outcome: CauseReviewOutcome) -> Inquiry:
    after = (*inquiry.reviewed_after, len(inquiry.iterations))
    return inquiry.model_copy(update={"reviews": (*inquiry.reviews, outcome), "reviewed_after": after})


def _add_diagnostic(inquiry: Inquiry, turned: CompletedTurn, outcome: DiagnosticOutcome) -> Inquiry:
    asked = inquiry.iterations[-1].diagnostic if inquiry.iterations else None
    measured = Measured(turn=turned.turn, outcome=outcome, iteration=len(inquiry.iterations), request=asked)
    return inquiry.model_copy(update={"diagnostics": (*inquiry.diagnostics, measured)})


def _add_request(found: list[Inquiry], turned: CompletedTurn, request: InvestigationRequest) -> list[Inquiry]:
    """Adds a request: it continues the last investigation with its hypotheses; only a new problem starts a new one."""
    if found and not (request.new_problem and len(found) < MOST_INVESTIGATIONS):
        known = found[-1].model_copy(update={"request": found[-1].request or request})
        return [*found[:-1], _add_revision(known, turned, request.hypothesis_matrix)]
    begun = Inquiry(number=len(found) + 1, request=request)
    return [*found, _add_revision(begun, turned, request.hypothesis_matrix)]


def _add_iteration(inquiry: Inquiry, turned: CompletedTurn, outcome: InvestigationOutcome) -> Inquiry:
    """Adds an iteration. If the outcome asks another role, the iteration is not finished and not counted yet."""
    if outcome.ask:
        return _add_revision(inquiry, turned, outcome.hypothesis_matrix, iteration=len(inquiry.iterations) + 1)
    longer = inquiry.model_copy(update={"iterations": (*inquiry.iterations, outcome)})
    return _add_revision(longer, turned, outcome.hypothesis_matrix)


def _add_revision(
    inquiry: Inquiry, turned: CompletedTurn, matrix: Sequence[Hypothesis], *, iteration: int | None = None
) -> Inquiry:
    after = _merge(inquiry.hypotheses, matrix)
    changes = changes_between(inquiry.hypotheses, after)
    if not changes:
        return inquiry
    revision = Revision(
        version=len(inquiry.revisions) + 1,
        investigation=inquiry.number,
        iteration=len(inquiry.iterations) if iteration is None else iteration,
        turn=turned.turn,
        role=turned.role,
        hypotheses=after,
        changes=changes,
    )
    return inquiry.model_copy(update={"revisions": (*inquiry.revisions, revision)})


def _merge(before: Sequence[Hypothesis], now: Sequence[Hypothesis]) -> tuple[Hypothesis, ...]:
    """Merges by id, in order. A hypothesis that is not mentioned stays as it was."""
    known = {one.id: one for one in before} | {one.id: one for one in now}
    return tuple(known.values())


def contradicted(outcome: InvestigationOutcome, before: Sequence[Hypothesis]) -> str:
    """How an outcome's status contradicts the whole matrix. Empty: it does not."""
    after = _merge(before, outcome.hypothesis_matrix)
    cause = outcome.root_cause.hypothesis if outcome.root_cause is not None else ""
    still = [one.id for one in after if one.status != "eliminated" and one.id != cause]
    if outcome.status in ("ROOT_CAUSE_FOUND", "EXHAUSTED") and still:
        return f"{outcome.status}, but {still[0]} is in the matrix and not eliminated"
    return ""


def changes_between(before: Sequence[Hypothesis], after: Sequence[Hypothesis]) -> tuple[str, ...]:
    """A line for each hypothesis that is new or different."""
    known = {one.id: one for one in before}
    lines = [(one.id, changes_of(known.get(one.id), one)) for one in after]
    return tuple(f"{name}: {'; '.join(changed)}" for name, changed in lines if changed)


def changes_of(was: Hypothesis | None, now: Hypothesis) -> list[str]:
    if was is None:
        return [f"new, {_weight(now)}, {now.status}"]
    changed = [f"now reads {now.hypothesis!r}"] if was.hypothesis != now.hypothesis else []
    changed += [f"{_weight(was)} -> {_weight(now)}"] if _weight(was) != _weight(now) else []
    changed += [f"{was.status} -> {now.status}"] if was.status != now.status else []
    changed += [f"for: {text}" for text in now.evidence_for if text not in was.evidence_for]
    changed += [f"against: {text}" for text in now.evidence_against if text not in was.evidence_against]
    dropped = [text for text in (*was.evidence_for, *was.evidence_against) if text not in _all_evidence(now)]
    changed += [f"no longer holds: {text}" for text in dropped]
    plans = was.next_test != now.next_test or was.effort != now.effort
    return changed + ([f"next: {now.next_test or 'nothing'}"] if plans else [])


def _weight(one: Hypothesis) -> str:
    return f"{one.likelihood} {one.percent} %"


def _all_evidence(one: Hypothesis) -> list[str]:
    return [*one.evidence_for, *one.evidence_against]
