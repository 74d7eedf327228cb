"""Network access for one set-up command: a private folder with the proxy's socket and the bridge program."""

import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from caseworker.core.base.errors import Refused
from caseworker.ports import Enclosure
from caseworker.workspaces import bridge
from caseworker.workspaces.allowed_hosts import AllowedHosts
from caseworker.workspaces.egress import Egress, Resolve, look_up
from caseworker.workspaces.toolchains import find_toolchains, home_folders

_SOCKET_PATH_LIMIT = 107
"""Longest path of a Unix socket, in bytes."""
_PREFIX = "cw-net-"


@dataclass(frozen=True)
class Interpreter:
    program: Path
    shown: tuple[Path, ...] = ()
    """What must be mounted for it in the sandbox, besides the system."""


@dataclass(frozen=True)
class WayOut:
    enclosure: Enclosure
    bridge: tuple[str, ...]
    """The arguments to put before the command. Empty: it runs without a bridge."""
    egress: Egress

    @property
    def refusals(self) -> str:
        return self.egress.refusals()


class SetupNetwork:
    def __init__(
        self,
        hosts: tuple[str, ...] | Callable[[], Awaitable[AllowedHosts]],
        *,
        interpreter: Interpreter | None,
        resolve: Resolve = look_up,
    ) -> None:
        """`hosts`: entries as in the setting `setup_hosts`; or who knows them, asked for every command."""
        self._allowed = hosts if callable(hosts) else _known(AllowedHosts(hosts))
        self._interpreter = interpreter
        self._resolve = resolve

    @asynccontextmanager
    async def opened(self, enclosure: Enclosure) -> AsyncIterator[WayOut]:
        """Runs the proxy for one command. Also without allowed hosts: its refusals say which host to allow and how."""
        allowed = await self._allowed()
        egress = Egress(allowed, resolve=self._resolve)
        if self._interpreter is None:
            if allowed:
                raise _no_interpreter()
            yield WayOut(enclosure, (), egress)
            return
        with gate_folder() as folder:
            async with egress.listening(folder / "s"):
                yield WayOut(*through(folder, enclosure, self._interpreter), egress)


def _known(hosts: AllowedHosts) -> Callable[[], Awaitable[AllowedHosts]]:
    async def say() -> AllowedHosts:
        return hosts

    return say


def through(folder: Path, enclosure: Enclosure, interpreter: Interpreter) -> tuple[Enclosure, tuple[str, ...]]:
    """The enclosure with the folder and the interpreter mounted, and the arguments that start the bridge."""
    shown = (*enclosure.read_only, *interpreter.shown)
    wider = replace(enclosure, read_only=shown, sockets=(*enclosure.sockets, folder))
    # Isolated and without `site`: it starts quickly and can't import modules from the workspace.
    return wider, (str(interpreter.program), "-I", "-S", "-B", str(folder / "bridge.py"), str(folder / "s"))


def _no_interpreter() -> Refused:
    return Refused(
        "Set-up can't reach the hosts named in setup_hosts: no Python can be shown to the sandbox, where it carries "
        f"the connections. {sys.executable} lies among a person's private files.",
        todo="Install one for the whole system (sudo apt-get install python3), or empty setup_hosts.",
    )


def find_interpreter(
    running: Path = Path(sys.executable), *, system: Path = Path("/usr/bin/python3")
) -> Interpreter | None:
    """A Python for the bridge: ours if its folder can be mounted without private files, or the system's, or None."""
    program = running.resolve()
    if program.is_relative_to("/usr"):
        return Interpreter(program)
    shown = find_toolchains(str(program.parent), home_folders()).shown
    # A folder is needed: as a single file, the interpreter would not find its library.
    if any(program.is_relative_to(folder) and folder.is_dir() for folder in shown):
        return Interpreter(program, shown)
    return Interpreter(system) if system.exists() else None


@contextmanager
def gate_folder() -> Iterator[Path]:
    """A temporary folder with the bridge program in it, readable by us alone (0700)."""
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=_short_base()))
    try:
        shutil.copyfile(bridge.__file__, folder / "bridge.py")
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _short_base() -> str:
    usual = tempfile.gettempdir()
    return usual if len(usual.encode()) + len(f"/{_PREFIX}12345678/s") <= _SOCKET_PATH_LIMIT else "/tmp"
