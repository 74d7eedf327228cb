"""Dispatches a workflow that a label or a comment asks for: one path for both, in seven steps.

The decision is core's. The steps with effects are in an order that a kill at any point can't break: labels are removed
before the insert, which is one transaction with the job; what follows it may be repeated.
"""

from dataclasses import dataclass
from typing import assert_never

import structlog

from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.ids import CaseId, TraceId, issue_case, pull_case
from caseworker.core.base.text import clip
from caseworker.core.base.untrusted_text import one_line
from caseworker.core.casefile.review_learnings import LONGEST_RULE, Provenance, Rule, Scope
from caseworker.core.issue.states import IssueState
from caseworker.core.people.commands import Approve, Command, MessageKind, Rerun, Retry, Say, StartWork
from caseworker.core.people.messages import NO_MESSAGE, TEXT_LIMIT, WORK_ON_IT, NewMessage, Standing
from caseworker.core.people.trigger import LiteralCommand
from caseworker.core.runs.delivery_outcomes import Dispatched, Duplicate, NotDone, Outcome, RefusalReason
from caseworker.core.runs.dispatch import (
    Go,
    GoOn,
    OpenCase,
    OpenPull,
    Remember,
    RunAgain,
    StartAgain,
    TryAgain,
    decide,
)
from caseworker.core.runs.run import RunState
from caseworker.core.telling.delivery_words import reply_words
from caseworker.intake.conversation import ring
from caseworker.intake.github_events import LabelChanged, OnTarget
from caseworker.intake.github_facts import GitHubFacts, GitHubPlace, OnGitHub, parent_facts
from caseworker.intake.new_cases import new_trace
from caseworker.ports import Doorbell, Issue, NewPullCase, Store, StoredCase
from caseworker.ports.deliveries import NewDispatch
from caseworker.ports.github import SURFACE, GitHubWrites, Reaction, Target, thread_on

log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A request for a workflow, by a person who may ask."""

    event: OnTarget
    command: LiteralCommand
    key: str
    """The same each time that this event is processed, and another for every other event."""
    by: str
    standing: Standing
    target: Target | None
    reference: str = ""
    """The comment that asks. Empty: a label."""
    text: str = ""
    """The comment's text."""
    resumes: bool = False
    """It takes up a session that has ended."""


