"""Asks a question whose answer may first read the forge's state: a loop of structured answers (decision 18).

Each answer has either calls or the final answer. Calls beyond the caps get an error as their result, so that the model
can adjust; nothing is dropped silently."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from caseworker.agents.questions.asker import Asker
from caseworker.agents.quotes import new_fence
from caseworker.agents.state_reads import RESULT_LIMIT, StateResult, call_words, read_state
from caseworker.core.base.roles import Task
from caseworker.core.base.untrusted_text import Fence
from caseworker.core.runs.state_calls import CALLS_AT_ONCE, StateCall
from caseworker.ports import CaseAccount, Failed, GithubState, RepositoryAccount

F = TypeVar("F", bound=BaseModel)

_RESULTS_LIMIT: Final = 150_000
"""Characters of all results together; the oldest are named instead of shown."""
_HOW: Final = (
    "You may read the state of the pull request first: put up to {most} `calls` into your answer and leave `final` "
    "out; you are asked again with their results. Otherwise answer in `final`."
)
_EMPTY: Final = StateResult(call="nothing", text="the answer had neither calls nor a final answer", failed=True)
_LAST: Final = "This was the last time that you could read: answer in `final` now."


class Step(BaseModel, Generic[F]):
    """One answer in the loop."""

    model_config = ConfigDict(extra="forbid")

    calls: list[StateCall] = Field(default_factory=list, description="What to read. Empty, if you answer now.")
    final: F | None = None

    @model_validator(mode="before")
    @classmethod
    def _take_bare_answer(cls, given: object) -> object:
        """Small models like to leave the wrapper out: a bare answer is the final one, and needs no repair."""
        if isinstance(given, dict) and given and not {"calls", "final"} & given.keys():
            return {"final": given}
        return given


@dataclass(frozen=True, kw_only=True)
class ToolUse:
    """Which tools a question has, and how often it may answer."""

    state: GithubState
    iterations: int


async def ask_with_tools(
    asker: Asker,
    task: Task,
    text: str,
    step: type[Step[F]],
    *,
    tools: ToolUse,
    account: CaseAccount | RepositoryAccount,
    nth: int = 1,
) -> F | Failed:
    """`step`: `Step[Answer]`. `nth`: the number of the first question, for a rehearsal."""
    results: list[StateResult] = []
    for number in range(tools.iterations):
        is_last = number == tools.iterations - 1
        prompt = _prompt(text, results, is_last=is_last)
        answer = await asker.ask(task, prompt, step, account=account, nth=nth + number)
        if isinstance(answer, Failed):
            return answer
        if answer.value.final is not None:
            return answer.value.final
        if not answer.value.calls:
            results.append(_EMPTY)
        results += await _run(tools.state, answer.value.calls)
    return Failed(why="model", reason=f"the model gave no final answer within {tools.iterations} answers")


async def _run(state: GithubState, calls: Sequence[StateCall]) -> list[StateResult]:
    done = [await read_state(state, call) for call in calls[:CALLS_AT_ONCE]]
    reason = f"not run: at most {CALLS_AT_ONCE} calls in one answer. Ask for it again if you still need it."
    return [*done, *(StateResult(call=call_words(call), text=reason, failed=True) for call in calls[CALLS_AT_ONCE:])]


def _prompt(text: str, results: Sequence[StateResult], *, is_last: bool) -> str:
    fence = new_fence()
    how = _LAST if is_last else _HOW.format(most=CALLS_AT_ONCE)
    return "\n\n".join([text, *_shown(results, fence), how])


def _shown(results: Sequence[StateResult], fence: Fence) -> list[str]:
    room = _RESULTS_LIMIT
    shown: list[str] = []
    for result in reversed(results):
        room -= min(len(result.text), RESULT_LIMIT)
        once = "(shown to you before; too long to show again)"
        shown.insert(0, (result if room >= 0 else replace(result, text=once)).quoted(fence))
    return shown
