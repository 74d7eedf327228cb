"""Questions of one role to another during a turn: whom to ask, and when that is refused."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.roles import Role
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.facts import EffectRefused, Fact, TurnEnded
from caseworker.core.issue.words import of_role
from caseworker.core.outcomes.answers import AnswerOutcome, RoleQuestion, WorkOutcome

MOST_QUESTIONS: Final = 6
"""Between roles, in one state."""


class Consultation(BaseModel):
    """The questions of one turn, counted, or the reason why they are not asked."""

    model_config = ConfigDict(frozen=True)

    case: IssueCase
    asked: dict[Role, int] = {}
    """How many questions each role is to answer."""
    refused: EffectRefused | None = None


def questions_in(fact: Fact) -> list[RoleQuestion]:
    """None if the turn also escalates: what only a person may decide comes first."""
    if not isinstance(fact, TurnEnded) or not isinstance(fact.outcome, WorkOutcome) or fact.outcome.escalation:
        return []
    return fact.outcome.ask


def consult(case: IssueCase, asker: Role, questions: Sequence[RoleQuestion]) -> Consultation:
    counted = case.updated(consulted=case.progress.consulted + len(questions))
    first = questions[0].question
    if counted.progress.consulted > MOST_QUESTIONS:
        reason = f"The {of_role(asker)} keeps asking the others: {first}"
        return Consultation(case=counted, refused=EffectRefused(reason=reason))
    if any(question.to == asker.value for question in questions):
        reason = f"The {of_role(asker)} asks itself: {first}"
        return Consultation(case=counted, refused=EffectRefused(reason=reason))
    asked = Counter(Role(question.to) for question in questions)
    return Consultation(case=counted, asked=dict(asked))


def unanswered(answered: TurnEnded, role: Role, questions: Sequence[RoleQuestion]) -> EffectRefused | None:
    """Not null if the role left a question open that it was asked."""
    own = [question.question for question in questions if question.to == role.value]
    if isinstance(answered.outcome, AnswerOutcome) and answered.outcome.leaves_open(len(own)):
        return EffectRefused(reason=f"The {of_role(role)} can't answer: {own[0]}")
    return None
