"""Base classes and shared fields of the agents' structured answers."""

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

Line = Annotated[str, Field(max_length=2_000)]
Prose = Annotated[str, Field(max_length=16_000)]

HANDED_IN: Final = {"handed_in": True}
"""Validation context of a new answer. Some rules need it: they don't apply to stored answers, which may be older."""


class Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Observation(Answer):
    type: Annotated[str, Field(max_length=60)]
    content: Line


class OutcomeBase(Answer):
    observations: list[Observation] = Field(
        default_factory=list, max_length=20, description="For later cases in this repository."
    )


AnsweringRole = Literal["pm", "analyst", "tester", "developer", "tech_lead"]


class RoleQuestion(Answer):
    to: AnsweringRole
    question: Line


class WorkOutcome(OutcomeBase):
    """Outcome of a role that may have to ask another role, or to leave a decision to a person."""

    ask: list[RoleQuestion] = Field(
        default_factory=list, max_length=3, description="What you must know to go on; you are asked again after."
    )
    escalation: Line = Field(default="", description="Why a person must decide. Empty: none has to.")


class AnswerOutcome(WorkOutcome):
    kind: Literal["answer"] = "answer"
    status: Literal["READY", "BLOCKED"]
    answers: list[Line] = Field(max_length=3, description="One for each question, in order.")

    def leaves_open(self, questions: int) -> bool:
        return self.status == "BLOCKED" or sum(bool(answer.strip()) for answer in self.answers) < questions
