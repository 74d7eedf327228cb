"""Chat on a thread: what a model may answer, what is proposed, and what code makes of it.

A model only chooses a mode. Code decides whether this person may have that, and an approval runs the payload that was
stored with the proposal, never one just written."""

from collections.abc import Set
from datetime import datetime, timedelta
from typing import Annotated, Final, Literal, assert_never

from pydantic import BaseModel, ConfigDict, Field, field_validator

from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.casefile.review_learnings import is_glob
from caseworker.core.people.discussion import Side

MEMORY: Final = 8
"""Turns of a thread that a model sees."""
PROPOSAL_LIFE: Final = timedelta(hours=24)

_Text = Annotated[str, Field(min_length=1, max_length=8_000)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


# --- What can be proposed --------------------------------------------------------------------------------------------


class RunWorkflow(_Part):
    kind: Literal["workflow"] = "workflow"
    workflow: WorkflowName


class RememberRule(_Part):
    kind: Literal["remember"] = "remember"
    text: Annotated[str, Field(min_length=1, max_length=1_000)]
    glob: Annotated[str, Field(max_length=200)] = ""

    @field_validator("glob")
    @classmethod
    def _is_inside(cls, glob: str) -> str:
        if glob and not is_glob(glob):
            raise ValueError("it is no pattern of paths inside the repository")
        return glob


class SetLabel(_Part):
    kind: Literal["label"] = "label"
    name: Annotated[str, Field(min_length=1, max_length=50)]
    remove: bool = False

    @field_validator("name")
    @classmethod
    def _starts_nothing(cls, name: str) -> str:
        if name.strip().casefold().startswith("bot:"):
            raise ValueError("a label of the bot starts a workflow: propose the workflow instead")
        return name


class RerunCheck(_Part):
    kind: Literal["rerun_check"] = "rerun_check"
    check_run: int = Field(gt=0)


Action = Annotated[RememberRule | SetLabel | RerunCheck, Field(discriminator="kind")]
Payload = Annotated[RunWorkflow | RememberRule | SetLabel | RerunCheck, Field(discriminator="kind")]


# --- What a model answers --------------------------------------------------------------------------------------------


class AnswerMode(_Part):
    mode: Literal["answer"]
    text: _Text


class DeclineMode(_Part):
    mode: Literal["decline"]
    text: _Text = Field(description="Why it is not done.")


class ExecuteWorkflowMode(_Part):
    """The person clearly asks for a workflow now."""

    mode: Literal["execute-workflow"]
    workflow: WorkflowName
    text: _Text


class ProposeWorkflowMode(_Part):
    mode: Literal["propose-workflow"]
    workflow: WorkflowName
    text: _Text


class ProposeActionMode(_Part):
    mode: Literal["propose-action"]
    action: Action
    text: _Text


class ApprovePendingMode(_Part):
    """The person agrees to the open proposal. There is no payload here: the stored one counts."""

    mode: Literal["approve-pending"]
    text: _Text


class DeclinePendingMode(_Part):
    mode: Literal["decline-pending"]
    text: _Text


class ReplaceProposalMode(_Part):
    mode: Literal["replace-proposal"]
    payload: Payload
    text: _Text


Mode = Annotated[
    AnswerMode
    | DeclineMode
    | ExecuteWorkflowMode
    | ProposeWorkflowMode
    | ProposeActionMode
    | ApprovePendingMode
    | DeclinePendingMode
    | ReplaceProposalMode,
    Field(discriminator="mode"),
]


class ChatAnswer(_Part):
    output: Mode


# --- What code does --------------------------------------------------------------------------------------------------


class Proposal(_Part):
    id: int
    payload: Payload
    text: str
    proposed_at: datetime
    expires_at: datetime


class Say(_Part):
    kind: Literal["say"] = "say"
    text: str


class Start(_Part):
    """Dispatch the workflow, as if its label had been set."""

    kind: Literal["start"] = "start"
    workflow: WorkflowName
    text: str


class Propose(_Part):
    kind: Literal["propose"] = "propose"
    payload: Payload
    text: str
    replaces: int | None = None


class CarryOut(_Part):
    """Carry out the stored payload of a proposal that was approved."""

    kind: Literal["carry_out"] = "carry_out"
    proposal: int
    payload: Payload
    text: str


class Withdraw(_Part):
    kind: Literal["withdraw"] = "withdraw"
    proposal: int
    text: str


ChatAct = Annotated[Say | Start | Propose | CarryOut | Withdraw, Field(discriminator="kind")]


class ChatTurn(_Part):
    """What one comment said, and what became of it."""

    comment: str
    """The forge's id of the comment: a second delivery finds the turn."""
    author: str
    side: Side
    said: str
    act: ChatAct
    at: datetime


NOT_YOURS: Final = "Only an owner of this repository can start or approve that. I did nothing."
NOTHING_PENDING: Final = "There is no open proposal in this thread: it was decided already, or is older than 24 hours."


def decide_chat(
    answer: ChatAnswer, *, side: Side, pending: Proposal | None, registry: Set[WorkflowName], now: datetime
) -> Say | Start | Propose | CarryOut | Withdraw:
    """`side`: of the person who wrote the comment, by code. `registry`: the workflows that exist for this target."""
    mode = answer.output
    is_open = pending is not None and now < pending.expires_at
    if isinstance(mode, AnswerMode | DeclineMode):
        return Say(text=mode.text)
    if side is not Side.OWNER:
        return Say(text=NOT_YOURS)
    match mode:
        case ExecuteWorkflowMode():
            return Start(workflow=mode.workflow, text=mode.text) if mode.workflow in registry else _not_here(mode)
        case ProposeWorkflowMode():
            return _propose(RunWorkflow(workflow=mode.workflow), mode.text, pending if is_open else None, registry)
        case ProposeActionMode():
            return _propose(mode.action, mode.text, pending if is_open else None, registry)
        case ApprovePendingMode():
            if pending is None or not is_open:
                return Say(text=NOTHING_PENDING)
            return CarryOut(proposal=pending.id, payload=pending.payload, text=mode.text)
        case DeclinePendingMode():
            if pending is None or not is_open:
                return Say(text=NOTHING_PENDING)
            return Withdraw(proposal=pending.id, text=mode.text)
        case ReplaceProposalMode():
            if isinstance(mode.payload, RunWorkflow) and mode.payload.workflow not in registry:
                return _not_here(mode.payload)
            return Propose(
                payload=mode.payload, text=mode.text, replaces=pending.id if pending is not None and is_open else None
            )
        case _:
            assert_never(mode)


def _propose(
    payload: RunWorkflow | RememberRule | SetLabel | RerunCheck,
    text: str,
    pending: Proposal | None,
    registry: Set[WorkflowName],
) -> Say | Propose:
    if isinstance(payload, RunWorkflow) and payload.workflow not in registry:
        return _not_here(payload)
    if pending is not None:
        return Say(
            text=f"A proposal is still open here: {payload_words(pending.payload)}. Approve it, decline it, or say "
            "that I should replace it."
        )
    return Propose(payload=payload, text=text)


def _not_here(asked: ExecuteWorkflowMode | RunWorkflow) -> Say:
    return Say(text=f"The workflow `{asked.workflow}` does not exist for this. I did nothing.")


def payload_words(payload: RunWorkflow | RememberRule | SetLabel | RerunCheck) -> str:
    """What a proposal does, by code: what people approve is what is stored."""
    match payload:
        case RunWorkflow():
            return f"run `{payload.workflow}`"
        case RememberRule():
            where = f" for `{payload.glob}`" if payload.glob else ""
            return f"remember{where}: {payload.text}"
        case SetLabel():
            return f"{'remove' if payload.remove else 'add'} the label `{payload.name}`"
        case RerunCheck():
            return f"run check {payload.check_run} again"
        case _:
            assert_never(payload)


def reply_words(act: Say | Start | Propose | CarryOut | Withdraw) -> str:
    """The comment that answers. Whatever the model wrote, a proposal and an approval say what is stored."""
    match act:
        case Say() | Start() | Withdraw():
            return act.text
        case Propose():
            what = payload_words(act.payload)
            return f"{act.text}\n\n**Proposed:** {what}. An owner can approve or decline this within 24 hours."
        case CarryOut():
            return f"{act.text}\n\n**Approved:** {payload_words(act.payload)}."
        case _:
            assert_never(act)
