"""Adds to a turn of an investigation a bisect tool and a check that its evidence is on record."""

import asyncio
from dataclasses import dataclass, replace
from typing import Final

import structlog

from caseworker.activities.turn.attempts import Try
from caseworker.contract.wire import TurnRequest
from caseworker.core.base.errors import Refused
from caseworker.core.base.roles import Role, Task
from caseworker.core.base.text import clip
from caseworker.core.evidence.diagnostics import altered
from caseworker.core.investigation.bisection import Bisection, BisectRequest
from caseworker.core.investigation.matrix import Inquiry, contradicted, inquiries
from caseworker.core.issue.investigation import why_not_approvable, why_not_claimable
from caseworker.core.outcomes.investigation import (
    CauseReviewOutcome,
    DiagnosticOutcome,
    InvestigationOutcome,
    RootCause,
)
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.record.cited import EVENTS, cited_files, tie, too_little
from caseworker.core.record.entries import Entry
from caseworker.core.record.investigation import Bisected, CauseProven, MatrixRevised, Tied
from caseworker.ports import Bisector, IssueBrief, Store, Workspace, Workspaces

log = structlog.get_logger()

BISECT_SECONDS: Final = 1_200.0
_LOG_LIMIT: Final = 8_000


@dataclass(frozen=True, kw_only=True)
class _CandidateTurn:
    """The turn that is about to be saved, in the shape that the matrix counts."""

    turn: int
    role: Role
    outcome: Outcome


