"""Classifies a comment that mentions us, by one call to a small model. A failure never starts a workflow."""

from collections.abc import Set
from typing import Final

import structlog

from caseworker.agents.questions.asker import Asker
from caseworker.agents.quotes import new_fence
from caseworker.core.base.ids import RepositoryId
from caseworker.core.base.roles import Task
from caseworker.core.runs.intent import Clarify, Converse, Dispatch, IntentAnswer, UnknownWorkflow, decide_intent
from caseworker.core.runs.workflow_names import WorkflowName
from caseworker.ports import Failed, RepositoryAccount

log = structlog.get_logger()

_BODY_LIMIT: Final = 4_000


class IntentClassifier:
    def __init__(self, *, asker: Asker, threshold: float, chat: bool) -> None:
        self._asker = asker
        self._threshold = threshold
        self._chat = chat

    async def intent_of(
        self, comment: str, *, source: str, target: str, repository: RepositoryId, registry: Set[WorkflowName]
    ) -> Dispatch | UnknownWorkflow | Converse | Clarify:
        """`source`: who wrote it, with their standing. `target`: what it is on: "issue" or "pull request"."""
        quoted = new_fence().quote(comment, what=f"comment on the {target}", source=source, limit=_BODY_LIMIT)
        answer = await self._asker.ask(
            Task.CLASSIFY, quoted, IntentAnswer, account=RepositoryAccount(repository=repository)
        )
        if isinstance(answer, Failed):
            log.warning("intent not classified", repository=repository, reason=answer.reason)
            found = None
        else:
            found = answer.value
        return decide_intent(found, registry=registry, threshold=self._threshold, chat=self._chat)
