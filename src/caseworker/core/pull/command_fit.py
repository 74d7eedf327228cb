"""Whether a command fits a pull case as it stands. Checked before it is sent; the flow decides again."""

from caseworker.core.people.commands import Command, MessageKind
from caseworker.core.pull.case import PullCase, PullState
from caseworker.core.pull.decide import IN_FLIGHT, NOT_RUNNING, pushes_nothing

K = MessageKind
_OF_A_SESSION = frozenset({K.STOP, K.RESUME, K.ABORT, K.TAKEOVER, K.HAND_BACK, K.RETRY, K.CLOSE, K.REBASE})


def pull_misfit(case: PullCase, command: Command) -> str | None:
    """Why the command changes nothing. Null: it fits."""
    if case.is_over and command.kind in _OF_A_SESSION:
        return NOT_RUNNING
    if command.kind is K.REBASE and case.reading is not None:
        return pushes_nothing(case)
    if command.kind is K.START and case.state not in (PullState.ENDED, PullState.PAUSED):
        return IN_FLIGHT
    if command.kind in (K.RESUME, K.HAND_BACK) and case.state is not PullState.PAUSED:
        return "it is not paused"
    if command.kind is K.STOP and case.state is PullState.PAUSED:
        return "it is paused already"
    return None
