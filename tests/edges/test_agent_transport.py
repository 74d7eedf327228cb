"""The connection to the agent's program: what is left of it after its end."""

import os
import signal
from pathlib import Path

from claude_agent_sdk import ClaudeAgentOptions

from caseworker.agents.agent_transport import AgentTransport
from tests.edges.agents_world import until

# The SDK starts the program a first time only to ask for its version.
PROGRAM = """#!/bin/sh
[ "$1" = -v ] && echo 9.9.9 && exit
sleep 1000 <&- >&- &
echo $! > "$(dirname "$0")/tool.pid"
cat > /dev/null
"""


def open_pipes() -> set[str]:
    """The pipes that this process holds open."""
    links = (link for link in Path("/proc/self/fd").iterdir() if link.is_symlink())
    return {target for link in links if (target := str(link.readlink())).startswith("pipe:")}


async def test_a_tool_that_outlives_the_program_keeps_no_pipe_of_ours_open(tmp_path: Path) -> None:
    program = tmp_path / "agent"
    program.write_text(PROGRAM)
    program.chmod(0o700)
    before = open_pipes()
    transport = AgentTransport(ClaudeAgentOptions(cli_path=program, stderr=lambda line: None))
    await transport.connect()
    assert open_pipes() > before
    tool = tmp_path / "tool.pid"
    await until(lambda: tool.is_file() and tool.read_text().endswith("\n"))
    await transport.close()
    try:
        await until(lambda: open_pipes() == before)
    finally:
        os.kill(int(tool.read_text()), signal.SIGKILL)
