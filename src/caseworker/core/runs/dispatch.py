"""Decides about a request for a workflow, from a label or a comment: the first four of the seven steps of a dispatch.

The steps in order: registry lookup, context check, prior-output requirement, label mutex, idempotency insert, job
enqueue, return. The insert and everything after it need the store: intake does them.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.errors import Defect
from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Milestone, how_far
from caseworker.core.base.workflow_names import PullWork, WorkflowName
from caseworker.core.people.commands import StartWork
from caseworker.core.people.registry import REGISTRY, TargetKind, Workflow, displaced
from caseworker.core.people.trigger import LiteralCommand
from caseworker.core.runs.deadlines import parse_deadline
from caseworker.core.runs.delivery_outcomes import Duplicate, NotDone, RefusalReason

R = RefusalReason


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True)


class TargetFacts(_Value):
    """The issue or pull request as it is now on the forge."""

    kind: TargetKind
    is_open: bool
    is_locked: bool = False
    labels: tuple[str, ...] = ()


class CaseFacts(_Value):
    """The target's case and its runs. A pull request has a pull case."""

    done: frozenset[WorkflowName] = frozenset()
    """Workflows whose output is there."""
    in_flight: WorkflowName | None = None
    last: WorkflowName | None = None
    """The workflow of its newest run."""
    waits_at: Milestone | None = None
    """The milestone at which it waits for an approval to go on. Null: it does not."""
    has_pull: bool = False
    """A pull request is open."""
    is_over: bool = False
    is_paused: bool = False
    """A session on a pull request is paused: another one may replace it."""


class ParentFacts(_Value):
    """The issue case that opened the pull request."""

    case: CaseId
    is_at_work: bool


class OpenCase(_Value):
    kind: Literal["open"] = "open"
    until: Milestone


class GoOn(_Value):
    """The case waits at a milestone: it may go as far as this one."""

    kind: Literal["go_on"] = "go_on"
    until: Milestone


class RunAgain(_Value):
    """The case waits at this milestone or a later one: what leads to it is made again."""

    kind: Literal["run_again"] = "run_again"
    until: Milestone


class TryAgain(_Value):
    """The case was closed or failed during the same workflow: it is opened again."""

    kind: Literal["try_again"] = "try_again"


class OpenPull(_Value):
    """The pull request has no case yet."""

    kind: Literal["open_pull"] = "open_pull"
    command: StartWork


class StartAgain(_Value):
    """The pull request's case begins another session."""

    kind: Literal["start_again"] = "start_again"
    command: StartWork


class Remember(_Value):
    """Nothing runs: the directive is stored."""

    kind: Literal["remember"] = "remember"
    text: str
    path: str = ""


Start = OpenCase | GoOn | RunAgain | TryAgain | OpenPull | StartAgain | Remember


class Go(_Value):
    """The request passes: what to do, in this order."""

    workflow: WorkflowName
    remove_labels: tuple[str, ...]
    start: Start


def decide(
    command: LiteralCommand,
    target: TargetFacts | None,
    case: CaseFacts | None,
    parent: ParentFacts | None = None,
) -> Go | NotDone | Duplicate:
    """The request's first four steps. `case`: null if the target has none. `parent`: null if no case opened it."""
    row = REGISTRY.get(command.verb)
    if row is None:
        return NotDone(reason=R.UNKNOWN_WORKFLOW, detail=command.verb)
    refused = _context(row, target) or _bad_option(row, command) or _prerequisite(row, case)
    if refused is not None:
        return refused
    assert target is not None, "a missing target is refused by its context"
    start = _start(row, command, case, parent)
    if isinstance(start, NotDone | Duplicate):
        return start
    return Go(workflow=row.name, remove_labels=displaced(target.labels, row), start=start)


