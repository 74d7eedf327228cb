"""Asks a question whose answer may first read the forge's state: a loop of structured answers (decision 18).

Each answer has either calls or the final answer. Calls beyond the caps get an error as their result, so that the model
can adjust; nothing is dropped silently."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar, assert_never

from pydantic import BaseModel, ConfigDict, Field

from caseworker.agents.questions.asker import Asker
from caseworker.agents.quotes import new_fence
from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.roles import Task
from caseworker.core.base.untrusted_text import Fence
from caseworker.core.runs.state_calls import (
    CALLS_AT_ONCE,
    GetBranchProtection,
    GetCheckRollup,
    GetCheckRunOutput,
    GetDiff,
    GetFiles,
    GetWorkflowRun,
    ListComments,
    StateCall,
)
from caseworker.ports import CaseAccount, Failed, GithubState, RepositoryAccount

F = TypeVar("F", bound=BaseModel)

_RESULT_LIMIT: Final = 52_000
"""Characters of one result: a diff of 50 KB and its mark."""
_RESULTS_LIMIT: Final = 150_000
"""Characters of all results together; the oldest are named instead of shown."""
_HOW: Final = (
    "You may read the state of the pull request first: put up to {most} `calls` into your answer and leave `final` "
    "out; you are asked again with their results. Otherwise answer in `final`."
)
_LAST: Final = "This was the last time that you could read: answer in `final` now."


class Step(BaseModel, Generic[F]):
    """One answer in the loop."""

    model_config = ConfigDict(extra="forbid")

    calls: list[StateCall] = Field(default_factory=list, description="What to read. Empty, if you answer now.")
    final: F | None = None


@dataclass(frozen=True, kw_only=True)
class ToolUse:
    """Which tools a question has, and how often it may answer."""

    state: GithubState
    iterations: int


@dataclass(frozen=True, kw_only=True)
class _Result:
    call: str
    text: str
    failed: bool = False


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
    results: list[_Result] = []
    for number in range(tools.iterations):
        is_last = number == tools.iterations - 1
        prompt = _prompt(text, results, is_last=is_last)
        answer = await asker.ask(task, prompt, step, account=account, nth=nth + number)
        if isinstance(answer, Failed):
            return answer
        if answer.value.final is not None:
            return answer.value.final
        if not answer.value.calls:
            results.append(_Result(call="nothing", text="the answer had neither calls nor a final answer", failed=True))
        results += await _run(tools.state, answer.value.calls)
    return Failed(why="model", reason=f"the model gave no final answer within {tools.iterations} answers")


async def _run(state: GithubState, calls: Sequence[StateCall]) -> list[_Result]:
    done = [await _one(state, call) for call in calls[:CALLS_AT_ONCE]]
    reason = f"not run: at most {CALLS_AT_ONCE} calls in one answer. Ask for it again if you still need it."
    return [*done, *(_Result(call=_name(call), text=reason, failed=True) for call in calls[CALLS_AT_ONCE:])]


async def _one(state: GithubState, call: StateCall) -> _Result:
    try:
        found = await _call(state, call)
    except (Refused, Transient) as error:
        return _Result(call=_name(call), text=str(error), failed=True)
    return _Result(call=_name(call), text=found.model_dump_json())


async def _call(state: GithubState, call: StateCall) -> BaseModel:
    match call:
        case GetCheckRollup():
            return await state.get_pr_state_check_rollup(call.number)
        case GetCheckRunOutput():
            return await state.get_check_run_output(call.check_run)
        case GetWorkflowRun():
            return await state.get_workflow_run(call.run)
        case GetBranchProtection():
            return await state.get_branch_protection(call.branch)
        case GetDiff():
            return await state.get_pr_diff(call.number)
        case GetFiles():
            return await state.get_pr_files(call.number)
        case ListComments():
            return await state.list_pr_comments(call.number, call.page)
        case _:
            assert_never(call)


def _prompt(text: str, results: Sequence[_Result], *, is_last: bool) -> str:
    fence = new_fence()
    how = _LAST if is_last else _HOW.format(most=CALLS_AT_ONCE)
    return "\n\n".join([text, *_shown(results, fence), how])


def _shown(results: Sequence[_Result], fence: Fence) -> list[str]:
    room = _RESULTS_LIMIT
    shown: list[str] = []
    for result in reversed(results):
        room -= min(len(result.text), _RESULT_LIMIT)
        text = result.text if room >= 0 else "(shown to you before; too long to show again)"
        what = f"{'error' if result.failed else 'result'} of {result.call}"
        shown.insert(0, fence.quote(text, what=what, source="the forge, untrusted", limit=_RESULT_LIMIT))
    return shown


def _name(call: StateCall) -> str:
    given = ", ".join(f"{name} {value}" for name, value in call.model_dump(exclude={"tool"}).items())
    return f"{call.tool} ({given})"
