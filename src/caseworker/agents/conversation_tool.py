"""The tool `get_bug_conversations`: the agent of a bug case reads the conversation of this case, and of no other."""

from typing import TYPE_CHECKING, Annotated, Final

import structlog

from caseworker.agents.hidden_text import one_line
from caseworker.agents.quotes import conversation_text
from caseworker.agents.role_tools import CONVERSATION_TOOL
from caseworker.core.base.errors import Transient
from caseworker.core.base.ids import CaseId
from caseworker.ports import Ear

if TYPE_CHECKING:
    from claude_agent_sdk import SdkMcpTool

_DESCRIPTION: Final = "All that was said in this bug case, by people and by you, oldest first."

log = structlog.get_logger()


def conversation_tool(ear: Ear, case: CaseId) -> "SdkMcpTool[dict[str, object]]":
    from claude_agent_sdk import tool

    @tool(CONVERSATION_TOOL, _DESCRIPTION, {"bug_id": Annotated[str, f"{case}"]})
    async def get_bug_conversations(arguments: dict[str, object]) -> dict[str, object]:
        asked = str(arguments.get("bug_id", ""))
        if asked != case:
            return tool_result(
                f"You can read the conversation of {case} only, not of {one_line(asked, 60)!r}.", failed=True
            )
        try:
            return tool_result(conversation_text(await ear.conversation()))
        except Transient as error:
            log.warning("could not read the conversation for the agent", exc_info=True)
            return tool_result(
                f"The conversation can't be read right now ({error}). Try again in a moment.", failed=True
            )

    return get_bug_conversations


def tool_result(text: str, *, failed: bool = False) -> dict[str, object]:
    return {"content": [{"type": "text", "text": text}], "is_error": failed}
