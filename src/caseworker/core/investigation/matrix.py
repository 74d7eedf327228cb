"""Computes a case's investigations from its turns: the log, and the hypothesis matrix over time.

They are stored nowhere else. A turn is saved together with its outcome, so the two can't disagree.
"""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final, Protocol

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.roles import Role
from caseworker.core.investigation.iterations import Iteration, next_iteration
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
from caseworker.core.outcomes.pm import InterpretOutcome, PlanOutcome
from caseworker.core.outcomes.tech_lead import ReviewOutcome

MOST_INVESTIGATIONS: Final = 3
"""Limit per case; each is about a different problem."""

_ASKING: Final = frozenset({"INVESTIGATION_NEEDED", "SPAWN_INVESTIGATOR", "ESCALATE", "BLOCKED"})
"""Statuses with which a request for an investigation counts. With any other status it is ignored."""


_Requesting = PlanOutcome | InterpretOutcome | ReviewOutcome | ImplementationOutcome
"""Outcomes that may ask for an investigation."""


class CompletedTurn(Protocol):
    """A completed turn."""

    @property
    def turn(self) -> int: ...
    @property
    def role(self) -> Role: ...
    @property
    def outcome(self) -> Outcome: ...


class InvalidTurn(BaseModel):
    """A turn of the investigator without a valid outcome. It counts as an iteration that found nothing."""

    model_config = ConfigDict(frozen=True)
    turn: int
    reason: str


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


class Requested(BaseModel):
    """A request for the investigation: the problem, what is suspected, and who asked in which turn."""

    model_config = ConfigDict(frozen=True)
    turn: int
    role: Role
    request: InvestigationRequest


class Investigation(BaseModel):
    """One investigation, computed from its turns."""

    model_config = ConfigDict(frozen=True)
    number: int
    requests: tuple[Requested, ...] = ()
    """The requests that led to it, or asked for it again."""
    revisions: tuple[Revision, ...] = ()
    iterations: tuple[Iteration, ...] = ()
    """The log."""
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
        outcomes = [(after, one.outcome) for after, one in enumerate(self.iterations, 1)]
        claims = [(after, one.root_cause) for after, one in outcomes if one is not None]
        claims += [(one.iteration, one.outcome.root_cause) for one in self.diagnostics]
        in_order = sorted(claims, key=lambda claim: claim[0])
        return next((cause for _, cause in reversed(in_order) if cause is not None), None)

    @property
    def asked_to_measure(self) -> Diagnostic | None:
        """The measurement that the last iteration asks for."""
        last = self.iterations[-1].outcome if self.iterations else None
        return last.diagnostic if last is not None else None


def begins_new(began: Sequence[int], *, new_problem: bool) -> bool:
    """Whether entering an investigation begins a new one. `began`: as of `investigations`."""
    return not began or (new_problem and len(began) < MOST_INVESTIGATIONS)


def request_in(outcome: Outcome) -> InvestigationRequest | None:
    """The request for an investigation in an outcome. Null: there is none, or its status does not ask for one."""
    if not isinstance(outcome, _Requesting) or outcome.status not in _ASKING or _asks_first(outcome):
        return None
    return outcome.investigation


def investigations(
    turns: Sequence[CompletedTurn], invalid: Sequence[InvalidTurn], began: Sequence[int]
) -> list[Investigation]:
    """All investigations of a case, oldest first. `began`: for each, the turn after which the case entered it. Later
    turns belong to it, and so does the request that led to it."""
    found = [Investigation(number=number) for number in range(1, len(began) + 1)]
    every: list[CompletedTurn | InvalidTurn] = [*turns, *invalid]
    for turned in sorted(every, key=lambda one: one.turn):
        now = bisect_left(began, turned.turn) - 1
        if not isinstance(turned, InvalidTurn) and isinstance(turned.outcome, _Requesting):
            _add_to_requested(found, now, turned, turned.outcome)
        elif now >= 0:
            found[now] = _after(found[now], turned)
    return found


