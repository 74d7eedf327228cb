"""Fills the sections of the case file that change with the case's moves."""

from collections.abc import Sequence
from typing import Final

from caseworker.core.base.text import printable
from caseworker.core.casefile.model import (
    CaseFile,
    Escalation,
    TriageSection,
)
from caseworker.core.casefile.new_attempts import begin_anew, writer_feedback
from caseworker.core.casefile.ownership import SPEAKER
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.moves import BY_PEOPLE
from caseworker.core.issue.states import PARKED, ROWS, WAITING, IssueState
from caseworker.core.issue.subjects import Subject, WaitingFor
from caseworker.core.issue.turns import role_at_work
from caseworker.core.issue.words import standing_of
from caseworker.core.people.commands import Close, Reject
from caseworker.core.people.messages import Message

S = IssueState
_CLOSED: Final = "closed: "


def after_move(
    file: CaseFile,
    case: IssueCase,
    before: IssueCase | None = None,
    said: Sequence[Message] = (),
    why_closed: str = "",
) -> CaseFile:
    """The file after a move, with the status in the case file's terms. `before`: the case before the move. `said`: the
    words of people that the next writer is given. `why_closed`: the reason of the person who closed it."""
    if before is not None:
        file = begin_anew(file, case, before)
    pipeline = file.pipeline.model_copy(
        update={
            "current_agent": _agent(case),
            "attempt": case.limits.attempt,
            "blocked_reason": case.reason if case.state in PARKED | WAITING else None,
            "failure_reason": _failure(case, why_closed),
            "status": _status(case.state),
        }
    )
    outcome = case.state.value if case.state in _OVER else None
    return file.model_copy(
        update={
            "pipeline": pipeline,
            "triage": _overruled(file.triage) if case.state in BY_PEOPLE else file.triage,
            "review": file.review.model_copy(update={"feedback_for_writer": _feedback(case, said)}),
            "commit": file.commit.model_copy(update={"branch": case.branch, "issue_closed": _is_closed(file, case)}),
            "communication": file.communication.model_copy(update={"escalations": _escalations(file, case, before)}),
            "learnings": file.learnings.model_copy(update={"outcome": outcome}),
        }
    )


def _agent(case: IssueCase) -> str | None:
    """The file's name for the role that has the turn, or for the code that works."""
    role = role_at_work(case)
    return SPEAKER[role] if role is not None else ROWS[case.state].agent


def _feedback(case: IssueCase, said: Sequence[Message]) -> str | None:
    """In an investigation the feedback is for the investigator, and no writer gets it."""
    return None if case.state is S.INVESTIGATING else writer_feedback(case.evidence.feedback, said)


def _is_closed(file: CaseFile, case: IssueCase) -> bool:
    """Whether the issue is closed: one in our own records when its case is completed, one with an address when it was
    seen closed there."""
    return file.commit.issue_closed if file.issue.url else case.state is S.COMPLETED


def note_closed(file: CaseFile, *, closed: bool) -> CaseFile:
    """The file after a look at an issue that is kept elsewhere."""
    return file.model_copy(update={"commit": file.commit.model_copy(update={"issue_closed": closed})})


def _overruled(triage: TriageSection) -> TriageSection:
    """Clears a rejection, because a person wants the issue worked on."""
    if triage.should_proceed is not False:
        return triage
    return triage.model_copy(update={"should_proceed": True, "rejection_reason": None})


def _escalations(file: CaseFile, case: IssueCase, before: IssueCase | None) -> list[Escalation]:
    """Marks escalations as resolved when a person answers. Not if the case returns to the wait after mere thanks, or if
    a person only raised the budget or passed a milestone."""
    raised = file.communication.escalations
    wait = before.waiting.wait if before is not None else None
    if case.state in BY_PEOPLE and (wait is None or wait.reason not in (WaitingFor.BUDGET, WaitingFor.MILESTONE)):
        return [escalation.model_copy(update={"resolved": True}) for escalation in raised]
    waits = case.state in WAITING and case.waiting.wait is not None and case.waiting.wait.subject is Subject.ESCALATION
    for_people = [place for place, escalation in enumerate(raised) if escalation.requires_human]
    if waits and for_people:
        last = for_people[-1]
        return [*raised[:last], raised[last].model_copy(update={"resolved": False}), *raised[last + 1 :]]
    return raised


_OVER: Final = {S.COMPLETED, S.FAILED, S.CLOSED}


def _status(state: IssueState) -> str:
    if state is S.COMPLETED:
        return "completed"
    if state in _OVER:
        return "failed"
    return "blocked" if state in PARKED | WAITING else "in_progress"


def _failure(case: IssueCase, why_closed: str) -> str | None:
    match case.state:
        case S.FAILED:
            return case.reason
        case S.CLOSED:
            return f"{_CLOSED}{with_reason(case.reason, why_closed)}"
        case _:
            return None


def standing_in_file(case: IssueCase, file: CaseFile) -> str:
    """One line: how the case stands; of a closed one with the reason of the person who closed it, which only the file
    has."""
    told = file.pipeline.failure_reason or ""
    if case.state is not S.CLOSED or not told:  # the file is written after the move
        return standing_of(case)
    return printable(" ".join(told.removeprefix(_CLOSED).split()))


def why_closed(case: IssueCase, said: Sequence[Message]) -> str:
    """The reason that came with the command which closed the case. The snapshot has none: it is in people's words,
    which must not enter workflow history."""
    command = next((one.command for one in said if one.id == case.people.closed_by), None)
    return command.reason.strip() if isinstance(command, Close | Reject) else ""


def with_reason(closed: str, reason: str) -> str:
    """Who closed the case, and why if they said so."""
    return f"{closed.rstrip('.')}: {reason}" if reason else closed
