"""Classifies a comment that mentions us, by a small model: in one call, or on a pull request in two if it reads the
state first. A failure never starts a workflow."""

from dataclasses import dataclass
from typing import Final

import structlog

from caseworker.agents.questions.asker import Asker
from caseworker.agents.questions.tool_loop import Step, ToolUse, ask_with_tools
from caseworker.agents.quotes import new_fence
from caseworker.core.base.ids import RepositoryId
from caseworker.core.base.roles import Task
from caseworker.core.people.registry import TargetKind, workflows_on
from caseworker.core.runs.intent import Clarify, Converse, Dispatch, IntentAnswer, UnknownWorkflow, decide_intent
from caseworker.core.runs.state_calls import TRIAGE_ITERATIONS
from caseworker.ports import Failed, GithubState, RepositoryAccount

log = structlog.get_logger()

_BODY_LIMIT: Final = 4_000


@dataclass(frozen=True, kw_only=True)
class Commented:
    """A comment that mentions us, and where it is."""

    text: str
    source: str
    """Who wrote it, with their standing."""
    kind: TargetKind
    repository: RepositoryId
    state: GithubState | None = None
    """The tools, on a pull request."""


class IntentClassifier:
    def __init__(self, *, asker: Asker, threshold: float, chat: bool, tools: bool = True) -> None:
        """`tools`: whether the state of a pull request may be read first."""
        self._asker = asker
        self._threshold = threshold
        self._chat = chat
        self._tools = tools

    async def intent_of(self, comment: Commented) -> Dispatch | UnknownWorkflow | Converse | Clarify:
        answer = await self._ask(comment)
        if isinstance(answer, Failed):
            log.warning("intent not classified", repository=comment.repository, reason=answer.reason)
        return decide_intent(
            None if isinstance(answer, Failed) else answer,
            registry=workflows_on(comment.kind),
            threshold=self._threshold,
            chat=self._chat,
        )

    async def _ask(self, comment: Commented) -> IntentAnswer | Failed:
        where = "pull request" if comment.kind is TargetKind.PULL else "issue"
        text = new_fence().quote(comment.text, what=f"comment on the {where}", source=comment.source, limit=_BODY_LIMIT)
        account = RepositoryAccount(repository=comment.repository)
        if self._tools and comment.state is not None:
            tools = ToolUse(state=comment.state, iterations=TRIAGE_ITERATIONS)
            return await ask_with_tools(
                self._asker, Task.CLASSIFY, text, Step[IntentAnswer], tools=tools, account=account
            )
        answer = await self._asker.ask(Task.CLASSIFY, text, IntentAnswer, account=account)
        return answer if isinstance(answer, Failed) else answer.value