def _after(investigation: Investigation, turned: CompletedTurn | InvalidTurn) -> Investigation:
    if isinstance(turned, InvalidTurn):
        added = next_iteration(investigation.iterations, turned.turn, turned.reason)
        return investigation.model_copy(update={"iterations": (*investigation.iterations, added)})
    match turned.outcome:
        case InvestigationOutcome() as outcome:
            return _add_iteration(investigation, turned, outcome)
        case DiagnosticOutcome() as outcome:
            return _add_diagnostic(investigation, turned, outcome)
        case CauseReviewOutcome() as outcome:
            return _add_review(investigation, outcome)
        case UnblockingOutcome(status="CONTINUE") as outcome:
            return investigation.model_copy(update={"resources": (*investigation.resources, outcome.resources)})
        case _:
            return investigation


def _add_to_requested(found: list[Investigation], now: int, turned: CompletedTurn, outcome: _Requesting) -> None:
    """Adds a request to the investigation that it led to, or to the present one. One that led nowhere is left out."""
    request = request_in(outcome)
    bundle = outcome.evidence if isinstance(outcome, ImplementationOutcome) and outcome.status in _ASKING else None
    new = now < 0 or (request is not None and request.new_problem)
    leads_on = new and now + 1 < len(found)
    if not leads_on and (now < 0 or (new and len(found) < MOST_INVESTIGATIONS)):
        return
    target = now + 1 if leads_on else now
    if request is not None:
        found[target] = _add_request(found[target], turned, request)
    if bundle is not None:
        found[target] = found[target].model_copy(update={"bundle": bundle})


def _asks_first(outcome: Outcome) -> bool:
    """Whether it asked another role first, and will answer again."""
    return isinstance(outcome, WorkOutcome) and bool(outcome.ask)


def _add_review(investigation: Investigation, outcome: CauseReviewOutcome) -> Investigation:
    after = (*investigation.reviewed_after, len(investigation.iterations))
    return investigation.model_copy(update={"reviews": (*investigation.reviews, outcome), "reviewed_after": after})


def _add_diagnostic(investigation: Investigation, turned: CompletedTurn, outcome: DiagnosticOutcome) -> Investigation:
    asked = investigation.asked_to_measure
    measured = Measured(turn=turned.turn, outcome=outcome, iteration=len(investigation.iterations), request=asked)
    return investigation.model_copy(update={"diagnostics": (*investigation.diagnostics, measured)})


def _add_request(investigation: Investigation, turned: CompletedTurn, request: InvestigationRequest) -> Investigation:
    requested = Requested(turn=turned.turn, role=turned.role, request=request)
    known = investigation.model_copy(update={"requests": (*investigation.requests, requested)})
    return _add_revision(known, turned, request.hypothesis_matrix)


def _add_iteration(investigation: Investigation, turned: CompletedTurn, outcome: InvestigationOutcome) -> Investigation:
    """Adds an iteration. If the outcome asks another role, the iteration is not finished and not counted yet."""
    if outcome.ask:
        return _add_revision(
            investigation, turned, outcome.hypothesis_matrix, iteration=len(investigation.iterations) + 1
        )
    added = next_iteration(investigation.iterations, turned.turn, outcome)
    longer = investigation.model_copy(update={"iterations": (*investigation.iterations, added)})
    return _add_revision(longer, turned, outcome.hypothesis_matrix)


def _add_revision(
    investigation: Investigation, turned: CompletedTurn, matrix: Sequence[Hypothesis], *, iteration: int | None = None
) -> Investigation:
    after = _merge(investigation.hypotheses, matrix)
    changes = changes_between(investigation.hypotheses, after)
    if not changes:
        return investigation
    revision = Revision(
        version=len(investigation.revisions) + 1,
        investigation=investigation.number,
        iteration=len(investigation.iterations) if iteration is None else iteration,
        turn=turned.turn,
        role=turned.role,
        hypotheses=after,
        changes=changes,
    )
    return investigation.model_copy(update={"revisions": (*investigation.revisions, revision)})


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
