"""Which tools an agent has for a task, their names, and whether it may write to the workspace.

No agent has a tool that speaks to people.
"""

from typing import Final, get_args

from caseworker.core.base.roles import Role, Task
from caseworker.core.outcomes.investigation import Skill
from caseworker.core.runs.state_calls import STATE_CALLS

OUTCOME_TOOL: Final = "StructuredOutput"
"""The tool through which an agent hands in its outcome."""
ANSWER_TOOL: Final = "answer"
"""The tool through which a model answers a single question."""
SERVER: Final = "caseworker"
CONVERSATION_TOOL: Final = "get_bug_conversations"
_SERVED: Final = frozenset({CONVERSATION_TOOL, *get_args(Skill), *STATE_CALLS})
_OURS: Final = f"mcp__{SERVER}__"
"""The prefix that the agent's program puts before the names of tools that we serve."""

# An agent with a shell searches with it: tools of their own for that would only make every model call longer.
_RUN: Final = ("Bash", "Read")
_WRITE: Final = ("Bash", "Read", "Edit", "Write")

_TESTS: Final = frozenset({Task.CREATE_TESTS, Task.UPDATE_TESTS})
_CHANGES: Final = frozenset({Task.IMPLEMENT, Task.FIX, Task.REFACTOR, Task.ADDRESS_FEEDBACK, Task.DIAGNOSTIC})
_WRITING: Final[dict[Role, frozenset[Task]]] = {
    Role.TESTER: _TESTS,
    Role.DEVELOPER: _CHANGES | {Task.RESOLVE_PULL},
    Role.SENIOR_DEVELOPER: _CHANGES,
}


def tools_for(role: Role, task: Task, *, read_only: bool = False) -> tuple[str, ...]:
    """`read_only`: nothing may be changed here, as on the branch of a fork."""
    return _WRITE if writes(role, task) and not read_only else _RUN


def writes(role: Role, task: Task) -> bool:
    """Whether the agent may write to the workspace. If not, the sandbox mounts it read-only."""
    return task in _WRITING.get(role, frozenset())


def full_name(tool: str) -> str:
    """The name of a tool in the agent's program."""
    return f"{_OURS}{tool}" if tool in _SERVED else tool


def short_name(tool: str) -> str:
    """The name of a tool for people."""
    return tool.removeprefix(_OURS)
