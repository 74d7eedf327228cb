"""Processes GitHub events: finds out what an event is to us, and passes it to the dispatcher or to its case."""

from typing import Final, assert_never

import structlog

from caseworker.core.base.ids import CaseId, Sha
from caseworker.core.people.commands import Answer, Say
from caseworker.core.people.forge_roles import may_ask
from caseworker.core.people.messages import Standing
from caseworker.core.people.own_marks import is_marked
from caseworker.core.people.registry import VERBS, by_label
from caseworker.core.people.trigger import LiteralCommand, Mention, read_trigger
from caseworker.core.pull.own_check import CHECK_NAME
from caseworker.core.runs.delivery_outcomes import (
    Answered,
    BecameMessage,
    Duplicate,
    Ignored,
    IgnoreReason,
    NotDone,
    Outcome,
    RefusalReason,
    Unreadable,
)
from caseworker.core.telling.delivery_words import reply_words
from caseworker.intake.conversation import Conversation, understand
from caseworker.intake.github_comments import Editor, GitHubComments, words_of
from caseworker.intake.github_dispatch import Asked, Dispatcher
from caseworker.intake.github_events import (
    Change,
    ChecksChanged,
    CommentChanged,
    Event,
    InstallationChanged,
    IssueChanged,
    LabelChanged,
    NotUsed,
    OnTarget,
    Pinged,
    PullChanged,
    PushReceived,
)
from caseworker.intake.github_facts import GitHubFacts, GitHubPlace, GitHubPorts, OnGitHub
from caseworker.intake.github_payloads import UnreadableBody, parse_event, read_body
from caseworker.intake.pull_wakes import PullWakes
from caseworker.intake.session_commands import LITERAL, SessionCommands, session_command
from caseworker.ports import Doorbell, Store, StoredCase
from caseworker.ports.deliveries import Claim
from caseworker.ports.github import Mentioned, Target, Unclear, Wants

log = structlog.get_logger()

_UNCLEAR: Final = "?"
_ANSWERED: Final = "!"
"""Stored instead of a verb if the classifier found none: not answered yet (`?`), or answered already (`!`)."""


