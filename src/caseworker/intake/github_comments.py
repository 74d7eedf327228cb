"""Makes messages of a case out of what people write below its issue: comments, edits, deletions, changes of the issue.

Everything goes through the one door for messages (`conversation`), which parses commands and checks authority.
"""

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from caseworker.core.casefile.pipeline import note_closed
from caseworker.core.people.commands import Answer, Close, Command, Delete, Edit, Say
from caseworker.core.people.messages import Message, Standing
from caseworker.core.runs.delivery_outcomes import BecameMessage, Duplicate, Ignored, IgnoreReason, Outcome, Received
from caseworker.intake.conversation import Conversation, Words, understand
from caseworker.intake.github_events import Change, CommentChanged, IssueChanged
from caseworker.intake.github_facts import OnGitHub
from caseworker.ports import Store, StoredCase
from caseworker.ports.github import SURFACE, Target

_MARGIN: Final = timedelta(seconds=60)
"""A comment may be written this long before its case is opened and still be about it."""


@dataclass(frozen=True, kw_only=True)
class Editor:
    """Somebody who changed a comment of another person, as everybody with write access can."""

    login: str
    standing: Standing


class GitHubComments:
    def __init__(self, *, store: Store, conversation: Conversation) -> None:
        self._store = store
        self._conversation = conversation

    async def say(self, event: CommentChanged, stored: OnGitHub, standing: Standing) -> Outcome:
        """A new comment. A case that is over takes commands only: people talk on below a finished issue."""
        understood = understand(stored, words_of(event), standing)
        if stored.case.is_over and isinstance(understood.message.command, Say | Answer):
            return Ignored(reason=IgnoreReason.CASE_OVER)
        return _outcome(stored, await self._conversation.put(understood))

    async def command(
        self, event: CommentChanged, stored: OnGitHub, standing: Standing, command: Command
    ) -> BecameMessage | Duplicate:
        """A command that the comment gives in its literal form: `bot:stop`."""
        words = replace(words_of(event), command=command)
        return _outcome(stored, await self._conversation.put(understand(stored, words, standing)))

    async def change(
        self, event: CommentChanged, stored: OnGitHub, standing: Standing, *, by: Editor | None = None
    ) -> Outcome:
        """An edit or a deletion. One that overtook its comment brings the comment with it. `standing`: the author's.
        `by`: who did it, if not the author: it counts as their word."""
        if stored.case.is_over:
            return Ignored(reason=IgnoreReason.CASE_OVER)
        original = await self._store.inbox.find(SURFACE, event.reference)
        if original is None:
            original = await self._bring(event, stored, standing)
        if original is None:
            return Ignored(reason=IgnoreReason.UNKNOWN_COMMENT)
        newest = await self._newest_text(original)
        deleted = event.change is Change.DELETED
        if not deleted and event.comment.text == newest:
            return Ignored(reason=IgnoreReason.NOTHING_NEW)
        words = Words(
            surface=SURFACE,
            external_id=event.subject,
            author=original.author if by is None else by.login,
            text=newest if deleted else event.comment.text,
            refers_to=event.reference,
            command=Delete() if deleted else Edit(),
        )
        whose = original.standing if by is None else by.standing
        return _outcome(stored, await self._conversation.say(stored.case.id, words, whose))

    async def _bring(self, event: CommentChanged, stored: OnGitHub, standing: Standing) -> Message | None:
        """Put the comment whose creation was not processed yet. Null: it is older than the case, or was no message."""
        processed = await self._store.deliveries.outcome_of(event.created_subject)
        if not isinstance(processed, Received | None) or event.comment.written_at < stored.opened_at - _MARGIN:
            return None
        before = event.comment.text if event.comment.text_before is None else event.comment.text_before
        await self.say(replace(event, comment=replace(event.comment, text=before)), stored, standing)
        return await self._store.inbox.find(SURFACE, event.reference)

    async def _newest_text(self, original: Message) -> str:
        """The text after all edits so far: going back to the first text is an edit, too."""
        said = await self._store.inbox.of(original.case)
        edits = [message for message in said if message.refers_to == original.reference]
        return edits[-1].text if edits else original.text

    async def note_state(self, stored: StoredCase, target: Target | None) -> None:
        """Note in the case file whether the issue is closed now, whoever did it and whatever becomes of the case."""
        if target is None:  # transferred or deleted, which closes nothing
            return
        closed = not target.is_open
        if stored.file.commit.issue_closed is not closed:
            await self._store.cases.edit_file(stored.case.id, lambda file: note_closed(file, closed=closed))

    async def change_issue(self, event: IssueChanged, key: str, stored: StoredCase, standing: Standing) -> Outcome:
        """The issue itself was edited, closed, reopened, transferred or deleted."""
        if stored.case.is_over:
            return Ignored(reason=IgnoreReason.CASE_OVER)
        if event.change is Change.REOPENED:
            return Ignored(reason=IgnoreReason.NOBODY_WAITS)
        if event.change is Change.EDITED:
            known = stored.file.issue
            if (event.title, event.text.strip()) == (known.title, known.original_body.strip()):
                return Ignored(reason=IgnoreReason.NOTHING_NEW)
            return await self._tell(event, key, stored, standing, f"{event.title}\n\n{event.text}", Edit())
        if event.change is Change.CLOSED and stored.case.delivery.pull_request is not None:
            return Ignored(reason=IgnoreReason.NOBODY_WAITS, detail="its pull request decides")
        reason = f"The issue was {event.change} on GitHub."
        return await self._tell(event, key, stored, standing, reason, Close(reason=reason))

    async def _tell(
        self, event: IssueChanged, key: str, stored: OnGitHub, standing: Standing, text: str, command: Command
    ) -> Outcome:
        words = Words(surface=SURFACE, external_id=key, author=event.actor.login, text=text, command=command)
        return _outcome(stored, await self._conversation.say(stored.case.id, words, standing))


def words_of(event: CommentChanged) -> Words:
    comment = event.comment
    return Words(
        surface=SURFACE,
        external_id=event.created_subject,
        author=comment.author.login,
        text=f"{comment.place}: {comment.text}" if comment.place else comment.text,
        reference=event.reference,
    )


def _outcome(stored: OnGitHub, message: Message | None) -> BecameMessage | Duplicate:
    return Duplicate() if message is None else BecameMessage(case=stored.case.id)