def _context(row: Workflow, target: TargetFacts | None) -> NotDone | None:
    if target is None:
        return NotDone(reason=R.TARGET_GONE, workflow=row.name)
    if target.kind not in row.targets:
        return NotDone(reason=R.WRONG_TARGET, workflow=row.name, detail=target.kind)
    if row.name is WorkflowName.REMEMBER:
        return None  # it works on nothing here
    if not target.is_open:
        return NotDone(reason=R.TARGET_CLOSED, workflow=row.name, detail=target.kind)
    if target.is_locked:
        return NotDone(reason=R.TARGET_LOCKED, workflow=row.name, detail=target.kind)
    return None


def _bad_option(row: Workflow, command: LiteralCommand) -> NotDone | None:
    wrong = next((option.name for option in command.options if option.name not in row.options), None)
    return None if wrong is None else NotDone(reason=R.BAD_OPTION, workflow=row.name, detail=f"--{wrong}")


def _prerequisite(row: Workflow, case: CaseFacts | None) -> NotDone | None:
    """The refusal names all steps that are missing, so that people are sent back once."""
    done = case.done if case is not None else frozenset[WorkflowName]()
    missing: list[str] = []
    needs = row.after
    while needs is not None and needs not in done:
        missing.insert(0, needs)
        needs = REGISTRY[needs].after
    if case is not None and case.in_flight is not None and missing == [case.in_flight]:
        return _in_flight(row.name, case.in_flight)  # it may be asked for again when that has ended
    return NotDone(reason=R.NEEDS_EARLIER, workflow=row.name, detail=" ".join(missing)) if missing else None


def _start(
    row: Workflow, command: LiteralCommand, case: CaseFacts | None, parent: ParentFacts | None
) -> Start | NotDone | Duplicate:
    if row.name is WorkflowName.REMEMBER:
        if not command.text:
            return NotDone(reason=R.NOTHING_TO_REMEMBER, workflow=row.name)
        return Remember(text=command.text, path=command.option("path") or "")
    if row.on_pull is not None:
        return _start_on_pull(row.name, row.on_pull, command, case, parent)
    if row.milestone is None:
        raise Defect(f"{row.name} has no way to begin")
    return _start_on_issue(row, row.milestone, case)


def _start_on_issue(row: Workflow, until: Milestone, case: CaseFacts | None) -> Start | NotDone | Duplicate:
    if case is None:
        return OpenCase(until=until)
    if case.in_flight is row.name:
        return Duplicate(workflow=row.name)
    if case.is_over:
        again = case.last is row.name and row.name not in case.done
        return TryAgain() if again else NotDone(reason=R.CASE_ENDED, workflow=row.name)
    if case.waits_at is not None:
        return GoOn(until=until) if how_far(until) > how_far(case.waits_at) else RunAgain(until=until)
    if case.has_pull:
        return NotDone(reason=R.PULL_OPEN, workflow=row.name)
    if case.in_flight is not None:
        return _in_flight(row.name, case.in_flight)
    return NotDone(reason=R.ALREADY_DONE, workflow=row.name)


def _start_on_pull(
    name: WorkflowName, work: PullWork, command: LiteralCommand, case: CaseFacts | None, parent: ParentFacts | None
) -> Start | NotDone | Duplicate:
    given = command.option("deadline")
    seconds = None if given is None else parse_deadline(given)
    if given is not None and seconds is None:
        return NotDone(reason=R.BAD_DEADLINE, workflow=name, detail=given)
    if case is not None and not case.is_paused and case.in_flight is not None:
        same = case.in_flight is name
        return Duplicate(workflow=name) if same else _in_flight(name, case.in_flight)
    if parent is not None and parent.is_at_work:
        return NotDone(reason=R.CASE_AT_WORK, workflow=name, detail=parent.case)
    start = StartWork(workflow=work, deadline_seconds=seconds)
    return OpenPull(command=start) if case is None else StartAgain(command=start)


def _in_flight(name: WorkflowName, other: WorkflowName) -> NotDone:
    return NotDone(reason=R.WORK_IN_FLIGHT, workflow=name, detail=other)
