"""Adds to a turn of an investigation its tools and a check that its evidence is on record."""

import asyncio
from dataclasses import dataclass, replace

from caseworker.activities.issue.load_investigations import load_investigations
from caseworker.activities.issue.skills import Skills
from caseworker.activities.turn.attempts import Try
from caseworker.contract.wire import TurnRequest
from caseworker.core.base.errors import Refused
from caseworker.core.base.roles import Role, Task
from caseworker.core.evidence.diagnostics import altered
from caseworker.core.investigation.matrix import contradicted, request_in
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
from caseworker.core.record.investigation import CauseProven, MatrixRevised, Tied
from caseworker.core.record.recorded_investigations import FAILED, revision_by
from caseworker.ports import IssueBrief, Store, Workspace, Workspaces


@dataclass(frozen=True, kw_only=True)
class _CandidateTurn:
    """The turn that is about to be saved, in the shape that the matrix counts."""

    turn: int
    role: Role
    outcome: Outcome


class InvestigationTurns:
    def __init__(self, *, store: Store, workspaces: Workspaces, skills: Skills) -> None:
        self._store = store
        self._workspaces = workspaces
        self._skills = skills

    def with_tools(self, brief: IssueBrief, this: Try, request: TurnRequest, workspace: Workspace) -> IssueBrief:
        async def check(outcome: Outcome) -> str:
            return await self._find_problem(this, request, workspace, outcome)

        match request.task:
            case Task.ITERATE:
                commit = request.case.delivery.checkpoint or workspace.base
                return replace(brief, skills=self._skills.tools(this, workspace, commit), check=check)
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
                return why_not_approvable(request.case, await load_investigations(self._store, request.case), outcome)
            case _:
                return ""

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

    # --- the cause

    async def _dropped_hypotheses(self, request: TurnRequest, outcome: InvestigationOutcome) -> str:
        """The hypotheses that the outcome leaves out: each must be kept until it is eliminated."""
        before = await load_investigations(self._store, request.case)
        return contradicted(outcome, before[-1].hypotheses if before else ())

    async def _unproven_claim(self, request: TurnRequest, workspace: Workspace, outcome: DiagnosticOutcome) -> str:
        """What is wrong with the cause that a senior developer names after a measurement."""
        cause = _claimed_cause(outcome)
        if cause is None:
            return ""
        refused = why_not_claimable(await load_investigations(self._store, request.case), cause)
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
        asked = isinstance(outcome, InvestigationOutcome) or request_in(outcome) is not None
        if cause is None and not asked:
            return []
        done = await self._store.turns.finished(request.case.id)
        failed = await self._store.record.whole(request.case.id, FAILED)
        turned = _CandidateTurn(turn=this.turn, role=this.role, outcome=outcome)
        revised = revision_by(turned, request.case, done, failed)
        entries: list[Entry] = [MatrixRevised(**revised.model_dump())] if revised is not None else []
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
