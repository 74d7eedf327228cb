"""Which tools a role's agent has, how they are called, and whether it may write to the workspace. None has a tool that
speaks to people.
"""

from typing import Final

from caseworker.core.states import Role

OUTCOME_TOOL: Final = "StructuredOutput"
"""The tool through which an agent hands in its outcome."""
SERVER: Final = "caseworker"
CONVERSATION_TOOL: Final = "get_bug_conversations"
_OURS: Final = f"mcp__{SERVER}__"
"""What the agent's program puts before the names of tools that we serve."""

# Who has a shell searches with it: the definitions of Grep and Glob would be 4 KB more in every model call.
_LOOK: Final = ("Read", "Grep", "Glob")
_RUN: Final = ("Bash", "Read")
_WRITE: Final = ("Bash", "Read", "Edit", "Write")

_TOOLS: Final[dict[Role, tuple[str, ...]]] = {
    Role.PM: _LOOK,
    Role.ANALYST: _RUN,
    Role.TESTER: _WRITE,
    Role.DEVELOPER: _WRITE,
    Role.SENIOR_DEVELOPER: _WRITE,
    Role.TECH_LEAD: _RUN,
    Role.INVESTIGATOR: _RUN,
}


def tools_for(role: Role) -> tuple[str, ...]:
    return _TOOLS[role]


def writes(role: Role) -> bool:
    """Otherwise the sandbox mounts the workspace read-only: what a prompt asks for, the mount enforces."""
    return _TOOLS[role] is _WRITE


def full_name(tool: str) -> str:
    """As the agent's program calls it."""
    return f"{_OURS}{tool}" if tool == CONVERSATION_TOOL else tool


def short_name(tool: str) -> str:
    """As people read it."""
    return tool.removeprefix(_OURS)
