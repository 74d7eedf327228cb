"""The sandbox around every agent and build, made with bubblewrap (bwrap).

What is not mounted does not exist inside. This protects us even when the worker is root: then the process inside is uid
1000 by name but root to the kernel, so that file permissions protect nothing.
"""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import cached_property
from pathlib import Path

from caseworker.core.base.errors import Refused
from caseworker.ports import Enclosure, Guard
from caseworker.workspaces.control_groups import JOIN, find_parent
from caseworker.workspaces.guard import MEMORY_FOLDERS, SandboxGuard, Watch, written_folders
from caseworker.workspaces.lfs_files import is_lfs_mount, stands_for
from caseworker.workspaces.own_programs import without_our_own
from caseworker.workspaces.package_folders import overlay_mounts
from caseworker.workspaces.sandbox_limits import SandboxLimits
from caseworker.workspaces.sandbox_probe import ask, missing
from caseworker.workspaces.seccomp import filter_program
from caseworker.workspaces.system_files import HOME, SystemFiles, lay_system_files, write_once
from caseworker.workspaces.toolchains import Toolchains, find_toolchains, home_folders

SCRATCH = "/tmp/scratch"
"""Where folders of an environment that tools write to while tests run are linked to."""
_SYSTEM_PATH = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")

_ROOT_FOLDERS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_PROC_READ_ONLY = ("sys", "irq", "bus", "fs", "acpi", "mtrr", "pressure", "driver", "tty", "sysrq-trigger")
"""bwrap run by root leaves /proc/sys writable: there the kernel checks the global user id, not the namespace's. By
writing kernel/core_pattern an agent could run a program on the host as root (we tried it)."""
NICENESS = 5
"""Added to the worker's own: what people wait for goes first on a busy machine."""
_PRLIMIT = Path("/usr/bin/prlimit")
_START = f"""\
filter=$1 group=$2 tasks=$3 memory=$4; shift 4
echo 1000 > /proc/self/oom_score_adj
{JOIN}exec nice -n {NICENESS} "$@" 7<"$filter" """
_PROC_HIDDEN = ("kcore", "kmsg", "keys", "timer_list", "sched_debug", "kpagecount", "kpageflags", "kpagecgroup")


class Bubblewrap:
    """A `Sandbox` with no network, no capabilities, only the given environment, and its own process tree."""

    def __init__(
        self,
        folder: Path,
        *,
        limits: SandboxLimits | None = None,
        expose: tuple[Path, ...] = (),
        program: Path | None = None,
        path: str | None = None,
    ) -> None:
        """`folder`: for the few files of its /etc that we write. `expose`: further toolchains, mounted read-only.
        `path`: where to look for toolchains; by default the worker's PATH."""
        self._folder = folder
        self._limits = limits or SandboxLimits()
        self._expose = expose
        self._given = program
        self._path = path

    def command(self, enclosure: Enclosure, argv: Sequence[str]) -> list[str]:
        # `env -i` although callers start it with an empty environment: bwrap is process 1 inside, where everyone can
        # read /proc/1/environ, so one careless caller would give away every key the worker has.
        return [
            *("/usr/bin/env", "-i", *self._start),
            *("--unshare-all", "--unshare-user", *self._no_nesting, "--uid", "1000", "--gid", "1000"),
            *("--cap-drop", "ALL", "--die-with-parent", "--new-session", "--hostname", "localhost"),
            *self._system,
            *_mounts(enclosure),
            *overlay_mounts(_overlays(enclosure), with_sizes=self._limits_sizes),
            *("--remount-ro", "/", "--chdir", str(enclosure.workspace), "--clearenv"),
            *self._environment(enclosure),
            *("--", *self._ulimits, *argv),
        ]

    def guard(
        self, enclosure: Enclosure, root: Callable[[], int | None], *, spare: bool = False
    ) -> AbstractAsyncContextManager[Guard]:
        watch = Watch(folders=written_folders(enclosure), group=self._group, root=root, spare=spare)
        return SandboxGuard(self._limits, watch).watching()

    async def probe(self) -> str | None:
        if self._found is None:
            return missing()
        canary = self._files.canary
        enclosure = Enclosure(workspace=Path("/usr"), writable=False, environment={})
        return await ask(lambda argv: self.command(enclosure, argv), hidden=canary)

    def _environment(self, enclosure: Enclosure) -> list[str]:
        tools = (*map(str, self._toolchains.search_path), *_bin_folders(self._expose))
        search_path = [*enclosure.search_path, *tools, *_SYSTEM_PATH]
        given = {"PATH": os.pathsep.join(search_path), "HOME": HOME, "USER": "agent", "LANG": "C.UTF-8"}
        return [word for pair in (given | dict(enclosure.environment)).items() for word in ("--setenv", *pair)]

    @cached_property
    def _system(self) -> list[str]:
        """The mounts of the system, found once: they don't change while a worker runs."""
        size = ["--size", str(self._limits.memory)] if self._limits_sizes else []
        words = ["--ro-bind", "/usr", "/usr"]
        for name in _ROOT_FOLDERS:
            folder = Path("/") / name
            if folder.is_symlink():
                words += ["--symlink", str(folder.readlink()), str(folder)]
            elif folder.is_dir():
                words += ["--ro-bind", str(folder), str(folder)]
        words += ["--proc", "/proc", *_proc_mounts(), "--dev", "/dev"]
        words += [word for folder in MEMORY_FOLDERS for word in (*size, "--tmpfs", folder)]
        words += ["--dir", SCRATCH]
        for source, place in self._files.mounts:
            words += ["--ro-bind", str(source), str(place)]
        for path in (*self._toolchains.shown, *self._expose):
            words += ["--ro-bind", str(path), str(path)]
        return words

    @cached_property
    def _found(self) -> Path | None:
        if self._given is not None:
            return self._given if self._given.exists() else None
        found = shutil.which("bwrap")
        return Path(found) if found else None

    @property
    def _program(self) -> Path:
        if self._found is None:
            raise Refused(missing())
        return self._found

    @cached_property
    def _help(self) -> str:
        return subprocess.run([self._program, "--help"], capture_output=True, text=True, env={}, check=False).stdout

    @cached_property
    def _limits_sizes(self) -> bool:
        """Whether this bwrap can limit folders in memory."""
        return "--size" in self._help

    @cached_property
    def _no_nesting(self) -> tuple[str, ...]:
        """Switches off user namespaces inside, which would let an agent attack poorly reviewed code of the kernel.

        A setuid bwrap and versions before 0.8 can't do it.
        """
        setuid = bool(self._program.stat().st_mode & 0o4000)
        return () if setuid or "--disable-userns" not in self._help else ("--disable-userns",)

    @cached_property
    def _start(self) -> tuple[str, ...]:
        """Starts bwrap after everything else that waits for a processor, as the first to go when memory runs out, and
        with the filter of system calls, which it reads from an open file."""
        program, file = filter_program(), Path("/dev/null")
        option: tuple[str, ...] = ()
        if program is not None:
            file, option = self._folder / "seccomp", ("--seccomp", "7")
            write_once(file, program)
        group, tasks, memory = str(self._group or ""), str(self._limits.threads), str(2 * self._limits.memory)
        return ("/bin/sh", "-c", _START, "sandbox", str(file), group, tasks, memory, str(self._program), *option)

    @cached_property
    def _group(self) -> Path | None:
        return find_parent()

    @property
    def _ulimits(self) -> tuple[str, ...]:
        """Limits of the kernel for each process. That of processes counts those of this sandbox only, because it is set
        inside; it has no effect if the worker is root. They are wider than the guard's, who can say what happened."""
        if not _PRLIMIT.exists():
            return ()
        processes, file = self._limits.threads, 2 * max(self._limits.disk, self._limits.memory)
        return (str(_PRLIMIT), f"--nproc={processes}:{processes}", f"--fsize={file}:{file}", "--core=0:0", "--")

    @cached_property
    def _toolchains(self) -> Toolchains:
        path = self._path if self._path is not None else without_our_own(os.environ.get("PATH", os.defpath))
        return find_toolchains(path, home_folders())

    @cached_property
    def _files(self) -> SystemFiles:
        return lay_system_files(self._folder, mount_points=(*self._toolchains.shown, *self._expose))


