"""The transitions of a pull case: what messages, events and silence make of it. Flows call these."""

from datetime import datetime
from typing import assert_never

from caseworker.core.base.policy import Policy
from caseworker.core.pull.case import PullCase
from caseworker.core.pull.decide import look, settle_rest
from caseworker.core.pull.next_acts import (
    after_failures,
    after_look,
    after_rerun,
    after_silence,
    to_rerun,
    verdict_shown,
    wake_at,
)
from caseworker.core.pull.pull_events import (
    BranchUpdated,
    FailuresRead,
    HeadMoved,
    NotPossible,
    Published,
    PushWithheld,
    Seen,
)
from caseworker.core.pull.work_moves import (
    after_build,
    after_failed_turn,
    after_keep,
    after_moved_head,
    after_publish,
    after_refusal,
    after_turn,
    after_update,
    after_withheld_push,
    announce_push,
)

__all__ = [
    "Fact",
    "after",
    "after_build",
    "after_failed_turn",
    "after_keep",
    "after_rerun",
    "after_silence",
    "after_turn",
    "announce_push",
    "look",
    "settle_rest",
    "to_rerun",
    "verdict_shown",
    "wake_at",
]

Fact = Seen | FailuresRead | BranchUpdated | Published | HeadMoved | PushWithheld | NotPossible
"""What a step on the forge found or did."""


def after(case: PullCase, fact: Fact, policy: Policy, now: datetime) -> PullCase:
    """The case with the fact applied and the following move made."""
    match fact:
        case Seen():
            return after_look(case, fact, policy, now)
        case FailuresRead():
            return after_failures(case, fact, policy, now)
        case BranchUpdated():
            return after_update(case, fact, now)
        case Published():
            return after_publish(case, fact, now)
        case HeadMoved():
            return after_moved_head(case, fact, now)
        case PushWithheld():
            return after_withheld_push(case, now)
        case NotPossible():
            return after_refusal(case, fact, now)
        case _:
            assert_never(fact)
