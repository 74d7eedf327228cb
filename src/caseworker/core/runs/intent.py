"""What a comment that mentions us wants: the classifier's answer, and the decision that code makes of it."""

from collections.abc import Set
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from caseworker.core.base.workflow_names import WorkflowName

NO_WORKFLOW: Final = "none"


class IntentAnswer(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    workflow: Annotated[str, Field(max_length=60)] = Field(
        description="The workflow that is asked for, by its name; `none` if the comment asks for none."
    )
    confidence: float = Field(ge=0, le=1, description="How sure you are, from 0 to 1.")
    rationale: Annotated[str, Field(max_length=2_000)] = Field(description="Why, in one sentence.")


class _Decision(BaseModel):
    model_config = ConfigDict(frozen=True)


class Dispatch(_Decision):
    """Run this workflow, as if its label had been set."""

    workflow: WorkflowName


class UnknownWorkflow(_Decision):
    """Refuse: there is no workflow of this name."""

    name: str


class Converse(_Decision):
    """Answer it as chat."""


class Clarify(_Decision):
    """Ask what is meant, with the names of the workflows. Nothing is run."""


def decide_intent(
    answer: IntentAnswer | None, *, registry: Set[WorkflowName], threshold: float, chat: bool
) -> Dispatch | UnknownWorkflow | Converse | Clarify:
    """`answer`: null, if the classifier failed. Then nothing is run and no further model is asked. `registry`: the
    workflows that exist for this kind of target."""
    if answer is None:
        return Clarify()
    name = answer.workflow.strip().casefold()
    known = next((workflow for workflow in registry if workflow.value == name), None)
    if name == NO_WORKFLOW or answer.confidence < threshold:
        return Converse() if chat else Clarify()
    return UnknownWorkflow(name=name) if known is None else Dispatch(workflow=known)
