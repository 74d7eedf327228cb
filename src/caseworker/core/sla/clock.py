"""The service level of a bug case: which promise is due when, and whom to tell. All facts come from the record.

- *Acknowledge* and *resolve* are promises with a deadline. Each is met or missed once per epoch. A reopened case has a
  new epoch, and its clock starts at the reopening.
- *Follow-ups* begin once the acknowledgement is settled, and go on until the case is resolved: every `follow_up`
  minutes, counted from the report, the last time the team was told, or the reporter's answer, whichever is latest.
  After `escalate_after` of them the next level of contacts is told; after the last level's share, once a day. While the
  case waits for its reporter nobody is told: developers could do nothing. Work of the bot or of a developer who took
  over does not stop the clock: the promise was given to the reporter.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Policy, Severity, SlaTarget
from caseworker.core.bug.case import About, BugState
from caseworker.core.people.messages import Audience
from caseworker.core.record.entries import BugMoved, Posted, Recorded, SlaChecked

UNREAD: Final = Severity.P2
"""The severity of a report that was not read yet."""
_ONCE_A_DAY: Final = timedelta(days=1)
_ANSWERS: Final = frozenset({About.ACKNOWLEDGED.value, About.REOPENED.value})
"""Posts to the reporter that acknowledge a report or its reopening."""

SLA_ENTRIES: Final = ("bug_moved", "posted", "sla_checked")
"""The kinds of entries that the facts come from."""

Kept = Literal["met", "missed"]
Target = Literal["acknowledge", "resolve", "follow_up"]
Result = Literal["met", "missed", "reminded", "escalated"]


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True)


class SlaFacts(_Value):
    """One epoch of a case, computed from its record."""

    case: CaseId
    epoch: int
    severity: Severity
    began_at: datetime
    acknowledged_at: datetime | None = None
    resolved_at: datetime | None = None
    waits_for_reporter: bool = False
    acknowledge: Kept | None = None
    """The recorded result. Null: none yet."""
    resolve: Kept | None = None
    follow_ups: int = 0
    level: int = 1
    at_level: int = 0
    """How many follow-ups went to the current level."""
    counted_from: datetime
    """Start of the pause before the next follow-up."""

    @property
    def is_settled(self) -> bool:
        return self.acknowledge is not None and self.resolve is not None


class Due(_Value):
    """The next thing to do, at `at`. If that is past, at once."""

    at: datetime
    target: Target
    result: Result | None
    """Null: only check again."""
    promised: datetime
    level: int
    number: int
    """Its number within the epoch: part of the key that keeps it from being done twice."""
    told: bool = False
    """Whether to tell people: they can still do something about it."""


def epochs_of(
    case: CaseId, *, opened_at: datetime, severity: Severity | None, record: Iterable[Recorded]
) -> tuple[SlaFacts, ...]:
    """The epochs of a case, oldest first. The last is the current one."""
    known = severity or UNREAD
    epochs = [SlaFacts(case=case, epoch=1, severity=known, began_at=opened_at, counted_from=opened_at)]
    for recorded in record:
        entry, at = recorded.entry, recorded.at
        match entry:
            case BugMoved(from_state=BugState.RESOLVED):
                following = len(epochs) + 1
                epochs.append(SlaFacts(case=case, epoch=following, severity=known, began_at=at, counted_from=at))
            case BugMoved():
                epochs[-1] = _moved(epochs[-1], entry, at)
            case Posted(audience=Audience.REPORTER, about=about, undelivered=False) if about in _ANSWERS:
                epochs[-1] = epochs[-1].model_copy(update={"acknowledged_at": epochs[-1].acknowledged_at or at})
            case SlaChecked():
                place = _unsettled(epochs)
                epochs[place] = _checked(epochs[place], entry, at)
            case _:
                continue
    return tuple(epochs)


def facts_of(case: CaseId, *, opened_at: datetime, severity: Severity | None, record: Iterable[Recorded]) -> SlaFacts:
    """The current epoch of a case."""
    return epochs_of(case, opened_at=opened_at, severity=severity, record=record)[-1]


def to_settle(epochs: Sequence[SlaFacts]) -> SlaFacts:
    """The epoch to check. An earlier one still has an open promise if the clock was down while the case was resolved
    and reopened."""
    return epochs[_unsettled(epochs)]


def _unsettled(epochs: Sequence[SlaFacts]) -> int:
    """Index of the first unsettled epoch. Epochs are settled in order, so a recorded check belongs to this one."""
    return next((place for place, epoch in enumerate(epochs) if not epoch.is_settled), len(epochs) - 1)


def _moved(facts: SlaFacts, move: BugMoved, at: datetime) -> SlaFacts:
    answered = move.from_state is BugState.AWAITING_REPORTER
    return facts.model_copy(
        update={
            "resolved_at": at if move.to_state is BugState.RESOLVED else None,
            "waits_for_reporter": move.to_state is BugState.AWAITING_REPORTER,
            "counted_from": max(facts.counted_from, at) if answered else facts.counted_from,
        }
    )


def _checked(facts: SlaFacts, check: SlaChecked, at: datetime) -> SlaFacts:
    told = facts.counted_from if check.result == "met" else max(facts.counted_from, at)
    if check.target != "follow_up":
        return facts.model_copy(update={check.target: check.result, "counted_from": told})
    at_level = facts.at_level + 1 if check.level <= facts.level else 1
    return facts.model_copy(
        update={
            "follow_ups": facts.follow_ups + 1,
            "level": max(facts.level, check.level),
            "at_level": at_level,
            "counted_from": told,
        }
    )


def target_for(policy: Policy, severity: Severity) -> SlaTarget:
    return policy.sla[severity] if severity in policy.sla else Policy().sla[severity]


def due(facts: SlaFacts, policy: Policy, now: datetime) -> Due | None:
    """The next thing to do, past or future. None: everything is settled."""
    candidates = [acknowledge_due(facts, policy), resolve_due(facts, policy), follow_up_due(facts, policy, now)]
    return min((found for found in candidates if found is not None), key=lambda found: found.at, default=None)


def acknowledge_due(facts: SlaFacts, policy: Policy) -> Due | None:
    """The open acknowledge promise. Resolving a case also acknowledges it."""
    if facts.acknowledge is not None:
        return None
    promised = facts.began_at + timedelta(minutes=target_for(policy, facts.severity).acknowledge)
    answered = [at for at in (facts.acknowledged_at, facts.resolved_at) if at is not None]
    return _promise("acknowledge", promised, min(answered, default=None), facts)


def resolve_due(facts: SlaFacts, policy: Policy) -> Due | None:
    if facts.resolve is not None:
        return None
    promised = facts.began_at + timedelta(minutes=target_for(policy, facts.severity).resolve)
    return _promise("resolve", promised, facts.resolved_at, facts)


def _promise(target: Target, promised: datetime, done: datetime | None, facts: SlaFacts) -> Due:
    """A promise: met when it is done in time, missed when the time is over."""
    kept: Kept = "met" if done is not None and done <= promised else "missed"
    at = promised if done is None else min(done, promised)
    told = done is None and not facts.waits_for_reporter
    return Due(at=at, target=target, result=kept, promised=promised, level=facts.level, number=1, told=told)


def follow_up_due(facts: SlaFacts, policy: Policy, now: datetime) -> Due | None:
    if facts.acknowledge is None or facts.resolved_at is not None:
        return None
    target = target_for(policy, facts.severity)
    result: Result = "reminded"
    pause, level = timedelta(minutes=target.follow_up), facts.level
    if facts.at_level >= target.escalate_after:
        if level < len(policy.contacts):
            level, result = level + 1, "escalated"
        else:
            pause = max(pause, _ONCE_A_DAY)
    promised, number = facts.counted_from + pause, facts.follow_ups + 1
    if facts.waits_for_reporter:
        # Check often enough to see the reporter's answer before the follow-up after it is due.
        look = now + timedelta(minutes=target.follow_up)
        return Due(at=look, target="follow_up", result=None, promised=promised, level=facts.level, number=number)
    return Due(at=promised, target="follow_up", result=result, promised=promised, level=level, number=number, told=True)


# --- the promises of a case as people are shown them


class Promise(_Value):
    """A promise as people are shown it. `kept` null: open until `due`."""

    due: datetime
    kept: Kept | None


class SlaLine(_Value):
    case: CaseId
    epoch: int
    severity: Severity
    acknowledge: Promise
    resolve: Promise
    next_follow_up: datetime | None
    """Null: the case waits for the reporter, or was not acknowledged yet."""
    level: int
    overdue_since: datetime | None


def line_of(facts: SlaFacts, policy: Policy, now: datetime) -> SlaLine:
    target = target_for(policy, facts.severity)
    acknowledge = _shown(facts.acknowledge, acknowledge_due(facts, policy), facts.began_at, target.acknowledge, now)
    resolve = _shown(facts.resolve, resolve_due(facts, policy), facts.began_at, target.resolve, now)
    unanswered = acknowledge.kept == "missed" and facts.acknowledged_at is None
    late = [
        promise.due for promise, missed in ((acknowledge, unanswered), (resolve, resolve.kept == "missed")) if missed
    ]
    following = follow_up_due(facts, policy, now)
    return SlaLine(
        case=facts.case,
        epoch=facts.epoch,
        severity=facts.severity,
        acknowledge=acknowledge,
        resolve=resolve,
        next_follow_up=following.at if following is not None and following.result is not None else None,
        level=facts.level,
        overdue_since=min(late, default=None),
    )


def _shown(recorded: Kept | None, open_one: Due | None, began: datetime, minutes: float, now: datetime) -> Promise:
    """The promise as it is now, even if the clock has not recorded it yet."""
    due_at = began + timedelta(minutes=minutes)
    if open_one is None or open_one.at > now:
        return Promise(due=due_at, kept=recorded)
    return Promise(due=due_at, kept="met" if open_one.result == "met" else "missed")


def listing(cases: Iterable[tuple[SlaFacts, Policy]], now: datetime) -> list[SlaLine]:
    """Open cases: the longest overdue first, then by the time they have to be resolved."""
    lines = [line_of(facts, policy, now) for facts, policy in cases if facts.resolved_at is None]
    return sorted(lines, key=lambda line: (line.overdue_since or line.resolve.due, line.case))
