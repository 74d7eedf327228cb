"""Carries out calls of the tools that read a pull request's state. An error is a result, so that a model can adjust."""

from dataclasses import dataclass
from typing import Final, assert_never

from pydantic import BaseModel

from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.untrusted_text import Fence
from caseworker.core.runs.state_calls import (
    AnyStateCall,
    GetBranchProtection,
    GetCheckRollup,
    GetCheckRunOutput,
    GetDiff,
    GetFiles,
    GetWorkflowRun,
    ListComments,
)
from caseworker.ports import GithubState

RESULT_LIMIT: Final = 52_000
"""Characters of one result: a diff of 50 KB and its mark."""


@dataclass(frozen=True, kw_only=True)
class StateResult:
    call: str
    text: str
    failed: bool = False

    def quoted(self, fence: Fence) -> str:
        """For a prompt. What people wrote on the forge is in it."""
        what = f"{'error' if self.failed else 'result'} of {self.call}"
        return fence.quote(self.text, what=what, source="the forge, untrusted", limit=RESULT_LIMIT)


async def read_state(state: GithubState, call: AnyStateCall) -> StateResult:
    try:
        found = await _read(state, call)
    except (Refused, Transient) as error:
        return StateResult(call=call_words(call), text=str(error), failed=True)
    return StateResult(call=call_words(call), text=found.model_dump_json())


def call_words(call: AnyStateCall) -> str:
    given = ", ".join(f"{name} {value}" for name, value in call.model_dump(exclude={"tool"}).items())
    return f"{call.tool} ({given})" if given else call.tool


async def _read(state: GithubState, call: AnyStateCall) -> BaseModel:
    match call:
        case GetCheckRollup():
            return await state.get_pr_state_check_rollup()
        case GetCheckRunOutput():
            return await state.get_check_run_output(call.check_run_id)
        case GetWorkflowRun():
            return await state.get_workflow_run(call.run_id)
        case GetBranchProtection():
            return await state.get_branch_protection(call.branch)
        case GetDiff():
            return await state.get_pr_diff()
        case GetFiles():
            return await state.get_pr_files()
        case ListComments():
            return await state.list_pr_comments(call.page)
        case _:
            assert_never(call)
