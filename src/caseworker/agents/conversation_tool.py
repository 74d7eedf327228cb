"""The tool `get_bug_conversations`: the agent of a bug case reads the conversation of this case, and of no other."""

from typing import TYPE_CHECKING, Annotated, Final

import structlog
from pydantic import BaseModel, Field

from caseworker.agents.quotes import conversation_page
from caseworker.agents.role_tools import CONVERSATION_TOOL
from caseworker.core.base.errors import Transient
from caseworker.core.base.ids import CaseId
from caseworker.core.base.untrusted_text import one_line
from caseworker.ports import Ear

if TYPE_CHECKING:
    from claude_agent_sdk import SdkMcpTool

_DESCRIPTION: Final = (
    "All that was said in this bug case, by people and by you, in pages, the newest first. "
    "Each page says how many entries there are and how to get the page before it."
)

log = structlog.get_logger()


class _Request(BaseModel):
    bug_id: str
    before: Annotated[int, Field(ge=1, description="Only what was said before this entry.")] | None = None


def conversation_tool(ear: Ear, case: CaseId) -> "SdkMcpTool[dict[str, object]]":
    from claude_agent_sdk import tool

    @tool(CONVERSATION_TOOL, _DESCRIPTION, _Request.model_json_schema())
    async def get_bug_conversations(arguments: dict[str, object]) -> dict[str, object]:
        asked = _Request.model_validate(arguments)  # the SDK has checked them by the schema
        if asked.bug_id != case:
            return tool_result(
                f"You can read the conversation of {case} only, not of {one_line(asked.bug_id, 60)!r}.", failed=True
            )
        try:
            return tool_result(conversation_page(await ear.conversation(), asked.before))
        except Transient as error:
            log.warning("could not read the conversation for the agent", exc_info=True)
            return tool_result(
                f"The conversation can't be read right now ({error}). Try again in a moment.", failed=True
            )

    return get_bug_conversations


def tool_result(text: str, *, failed: bool = False) -> dict[str, object]:
    return {"content": [{"type": "text", "text": text}], "is_error": failed}
