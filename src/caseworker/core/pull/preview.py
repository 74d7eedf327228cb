"""What a session would do first, and what that may cost, before anything is begun. Pure."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import MessageId
from caseworker.core.base.policy import Policy
from caseworker.core.people.commands import StartWork
from caseworker.core.people.messages import Claimed, Standing
from caseworker.core.pull.case import PullCase, PullState, SessionEnd, cap_of
from caseworker.core.pull.decide import look
from caseworker.core.pull.next_acts import after_look
from caseworker.core.pull.pull_events import Seen
from caseworker.core.pull.pull_facts import PullFacts
from caseworker.core.pull.session_verdict import head_watch, judge_head
from caseworker.core.pull.verdict import Verdict

TURNS: Final = frozenset({PullState.REVIEWING, PullState.RESOLVING})
_MAY_LEAD_TO_A_TURN: Final = frozenset({PullState.READING_FAILURES, PullState.UPDATING})
"""A failed check or a conflict may need the developer."""
_BY_ITSELF: Final = frozenset({"us", "service", "nobody"})


class Preview(BaseModel):
    """The first act of a session."""

    model_config = ConfigDict(frozen=True)

    verdict: Verdict
    """As the session would judge: with its own waiting times, and what it knows of its pushes."""
    state: PullState
    """The state that would be entered."""
    reason: str
    end: SessionEnd | None
    is_turn: bool
    """An agent works in this state."""
    most_micros: int
    """What the act and a turn that may follow from it can cost at most: what is left of the case's budget."""


def preview(
    case: PullCase,
    command: StartWork,
    facts: PullFacts,
    policy: Policy,
    now: datetime,
    *,
    spent_micros: int = 0,
    us: str = "",
) -> Preview:
    """`case`: as it is stored, or a new one. A session in flight goes on; otherwise the command begins one."""
    start = Claimed(id=MessageId(0), command=command, author="", standing=Standing.OWNER)
    begun = look(case, [start], policy, now).after
    verdict = judge_head(facts, head_watch(begun, facts.subject.head, policy, us=us), now=now)
    subject = facts.subject
    seen = Seen(verdict=verdict, head_branch=subject.branch, base_branch=subject.base, is_fork=subject.is_fork)
    after = after_look(begun, seen, policy, now)
    is_turn = after.state in TURNS
    priced = is_turn or after.state in _MAY_LEAD_TO_A_TURN
    left = max(0, cap_of(after, policy) - spent_micros)
    return Preview(
        verdict=verdict,
        state=after.state,
        reason=after.reason,
        end=after.session.end,
        is_turn=is_turn,
        most_micros=left if priced else 0,
    )


def waits_for_people(case: PullCase) -> bool:
    """Whether nothing happens before a person acts: the session has ended, is paused, or waits for people alone."""
    match case.state:
        case PullState.ENDED:
            return True
        case PullState.PAUSED:
            return case.session.resume_at is None
        case PullState.WAITING:
            movers: Sequence[str] = [one.mover for one in case.sight.verdict.reasons] if case.sight.verdict else []
            return bool(movers) and not _BY_ITSELF.intersection(movers)
        case _:
            return False
