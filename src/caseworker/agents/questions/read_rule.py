"""Reads what an owner wants to be remembered: literally where the command is used, otherwise with one question."""

from typing import Final

from caseworker.agents.questions.asker import Asker
from caseworker.agents.quotes import new_fence
from caseworker.core.base.ids import RepositoryId
from caseworker.core.base.roles import Task
from caseworker.core.casefile.review_learnings import RememberAnswer, Rule, checked_rule, parse_remember
from caseworker.ports import Failed, RepositoryAccount

_LIMIT: Final = 4_000
_HOW: Final = "Write `bot:remember --path src/api/** what reviews should know`, with or without a path."


class RuleReader:
    def __init__(self, *, asker: Asker) -> None:
        self._asker = asker

    async def rule_in(self, comment: str, *, author: str, repository: RepositoryId) -> Rule | str:
        """The rule, or what to tell the owner instead. The caller has checked that it is an owner who asks."""
        literal = parse_remember(comment)
        if literal is not None:
            return literal
        quoted = new_fence().quote(comment, what="comment", source=f"{author}, owner", limit=_LIMIT)
        answer = await self._asker.ask(
            Task.REMEMBER, quoted, RememberAnswer, account=RepositoryAccount(repository=repository)
        )
        if isinstance(answer, Failed):
            return f"I could not read what to remember ({answer.reason}). {_HOW}"
        return checked_rule(answer.value, comment) or f"I found nothing to remember in this. {_HOW}"
