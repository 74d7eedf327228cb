"""Chat: a model chooses a mode, code decides what this person may have, and approvals run what was stored."""

from datetime import UTC, datetime, timedelta

import pytest
from pydantic import ValidationError

from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.people.discussion import Side
from caseworker.core.runs.chat_grounds import grounded
from caseworker.core.runs.chat_modes import (
    NOT_YOURS,
    NOTHING_PENDING,
    ApprovePendingMode,
    CarryOut,
    ChatAnswer,
    ExecuteWorkflowMode,
    Proposal,
    Propose,
    RememberRule,
    RerunCheck,
    RunWorkflow,
    Say,
    SetLabel,
    Start,
    Withdraw,
    decide_chat,
    reply_words,
)

NOW = datetime(2026, 11, 16, 9, 40, tzinfo=UTC)
ISSUES = frozenset({WorkflowName.TRIAGE, WorkflowName.PLAN, WorkflowName.IMPLEMENT, WorkflowName.REMEMBER})
PLAN = RunWorkflow(workflow=WorkflowName.PLAN)
LABEL = SetLabel(name="bug")


def pending(age: float = 1) -> Proposal:
    at = NOW - timedelta(hours=age)
    return Proposal(id=7, payload=PLAN, text="Shall I?", proposed_at=at, expires_at=at + timedelta(hours=24))


def decide(output: dict[str, object], *, side: Side = Side.OWNER, open_: Proposal | None = None) -> object:
    answer = ChatAnswer.model_validate({"output": {"text": "Words.", **output}})
    return decide_chat(answer, side=side, pending=open_, registry=ISSUES, now=NOW)


APPROVE: dict[str, object] = {"mode": "approve-pending"}
LABEL_OUT: dict[str, object] = {"kind": "label", "name": "bug"}


@pytest.mark.parametrize(
    ("output", "open_", "act"),
    [
        ({"mode": "answer"}, None, Say(text="Words.")),
        ({"mode": "decline"}, None, Say(text="Words.")),
        ({"mode": "execute-workflow", "workflow": "plan"}, None, Start(workflow=WorkflowName.PLAN, text="Words.")),
        ({"mode": "propose-workflow", "workflow": "plan"}, None, Propose(payload=PLAN, text="Words.")),
        ({"mode": "propose-workflow", "workflow": "plan"}, pending(25), Propose(payload=PLAN, text="Words.")),
        ({"mode": "propose-action", "action": LABEL_OUT}, None, Propose(payload=LABEL, text="Words.")),
        (APPROVE, pending(), CarryOut(proposal=7, payload=PLAN, text="Words.")),
        (APPROVE, pending(24), Say(text=NOTHING_PENDING)),
        (APPROVE, None, Say(text=NOTHING_PENDING)),
        ({"mode": "decline-pending"}, pending(), Withdraw(proposal=7, text="Words.")),
        ({"mode": "decline-pending"}, None, Say(text=NOTHING_PENDING)),
        (
            {"mode": "replace-proposal", "payload": LABEL_OUT},
            pending(),
            Propose(payload=LABEL, text="Words.", replaces=7),
        ),
        ({"mode": "replace-proposal", "payload": LABEL_OUT}, pending(30), Propose(payload=LABEL, text="Words.")),
    ],
)
def test_an_owner_gets_what_the_mode_says(output: dict[str, object], open_: Proposal | None, act: object) -> None:
    assert decide(output, open_=open_) == act


@pytest.mark.parametrize("side", [Side.OTHER, Side.BOT])
@pytest.mark.parametrize(
    "output",
    [
        {"mode": "execute-workflow", "workflow": "plan"},
        {"mode": "propose-workflow", "workflow": "plan"},
        {"mode": "propose-action", "action": LABEL_OUT},
        APPROVE,
        {"mode": "decline-pending"},
        {"mode": "replace-proposal", "payload": LABEL_OUT},
    ],
)
def test_nobody_but_an_owner_starts_proposes_or_decides(side: Side, output: dict[str, object]) -> None:
    assert decide(output, side=side, open_=pending()) == Say(text=NOT_YOURS)
    assert decide({"mode": "answer"}, side=side) == Say(text="Words.")


@pytest.mark.parametrize(
    "output",
    [
        {"mode": "execute-workflow", "workflow": "ship"},
        {"mode": "propose-workflow", "workflow": "ship"},
        {"mode": "replace-proposal", "payload": {"kind": "workflow", "workflow": "ship"}},
    ],
)
def test_a_workflow_that_does_not_fit_the_target_is_not_run(output: dict[str, object]) -> None:
    assert decide(output) == Say(text="The workflow `ship` does not exist for this. I did nothing.")


def test_a_second_proposal_waits_for_the_first_to_be_decided() -> None:
    assert decide({"mode": "propose-action", "action": LABEL_OUT}, open_=pending()) == Say(
        text="A proposal is still open here: run `plan`. Approve it, decline it, or say that I should replace it."
    )


@pytest.mark.parametrize(
    "output",
    [
        {"mode": "merge", "text": "x"},
        {"mode": "approve-pending", "text": "x", "payload": {"kind": "workflow", "workflow": "plan"}},
        {"mode": "execute-workflow", "workflow": "deploy", "text": "x"},
        {"mode": "propose-action", "action": {"kind": "merge"}, "text": "x"},
        {"mode": "propose-action", "action": {"kind": "label", "name": " Bot:ship"}, "text": "x"},
        {"mode": "propose-action", "action": {"kind": "remember", "text": "x", "glob": "../*"}, "text": "x"},
        {"mode": "answer", "text": ""},
    ],
)
def test_an_answer_outside_of_the_modes_is_refused(output: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ChatAnswer.model_validate({"output": output})


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        (PLAN, "run `plan`"),
        (RememberRule(text="Prices are cents.", glob="*.py"), "remember for `*.py`: Prices are cents."),
        (SetLabel(name="bug", remove=True), "remove the label `bug`"),
        (RerunCheck(check_run=9), "run check 9 again"),
    ],
)
def test_a_reply_says_what_is_stored_whatever_the_model_wrote(
    payload: RunWorkflow | RememberRule | SetLabel | RerunCheck, words: str
) -> None:
    assert reply_words(Propose(payload=payload, text="A mere question.")) == (
        f"A mere question.\n\n**Proposed:** {words}. An owner can approve or decline this within 24 hours."
    )
    assert reply_words(CarryOut(proposal=1, payload=payload, text="Fine.")) == f"Fine.\n\n**Approved:** {words}."


def test_a_workflow_that_the_comment_does_not_name_is_only_proposed() -> None:
    asked = ChatAnswer(output=ExecuteWorkflowMode(mode="execute-workflow", workflow=WorkflowName.PLAN, text="On it."))
    assert grounded(asked, "what is this about?").output.mode == "propose-workflow"
    assert grounded(asked, "then plan it") == asked


def test_an_approval_needs_a_word_that_agrees_in_the_comment() -> None:
    approved = ChatAnswer(output=ApprovePendingMode(mode="approve-pending", text="Done."))
    assert grounded(approved, "and why is that?").output.mode == "answer"
    assert grounded(approved, "Yes, do that") == approved