class Dispatcher:
    def __init__(
        self, *, store: Store, doorbell: Doorbell, facts: GitHubFacts, writes: GitHubWrites, place: GitHubPlace
    ) -> None:
        self._store = store
        self._doorbell = doorbell
        self._facts = facts
        self._writes = writes
        self._place = place

    async def dispatch(self, asked: Asked) -> Outcome:
        begun = await self._store.dispatches.of(asked.key)  # by a host that was killed before it could say so
        if begun is not None:
            return await self._return(asked, Dispatched(workflow=begun.workflow, case=begun.case))
        await self._react(asked, Reaction.SEEN)
        stored, parent = await self._facts.own_case(asked.event), await self._facts.parent(asked.event)
        decision = decide(asked.command, asked.target, await self._facts.about(stored), parent_facts(parent))
        if isinstance(decision, NotDone) and stored is not None and _is_reading(stored, decision):
            raise Transient(f"{stored.case.id} is reading what a person wrote: decided again once it waits.")
        match decision:
            case NotDone():
                return await self._refuse(asked, decision)
            case Duplicate():
                return decision
            case Go():
                for label in decision.remove_labels:
                    await self._writes.remove_label(asked.event.repository, asked.event.number, label)
                return await self._return(asked, await self._start(asked, decision, stored, parent))
            case _:
                assert_never(decision)

    async def _start(self, asked: Asked, go: Go, stored: OnGitHub | None, parent: StoredCase | None) -> Outcome:
        case: CaseId | None
        match go.start:
            case OpenCase():
                case = await self._open(asked, go, go.start)
            case GoOn(until=until):
                assert stored is not None, "only a case can go on"
                case = await self._go_on(asked, go, stored, Approve(milestone=until))
            case RunAgain(until=until):
                assert stored is not None, "only a case can be run again"
                case = await self._go_on(asked, go, stored, Rerun(milestone=until))
            case TryAgain():
                assert stored is not None, "only a case can be tried again"
                case = await self._go_on(asked, go, stored, Retry())
            case OpenPull():
                case = await self._open_pull(asked, go, go.start.command, parent)
            case StartAgain():
                assert stored is not None, "only a case can be started again"
                again = go.start.command.model_copy(update={"resumes": asked.resumes})
                case = await self._go_on(asked, go, stored, again)
            case Remember():
                await self._remember(asked, go.start)
                return Dispatched(workflow=go.workflow)
            case _:
                assert_never(go.start)
        return Duplicate(workflow=go.workflow) if case is None else Dispatched(workflow=go.workflow, case=case)

    async def _open(self, asked: Asked, go: Go, start: OpenCase) -> CaseId:
        event, target = asked.event, asked.target
        assert target is not None, "a missing target was refused"
        policy = await self._place.policy(event.repository)
        repository = await self._store.repositories.register(event.repository)
        issue = Issue(
            repository=repository,
            number=event.number,
            title=target.title,
            body=target.body,
            labels=list(target.labels),
            url=target.url,
            created_at=target.created_at,
        )
        case = issue_case(repository, event.number)
        opened = await self._store.dispatches.open_case(
            issue,
            _dispatch(asked, go),
            _message(asked, case, new_trace(), Say(only_opens=True), WORK_ON_IT),
            thread=thread_on(event.repository, event.number),
            policy=policy.model_copy(update={"until": start.until}),
            rehearsal=self._place.rehearsal,
        )
        if not opened:
            raise Transient(f"{case} was opened meanwhile: its dispatch is decided again.")
        return case

    async def _open_pull(self, asked: Asked, go: Go, command: StartWork, parent: StoredCase | None) -> CaseId:
        event, target = asked.event, asked.target
        assert target is not None, "a missing target was refused"
        repository = await self._store.repositories.register(event.repository)
        case, trace = pull_case(repository, event.number), new_trace()
        new = NewPullCase(
            repository=repository,
            number=event.number,
            title=target.title,
            url=target.url,
            author=target.author,
            policy=await self._place.policy(event.repository),
            rehearsal=self._place.rehearsal,
            trace=trace,
            parent=None if parent is None else parent.case.id,
            thread=thread_on(event.repository, event.number),
        )
        first = _message(asked, case, trace, command, f"Please {go.workflow} this pull request.")
        if not await self._store.dispatches.open_pull(new, _dispatch(asked, go), first, command.workflow):
            raise Transient(f"{case} was opened meanwhile: its dispatch is decided again.")
        return case

    async def _go_on(self, asked: Asked, go: Go, stored: OnGitHub, command: Command) -> CaseId | None:
        """None: a run of this workflow is in flight."""
        message = _message(asked, stored.case.id, stored.trace, command, f"Go on: {go.workflow}.")
        begun = await self._store.dispatches.go_on(
            _dispatch(asked, go),
            message,
            thread=thread_on(asked.event.repository, asked.event.number),
            moves=stored.case.progress.transitions,
        )
        return stored.case.id if begun else None

    async def _remember(self, asked: Asked, start: Remember) -> None:
        repository = await self._store.repositories.register(asked.event.repository)
        scope = Scope.PATHS if start.path else Scope.REPOSITORY
        rule = Rule(scope=scope, glob=start.path, text=one_line(start.text, LONGEST_RULE))
        where = Provenance(author=asked.by, source=asked.reference or asked.event.lane)
        await self._store.review_learnings.add(repository, rule, where)

    async def _return(self, asked: Asked, outcome: Outcome) -> Outcome:
        if isinstance(outcome, Dispatched):
            if outcome.case is not None:
                if asked.event.at is not None:
                    await self._store.deliveries.look_again(asked.event.lane, asked.event.at)
                await ring(self._doorbell, outcome.case, NO_MESSAGE, MessageKind.WORDS)
            await self._react(asked, Reaction.DONE if outcome.case is None else Reaction.STARTED)
        return outcome

    async def _refuse(self, asked: Asked, refused: NotDone) -> Outcome:
        words = reply_words(refused)
        if words and refused.reason is not RefusalReason.TARGET_LOCKED:  # there, GitHub takes no comment of an App
            await self._writes.reply(asked.event.repository, asked.event.number, words, key=f"{asked.key} refused")
        if isinstance(asked.event, LabelChanged) and asked.target is not None:
            # A label that stays would look like a running request, and people could not set it again.
            await self._writes.remove_label(asked.event.repository, asked.event.number, asked.event.label)
        await self._react(asked, Reaction.FAILED)
        return refused

    async def _react(self, asked: Asked, reaction: Reaction) -> None:
        await self.react(asked.reference, reaction, about=asked.event.lane)

    async def react(self, reference: str, reaction: Reaction, *, about: str) -> None:
        """A reaction is a courtesy: where GitHub takes none, such as in a locked conversation, the work goes on.
        `reference`: empty for what has no reactions, such as a review."""
        if reference:
            try:
                await self._writes.react(reference, reaction)
            except Refused as refused:
                log.warning("no reaction to a comment", about=about, error=str(refused))

    async def show_ends(self) -> int:
        """React on the comments whose run has ended. Returns how many."""
        ended = await self._store.dispatches.untold()
        for dispatch in ended:
            assert dispatch.state is not None, "only runs that ended are listed"
            done = dispatch.state is RunState.SUCCEEDED
            try:
                await self._writes.react(dispatch.reference, Reaction.DONE if done else Reaction.FAILED)
            except Refused as refused:  # the next ones must not wait for it
                log.warning("end of a run not shown on its comment", case=dispatch.case, error=str(refused))
            await self._store.dispatches.tell(dispatch.key, dispatch.state)
        return len(ended)


def _is_reading(stored: OnGitHub, refused: NotDone) -> bool:
    """Whether only a comment that the pm reads just now keeps the case from waiting where the request would count."""
    reading = stored.case.state is IssueState.HUMAN_INPUT_RECEIVED
    return reading and refused.reason is RefusalReason.ALREADY_DONE


def _dispatch(asked: Asked, go: Go) -> NewDispatch:
    return NewDispatch(key=asked.key, workflow=go.workflow, reference=asked.reference)


def _message(asked: Asked, case: CaseId, trace: TraceId, command: Command, words: str) -> NewMessage:
    """The message that starts the run: the comment itself, or words for a label."""
    return NewMessage(
        case=case,
        surface=SURFACE,
        external_id=asked.key,
        author=asked.by,
        standing=asked.standing,
        command=command,
        text=clip((asked.text or words).replace("\0", ""), TEXT_LIMIT),
        trace=trace,
        reference=asked.reference,
    )
