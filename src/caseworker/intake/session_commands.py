"""Gives commands of people on GitHub to the session on a pull request: stop, resume, abort, rebase.

They begin no run, except for a `resume` of a session that has ended. The author of each gets an answer: from the
session, or from here if the command changes nothing."""

from collections.abc import Mapping
from typing import Final

from caseworker.core.people.authority import may
from caseworker.core.people.commands import Abort, BringUpToDate, Command, Resume, Stop
from caseworker.core.people.messages import Standing
from caseworker.core.people.trigger import LiteralCommand
from caseworker.core.runs.delivery_outcomes import NotDone, Outcome, RefusalReason
from caseworker.core.telling.delivery_words import reply_words
from caseworker.intake.conversation import read_command
from caseworker.intake.github_comments import GitHubComments
from caseworker.intake.github_dispatch import Asked, Dispatcher
from caseworker.intake.github_events import CommentChanged
from caseworker.intake.github_facts import GitHubFacts, OnGitHub
from caseworker.ports import Store, StoredPull
from caseworker.ports.github import SURFACE, GitHubWrites, Reaction, Target

LITERAL: Final[Mapping[str, Command]] = {
    command.kind.value: command for command in (Stop(), Resume(), Abort(), BringUpToDate())
}
"""By their words after `bot:`."""


def session_command(event: CommentChanged, stored: OnGitHub | None, standing: Standing) -> Command | None:
    """The command that the whole comment is, in plain words, below a pull request that has a session or had one. Below
    one that had one, only the word `resume` counts: people talk on there."""
    if not isinstance(stored, StoredPull) or event.comment.place:
        return None
    command = read_command(stored, event.comment.author.login, event.comment.text, standing)
    if command.kind.value not in LITERAL:
        return None
    resumes = isinstance(command, Resume) and not command.in_passing
    return command if resumes or not stored.case.is_over else None


class SessionCommands:
    def __init__(
        self,
        *,
        store: Store,
        facts: GitHubFacts,
        writes: GitHubWrites,
        comments: GitHubComments,
        dispatcher: Dispatcher,
    ) -> None:
        self._store = store
        self._facts = facts
        self._writes = writes
        self._comments = comments
        self._dispatcher = dispatcher

    async def give(self, event: CommentChanged, command: Command, standing: Standing, target: Target | None) -> Outcome:
        """`standing`: of somebody who may ask for work here."""
        await self._react(event, Reaction.SEEN)
        own = await self._facts.own_case(event)
        if isinstance(own, StoredPull) and not own.case.is_over:
            return await self._to_session(event, own, command, standing)
        if isinstance(own, StoredPull) and own.case.can_be_taken_up and isinstance(command, Resume):
            return await self._take_up(event, own, standing, target)
        return await self._refuse(event, NotDone(reason=RefusalReason.NOTHING_RUNS, detail=command.kind.value))

    async def _to_session(
        self, event: CommentChanged, session: StoredPull, command: Command, standing: Standing
    ) -> Outcome:
        became = await self._comments.command(event, session, standing, command)
        message = await self._store.inbox.find(SURFACE, event.reference)
        if message is None or not message.refused:  # what is obeyed is shown by the session itself
            return became
        if not may(session.kind, standing, command):
            await self._refuse(event, NotDone(reason=RefusalReason.FOR_AN_OWNER, detail=command.kind.value))
        else:
            await self._react(event, Reaction.FAILED)
        return became

    async def _take_up(
        self, event: CommentChanged, ended: StoredPull, standing: Standing, target: Target | None
    ) -> Outcome:
        asked = Asked(
            event=event,
            command=LiteralCommand(verb=ended.case.session.workflow),
            key=event.subject,
            by=event.comment.author.login,
            standing=standing,
            target=target,
            reference=event.reaction_to,
            text=event.comment.text,
            resumes=True,
        )
        return await self._dispatcher.dispatch(asked)

    async def _refuse(self, event: CommentChanged, refused: NotDone) -> NotDone:
        await self._react(event, Reaction.FAILED)
        key = f"{event.subject} refused"
        await self._writes.reply(event.repository, event.number, reply_words(refused), key=key)
        return refused

    async def _react(self, event: CommentChanged, reaction: Reaction) -> None:
        await self._dispatcher.react(event.reaction_to, reaction, about=event.lane)
