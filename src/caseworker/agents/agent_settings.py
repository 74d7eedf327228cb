"""The options and the whole environment of the agent's program, with the reason for each setting."""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from caseworker.agents.interruptions import Hearing
from caseworker.agents.own_tools import own_server
from caseworker.agents.process import AttemptFolder
from caseworker.agents.role_tools import SERVER
from caseworker.agents.sessions import SessionAdapter
from caseworker.core.base.ids import SessionId
from caseworker.ports import Brief, Ear, WorkTree

if TYPE_CHECKING:
    from claude_agent_sdk import ClaudeAgentOptions, McpServerConfig, SessionStore

_MESSAGE_LIMIT: Final = 32_000_000
"""Bytes of one message from the agent's program: a tool's result may be large, and the SDK's default is 1 MB."""
_SANDBOX_UID: Final = 1000
_SETTINGS: Final = json.dumps(
    {
        # Our code makes the commits: no lines about the agent in them.
        "attribution": {"commit": "", "pr": ""},
        "includeCoAuthoredBy": False,
    }
)


@dataclass(frozen=True, kw_only=True)
class Binding:
    """What can't be changed once the process runs."""

    tree: WorkTree
    tools: tuple[str, ...]
    session: SessionId
    model: str
    """The first one: a client may choose another."""
    resume: SessionId | None = None
    servers: "Mapping[str, McpServerConfig]" = field(default_factory=dict)
    """The tools that we serve to it."""


def process_options(binding: Binding, folder: AttemptFolder, stderr: Callable[[str], None]) -> "ClaudeAgentOptions":
    """What the program is started with. System prompt and schema come later (see `agent_transport`)."""
    from claude_agent_sdk import ClaudeAgentOptions

    # As plain flags: the SDK's own `resume` would write the transcript where the sandbox can't see it (see `sessions`).
    resume: dict[str, str | None] = {"resume": binding.resume, "fork-session": None} if binding.resume else {}
    return ClaudeAgentOptions(
        cli_path=folder.starter,
        cwd=binding.tree.path,
        model=binding.model,
        system_prompt="",
        tools=list(binding.tools),
        permission_mode="bypassPermissions",  # the sandbox sets the limits
        setting_sources=[],
        settings=_SETTINGS,
        strict_mcp_config=True,
        mcp_servers=dict(binding.servers),
        session_id=binding.session,
        extra_args={**resume, "session-mirror": None},  # for the store in `talk_options`
        env=_sdk_environment(folder),
        stderr=stderr,
        max_buffer_size=_MESSAGE_LIMIT,
    )


def talk_options(
    binding: Binding, folder: AttemptFolder, store: SessionAdapter, hearing: Hearing
) -> "ClaudeAgentOptions":
    """What the client needs that talks to the program."""
    from claude_agent_sdk import ClaudeAgentOptions

    return ClaudeAgentOptions(
        mcp_servers=dict(binding.servers),
        hooks=hearing.hooks(),
        verbatim_prompts=True,  # text from people must not include files or run commands
        session_store=cast("SessionStore", store),  # the SDK finds its optional methods by name
        env=_sdk_environment(folder),
    )


def served_tools(brief: Brief, ear: Ear) -> "dict[str, McpServerConfig]":
    server = own_server(brief, ear)
    return {SERVER: server} if server is not None else {}


def _sdk_environment(folder: AttemptFolder) -> dict[str, str]:
    """For the SDK itself; the agent gets its own from the sandbox."""
    return {"CLAUDE_CONFIG_DIR": str(folder.config)}


def no_messages() -> tuple[tuple[Path, Path], ...]:
    """Overlays that keep the agent's program from opening a socket for messages.

    A writer to that socket speaks to the agent as a person would, and every tool gets its token. The program makes
    it in `XDG_RUNTIME_DIR`, which is read-only in the sandbox, or else in one of these folders. If it can't, it
    does without.
    """
    users = sorted({os.getuid(), _SANDBOX_UID})
    return tuple((Path("/dev/null"), Path(f"/tmp/cc-socks-{user}")) for user in users)


def agent_environment(folder: AttemptFolder) -> Mapping[str, str]:
    """The environment of the agent and its tools: nothing of the worker's environment is passed on.

    The sandbox adds `PATH`: it knows which toolchains it mounts.
    """
    return {
        "HOME": str(folder.home),
        "LANG": "C.UTF-8",
        "CLAUDE_CONFIG_DIR": str(folder.config),
        "CLAUDE_CODE_ENTRYPOINT": "sdk-py",
        "ANTHROPIC_UNIX_SOCKET": str(folder.socket),
        "ANTHROPIC_BASE_URL": "http://localhost",  # without it the program uses TLS on the socket
        "ANTHROPIC_API_KEY": "the-gateway-has-the-key",
        "XDG_RUNTIME_DIR": str(folder.socket.parent),  # see `no_messages`
        "PYTHONDONTWRITEBYTECODE": "1",  # by-products belong in no commit
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_MAX_OUTPUT_TOKENS": "16000",
        # Three retries take about 4 s; ten, the default, take minutes, and the flow would retry only after that.
        "CLAUDE_CODE_MAX_RETRIES": "3",
        # We ask for a repair once ourselves; by default the program would ask five times.
        "MAX_STRUCTURED_OUTPUT_RETRIES": "1",
        # Halves the tools' descriptions, for every model.
        "CLAUDE_CODE_SIMPLE_SYSTEM_PROMPT": "1",
        # Begins the system prompt with a line that differs from case to case, so that no cached prompt is found again.
        "CLAUDE_CODE_ATTRIBUTION_HEADER": "0",
        "ENABLE_TOOL_SEARCH": "0",  # a placeholder in place of tools that our agents don't have
        # No instructions about what our agents don't do, and nothing that outlives the turn.
        "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
        "CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS": "1",
        "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
        "CLAUDE_CODE_DISABLE_FILE_CHECKPOINTING": "1",
    }
