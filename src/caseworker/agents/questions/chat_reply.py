"""Answers one comment as chat: memory, open proposal and question in, a stored turn out."""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import structlog

from caseworker.agents.questions.asker import Asker
from caseworker.agents.questions.tool_loop import Step, ToolUse, ask_with_tools
from caseworker.agents.quotes import new_fence
from caseworker.core.base.ids import RepositoryId
from caseworker.core.base.roles import Task
from caseworker.core.base.untrusted_text import Fence
from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.people.discussion import Side
from caseworker.core.runs.chat_grounds import grounded
from caseworker.core.runs.chat_modes import ChatAnswer, ChatTurn, Proposal, Say, decide_chat, payload_words, reply_words
from caseworker.core.runs.state_calls import CHAT_ITERATIONS
from caseworker.ports import ChatThreads, Failed, GithubState, RepositoryAccount, Thread

log = structlog.get_logger()

_TURN_LIMIT: Final = 4_000
_TARGET_LIMIT: Final = 12_000
NOT_ANSWERED: Final = (
    "I could not answer this just now, and did nothing. Try again later, or name a workflow: `@caseworker plan`."
)


@dataclass(frozen=True, kw_only=True)
class ChatComment:
    """A comment that is answered as chat."""

    id: str
    author: str
    side: Side
    text: str
    at: datetime


@dataclass(frozen=True, kw_only=True)
class ChatTarget:
    """Where the comment is."""

    thread: Thread
    repository: RepositoryId
    snapshot: str
    """Title, description and state of the issue or pull request."""
    registry: Set[WorkflowName]
    state: GithubState | None = None
    """The tools, on a pull request."""


class ChatReplies:
    def __init__(self, *, asker: Asker, threads: ChatThreads, tools: bool) -> None:
        self._asker = asker
        self._threads = threads
        self._tools = tools

    async def reply(self, comment: ChatComment, target: ChatTarget) -> ChatTurn:
        """The turn, as it is stored. Its act is to be carried out and its words to be posted, each once: a repeated
        call for the same comment returns the same turn and asks no model."""
        known = await self._threads.find(target.thread, comment.id)
        if known is not None:
            return known
        pending = await self._threads.pending(target.thread, comment.at)
        answer = await self._ask(comment, target, pending)
        act = (
            self._not_answered(answer, target)
            if isinstance(answer, Failed)
            else decide_chat(
                grounded(answer, comment.text),
                side=comment.side,
                pending=pending,
                registry=target.registry,
                now=comment.at,
            )
        )
        turn = ChatTurn(
            comment=comment.id, author=comment.author, side=comment.side, said=comment.text, act=act, at=comment.at
        )
        return await self._threads.commit(target.thread, turn)

    def _not_answered(self, answer: Failed, target: ChatTarget) -> Say:
        log.warning("chat not answered", repository=target.repository, reason=answer.reason)
        return Say(text=NOT_ANSWERED)

    async def _ask(self, comment: ChatComment, target: ChatTarget, pending: Proposal | None) -> ChatAnswer | Failed:
        memory = await self._threads.turns(target.thread)
        text = _prompt(comment, target, pending, memory)
        account = RepositoryAccount(repository=target.repository)
        nth = await self._threads.count(target.thread) + 1
        if self._tools and target.state is not None:
            tools = ToolUse(state=target.state, iterations=CHAT_ITERATIONS)
            return await ask_with_tools(
                self._asker, Task.CHAT, text, Step[ChatAnswer], tools=tools, account=account, nth=nth
            )
        answer = await self._asker.ask(Task.CHAT, text, ChatAnswer, account=account, nth=nth)
        return answer if isinstance(answer, Failed) else answer.value


def _prompt(comment: ChatComment, target: ChatTarget, pending: Proposal | None, memory: Sequence[ChatTurn]) -> str:
    fence = new_fence()
    names = ", ".join(workflow for workflow in WorkflowName if workflow in target.registry)
    parts = [
        fence.quote(target.snapshot, what="where this is", source="the forge, untrusted", limit=_TARGET_LIMIT),
        *(part for turn in memory for part in _remembered(turn, fence)),
        f"Workflows here: {names}.",
        _open_proposal(pending, fence),
        "The newest comment:",
        fence.quote(comment.text, what="newest comment", source=f"{comment.author}, {comment.side}", limit=_TURN_LIMIT),
    ]
    return "\n\n".join(part for part in parts if part)


def _remembered(turn: ChatTurn, fence: Fence) -> tuple[str, str]:
    return (
        fence.quote(turn.said, what="earlier comment", source=f"{turn.author}, {turn.side}", limit=_TURN_LIMIT),
        fence.quote(reply_words(turn.act), what="your reply to it", source="you", limit=_TURN_LIMIT),
    )


def _open_proposal(pending: Proposal | None, fence: Fence) -> str:
    if pending is None:
        return "There is no open proposal."
    return "The open proposal:\n" + fence.quote(
        payload_words(pending.payload), what="open proposal", source="the case's record", limit=_TURN_LIMIT
    )
