"""Selects from a case's record what a turn's brief needs: the plan, messages and questions. Pure functions on rows."""

from collections.abc import Collection, Sequence
from typing import Final

from caseworker.agents.prompt_inputs import OpenQuestion, RoleAnswer
from caseworker.core.base.ids import MessageId
from caseworker.core.base.roles import Role, Task
from caseworker.core.casefile.model import AnalysisSection, CaseFile
from caseworker.core.casefile.ownership import SPEAKER
from caseworker.core.casefile.sections import analysis_of, asked_of
from caseworker.core.investigation.matrix import Investigation
from caseworker.core.issue.case import IssueCase
from caseworker.core.outcomes.analyst import AnalysisOutcome, PlainAnalysis, Tried
from caseworker.core.outcomes.answers import WorkOutcome
from caseworker.core.outcomes.investigation import CauseReviewOutcome, UnblockingOutcome
from caseworker.core.outcomes.pm import InterpretOutcome, PlanOutcome, QuestionsOutcome, TriageOutcome
from caseworker.core.outcomes.tech_lead import ReviewOutcome
from caseworker.core.people.commands import MessageKind, Say
from caseworker.core.people.messages import SPOKEN, Message
from caseworker.ports import FinishedTurn

_READ_BY_AGENTS: Final = SPOKEN | {
    MessageKind.APPROVE,
    MessageKind.REJECT,
    MessageKind.HAND_BACK,
    MessageKind.RETRY,
    MessageKind.RERUN,
}
"""Messages whose text agents read. Other commands carry no text for them."""
_NAMES: Final = {SPEAKER[role]: role.value for role in Role} | {"writer": "developer"}
"""The case file's names of the roles, as agents call each other."""
REVIEWS: Final = frozenset({Task.REVIEW, Task.REVIEW_ARCHITECTURE, Task.REVIEW_INTEGRATION})
_TESTING: Final = frozenset({Task.CREATE_TESTS, Task.UPDATE_TESTS})
AT_THE_WORK: Final = frozenset(
    {
        Task.UPDATE_TESTS,
        Task.JUDGE,
        Task.VALIDATE,
        Task.FIX,
        Task.REFACTOR,
        Task.ADDRESS_FEEDBACK,
        Task.REVIEW,
        Task.REVIEW_ARCHITECTURE,
        Task.REVIEW_INTEGRATION,
        Task.UNBLOCK,
    }
)
"""Tasks that look at an existing change."""
INQUIRING: Final = frozenset({Task.ITERATE, Task.VALIDATE_ROOT_CAUSE})
"""Tasks that may cite a build by its number."""
WITH_MEASUREMENTS: Final = INQUIRING | {Task.UNBLOCK}
WITH_EVIDENCE: Final = AT_THE_WORK | INQUIRING | {Task.CREATE_TESTS, Task.IMPLEMENT, Task.ANSWER}
WITH_REMARKS: Final = frozenset(
    {Task.IMPLEMENT, Task.FIX, Task.REFACTOR, Task.ADDRESS_FEEDBACK, Task.REVIEW, Task.VALIDATE, Task.UNBLOCK}
)
"""Tasks whose prompt numbers people's remarks; other tasks get them as ordinary messages."""


def is_among(tasks: Collection[Task], role: Role, task: Task) -> bool:
    """Whether the turn has one of these tasks. The pm unblocks an investigation, where there is no change yet."""
    return task in tasks and (role, task) != (Role.PM, Task.UNBLOCK)


def plan_of(turns: Sequence[FinishedTurn]) -> str:
    """The last complete plan. A draft that ended in a question is not followed."""
    plans = [turn.outcome for turn in turns if isinstance(turn.outcome, PlanOutcome)]
    return next((plan.plan for plan in reversed(plans) if plan.status == "PLANNING_COMPLETE"), "")


def triage_of(turns: Sequence[FinishedTurn], file: CaseFile) -> str:
    """The pm's reason, and its unfinished analysis if there is one: the analyst begins with that."""
    triage = last_triage(turns)
    if triage is None:
        return ""
    begun = "" if file.analysis.completed else file.analysis.brief
    return "\n\n".join(part for part in (triage.reason, begun) if part)


def last_triage(turns: Sequence[FinishedTurn]) -> TriageOutcome | None:
    triages = [turn.outcome for turn in turns if isinstance(turn.outcome, TriageOutcome)]
    return triages[-1] if triages else None


def brief_for(task: Task, turns: Sequence[FinishedTurn], file: CaseFile) -> str:
    """The analyst's brief. A review gets it without what was tried: it has the change itself and what code saw of it,
    and should not take the change for right because it was proposed before. A tester gets it without the change that
    was tried: a test shows what is asked for, not what one change does."""
    brief = file.analysis.brief
    if task not in REVIEWS | _TESTING:
        return brief
    told = (_analysis_with_less(turn, task) for turn in reversed(turns))
    newest = next((analysis for analysis in told if analysis is not None), None)
    return brief if newest is None else newest.brief


