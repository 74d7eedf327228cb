"""The talk of one attempt: the prompt, at most one repair, what people say meanwhile, and how it ended, as a value."""

import asyncio
from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from pydantic import ValidationError

from caseworker.agents.events import Batches, Watcher
from caseworker.agents.gateway import Gateway
from caseworker.agents.interruptions import Hearing
from caseworker.agents.process import AttemptFolder, until_gone
from caseworker.agents.prompt_texts import hand_in_again, repair
from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.redaction import Redactor
from caseworker.core.outcomes.outcome import Outcome, parse_outcome
from caseworker.ports import AgentFailed, AgentFinished, Brief, WhyFailed

if TYPE_CHECKING:
    from claude_agent_sdk import ClaudeSDKClient, ResultMessage

_NO_OUTCOME: Final = "the agent ended without handing in an outcome"
_FORGED: Final = "an outcome was printed that the model did not hand in: code in the sandbox may have done it"


@dataclass(frozen=True, kw_only=True)
class _Invalid:
    """An answer that isn't an outcome."""

    problem: str


class _Unchecked(Exception):
    """The outcome could not be looked at: the store or the disk was away."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


@dataclass(kw_only=True)
class Talk:
    brief: Brief
    folder: AttemptFolder
    gateway: Gateway
    redactor: Redactor
    hearing: Hearing
    stderr: deque[str] = field(default_factory=deque)
    """The last lines that the program wrote there."""

    async def hold(self, client: "ClaudeSDKClient", batches: Batches) -> AgentFinished | AgentFailed:
        """The task that calls this opens and closes the client, as the SDK wants it."""
        limit = asyncio.timeout(self.brief.limits.seconds)
        ended: AgentFinished | AgentFailed | None = None
        try:
            async with limit:
                await client.connect()
                ended = await self._turn(client, batches)
        except _Unchecked as error:  # nothing of the agent's: the caller of the turn knows what to do
            raise error.cause from error
        except Exception as error:  # noqa: BLE001 - the SDK raises bare Exceptions for a program that went away
            batches.raise_if_broken()
            if limit.expired():
                ended = self._failed("seconds", f"the turn took longer than {self.brief.limits.seconds:g} s")
            else:
                ended = self._gone(error)
        finally:
            if not isinstance(ended, AgentFinished):
                await until_gone(self.folder.end_processes())  # or the SDK would wait for the agent to leave by itself
            await client.disconnect()
        return ended

    async def _turn(self, client: "ClaudeSDKClient", batches: Batches) -> AgentFinished | AgentFailed:
        witness = self.gateway.witness
        watcher = Watcher(self.brief.attempt.turn, self.redactor, workspace=self.brief.tree.path, witness=witness)
        prompt = self.brief.prompt
        repaired = False
        while True:
            await client.query(prompt)
            result = await _listen(client, watcher, batches)
            answer = await self._checked(self._answer(result, watcher.rejection), batches)
            if isinstance(answer, AgentFailed):
                return answer
            if not isinstance(answer, _Invalid):
                return AgentFinished(outcome=answer, calls=self.gateway.calls)
            if self.hearing.took_back():  # nothing was wrong with it: the one repair is not used up
                prompt = hand_in_again()
            elif repaired:
                return self._failed("invalid_outcome", f"the outcome was invalid twice: {answer.problem}")
            else:
                repaired = True
                prompt = repair(answer.problem)

    async def _checked(
        self, answer: "Outcome | _Invalid | AgentFailed", batches: Batches
    ) -> "Outcome | _Invalid | AgentFailed":
        if self.brief.check is None or isinstance(answer, _Invalid | AgentFailed):
            return answer
        await batches.all_told()
        try:
            problem = await self.brief.check(answer)
        except (Transient, Refused, OSError) as error:
            raise _Unchecked(error) from error
        return _Invalid(problem=problem) if problem else answer

    def _answer(self, result: "ResultMessage | None", rejection: str) -> "Outcome | _Invalid | AgentFailed":
        if result is None:
            return self._gone(None)
        if result.structured_output is None:
            # An answer that never fits the schema is the agent's to repair; every other error is the model's or ours.
            if result.is_error and result.subtype != "error_max_structured_output_retries":
                return self._gone(None, said=result.result or "; ".join(result.errors or []))
            return _Invalid(problem=rejection or _NO_OUTCOME)
        if not self.gateway.witness.handed_in(result.structured_output):
            return self._failed("invalid_outcome", _FORGED)
        try:
            return parse_outcome(self.brief.role, self.brief.task, result.structured_output)
        except ValidationError as error:
            return _Invalid(problem=_problems(error))

    def _gone(self, error: Exception | None, *, said: str = "") -> AgentFailed:
        """The agent ended without an answer. The gateway knows best why: the agent only repeats what it was told."""
        stopped, trouble = self.gateway.stopped, self.gateway.trouble
        if stopped is not None:
            return replace(self._failed(stopped.why, stopped.reason), seconds=stopped.seconds)
        if trouble is not None:
            return self._failed("machine" if trouble.ours else "model", trouble.reason, retry=trouble.passing)
        # Its own last line says more than the exit code that the SDK reports.
        how = said or (self.stderr[-1] if self.stderr else str(error or "no result"))
        return self._failed("crashed", f"the agent's process ended early: {how}", retry=True)

    def _failed(
        self,
        why: WhyFailed,
        reason: str,
        *,
        retry: bool = False,
    ) -> AgentFailed:
        log = self.redactor.text("\n".join(self.stderr))
        return AgentFailed(why=why, reason=self.redactor.text(reason), retry=retry, log=log)


async def _listen(client: "ClaudeSDKClient", watcher: Watcher, batches: Batches) -> "ResultMessage | None":
    from claude_agent_sdk import ResultMessage

    async for message in client.receive_response():
        batches.add(list(watcher.events(message)))
        if isinstance(message, ResultMessage):
            return message
    return None


def _problems(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_input=False)
    return "; ".join(f"{'.'.join(str(part) for part in one['loc']) or 'outcome'}: {one['msg']}" for one in found)
