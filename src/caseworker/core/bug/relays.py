"""Posts that show developers what the reporter said, and tell people of files that could not be had."""

from collections.abc import Sequence

from caseworker.core.bug.case import About, BugCase
from caseworker.core.bug.file_wait import FileWait
from caseworker.core.bug.moves import say
from caseworker.core.people.messages import Audience, Claimed, Standing


def summarise(bug: BugCase) -> BugCase:
    """Tells the developers of the report, and shows them what the reporter said since."""
    told = say(bug, About.SUMMARY, Audience.DEVELOPERS, 1)
    since, newest = told.people.relayed, told.people.answered
    if not since or newest <= since:
        return told
    told = say(told, About.REPORTER_SAID, Audience.DEVELOPERS, newest, since=since)
    return told.updated(relayed=newest)


def relay(bug: BugCase, spoken: Sequence[Claimed]) -> BugCase:
    """Shows developers what the reporter said, in every state, in one post per burst of messages. The report itself is
    in the summary."""
    fresh = [one.id for one in spoken if one.standing is Standing.REPORTER and one.id > bug.people.relayed]
    if not fresh:
        return bug
    if bug.report.severity is None:
        return bug if bug.people.relayed else bug.updated(relayed=min(fresh))
    told = say(bug, About.REPORTER_SAID, Audience.DEVELOPERS, max(fresh), since=bug.people.relayed)
    return told.updated(relayed=max(fresh))


def to_be_told_of(lost: Sequence[Claimed], waiting: Sequence[Claimed], wait: FileWait) -> list[Claimed]:
    """The messages whose files the coming turn begins without, oldest first. People are told in the order of messages:
    one behind a message whose files may still come waits with it."""
    if wait.is_too_long:
        both = {message.id: message for message in (*lost, *waiting)}
        return [message for _, message in sorted(both.items())]
    first = min((message.id for message in waiting), default=None)
    return [message for message in lost if first is None or message.id < first]


def files_lost(bug: BugCase, messages: Sequence[Claimed]) -> BugCase:
    """Tells people, once for each message, that its files could not be had."""
    for message in messages:
        if message.id <= bug.people.told_of_files:
            continue
        if message.standing is Standing.REPORTER:
            bug = say(bug, About.FILE_LOST, Audience.REPORTER, message.id)
        bug = say(bug, About.FILE_LOST, Audience.DEVELOPERS, message.id).updated(told_of_files=message.id)
    return bug
