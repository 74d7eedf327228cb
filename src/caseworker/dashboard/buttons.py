"""The buttons of a case: which commands fit it now, for this viewer, and the command that each sends."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal, assert_never

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.case_kinds import CaseKind
from caseworker.core.base.ids import is_local
from caseworker.core.base.policy import Milestone
from caseworker.core.base.workflow_names import PULL_WORK, PullWork
from caseworker.core.bug.options import options as bug_options
from caseworker.core.issue.options import misfit, options
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.people.authority import may
from caseworker.core.people.commands import (
    Abort,
    Answer,
    Approve,
    BringUpToDate,
    Close,
    Command,
    HandBack,
    MessageKind,
    RaiseBudget,
    Reject,
    Rerun,
    Resolution,
    Resume,
    Retry,
    StartWork,
    Stop,
    Takeover,
)
from caseworker.core.people.messages import Standing
from caseworker.core.pull.case import PauseCause, PullCase, PullState
from caseworker.core.pull.command_fit import pull_misfit
from caseworker.ports import StoredAny, StoredBug, StoredCase, StoredPull

Tone = Literal["main", "plain", "danger"]


@dataclass(frozen=True, kw_only=True)
class Action:
    """A button, whatever the case."""

    label: str
    make: Callable[[str, str], Command]
    """From the text and the choice of its form."""
    says: str
    """The text that the record shows if the person gives none."""
    asks: str = ""
    """What to write into its text field. Empty: it has none."""
    wants_text: bool = False
    choices: tuple[str, ...] = ()
    tone: Tone = "plain"
    does: str = ""


def _start(workflow: PullWork) -> Action:
    return Action(
        label=f"Start {workflow}",
        make=lambda _, __: StartWork(workflow=workflow),
        says=f"Please {workflow} this pull request.",
        does=PULL_WORK[workflow].how,
    )


def _rerun(milestone: Milestone) -> Action:
    return Action(
        label=f"Run {milestone} again",
        make=lambda _, __: Rerun(milestone=milestone),
        says=f"Please make the {milestone} again.",
        does=f"Makes the {milestone} anew, with what was said since.",
    )


_RESOLUTIONS: Final = tuple(kind.value for kind in Resolution)
ACTIONS: Final[Mapping[str, Action]] = {
    "answer": Action(
        label="Answer", make=lambda _, __: Answer(), says="", asks="Your answer", wants_text=True, tone="main"
    ),
    "approve": Action(label="Approve", make=lambda _, __: Approve(), says="Approved.", asks="A remark", tone="main"),
    "approve_plan": Action(
        label="Approve up to the plan", make=lambda _, __: Approve(milestone=Milestone.PLAN), says="until plan"
    ),
    "implement": Action(
        label="Implement",
        make=lambda _, __: Approve(milestone=Milestone.PR),
        says="Please implement it.",
        asks="A remark",
        tone="main",
    ),
    "plan": Action(label="Plan", make=lambda _, __: Approve(milestone=Milestone.PLAN), says="Please make the plan."),
    "reject": Action(
        label="Reject", make=lambda _, __: Reject(), says="", asks="What should be different", wants_text=True
    ),
    "budget": Action(
        label="Raise budget",
        make=lambda _, __: RaiseBudget(),
        says="+5",
        asks="Dollars more, such as +2.50; 5 if you leave it empty",
        tone="main",
    ),
    "retry": Action(label="Try again", make=lambda _, __: Retry(), says="Please try again."),
    "takeover": Action(label="Take over", make=lambda _, __: Takeover(), says="I'll take it."),
    "handback": Action(
        label="Hand back", make=lambda _, __: HandBack(), says="Hand back.", asks="A remark for the agents", tone="main"
    ),
    "rerun_triage": _rerun(Milestone.TRIAGE),
    "rerun_plan": _rerun(Milestone.PLAN),
    **{work: _start(work) for work in PULL_WORK},
    "stop": Action(label="Pause", make=lambda _, __: Stop(), says="Stop.", does="Pauses the work."),
    "resume": Action(
        label="Go on", make=lambda _, __: Resume(), says="Go on.", tone="main", does="Goes on from the head as it is."
    ),
    "rebase": Action(
        label="Bring up to date", make=lambda _, __: BringUpToDate(), says="Rebase.", does="Rebases the branch."
    ),
    "abort": Action(label="End session", make=lambda _, __: Abort(), says="Abort.", tone="danger"),
    "close": Action(
        label="Close case", make=lambda text, _: Close(reason=text), says="", asks="Why, for the record", tone="danger"
    ),
    "close_bug": Action(
        label="Close case",
        make=lambda text, kind: Close(resolution=Resolution(kind), reason=text),
        says="",
        asks="Why, for the record",
        wants_text=True,
        choices=_RESOLUTIONS,
        tone="danger",
    ),
}
_BY_KIND: Final[Mapping[MessageKind, str]] = {
    MessageKind.ANSWER: "answer",
    MessageKind.APPROVE: "approve",
    MessageKind.REJECT: "reject",
    MessageKind.BUDGET: "budget",
    MessageKind.RETRY: "retry",
    MessageKind.TAKEOVER: "takeover",
    MessageKind.HAND_BACK: "handback",
    MessageKind.CLOSE: "close",
}


class Button(BaseModel):
    """A button as a page or a program is shown it."""

    model_config = ConfigDict(frozen=True)

    action: str
    label: str
    does: str
    """What it does, in a sentence."""
    asks: str = ""
    wants_text: bool = False
    choices: tuple[str, ...] = ()
    tone: Tone = "plain"


def buttons_for(stored: StoredAny, standing: Standing | None) -> list[Button]:
    """What this person can do now, the most likely first. Words are always possible and have a box of their own."""
    if standing is None:
        return []
    found = [_button(name, does) for name, does in _fitting(stored)]
    allowed = [one for one in found if _may_press(stored, standing, _sample(one.action))]
    return allowed[:1] + [_not_main(one) for one in allowed[1:]]


def _not_main(button: Button) -> Button:
    return button.model_copy(update={"tone": "plain"}) if button.tone == "main" else button


def _may_press(stored: StoredAny, standing: Standing, command: Command) -> bool:
    """A session is a pull case of its own, also if it is begun on the page of an issue."""
    kind = CaseKind.PULL if isinstance(command, StartWork) else stored.kind
    return may(kind, standing, command)


def done_elsewhere(stored: StoredAny) -> list[str]:
    """What moves the case and is done elsewhere: a merge."""
    if not isinstance(stored, StoredCase):
        return []
    return [option.does for option in options(stored.case) if option.kind is None]


def _sample(action: str) -> Command:
    made = ACTIONS[action]
    return made.make("", made.choices[0] if made.choices else "")


def _button(name: str, does: str) -> Button:
    action = ACTIONS[name]
    told = does[:1].upper() + does[1:] + "." if does else action.does
    return Button(
        action=name,
        label=action.label,
        does=told,
        asks=action.asks,
        wants_text=action.wants_text,
        choices=action.choices,
        tone=action.tone,
    )


def _fitting(stored: StoredAny) -> Iterator[tuple[str, str]]:
    match stored:
        case StoredCase(case=case):
            further = case.waits_for is WaitingFor.MILESTONE  # the labels `bot:implement` and `bot:plan` do the same
            for option in options(case):
                if option.kind is not None and option.kind in _BY_KIND:
                    by_label = further and option.kind is MessageKind.APPROVE
                    yield "implement" if by_label else _BY_KIND[option.kind], option.does
                if option.to_plan:
                    yield "plan" if further else "approve_plan", "goes on " * further + option.to_plan
            for name in ("rerun_triage", "rerun_plan"):
                if misfit(case, _sample(name)) is None:
                    yield name, ""
            if case.waits_for is WaitingFor.MERGE and not is_local(case.id):
                for name in PULL_WORK:
                    yield name, ""
        case StoredBug(case=bug):
            for choice in bug_options(bug):
                if choice.kind in _BY_KIND and choice.kind is not MessageKind.ANSWER:  # its text has a box of its own
                    yield "close_bug" if choice.kind is MessageKind.CLOSE else _BY_KIND[choice.kind], choice.does
        case StoredPull(case=pull):
            if pull.stalled is not None:
                yield "retry", "tries again at once"
            for name, does in _pull_actions(pull):
                if pull_misfit(pull, _sample(name)) is None:
                    yield name, does
        case _:
            assert_never(stored)


def _pull_actions(pull: PullCase) -> Iterator[tuple[str, str]]:
    """What ends a pause comes first, and only the one that fits its cause."""
    pause = pull.session.pause if pull.state is PullState.PAUSED else None
    match pause:
        case PauseCause.BUDGET:
            yield "budget", "goes on with more money"
        case PauseCause.TAKEN:
            yield "handback", "lets it go on, from the head as it is then"
        case PauseCause.STOPPED | PauseCause.QUOTA | PauseCause.TURN_FAILED | PauseCause.NOT_RUN | None:
            yield "resume", "goes on from the head as it is then"
        case _:
            assert_never(pause)
    for name in PULL_WORK:
        yield name, f"begins {name} anew; the paused session ends" if pause is not None else ""
    yield "rebase", ""
    yield "stop", ""
    if pause is not PauseCause.BUDGET and not pull.is_over:
        yield "budget", "lets it spend more"
    if pause is not PauseCause.TAKEN:
        yield "takeover", "stops the agents: you go on"
    yield "abort", "ends the session"