def _analysis_with_less(turn: FinishedTurn, task: Task) -> AnalysisSection | None:
    """The turn's analysis without what was tried; for a test, with how the issue was reproduced. Null: it made none."""
    match turn.outcome:
        case AnalysisOutcome(tried=tried) as outcome:
            return analysis_of(outcome.model_copy(update={"tried": _kept_for(task, tried)}))
        case TriageOutcome(analysis=PlainAnalysis() as analysis) as outcome:
            kept = analysis.model_copy(update={"tried": _kept_for(task, analysis.tried)})
            return analysis_of(outcome.model_copy(update={"analysis": kept}))
        case TriageOutcome() as outcome:
            return analysis_of(outcome)
        case _:
            return None


def _kept_for(task: Task, tried: Tried) -> Tried:
    return Tried(reproduction=tried.reproduction) if task in _TESTING else Tried()


def asked_before(turns: Sequence[FinishedTurn]) -> tuple[str, ...]:
    """The questions that people were asked so far, each once."""
    return tuple(dict.fromkeys(question for turn in turns for question in _asked_by(turn)))


def _asked_by(turn: FinishedTurn) -> list[str]:
    match turn.outcome:
        case QuestionsOutcome(status="NEEDS_CLARIFICATION") | InterpretOutcome(status="NEEDS_CLARIFICATION") as asks:
            return asks.questions
        case PlanOutcome(status="NEEDS_CLARIFICATION") as plan:
            return [plan.reason]
        case ReviewOutcome(status="NEEDS_INFO") as review:
            return [review.feedback_for_writer or ""]
        case UnblockingOutcome(status="NEEDS_CLARIFICATION") as unblocking:
            return unblocking.questions
        case CauseReviewOutcome(status="NEEDS_INFO") as verdict:
            return [verdict.feedback]
        case WorkOutcome(escalation=escalation) if escalation:
            return [escalation]
        case _:
            return []


def investigation_of(case: IssueCase, known: Sequence[Investigation]) -> Investigation | None:
    """The present investigation of the case, or the last one."""
    if case.investigation is None or not known:
        return None
    return known[-1]


def accepted_cause(case: IssueCase) -> str:
    """The approved hypothesis, on which the case acts."""
    found = case.investigation
    return found.hypothesis if found is not None and found.stands == "approved" else ""


def said_in(messages: Sequence[Message], turn: int) -> tuple[Message, ...]:
    return tuple(message for message in messages if message.turn == turn and _has_words(message))


def said_before(messages: Sequence[Message], turn: int) -> tuple[Message, ...]:
    """Messages claimed by earlier turns. Turn 0 holds messages that need no reading."""
    return tuple(message for message in messages if message.turn and message.turn < turn and _has_words(message))


def remarks_of(messages: Sequence[Message], remarks: Sequence[MessageId]) -> tuple[Message, ...]:
    """In the order in which they are to be answered; the post with the answers uses the same order."""
    known = {message.id: message for message in messages}
    return tuple(known[number] for number in remarks if number in known)


def said_to_writer(
    messages: Sequence[Message], remarks: Sequence[MessageId], *, since: int, turn: int
) -> list[Message]:
    """What people said to the writer of this turn: open remarks, and words since the writer before it."""
    new = [message.id for message in messages if message.turn and since < message.turn <= turn]
    return [message for message in messages if message.id in {*remarks, *new} and _has_words(message)]


def questions_to(file: CaseFile, role: Role) -> tuple[OpenQuestion, ...]:
    return tuple(OpenQuestion(_name(question.from_), question.question) for question in asked_of(file, role))


def answered(file: CaseFile, role: Role) -> tuple[RoleAnswer, ...]:
    """Each question between roles that has an answer. Every role is told: what was answered once is not asked again."""
    return tuple(
        RoleAnswer(
            asker=_seen_by(role, one.from_),
            asked=_seen_by(role, one.to),
            question=one.question,
            answer=one.answer if one.answered else f"none; {one.answer}",
        )
        for one in file.communication.questions
        if one.answer
    )


def _has_words(message: Message) -> bool:
    only_opens = isinstance(message.command, Say) and message.command.only_opens
    return message.kind in _READ_BY_AGENTS and bool(message.text.strip()) and not only_opens


def _seen_by(role: Role, speaker: str) -> str:
    return "you" if speaker == SPEAKER[role] else _name(speaker)


def _name(speaker: str) -> str:
    return _NAMES.get(speaker, speaker).replace("_", " ")
