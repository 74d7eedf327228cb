"""Texts about service levels: posts to developers, and the listing."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import assert_never

from caseworker.core.base.policy import Policy
from caseworker.core.bug.words import at
from caseworker.core.sla.clock import Due, Promise, SlaFacts


def people_to_tell(found: Due, policy: Policy, owners: Sequence[str]) -> tuple[str, ...]:
    """The contacts of the level; for a missed promise also the owners of the affected services."""
    contacts = policy.contacts[found.level - 1] if found.level <= len(policy.contacts) else ()
    also = owners if found.result == "missed" or not contacts else ()
    return tuple(dict.fromkeys((*contacts, *also)))


def words_for(found: Due, facts: SlaFacts, *, title: str, people: Sequence[str], now: datetime) -> str:
    """The text of the post. Empty: there is nothing to say."""
    called = at(people) if people else "Everybody who reads this"
    case = f"{facts.case} ({facts.severity}: {title})"
    open_for = span(now - facts.began_at)
    match found.result:
        case "missed" if found.target == "acknowledge":
            return f"**Not acknowledged in time**: {case} has had no answer for {open_for}. {called}, please look."
        case "missed":
            return f"**Not resolved in time**: {case} has been open for {open_for}. {called}, please look."
        case "reminded":
            return f"{called}: {case} is still open after {open_for}. This is follow-up {found.number}."
        case "escalated":
            return (
                f"**Escalated to level {found.level}**: {called}, {case} is still open after {open_for} "
                f"and {found.number - 1} follow-ups."
            )
        case "met" | None:
            return ""
        case _:
            assert_never(found.result)


def promise_words(promise: Promise, now: datetime) -> str:
    """The status of a promise in the listing."""
    if promise.kept == "met":
        return "met"
    if promise.kept == "missed":
        return f"missed, due {span(now - promise.due)} ago"
    return f"due in {span(promise.due - now)}"


def span(time: timedelta) -> str:
    """A duration in its two largest units, rounded down."""
    seconds = max(0, int(time.total_seconds()))
    days, hours, minutes = seconds // 86_400, seconds // 3_600 % 24, seconds // 60 % 60
    if days:
        return f"{days} d {hours} h" if hours else f"{days} d"
    if hours:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    return f"{minutes} min" if minutes else f"{seconds} s"
