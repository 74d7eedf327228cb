"""Who may give which command: one table by kind of case, standing and command.

Intake checks every message of every surface against it. Reports from the forge and from linked cases (a merge, news of
a fix) are in no row, so no person can give them."""

from collections.abc import Mapping, Set
from typing import Final, Literal, get_args

from caseworker.core.base.case_kinds import CaseKind
from caseworker.core.base.errors import Refused
from caseworker.core.people.commands import Command, MessageKind
from caseworker.core.people.messages import SPOKEN, Standing
from caseworker.core.people.receipts import NOT_THE_REPORTER

K = MessageKind

_NOTHING: Final[Set[MessageKind]] = frozenset()
_BUG_TEAM: Final = SPOKEN | {K.CLOSE, K.CLOSE_INCOMPLETE, K.TAKEOVER, K.HAND_BACK, K.BUDGET, K.RETRY, K.STOP_FIX}
_ISSUE_TEAM: Final = SPOKEN | {K.APPROVE, K.REJECT, K.TAKEOVER, K.HAND_BACK, K.BUDGET, K.RETRY, K.RERUN, K.CLOSE}
_PULL_TEAM: Final = SPOKEN | {
    K.START,
    K.STOP,
    K.RESUME,
    K.ABORT,
    K.TAKEOVER,
    K.HAND_BACK,
    K.BUDGET,
    K.RETRY,
    K.CLOSE,
}
_PULL_OWNER: Final = _PULL_TEAM | {K.REBASE}
"""A rebase replaces commits of people by copies."""
_NOUNS: Final[Mapping[CaseKind, str]] = {
    CaseKind.BUG: "a bug case",
    CaseKind.ISSUE: "an issue case",
    CaseKind.PULL: "a pull request",
}

MAY: Final[Mapping[CaseKind, Mapping[Standing, Set[MessageKind]]]] = {
    CaseKind.BUG: {
        Standing.OWNER: _BUG_TEAM,
        Standing.DEVELOPER: _BUG_TEAM,
        Standing.REPORTER: SPOKEN | {K.CLOSE},
        Standing.OTHER: _NOTHING,
    },
    CaseKind.ISSUE: {
        Standing.OWNER: _ISSUE_TEAM,
        Standing.DEVELOPER: _ISSUE_TEAM,
        Standing.REPORTER: SPOKEN,
        Standing.OTHER: SPOKEN,
    },
    CaseKind.PULL: {
        Standing.OWNER: _PULL_OWNER,
        Standing.DEVELOPER: _PULL_TEAM,
        Standing.REPORTER: SPOKEN,
        Standing.OTHER: SPOKEN,
    },
}


DeploymentAct = Literal["raise_caps", "approve_learning", "edit_learning", "forget_learning"]
"""What is about all cases together."""
_ALL_ACTS: Final[Set[DeploymentAct]] = frozenset(get_args(DeploymentAct))
MAY_STEER: Final[Mapping[Standing, Set[DeploymentAct]]] = {
    Standing.OWNER: _ALL_ACTS,
    Standing.DEVELOPER: frozenset(),
    Standing.REPORTER: frozenset(),
    Standing.OTHER: frozenset(),
}


def refuse_unless_may_steer(standing: Standing, act: DeploymentAct) -> None:
    if act not in MAY_STEER[standing]:
        raise Refused(f"{act.replace('_', ' ').capitalize()}: that is for an owner to decide.")


def may(case: CaseKind, standing: Standing, command: Command) -> bool:
    return command.kind in MAY[case][standing]


def refusal(case: CaseKind, standing: Standing, command: Command) -> str | None:
    """The receipt for a command that this person may not give. Null: they may."""
    if may(case, standing, command):
        return None
    if not MAY[case][standing]:
        return NOT_THE_REPORTER
    if not any(command.kind in allowed for allowed in MAY[case].values()):
        return f"not for {_NOUNS[case]}"
    if standing is Standing.DEVELOPER:
        return "for an owner to decide"
    return "not for a reporter to decide" if standing is Standing.REPORTER else "not for an outsider to decide"