def _mounts(enclosure: Enclosure) -> list[str]:
    """Outer folders first, so that inner ones are mounted over them."""
    git_file = enclosure.workspace / ".git"
    binds = [(enclosure.workspace, "--bind" if enclosure.writable else "--ro-bind")]
    binds += [(path, "--bind") for path in enclosure.read_write]
    # A socket can be connected to through a read-only mount; its folder can't be changed.
    binds += [(path, "--ro-bind") for path in (*enclosure.read_only, *enclosure.sockets)]
    if git_file.is_file() and not git_file.is_symlink():
        binds.append((git_file, "--ro-bind"))
    binds.sort(key=lambda bind: len(bind[0].parts))
    words = [word for path, how in binds for word in (how, str(path), str(path))]
    return words + [word for pair in enclosure.laid for word in ("--bind", str(pair[0]), str(pair[1]))]


def _overlays(enclosure: Enclosure) -> list[tuple[Path, Path]]:
    """Mounted last, in the order given."""
    return [pair for pair in enclosure.overlays if not is_lfs_mount(pair[0]) or stands_for(*pair)]


def _proc_mounts() -> list[str]:
    words: list[str] = []
    for name in _PROC_READ_ONLY:
        if (path := Path("/proc") / name).exists():
            words += ["--ro-bind", str(path), str(path)]
    for name in _PROC_HIDDEN:
        if (path := Path("/proc") / name).exists():
            words += ["--ro-bind", "/dev/null", str(path)]
    return words


def _bin_folders(expose: Iterable[Path]) -> list[str]:
    return [str(path / "bin" if (path / "bin").is_dir() else path) for path in expose]


class _NoGuard:
    ended, no_room = "", False

    def news(self) -> Sequence[str]:
        return ()


class Unconfined:
    """NO SANDBOX. What runs here can read every file of the user, every key on disk, and reach every network.

    It exists for `sandbox = "off"`, which a person has to write down. All it keeps is the clean environment.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def command(self, enclosure: Enclosure, argv: Sequence[str]) -> list[str]:
        home = self._folder / "home"
        home.mkdir(parents=True, exist_ok=True)
        own = without_our_own(os.environ.get("PATH", os.defpath))
        path = os.pathsep.join([*enclosure.search_path, own])
        given = {"PATH": path, "HOME": str(home), "LANG": "C.UTF-8"}
        environment = [f"{name}={value}" for name, value in (given | dict(enclosure.environment)).items()]
        enter = ("/bin/sh", "-c", 'cd "$0" && exec "$@"', str(enclosure.workspace))
        return ["/usr/bin/env", "-i", *environment, *enter, *argv]

    def guard(
        self, enclosure: Enclosure, root: Callable[[], int | None], *, spare: bool = False
    ) -> AbstractAsyncContextManager[Guard]:
        """No limits: processes could leave the tree by which they are known."""
        return nullcontext(_NoGuard())

    async def probe(self) -> str | None:
        return None
