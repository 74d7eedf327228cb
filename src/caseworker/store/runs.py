"""Runs: begun with a case, ended and begun with its moves, read with what they cost."""

from typing import Final

from sqlalchemy import bindparam, func, insert, select, update

from caseworker.core.base.ids import CaseId, RunId
from caseworker.core.base.policy import Policy
from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.issue.case import IssueCase
from caseworker.core.people.digest import DISCUSSION, Digest, Verbatim
from caseworker.core.runs.follow import ISSUE_WORKFLOWS, after_move, workflow_of
from caseworker.core.runs.run import Run, RunState
from caseworker.store.columns import now
from caseworker.store.connection import Connection
from caseworker.store.port import Port
from caseworker.store.run_tables import runs
from caseworker.store.tables import attempts, cases, ledger, turns


class StoredRuns(Port):
    async def of(self, case: CaseId) -> list[Run]:
        async with self._database.reading() as connection:
            return await _read(connection, case)

    async def discussion(self, run: RunId) -> Digest | Verbatim | None:
        async with self._database.reading() as connection:
            return await _discussion(connection, run)

    async def keep_discussion(self, run: RunId, discussion: Digest | Verbatim) -> Digest | Verbatim:
        async with self._database.writing() as connection:
            kept = await _discussion(connection, run)
            if kept is None:
                body = discussion.model_dump(mode="json")
                await connection.execute(update(runs).where(runs.c.id == run).values(discussion=body))
        return kept or discussion


async def _discussion(connection: Connection, run: RunId) -> Digest | Verbatim | None:
    found = await connection.scalar(select(runs.c.discussion).where(runs.c.id == run))
    return None if found is None else DISCUSSION.validate_python(found)


# Built once: every move of an issue case asks for the run in flight.
_OF: Final = (
    select(runs.c.id, runs.c.workflow, runs.c.turns_before, runs.c.began_at, runs.c.ended_as, runs.c.ended_at)
    .where(runs.c.case == bindparam("of_case"))
    .order_by(runs.c.id)
)
_IN_FLIGHT: Final = (
    select(cases.c.policy, runs.c.id, runs.c.workflow)
    .select_from(
        cases.outerjoin(
            runs, (runs.c.case == cases.c.id) & runs.c.ended_at.is_(None) & runs.c.workflow.in_(sorted(ISSUE_WORKFLOWS))
        )
    )
    .where(cases.c.id == bindparam("of_case"))
)
_BEGUN: Final = insert(runs)
_ENDED: Final = (
    update(runs)
    .where(runs.c.id == bindparam("this_run"))
    .values(ended_as=bindparam("its_end"), ended_at=bindparam("at"))
)
_SPENT: Final = (
    select(ledger.c.turn, func.sum(ledger.c.micros))
    .where(ledger.c.case == bindparam("of_case"))
    .group_by(ledger.c.turn)
)
_COMPLETED: Final = select(turns.c.turn).where(turns.c.case == bindparam("of_case"), turns.c.result.is_not(None))
_ATTEMPTED: Final = select(attempts.c.turn).where(attempts.c.case == bindparam("of_case")).distinct()


async def begin_first_run(connection: Connection, case: IssueCase, policy: Policy) -> None:
    """In the transaction that opens the case."""
    await _begin(connection, case, workflow_of(case, policy))


async def follow_move(connection: Connection, after: IssueCase) -> None:
    """Ends and begins runs in the transaction of the move. Needs the case's lock."""
    policy, run, workflow = (await connection.execute(_IN_FLIGHT, {"of_case": after.id})).one()
    in_flight = None if workflow is None else WorkflowName(workflow)
    change = after_move(in_flight, after, Policy.model_validate(policy))
    if change.ends is not None:
        await connection.execute(_ENDED, {"this_run": run, "its_end": change.ends, "at": now()})
    if change.begins is not None:
        await _begin(connection, after, change.begins)


async def begin_run(connection: Connection, case: CaseId, workflow: WorkflowName, *, turns_before: int) -> None:
    row = {"case": case, "workflow": workflow, "turns_before": turns_before, "began_at": now()}
    await connection.execute(_BEGUN, row)


async def end_runs(connection: Connection, case: CaseId, end: RunState, *, upto: int) -> None:
    """End the runs in flight that began no later than after this turn: a run that was asked for since goes on."""
    mine = (runs.c.case == case) & runs.c.ended_at.is_(None) & (runs.c.turns_before <= upto)
    await connection.execute(update(runs).where(mine).values(ended_as=end, ended_at=now()))


async def _begin(connection: Connection, case: IssueCase, workflow: WorkflowName) -> None:
    await begin_run(connection, case.id, workflow, turns_before=case.progress.turns)


async def _read(connection: Connection, case: CaseId) -> list[Run]:
    this, at = {"of_case": case}, now()
    found = (await connection.execute(_OF, this)).all()
    paid = await connection.execute(_SPENT, this)
    spent = {turn: int(micros) for turn, micros in paid if turn is not None}  # single questions belong to no turn
    completed = set(await connection.scalars(_COMPLETED, this))
    attempted = set(await connection.scalars(_ATTEMPTED, this))
    everything = max(spent.keys() | completed | attempted, default=0)
    until = [*(before for _, _, before, *_ in found), everything][1:]
    read = []
    for (run, workflow, before, began_at, ended_as, ended_at), last in zip(found, until, strict=True):
        own = range(before + 1, last + 1)
        begun = RunState.RUNNING if attempted.intersection(own) else RunState.QUEUED
        read.append(
            Run(
                id=RunId(run),
                workflow=WorkflowName(workflow),
                case=case,
                state=begun if ended_as is None else RunState(ended_as),
                turns_before=before,
                turns=len(completed.intersection(own)),
                cost_micros=sum(spent.get(turn, 0) for turn in own),
                wall_clock_ms=int(((ended_at or at) - began_at).total_seconds() * 1000),
                began_at=began_at,
                ended_at=ended_at,
            )
        )
    return read
