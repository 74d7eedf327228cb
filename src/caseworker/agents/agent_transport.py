"""The SDK's connection to the agent's program, for a program that is started before it is known what it is asked.

Slow to import, like the SDK: only what runs a turn does.
"""

import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions

# Not public, and there is no other way to keep the SDK's own handling of the process: a release may move it.
from claude_agent_sdk._internal.transport.subprocess_cli import SubprocessCLITransport


class AgentTransport(SubprocessCLITransport):
    """The SDK passes the system prompt and the schema as arguments. The program also takes them with its first message,
    so that it may be started without."""

    def __init__(self, options: ClaudeAgentOptions) -> None:
        super().__init__(prompt=_nothing(), options=options)
        self._untold: dict[str, object] = {}

    def tell(self, *, system_prompt: str, schema: Mapping[str, object]) -> None:
        """To be called before a client connects: they go with its first message."""
        self._untold = {"systemPrompt": [system_prompt], "jsonSchema": schema}

    async def write(self, data: str) -> None:
        if self._untold:
            message = json.loads(data)
            if message.get("request", {}).get("subtype") == "initialize":
                message["request"] |= self._untold
                self._untold = {}
                data = json.dumps(message) + "\n"
        await super().write(data)

    async def close(self) -> None:
        """Leave no pipe open: the SDK waits for the program only, and what that has started may still hold its end."""
        process = self._process
        await super().close()
        if process is not None:
            await process.aclose()


async def _nothing() -> AsyncIterator[dict[str, Any]]:  # as the SDK has it
    """No prompt at the start: it comes with the client's first query."""
    return
    yield {}
