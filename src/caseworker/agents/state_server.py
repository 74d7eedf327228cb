"""The tools that read a pull request's state, for agents: served over MCP, inside our process or over stdio.

The forge's token stays in our process: an agent only sees results."""

from typing import TYPE_CHECKING, Final

from pydantic import ValidationError

from caseworker.agents.conversation_tool import tool_result
from caseworker.agents.quotes import new_fence
from caseworker.agents.schemas import without_titles
from caseworker.agents.state_reads import StateResult, read_state
from caseworker.core.runs.state_calls import CALLS_PER_TURN, STATE_CALLS, AnyStateCall
from caseworker.ports import GithubState

if TYPE_CHECKING:
    from claude_agent_sdk import SdkMcpTool
    from claude_agent_sdk.types import McpSdkServerConfig

STATE_SERVER: Final = "github-state"


class StateCalls:
    """Runs the calls of one turn. Those beyond the cap get an error as their result."""

    def __init__(self, state: GithubState, *, most: int = CALLS_PER_TURN) -> None:
        self._state = state
        self._most = most
        self._made = 0

    async def run(self, tool: str, arguments: dict[str, object]) -> dict[str, object]:
        self._made += 1
        if self._made > self._most:
            return _told(StateResult(call=tool, text=f"not run: at most {self._most} calls in one turn", failed=True))
        try:
            call = STATE_CALLS[tool].model_validate({**arguments, "tool": tool})
        except ValidationError as error:
            problems = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors(include_url=False)]
            return _told(StateResult(call=tool, text="; ".join(problems), failed=True))
        return _told(await read_state(self._state, call))


def state_tools(state: GithubState, *, most: int = CALLS_PER_TURN) -> "list[SdkMcpTool[dict[str, object]]]":
    calls = StateCalls(state, most=most)
    return [_tool(calls, name, call) for name, call in STATE_CALLS.items()]


def state_server(state: GithubState, *, most: int = CALLS_PER_TURN) -> "McpSdkServerConfig":
    """A server of its own with these tools alone. Its `instance` is an MCP server for any transport."""
    from claude_agent_sdk import create_sdk_mcp_server

    return create_sdk_mcp_server(STATE_SERVER, tools=state_tools(state, most=most))


def _tool(calls: StateCalls, name: str, call: type[AnyStateCall]) -> "SdkMcpTool[dict[str, object]]":
    from claude_agent_sdk import ToolAnnotations, tool

    @tool(name, call.__doc__ or name, _schema(call), annotations=ToolAnnotations(readOnlyHint=True))
    async def read(arguments: dict[str, object]) -> dict[str, object]:
        return await calls.run(name, arguments)

    return read


def _schema(call: type[AnyStateCall]) -> dict[str, object]:
    """Without the tool's name: the server knows which one was called."""
    fields = {name: value for name, value in call.model_json_schema()["properties"].items() if name != "tool"}
    needed = [name for name in fields if call.model_fields[name].is_required()]
    return {
        "type": "object",
        "properties": without_titles(fields),
        "required": needed,
        "additionalProperties": False,
    }


def _told(result: StateResult) -> dict[str, object]:
    return tool_result(result.quoted(new_fence()), failed=result.failed)