class InvestigationTurns:
    def __init__(self, *, store: Store, workspaces: Workspaces, bisector: Bisector) -> None:
        self._store = store
        self._workspaces = workspaces
        self._bisector = bisector

    def with_tools(self, brief: IssueBrief, this: Try, request: TurnRequest, workspace: Workspace) -> IssueBrief:
        one_at_a_time = asyncio.Lock()  # two bisects would work in the same tree

        async def bisect(asked: BisectRequest) -> str:
            async with one_at_a_time:
                return await self._bisect(this, workspace, asked)

        async def check(outcome: Outcome) -> str:
            return await self._find_problem(this, request, workspace, outcome)

        match request.task:
            case Task.ITERATE:
                return replace(brief, bisect=bisect, check=check)
            case Task.DIAGNOSTIC | Task.VALIDATE_ROOT_CAUSE:
                return replace(brief, check=check)
            case _:
                return brief

    async def _find_problem(self, this: Try, request: TurnRequest, workspace: Workspace, outcome: Outcome) -> str:
        match outcome:
            case InvestigationOutcome():
                return await self._dropped_hypotheses(request, outcome) or await self._missing_evidence(
                    request, workspace, outcome
                )
            case DiagnosticOutcome():
                return await self._altered_lines(this, request, workspace) or await self._unproven_claim(
                    request, workspace, outcome
                )
            case CauseReviewOutcome(status="APPROVED"):
                return why_not_approvable(request.case, await self._inquiries(request), outcome)
            case _:
                return ""

    async def _inquiries(self, request: TurnRequest) -> list[Inquiry]:
        return inquiries(await self._store.turns.finished(request.case.id))

    # --- measuring

    async def _altered_lines(self, this: Try, request: TurnRequest, workspace: Workspace) -> str:
        """What a diagnostic changed or deleted. It may only add lines."""
        before = request.case.delivery.checkpoint or workspace.base
        name = f"look-{request.turn}-{this.attempt.number}"
        try:
            now = await self._workspaces.commit(workspace, "What a diagnostic wrote", parent=before, name=name)
            diff = await self._workspaces.diff(workspace, before, now)
        except Refused as error:  # a file or a diff that is too large; the agent can remove it
            return str(error)
        found = await asyncio.to_thread(altered, diff)
        return " ".join([*found, "A diagnostic only adds lines; take everything else back."]) if found else ""

    # --- the bisect

    async def _bisect(self, this: Try, workspace: Workspace, asked: BisectRequest) -> str:
        log.info("bisect started", good=asked.good, bad=asked.bad, runs=asked.runs)
        found = await self._bisector.find(workspace, asked, seconds=BISECT_SECONDS)
        number = 1 + len(await self._store.record.whole(this.case, {"bisected"}))
        await self._store.record.append(this.case, [_bisected(number, this.turn, asked, found)], trace=this.trace)
        how = found.status.replace("_", " ")
        return f"bisect {number}, {how}: {found.reason}\n{clip(found.log, _LOG_LIMIT)}".strip()

    # --- the cause

    async def _dropped_hypotheses(self, request: TurnRequest, outcome: InvestigationOutcome) -> str:
        """The hypotheses that the outcome leaves out: each must be kept until it is eliminated."""
        before = await self._inquiries(request)
        return contradicted(outcome, before[-1].hypotheses if before else ())

    async def _unproven_claim(self, request: TurnRequest, workspace: Workspace, outcome: DiagnosticOutcome) -> str:
        """What is wrong with the cause that a senior developer names after a measurement."""
        cause = _claimed_cause(outcome)
        if cause is None:
            return ""
        refused = why_not_claimable(await self._inquiries(request), cause)
        return refused or await self._missing_evidence(request, workspace, outcome)

    async def _missing_evidence(self, request: TurnRequest, workspace: Workspace, outcome: Outcome) -> str:
        cause = _claimed_cause(outcome)
        if cause is None:
            return ""
        found = await self._tie_evidence(request, workspace, cause)
        missing = [problem for problem in found if isinstance(problem, str)]
        problem = "; ".join(missing) or too_little([one for one in found if isinstance(one, Tied)])
        return f"ROOT_CAUSE_FOUND, but its evidence does not hold: {problem}" if problem else ""

    async def _tie_evidence(self, request: TurnRequest, workspace: Workspace, cause: RootCause) -> list[Tied | str]:
        # The record names files of the workspace by their relative path.
        inside = f"{workspace.path}/"
        evidence = [piece.model_copy(update={"source": piece.source.replace(inside, "")}) for piece in cause.evidence]
        record = await self._store.record.whole(request.case.id, EVENTS)
        commit = request.case.delivery.checkpoint or workspace.base
        texts = await self._workspaces.texts(workspace, commit, cited_files(evidence))
        return tie(evidence, record, texts)

    async def entries(self, this: Try, request: TurnRequest, outcome: Outcome, workspace: Workspace) -> list[Entry]:
        """The record entries saved with the turn: how it changed the matrix, and the cause with its evidence."""
        cause = _claimed_cause(outcome)
        asked = isinstance(outcome, InvestigationOutcome) or getattr(outcome, "investigation", None) is not None
        if cause is None and not asked:
            return []
        entries: list[Entry] = []
        done = await self._store.turns.finished(request.case.id)
        turned = _CandidateTurn(turn=this.turn, role=this.role, outcome=outcome)
        revised = [inquiry.revisions for inquiry in inquiries([*done, turned])]
        if revised and revised[-1] and revised[-1][-1].turn == this.turn:
            entries.append(MatrixRevised(**revised[-1][-1].model_dump()))
        if cause is not None:
            tied = [piece for piece in await self._tie_evidence(request, workspace, cause) if isinstance(piece, Tied)]
            known = request.case.investigation
            done_before = known.iteration if known is not None else 0
            iteration = done_before + isinstance(outcome, InvestigationOutcome)
            entries.append(
                CauseProven(iteration=iteration, hypothesis=cause.hypothesis, cause=cause.cause, evidence=tied)
            )
        return entries


def _claimed_cause(outcome: Outcome) -> RootCause | None:
    if isinstance(outcome, InvestigationOutcome | DiagnosticOutcome) and outcome.status == "ROOT_CAUSE_FOUND":
        return outcome.root_cause
    return None


def _bisected(number: int, turn: int, asked: BisectRequest, found: Bisection) -> Bisected:
    culprit = found.culprit
    return Bisected(
        number=number,
        turn=turn,
        good=asked.good,
        bad=asked.bad,
        script=asked.script,
        runs=asked.runs,
        status=found.status,
        reason=found.reason,
        culprit_hash=culprit.hash if culprit is not None else "",
        culprit_message=culprit.message if culprit is not None else "",
        log=clip(found.log, _LOG_LIMIT),
    )
