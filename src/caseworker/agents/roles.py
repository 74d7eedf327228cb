"""Which tools an agent has for a task, how they are called, and whether it may write to the workspace. None has a tool
that speaks to people.
"""

from typing import Final

from caseworker.core.base.roles import Role, Task

OUTCOME_TOOL: Final = "StructuredOutput"
"""The tool through which an agent hands in its outcome."""
ANSWER_TOOL: Final = "answer"
"""The tool through which a model answers a single question."""
SERVER: Final = "caseworker"
CONVERSATION_TOOL: Final = "get_bug_conversations"
BISECT_TOOL: Final = "bisect"
_SERVED: Final = frozenset({CONVERSATION_TOOL, BISECT_TOOL})
_OURS: Final = f"mcp__{SERVER}__"
"""What the agent's program puts before the names of tools that we serve."""

# Who has a shell searches with it: the definitions of Grep and Glob would be 4 KB more in every model call.
_LOOK: Final = ("Read", "Grep", "Glob")
_RUN: Final = ("Bash", "Read")
_WRITE: Final = ("Bash", "Read", "Edit", "Write")

_TESTS: Final = frozenset({Task.CREATE_TESTS, Task.UPDATE_TESTS})
_CHANGES: Final = frozenset({Task.IMPLEMENT, Task.FIX, Task.REFACTOR, Task.ADDRESS_FEEDBACK, Task.DIAGNOSE})
_WRITING: Final[dict[Role, frozenset[Task]]] = {
    Role.TESTER: _TESTS,
    Role.DEVELOPER: _CHANGES,
    Role.SENIOR_DEVELOPER: _CHANGES,
}


def tools_for(role: Role, task: Task) -> tuple[str, ...]:
    if writes(role, task):
        return _WRITE
    return _LOOK if role is Role.PM else _RUN


def writes(role: Role, task: Task) -> bool:
    """Otherwise the sandbox mounts the workspace read-only: what a prompt asks for, the mount enforces."""
    return task in _WRITING.get(role, frozenset())


def full_name(tool: str) -> str:
    """As the agent's program calls it."""
    return f"{_OURS}{tool}" if tool in _SERVED else tool


def short_name(tool: str) -> str:
    """As people read it."""
    return tool.removeprefix(_OURS)
