"""The tools that our process serves to agents, as an MCP server inside the SDK."""

from typing import TYPE_CHECKING, Final, assert_never

import structlog
from pydantic import ValidationError

from caseworker.agents.conversation_tool import conversation_tool, tool_result
from caseworker.agents.role_tools import BISECT_TOOL, SERVER
from caseworker.core.base.errors import Refused, Transient
from caseworker.core.investigation.bisection import BisectRequest
from caseworker.ports import Brief, BugBrief, Ear, IssueBrief

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from claude_agent_sdk import SdkMcpTool
    from claude_agent_sdk.types import McpSdkServerConfig

_BISECT: Final = (
    "Find the commit that broke something: git bisect with your shell script, sandboxed, in a tree of its own. "
    "Exit code 0: good, 125: skip, other up to 127: bad."
)

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
            tools = [_bisect_tool(brief.bisect)] if brief.bisect is not None else []
        case _:
            assert_never(brief)
    return create_sdk_mcp_server(SERVER, tools=tools) if tools else None


def _bisect_tool(bisect: "Callable[[BisectRequest], Awaitable[str]]") -> "SdkMcpTool[dict[str, object]]":
    from claude_agent_sdk import tool

    @tool(BISECT_TOOL, _BISECT, BisectRequest.model_json_schema())
    async def run_bisect(arguments: dict[str, object]) -> dict[str, object]:
        try:
            request = BisectRequest.model_validate(arguments)
        except ValidationError as error:
            problems = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors(include_url=False)]
            return tool_result("; ".join(problems), failed=True)
        try:
            return tool_result(await bisect(request))
        except (Refused, Transient, OSError) as error:
            log.warning("a bisect could not be run", exc_info=True)
            return tool_result(f"The bisect could not be run: {error}", failed=True)

    return run_bisect
