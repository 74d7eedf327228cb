"""Intent: only a sure answer that names a known workflow starts it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.runs.intent import (
    Clarify,
    Converse,
    Dispatch,
    IntentAnswer,
    UnknownWorkflow,
    decide_intent,
)

PULLS = frozenset({WorkflowName.REVIEW, WorkflowName.RESOLVE, WorkflowName.SHIP, WorkflowName.REMEMBER})


def answer(workflow: str, confidence: float) -> IntentAnswer:
    return IntentAnswer(workflow=workflow, confidence=confidence, rationale="It says so.")


@pytest.mark.parametrize(
    ("workflow", "confidence", "with_chat", "without_chat"),
    [
        ("review", 0.75, Dispatch(workflow=WorkflowName.REVIEW), Dispatch(workflow=WorkflowName.REVIEW)),
        (" Resolve", 0.9, Dispatch(workflow=WorkflowName.RESOLVE), Dispatch(workflow=WorkflowName.RESOLVE)),
        ("review", 0.74, Converse(), Clarify()),
        ("deploy", 0.99, UnknownWorkflow(name="deploy"), UnknownWorkflow(name="deploy")),
        ("plan", 0.99, UnknownWorkflow(name="plan"), UnknownWorkflow(name="plan")),
        ("deploy", 0.3, Converse(), Clarify()),
        ("none", 0.99, Converse(), Clarify()),
        ("none", 0.1, Converse(), Clarify()),
    ],
)
def test_the_threshold_and_the_registry_decide(
    workflow: str, confidence: float, with_chat: object, without_chat: object
) -> None:
    found = answer(workflow, confidence)
    assert decide_intent(found, registry=PULLS, threshold=0.75, chat=True) == with_chat
    assert decide_intent(found, registry=PULLS, threshold=0.75, chat=False) == without_chat


@pytest.mark.parametrize("chat", [True, False])
def test_without_an_answer_people_are_asked_and_nothing_runs(chat: bool) -> None:
    assert decide_intent(None, registry=PULLS, threshold=0.0, chat=chat) == Clarify()


@given(workflow=st.text(max_size=60), confidence=st.floats(0, 1), threshold=st.floats(0, 1))
def test_no_answer_below_the_threshold_starts_a_workflow(workflow: str, confidence: float, threshold: float) -> None:
    decision = decide_intent(answer(workflow, confidence), registry=PULLS, threshold=threshold, chat=True)
    if isinstance(decision, Dispatch):
        assert confidence >= threshold
        assert decision.workflow in PULLS
