"""Questions of one role to another: whom to ask, and when they are refused."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.failed_steps import EffectRefused
from caseworker.core.base.roles import Role
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.facts import Fact, TurnEnded
from caseworker.core.outcomes.answers import AnswerOutcome, RoleQuestion

MOST_QUESTIONS: Final = 6
"""Limit of questions between roles in one state."""


class Consultation(BaseModel):
    """The questions of one turn, counted, or the reason why they are refused."""

    model_config = ConfigDict(frozen=True)

    case: IssueCase
    asked: dict[Role, int] = {}
    """How many questions each role has to answer."""
    refused: EffectRefused | None = None


def questions_in(fact: Fact) -> list[RoleQuestion]:
    """The turn's questions to other roles. None if it also escalates: a person decides first."""
    return fact.outcome.ask if isinstance(fact, TurnEnded) and not fact.outcome.escalation else []


def consult(case: IssueCase, askers: Sequence[Role], questions: Sequence[RoleQuestion]) -> Consultation:
    """The questions of the last of these roles; those before it wait for its answer. Asking one of them is a circle."""
    asker = askers[-1]
    counted = case.updated(consulted=case.progress.consulted + len(questions))
    first = questions[0].question
    if counted.progress.consulted > MOST_QUESTIONS:
        reason = f"The {asker.words} keeps asking the others: {first}"
        return Consultation(case=counted, refused=EffectRefused(reason=reason))
    circle = next((question for question in questions if _asked_as(Role(question.to)) in map(_asked_as, askers)), None)
    if circle is not None:
        whom = "itself" if _asked_as(Role(circle.to)) is _asked_as(asker) else f"the {Role(circle.to).words} back"
        reason = f"The {asker.words} asks {whom}: {circle.question}"
        return Consultation(case=counted, refused=EffectRefused(reason=reason))
    asked = Counter(Role(question.to) for question in questions)
    return Consultation(case=counted, asked=dict(asked))


def _asked_as(role: Role) -> Role:
    """A senior developer has the developer's place: a question to the developer would be one to itself."""
    return Role.DEVELOPER if role is Role.SENIOR_DEVELOPER else role


def unanswered(answered: TurnEnded, role: Role, questions: Sequence[RoleQuestion]) -> EffectRefused | None:
    """Refuses to go on if the role left a question open. Null: it answered all."""
    own = [question.question for question in questions if question.to == role.value]
    if isinstance(answered.outcome, AnswerOutcome) and answered.outcome.leaves_open(len(own)):
        return EffectRefused(reason=f"The {role.words} can't answer: {own[0]}")
    return None
