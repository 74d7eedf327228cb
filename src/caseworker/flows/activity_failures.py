"""Tells apart how activities fail: interrupted by a person, refused for good, or died with their worker."""

from collections.abc import Awaitable
from typing import TypeVar

from temporalio import workflow
from temporalio.exceptions import ActivityError, ApplicationError, is_cancelled_exception
from temporalio.exceptions import TimeoutError as ActivityTimedOut

with workflow.unsafe.imports_passed_through():
    from caseworker.contract.names import PASSING, REFUSED, WORKER_DIED
    from caseworker.contract.wire import TurnDied
    from caseworker.core.base.failed_steps import EffectRefused, TurnGaveUp
    from caseworker.core.pull.pull_events import PullTurnFailed

R = TypeVar("R")


class Interrupted(Exception):
    """A person stopped the case while something ran; what ran has been stopped."""


def is_refusal(error: ActivityError) -> bool:
    return isinstance(error.cause, ApplicationError) and error.cause.type == REFUSED


def is_passing(error: ActivityError) -> bool:
    """Whether the activity is not to blame: the worker was killed, shut down or cut off from the server, or the disk
    was full, or the database away."""
    match error.cause:
        case ActivityTimedOut():
            return True
        case ApplicationError(type=kind):
            return kind in (PASSING, WORKER_DIED, "WorkerShutdown")
        case _:
            return False


def cause_of(error: ActivityError) -> str:
    cause = error.cause or error
    return cause.message if isinstance(cause, ApplicationError) else str(cause) or type(cause).__name__


async def refusal_as_fact(work: Awaitable[R]) -> R | EffectRefused:
    """Turn a refusal into a fact, and a cancellation into `Interrupted`."""
    try:
        return await work
    except ActivityError as error:
        if is_cancelled_exception(error):
            raise Interrupted from error
        if is_refusal(error):
            return EffectRefused(reason=cause_of(error))
        raise


def failed_pull_turn(reply: TurnGaveUp | TurnDied | EffectRefused) -> PullTurnFailed:
    """Why a turn of a pull case has no outcome, as far as the rules need it."""
    if isinstance(reply, TurnGaveUp) and reply.out_of_money:
        return PullTurnFailed(reason=reply.reason, why="budget")
    if isinstance(reply, TurnDied) and reply.until is not None:
        return PullTurnFailed(reason=reply.reason, why="quota", resume_at=reply.until)
    return PullTurnFailed(reason=reply.reason)
