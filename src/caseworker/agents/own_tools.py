"""The tools that our process serves to agents, as an MCP server inside the SDK."""

from typing import TYPE_CHECKING, Final, assert_never

import structlog
from pydantic import ValidationError

from caseworker.agents.conversation_tool import conversation_tool, tool_result
from caseworker.agents.role_tools import SERVER
from caseworker.agents.state_server import state_tools
from caseworker.core.base.errors import Refused, Transient
from caseworker.core.outcomes.investigation import Skill
from caseworker.ports import Brief, BugBrief, Ear, IssueBrief, PullBrief, SkillTool

if TYPE_CHECKING:
    from claude_agent_sdk import SdkMcpTool
    from claude_agent_sdk.types import McpSdkServerConfig

_DESCRIPTIONS: Final[dict[Skill, str]] = {
    "bisect": "Find the commit that broke something: git bisect with your shell script, sandboxed, in a tree of its "
    "own. Exit code 0: good, 125: skip, other up to 127: bad.",
    "profile": "The hottest places of a command: cProfile for Python, node --cpu-prof, else perf.",
    "stress": "Run a command many times over seeds, in parallel; a table of how the runs ended, with the seeds.",
    "trace": "The backtraces at a path:line (Python, or gdb), or the last calls of a command (strace).",
}

log = structlog.get_logger()


def own_server(brief: Brief, ear: Ear) -> "McpSdkServerConfig | None":
    """The server with this agent's tools of ours; None if it has none. An agent without any tools has none of ours."""
    from claude_agent_sdk import create_sdk_mcp_server

    if not brief.tools:
        return None
    match brief:
        case BugBrief():
            tools = [conversation_tool(ear, brief.attempt.case)] if brief.conversation else []
        case IssueBrief():
            tools = [_skill_tool(skill) for skill in brief.skills]
            tools += state_tools(brief.state) if brief.state is not None else []
        case PullBrief():
            tools = state_tools(brief.state) if brief.state is not None else []
        case _:
            assert_never(brief)
    return create_sdk_mcp_server(SERVER, tools=tools) if tools else None


def _skill_tool(skill: SkillTool) -> "SdkMcpTool[dict[str, object]]":
    from claude_agent_sdk import tool

    @tool(skill.name, _DESCRIPTIONS[skill.name], skill.schema)
    async def run_skill(arguments: dict[str, object]) -> dict[str, object]:
        try:
            return tool_result(await skill.run(arguments))
        except ValidationError as error:
            problems = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors(include_url=False)]
            return tool_result("; ".join(problems), failed=True)
        except (Refused, Transient, OSError) as error:
            log.warning("a skill could not be run", skill=skill.name, exc_info=True)
            return tool_result(f"The {skill.name} could not be run: {error}", failed=True)

    return run_skill
