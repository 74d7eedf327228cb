"""How the agent's program is set up: its options and its whole environment. Every switch has its reason beside it."""

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, cast

from caseworker.agents.interruptions import Hearing
from caseworker.agents.own_tools import own_server
from caseworker.agents.process import AttemptFolder
from caseworker.agents.roles import SERVER
from caseworker.agents.schemas import without_titles
from caseworker.agents.sessions import SessionAdapter
from caseworker.core.base.ids import SessionId
from caseworker.core.outcomes.outcome import outcome_schema
from caseworker.ports import Brief, Ear

if TYPE_CHECKING:
    from claude_agent_sdk import ClaudeAgentOptions, McpServerConfig, SessionStore

_MESSAGE_LIMIT: Final = 32_000_000
"""Bytes of one message from the agent's program: a tool's result may be large, and the SDK gives up at 1 MB."""
_SETTINGS: Final = json.dumps(
    {
        # Our code commits; nobody else signs.
        "attribution": {"commit": "", "pr": ""},
        "includeCoAuthoredBy": False,
    }
)


def agent_options(
    brief: Brief,
    folder: AttemptFolder,
    *,
    resume: SessionId | None,
    store: SessionAdapter,
    hearing: Hearing,
    stderr: Callable[[str], None],
) -> "ClaudeAgentOptions":
    from claude_agent_sdk import ClaudeAgentOptions

    # As plain flags: the SDK's own `resume` would lay the transcript out where the sandbox can't see it (`sessions`).
    flags: dict[str, str | None] = {"resume": resume, "fork-session": None} if resume is not None else {}
    return ClaudeAgentOptions(
        cli_path=folder.starter,
        cwd=brief.tree.path,
        model=brief.model,
        system_prompt=brief.system_prompt,
        tools=list(brief.tools),
        permission_mode="bypassPermissions",  # the sandbox is what forbids
        setting_sources=[],
        settings=_SETTINGS,
        strict_mcp_config=True,
        mcp_servers=_servers(brief, hearing.ear),
        hooks=hearing.hooks(),
        verbatim_prompts=True,  # text from people can't pull in files or run commands
        output_format={"type": "json_schema", "schema": without_titles(outcome_schema(brief.role, brief.task))},
        session_id=brief.attempt.session,
        session_store=cast("SessionStore", store),  # its optional methods are looked for by name
        extra_args=flags,
        env={"CLAUDE_CONFIG_DIR": str(folder.config)},  # for the SDK itself; the agent's comes from the sandbox
        stderr=stderr,
        max_buffer_size=_MESSAGE_LIMIT,
    )


def _servers(brief: Brief, ear: Ear) -> "dict[str, McpServerConfig]":
    server = own_server(brief, ear)
    return {SERVER: server} if server is not None else {}


def agent_environment(folder: AttemptFolder) -> Mapping[str, str]:
    """All that the agent and its tools see: an allow-list, not the worker's environment with holes.

    `PATH` is the sandbox's to give: it knows which toolchains it shows.
    """
    return {
        "HOME": str(folder.home),
        "LANG": "C.UTF-8",
        "CLAUDE_CONFIG_DIR": str(folder.config),
        "CLAUDE_CODE_ENTRYPOINT": "sdk-py",
        "ANTHROPIC_UNIX_SOCKET": str(folder.socket),
        "ANTHROPIC_BASE_URL": "http://localhost",  # without it the program speaks TLS on the socket
        "ANTHROPIC_API_KEY": "the-gateway-has-the-key",
        "PYTHONDONTWRITEBYTECODE": "1",  # by-products of a look belong into no commit
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_MAX_OUTPUT_TOKENS": "16000",
        # Three tries wait about 4 s in all; ten, the default, would hide an outage from the flow's retry for minutes.
        "CLAUDE_CODE_MAX_RETRIES": "3",
        # The repair is ours, once; by itself the program would ask five times.
        "MAX_STRUCTURED_OUTPUT_RETRIES": "1",
        # Half the bytes in the tools' descriptions, for every model alike.
        "CLAUDE_CODE_SIMPLE_SYSTEM_PROMPT": "1",
        # Fewer words about what our agents don't do, and nothing that outlives the turn.
        "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
        "CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS": "1",
        "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
        "CLAUDE_CODE_DISABLE_FILE_CHECKPOINTING": "1",
    }
