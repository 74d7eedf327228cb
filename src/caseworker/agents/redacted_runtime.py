"""Removes secrets, and the place of the worktree on this machine, from what agents hand in: outcomes become comments,
commit messages and pull requests."""

from collections.abc import Awaitable, Callable, Sequence

from pydantic import ValidationError

from caseworker.core.base.redaction import Redactor
from caseworker.core.record.entries import AgentEvent
from caseworker.ports import AgentFailed, AgentFinished, AgentRuntime, Brief, Ear


class RedactedRuntime:
    """Implements the port `AgentRuntime` around another runtime."""

    def __init__(self, runtime: AgentRuntime, redactor: Redactor) -> None:
        self._runtime = runtime
        self._redactor = redactor

    async def run(
        self, brief: Brief, saw: Callable[[Sequence[AgentEvent]], Awaitable[None]], ear: Ear
    ) -> AgentFinished | AgentFailed:
        end = await self._runtime.run(brief, saw, ear)
        if isinstance(end, AgentFailed):
            return end
        told = end.outcome.model_dump(mode="json")
        clean = without_folder(self._redactor.value(told), f"{brief.tree.path}/")
        if clean == told:
            return end
        try:
            return AgentFinished(outcome=type(end.outcome).model_validate(clean), calls=end.calls)
        except ValidationError:
            return AgentFailed(why="invalid_outcome", reason="the outcome had a secret where none can be removed")


def without_folder(value: object, folder: str) -> object:
    """Paths inside the worktree, from its root."""
    if isinstance(value, str):
        return value.replace(folder, "")
    if isinstance(value, list):
        return [without_folder(item, folder) for item in value]
    if isinstance(value, dict):
        return {key: without_folder(item, folder) for key, item in value.items()}
    return value
