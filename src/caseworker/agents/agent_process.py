"""One process of the agent's program, and how it is made ready to be started."""

import asyncio
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from caseworker.agents.agent_program import agent_binary, execute_only
from caseworker.agents.agent_settings import Binding, agent_environment, no_messages, process_options
from caseworker.agents.process import AttemptFolder, connected
from caseworker.ports import Enclosure, Sandbox, WorkTree

if TYPE_CHECKING:
    from caseworker.agents.agent_transport import AgentTransport

_LOG_LINES: Final = 60


@dataclass(frozen=True, kw_only=True)
class AgentProcess:
    binding: Binding
    folder: AttemptFolder
    enclosure: Enclosure
    transport: "AgentTransport"
    """Starts the process when it is connected."""
    stderr: deque[str] = field(repr=False)


async def ready_to_start(sandbox: Sandbox, binding: Binding, folder: AttemptFolder) -> AgentProcess:
    from caseworker.agents.agent_transport import AgentTransport

    program = await asyncio.to_thread(execute_only, agent_binary())
    enclosure = enclosure_of(binding.tree, folder, program)
    folder.write_starter(sandbox.command(enclosure, connected(program)))
    stderr: deque[str] = deque(maxlen=_LOG_LINES)
    transport = AgentTransport(process_options(binding, folder, stderr.append))
    return AgentProcess(binding=binding, folder=folder, enclosure=enclosure, transport=transport, stderr=stderr)


def enclosure_of(tree: WorkTree, folder: AttemptFolder, program: Path) -> Enclosure:
    return Enclosure(
        workspace=tree.path,
        writable=tree.writable,
        environment={**tree.equipment.variables, **agent_environment(folder)},
        search_path=tree.equipment.search_path,
        read_only=(*tree.read_only, program.parent),
        read_write=(folder.config, folder.home),
        overlays=(*tree.overlays, *no_messages()),
        sockets=(folder.socket.parent,),
    )
