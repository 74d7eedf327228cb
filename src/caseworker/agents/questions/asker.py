"""Asks the pm a single question on behalf of a repository or a case, with the model, cap and script that apply."""

from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from caseworker.agents.templates import template
from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Role, Task
from caseworker.ports import Answer, CaseAccount, Failed, Model, Question, RepositoryAccount

A = TypeVar("A", bound=BaseModel)


@dataclass(frozen=True, kw_only=True)
class Asker:
    model: Model
    policy: Policy
    cap_micros: int
    """What the account may have spent when this is answered."""
    rehearsal: str | None = None

    async def ask(
        self, task: Task, text: str, answer: type[A], *, account: CaseAccount | RepositoryAccount, nth: int = 1
    ) -> Answer[A] | Failed:
        """`nth`: the caller's count of questions with this task, which selects the entry of a rehearsal."""
        question = Question(
            purpose=task.value,
            system=template(f"{Role.PM}.{task}"),
            text=text,
            answer=answer,
            model=self.policy.model_for(Role.PM, task),
            account=account,
            cap_micros=self.cap_micros,
            rehearsal=self.rehearsal,
            nth=nth,
        )
        return await self.model.ask(question)
