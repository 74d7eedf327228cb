"""Acknowledges people's messages to a bug case: one post per burst and thread."""

from collections.abc import Sequence
from typing import Final

from caseworker.core.base.ids import MessageId
from caseworker.core.bug.case import About, BugCase, BugState
from caseworker.core.bug.moves import say
from caseworker.core.bug.relays import relay
from caseworker.core.people.messages import SPOKEN, Audience, Claimed, Standing

TEAM: Final = frozenset({Standing.DEVELOPER, Standing.OWNER})


def acknowledge(bug: BugCase, spoken: Sequence[Claimed]) -> BugCase:
    """None for the report itself (it has its own), and none if a follow-up is announced instead.

    While a developer has the case, people talk to each other: they then get a reaction where the surface has them, and
    a text elsewhere."""
    newest = max(message.id for message in spoken)
    fresh = [message for message in spoken if message.id > bug.people.answered]
    bug = bug.updated(answered=MessageId(max(newest, bug.people.answered)))
    if bug.report.severity is None:
        return bug
    of_team = tuple(message.id for message in fresh if message.standing in TEAM)
    of_reporter = tuple(message.id for message in fresh if message.standing is Standing.REPORTER)
    taken = bug.state is BugState.DEV_TAKEOVER
    if of_reporter:
        bug = say(bug, About.NOTED, Audience.REPORTER, newest, acknowledges=of_reporter if taken else ())
    if of_team and taken:
        return say(bug, About.KEPT, Audience.DEVELOPERS, newest, acknowledges=of_team)
    if of_team and bug.state is not BugState.AWAITING_DEV:
        bug = say(bug, About.NOTED, Audience.DEVELOPERS, newest)
    return bug


def acknowledge_during_turn(bug: BugCase, said: Sequence[Claimed]) -> BugCase:
    """Acknowledges messages that arrive during a turn at once; the turn, or the next one, reads them."""
    spoken = [message for message in said if message.kind in SPOKEN]
    return acknowledge(relay(bug, spoken), spoken) if spoken else bug
