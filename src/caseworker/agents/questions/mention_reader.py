"""Finds out what a comment that mentions us wants, and answers it where no workflow is to be run.

Every step may be repeated after a kill: a comment that was answered as chat gets the same turn again, and writes have
keys. A workflow is never started here: its name is returned, and takes the same way as a label's.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, assert_never

import structlog

from caseworker.agents.questions.chat_reply import ChatComment, ChatReplies, ChatTarget
from caseworker.agents.questions.classify_intent import Commented, IntentClassifier
from caseworker.agents.questions.read_rule import RuleReader
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import RepositoryId
from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.casefile.review_learnings import Provenance, Rule, Scope, remembered
from caseworker.core.people.discussion import Side
from caseworker.core.people.forge_roles import may_ask
from caseworker.core.people.registry import TargetKind, workflows_on
from caseworker.core.runs.chat_modes import (
    CarryOut,
    ChatTurn,
    Propose,
    RememberRule,
    RerunCheck,
    RunWorkflow,
    Say,
    SetLabel,
    Start,
    Withdraw,
    reply_words,
)
from caseworker.core.runs.intent import Clarify, Converse, Dispatch, UnknownWorkflow
from caseworker.ports import GithubState, Labels, StateOf, Store
from caseworker.ports.github import GitHubReads, GitHubWrites, Mentioned, Target, Unclear, Wants, thread_on

log = structlog.get_logger()

ANSWERED: Final = Unclear(answered=True)
NO_RERUN: Final = "I can't run checks again yet: use the button on the check's page."
_BODY_LIMIT: Final = 10_000


@dataclass(frozen=True, kw_only=True)
class MentionQuestions:
    """The questions to models that a mention may need."""

    intents: IntentClassifier
    rules: RuleReader
    chat: ChatReplies


@dataclass(frozen=True, kw_only=True)
class MentionPlace:
    """GitHub, as far as a mention is answered there."""

    reads: GitHubReads
    writes: GitHubWrites
    labels: Labels | None = None
    state: StateOf | None = None
    """The tools that read the state of a pull request."""


class MentionReader:
    """Implements the port `Classifier`."""

    def __init__(self, *, store: Store, questions: MentionQuestions, place: MentionPlace) -> None:
        self._store = store
        self._questions = questions
        self._place = place

    async def classify(self, said: Mentioned) -> Wants | Unclear:
        target = await self._place.reads.target(said.repository, said.number)
        if target is None:
            return Unclear()
        repository = await self._store.repositories.register(said.repository)
        known = await self._store.chat_threads.find(thread_on(said.repository, said.number), said.key)
        if known is not None:
            return await self._carry_out(said, repository, known)
        intent = await self._questions.intents.intent_of(
            Commented(
                text=said.text,
                source=f"{said.author}, {said.standing}",
                kind=target.kind,
                repository=repository,
                state=self._state(said, target),
            )
        )
        match intent:
            case Dispatch(workflow=WorkflowName.REMEMBER):
                return await self._remember(said, repository)
            case Dispatch(workflow=workflow):
                return Wants(verb=workflow.value)
            case UnknownWorkflow(name=name):
                return Wants(verb=name) if name else Unclear()
            case Converse() if said.has_case:
                return Unclear()  # the pm of the case reads it: two would answer
            case Converse():
                turn = await self._questions.chat.reply(_comment(said), self._chat_target(said, target, repository))
                return await self._carry_out(said, repository, turn)
            case Clarify():
                return Unclear()
            case _:
                assert_never(intent)

    async def _remember(self, said: Mentioned, repository: RepositoryId) -> Unclear:
        rule = await self._questions.rules.rule_in(said.text, author=said.author, repository=repository)
        if isinstance(rule, Rule):
            await self._store.review_learnings.add(repository, rule, _provenance(said))
            rule = remembered(rule)
        await self._reply(said, rule, "remember")
        return ANSWERED

    def _chat_target(self, said: Mentioned, target: Target, repository: RepositoryId) -> ChatTarget:
        return ChatTarget(
            thread=thread_on(said.repository, said.number),
            repository=repository,
            snapshot=_snapshot(said, target),
            registry=workflows_on(target.kind),
            state=self._state(said, target),
        )

    def _state(self, said: Mentioned, target: Target) -> GithubState | None:
        state = self._place.state
        return state(said.repository, said.number) if state is not None and target.kind is TargetKind.PULL else None

    async def _carry_out(self, said: Mentioned, repository: RepositoryId, turn: ChatTurn) -> Wants | Unclear:
        """What the turn decided, then its words. Both may be repeated."""
        act = turn.act
        match act:
            case Say() | Propose() | Withdraw():
                await self._reply(said, reply_words(act), "chat")
                return ANSWERED
            case Start(workflow=workflow):
                await self._reply(said, reply_words(act), "chat")
                return Wants(verb=workflow.value)
            case CarryOut(payload=payload):
                if isinstance(payload, RunWorkflow):
                    await self._reply(said, reply_words(act), "chat")
                    return Wants(verb=payload.workflow.value)
                failed = await self._do(said, repository, payload)
                await self._reply(said, failed or reply_words(act), "chat")
                return ANSWERED
            case _:
                assert_never(act)

    async def _do(
        self, said: Mentioned, repository: RepositoryId, payload: RememberRule | SetLabel | RerunCheck
    ) -> str:
        """Carry out what was proposed. Returns why it was not done; empty: it was."""
        match payload:
            case RememberRule(text=text, glob=glob):
                rule = Rule(scope=Scope.PATHS if glob else Scope.REPOSITORY, glob=glob, text=text)
                await self._store.review_learnings.add(repository, rule, _provenance(said))
                return ""
            case SetLabel():
                return await self._set_label(said, payload)
            case RerunCheck():
                return NO_RERUN
            case _:
                assert_never(payload)

    async def _set_label(self, said: Mentioned, payload: SetLabel) -> str:
        labels = self._place.labels
        if labels is None:
            return f"I can't change labels here, so `{payload.name}` is as it was."
        change = labels.remove if payload.remove else labels.add
        try:
            await change(said.repository, said.number, payload.name)
        except Refused as refused:
            log.warning("label not changed", repository=str(said.repository), reason=str(refused))
            return f"I could not change the label `{payload.name}`: {refused}"
        return ""

    async def _reply(self, said: Mentioned, text: str, what: str) -> None:
        await self._place.writes.reply(said.repository, said.number, text, key=f"{said.key} {what}")


def _comment(said: Mentioned) -> ChatComment:
    side = Side.OWNER if may_ask(said.standing) else Side.OTHER
    return ChatComment(id=said.key, author=said.author, side=side, text=said.text, at=datetime.now(UTC))


def _provenance(said: Mentioned) -> Provenance:
    return Provenance(author=said.author, source=said.reference)


def _snapshot(said: Mentioned, target: Target) -> str:
    what = "Pull request" if target.kind is TargetKind.PULL else "Issue"
    state = "open" if target.is_open else "closed"
    labels = f" Labels: {', '.join(target.labels)}." if target.labels else ""
    head = f"{what} {said.number}, {state}, by {target.author}: {target.title}.{labels}"
    return f"{head}\n\n{target.body[:_BODY_LIMIT]}"