class GitHubIntake:
    """Reads `process` from top to bottom: each step may end it with the outcome that is stored."""

    def __init__(
        self, *, store: Store, conversation: Conversation, doorbell: Doorbell, ports: GitHubPorts, place: GitHubPlace
    ) -> None:
        self._store = store
        self._ports = ports
        self._place = place
        self._facts = GitHubFacts(store=store, reads=ports.reads, place=place)
        self._comments = GitHubComments(store=store, conversation=conversation)
        self._wakes = PullWakes(store=store, doorbell=doorbell)
        self.dispatcher = Dispatcher(
            store=store, doorbell=doorbell, facts=self._facts, writes=ports.writes, place=place
        )
        self._sessions = SessionCommands(
            store=store, facts=self._facts, writes=ports.writes, comments=self._comments, dispatcher=self.dispatcher
        )

    async def process(self, claim: Claim) -> Outcome:
        """May be repeated after a kill at any point: nothing is done twice."""
        try:
            event = parse_event(claim.event, read_body(claim.body))
        except UnreadableBody as problem:
            return Unreadable(problem=str(problem)[:500])
        if isinstance(event, OnTarget) and not self._place.serves(event.repository):
            return Ignored(reason=IgnoreReason.REPOSITORY_NOT_SERVED, detail=str(event.repository))
        first = await self._store.deliveries.earlier(claim)
        return Duplicate(of=first) if first is not None else await self._process(claim, event)

    async def _process(self, claim: Claim, event: Event) -> Outcome:
        match event:
            case LabelChanged(change=Change.LABELED):
                return await self._label(claim, event)
            case CommentChanged(change=Change.CREATED):
                return await self._comment(claim, event)
            case CommentChanged():
                return await self._changed_comment(event)
            case IssueChanged():
                return await self._changed_issue(claim, event)
            case ChecksChanged():
                return await self._checks(event)
            case LabelChanged() | PullChanged():
                return await self._wakes.wake(await self._session(event))
            case PushReceived():
                return await self._wakes.wake(await self._wakes.on_push(event))
            case InstallationChanged() | Pinged() | NotUsed():
                return Ignored(reason=IgnoreReason.UNUSED_EVENT, detail=claim.event)
            case _:
                assert_never(event)

    async def _checks(self, event: ChecksChanged) -> Outcome:
        """Wake the cases whose pull request has this commit. They read the checks themselves: the event may be late or
        repeated."""
        if event.name == CHECK_NAME:
            return Ignored(reason=IgnoreReason.OURS)
        pulls = await self._store.pulls.with_commit(Sha(event.commit))
        refs = [(pull, await self._store.repositories.ref(pull.repository)) for pull in pulls]
        cases = [pull.case for pull, ref in refs if pull.case is not None and ref == event.repository]
        return await self._wakes.wake([*cases, *await self._wakes.on_checks(event)])

    async def _session(self, event: OnTarget) -> list[CaseId]:
        session = await self._facts.session(event)
        return [] if session is None else [session.case.id]

    async def _label(self, claim: Claim, event: LabelChanged) -> Outcome:
        workflow = by_label(event.label)
        if workflow is None:
            session = await self._session(event)
            ignored = Ignored(reason=IgnoreReason.NOT_OUR_LABEL, detail=event.label)
            return await self._wakes.wake(session) if session else ignored
        if self._facts.is_us(event.actor):
            return Ignored(reason=IgnoreReason.OURS)
        target = await self._facts.target(event)
        standing = await self._facts.standing(event, event.actor, target)
        if not may_ask(standing):
            return NotDone(reason=RefusalReason.NOT_ALLOWED, workflow=workflow.name, detail=event.actor.login)
        key = f"{event.subject} {claim.guid}"
        begun = await self._store.dispatches.of(key) is not None
        if not begun and target is not None and workflow.label not in map(str.lower, target.labels):
            return Ignored(reason=IgnoreReason.OVERTAKEN)
        asked = Asked(
            event=event,
            command=LiteralCommand(verb=workflow.verb),
            key=key,
            by=event.actor.login,
            standing=standing,
            target=target,
        )
        return await self.dispatcher.dispatch(asked)

    async def _comment(self, claim: Claim, event: CommentChanged) -> Outcome:
        author, text = event.comment.author, event.comment.text
        if self._facts.is_us(author) or is_marked(text):
            return Ignored(reason=IgnoreReason.OURS)
        if author.is_bot:  # it is not obeyed, but its review threads count
            session = await self._session(event)
            ignored = Ignored(reason=IgnoreReason.BOT, detail=author.login)
            return await self._wakes.wake(session) if session else ignored
        trigger = read_trigger(text, verbs=VERBS, phrase=self._place.phrase)
        stored = await self._facts.case(event)
        if trigger is None and stored is None:
            return Ignored(reason=IgnoreReason.NO_CASE)
        target = await self._facts.target(event)
        standing = await self._facts.standing(event, author, target)
        command = session_command(event, stored, standing)
        if command is not None and may_ask(standing) and not isinstance(trigger, LiteralCommand):
            return await self._sessions.give(event, command, standing, target)
        match trigger:
            case LiteralCommand():
                if not may_ask(standing):
                    return NotDone(reason=RefusalReason.NOT_ALLOWED, detail=author.login)
                if trigger.verb in LITERAL:
                    return await self._sessions.give(event, LITERAL[trigger.verb], standing, target)
                return await self._ask(event, trigger, standing, target)
            case Mention() if may_ask(standing) and not _is_command(event, stored, standing):
                return await self._mention(claim, event, stored, standing, target)
            case Mention() if stored is None:
                return NotDone(reason=RefusalReason.NOT_ALLOWED, detail=author.login)
            case Mention() | None:
                assert stored is not None, "handled above"
                return await self._comments.say(event, stored, standing)
            case _:
                assert_never(trigger)

    async def _ask(
        self, event: CommentChanged, command: LiteralCommand, standing: Standing, target: Target | None
    ) -> Outcome:
        asked = Asked(
            event=event,
            command=command,
            key=event.subject,
            by=event.comment.author.login,
            standing=standing,
            target=target,
            reference=event.reaction_to,
            text=event.comment.text,
        )
        return await self.dispatcher.dispatch(asked)

    async def _mention(
        self, claim: Claim, event: CommentChanged, stored: OnGitHub | None, standing: Standing, target: Target | None
    ) -> Outcome:
        """Ask the classifier once. What it does not recognise is a message of the case, if there is one."""
        intent = claim.intent
        if intent is None:
            intent = await self._classify(event, stored, standing)
            await self._store.deliveries.note_intent(claim, intent)
        if intent not in (_UNCLEAR, _ANSWERED):
            return await self._ask(event, LiteralCommand(verb=intent, text=event.comment.text), standing, target)
        if intent == _ANSWERED:
            return Answered()
        if stored is not None:
            said = await self._comments.say(event, stored, standing)
            if isinstance(said, BecameMessage | Duplicate):
                return said
        unclear = NotDone(reason=RefusalReason.UNCLEAR)
        key = f"{event.subject} unclear"
        await self._ports.writes.reply(event.repository, event.number, reply_words(unclear), key=key)
        return unclear

    async def _classify(self, event: CommentChanged, stored: OnGitHub | None, standing: Standing) -> str:
        if self._ports.classifier is None:
            return _UNCLEAR
        said = Mentioned(
            repository=event.repository,
            number=event.number,
            author=event.comment.author.login,
            standing=standing,
            text=event.comment.text,
            key=event.subject,
            reference=event.reaction_to,
            has_case=stored is not None and not stored.case.is_over,
        )
        verdict = await self._ports.classifier.classify(said)
        match verdict:
            case Wants(verb=verb):
                return verb
            case Unclear(answered=answered):
                return _ANSWERED if answered else _UNCLEAR
            case _:
                assert_never(verdict)

    async def _changed_comment(self, event: CommentChanged) -> Outcome:
        if self._facts.is_us(event.comment.author) or is_marked(event.comment.text):
            return Ignored(reason=IgnoreReason.OURS)
        stored = await self._facts.case(event)
        if stored is None:
            return Ignored(reason=IgnoreReason.NO_CASE)
        if event.comment.author.is_bot:
            return Ignored(reason=IgnoreReason.BOT, detail=event.comment.author.login)
        text = event.comment.text if event.comment.text_before is None else event.comment.text_before
        if isinstance(read_trigger(text, verbs=VERBS, phrase=self._place.phrase), LiteralCommand):
            return Ignored(reason=IgnoreReason.UNKNOWN_COMMENT)
        target = await self._facts.target(event)
        author, editor = event.comment.author, event.actor
        standing = await self._facts.standing(event, author, target)
        if editor.login.casefold() == author.login.casefold():
            return await self._comments.change(event, stored, standing)
        by = Editor(login=editor.login, standing=await self._facts.standing(event, editor, target))
        return await self._comments.change(event, stored, standing, by=by)

    async def _changed_issue(self, claim: Claim, event: IssueChanged) -> Outcome:
        stored = await self._facts.case(event)
        if not isinstance(stored, StoredCase):
            return Ignored(reason=IgnoreReason.NO_CASE)
        target = await self._facts.target(event)
        await self._comments.note_state(stored, target)
        if self._facts.is_us(event.actor):
            return Ignored(reason=IgnoreReason.OURS)
        gone = event.change in (Change.TRANSFERRED, Change.DELETED)
        if target is not None and (gone or (event.change is Change.CLOSED and target.is_open)):
            return Ignored(reason=IgnoreReason.OVERTAKEN)
        standing = Standing.OWNER if gone else await self._facts.standing(event, event.actor, target)
        if event.change is Change.CLOSED and not may_ask(standing):
            return NotDone(reason=RefusalReason.NOT_ALLOWED, detail=event.actor.login)
        return await self._comments.change_issue(event, f"{event.subject} {claim.guid}", stored, standing)


def _is_command(event: CommentChanged, stored: OnGitHub | None, standing: Standing) -> bool:
    """Whether the comment is a command to the case: `@caseworker approve` needs no classifier."""
    if stored is None:
        return False
    return not isinstance(understand(stored, words_of(event), standing).message.command, Say | Answer)
