"""Running git, outside the sandbox, on folders whose contents an agent chose.

Every call names its repository, takes no configuration but ours and the mirror's own, runs no hook, no filter and no
helper, speaks to local paths only, and ends. What is asked of git is the business of the other files.
"""

import asyncio
import contextlib
import os
import signal
from collections.abc import Sequence
from pathlib import Path

from caseworker.core.errors import Bug, Refused, Transient
from caseworker.ports import GitAnswer

_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.quotePath=false",
    "protocol.allow=never",
    "protocol.file.allow=always",
    "protocol.ext.allow=never",
    "submodule.recurse=false",
    "diff.ignoreSubmodules=all",
    "gc.auto=0",
    "maintenance.auto=false",
    # The record of a turn outlives a power cut; so must the commit that it names. By default git syncs neither loose
    # objects nor refs. Before 2.36 it does not know this word, and goes on as it did.
    "core.fsync=committed",
    "commit.gpgSign=false",
    "safe.directory=*",
)
COMMITTER = "caseworker@localhost"
"""The address on every commit that we make; on what people make there is another."""
_NOWHERE = "/nonexistent"
_ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": _NOWHERE,  # no ~/.gitconfig, no ~/.config/git/ignore or attributes
    "XDG_CONFIG_HOME": _NOWHERE,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "/bin/false",
    "GIT_SSH_COMMAND": "/bin/false",
    "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",
    "GIT_AUTHOR_NAME": "Caseworker",
    "GIT_AUTHOR_EMAIL": COMMITTER,
    "GIT_COMMITTER_NAME": "Caseworker",
    "GIT_COMMITTER_EMAIL": COMMITTER,
}
_ERROR_TAIL = 2_000
_BUSY = ("File exists", "cannot lock ref", "Unable to create", "No space left on device", "Resource temporarily")

OTHER_SIDE = "git -c safe.directory='*' -c core.hooksPath=/dev/null -c gc.auto=0"
"""How git starts its second half in the repository at the other end of a local fetch: our `-c` don't reach that far."""


class SafeGit:
    """The `Git` port."""

    def __init__(self, *, seconds: float = 300, output_bytes: int = 64 << 20) -> None:
        self._seconds = seconds
        self._output_bytes = output_bytes

    async def __call__(
        self,
        *arguments: str,
        git_dir: Path | None = None,
        work_tree: Path | None = None,
        inside: Path | None = None,
        stdin: bytes = b"",
        accept: Sequence[int] = (0,),
    ) -> GitAnswer:
        argv = ["git", *(word for setting in _SETTINGS for word in ("-c", setting))]
        if inside is not None:
            argv += ["-C", str(inside)]
        elif git_dir is not None:
            argv += [f"--git-dir={git_dir}", *([f"--work-tree={work_tree}"] if work_tree is not None else [])]
        elif arguments[0] != "init":
            raise Bug(f"git {arguments[0]} would look for a repository wherever we happen to be")
        process = await _start([*argv, *arguments], work_tree, fed=bool(stdin))
        try:
            async with asyncio.timeout(self._seconds):
                output, error = await self._talk(process, stdin)
        except TimeoutError:
            raise Transient(f"git {arguments[0]} took longer than {self._seconds:.0f} s.") from None
        finally:
            await _end(process)
        code = process.returncode if process.returncode is not None else -1
        if output is None:
            raise Refused(f"git {arguments[0]} answered with more than {self._output_bytes >> 20} MB.")
        if code not in accept:
            raise _failure(arguments[0], code, error)
        return GitAnswer(code=code, output=output)

    async def _talk(self, process: asyncio.subprocess.Process, stdin: bytes) -> tuple[bytes | None, str]:
        assert process.stdout is not None
        assert process.stderr is not None
        output, error, _ = await asyncio.gather(
            _read_all(process.stdout, self._output_bytes, process),
            _read_tail(process.stderr),
            _feed(process, stdin),
        )
        await process.wait()
        return output, error


async def _start(argv: Sequence[str], work_tree: Path | None, *, fed: bool) -> asyncio.subprocess.Process:
    try:
        return await asyncio.create_subprocess_exec(
            *argv,
            cwd=work_tree or "/",
            env=_ENVIRONMENT,
            stdin=asyncio.subprocess.PIPE if fed else asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,  # so that git's own children can be ended with it
        )
    except FileNotFoundError as missing:
        if work_tree is not None and str(missing.filename) == str(work_tree):
            raise Transient(f"the worktree {work_tree} is gone.") from None
        raise Refused("git is not installed.", todo="Type: sudo apt-get install git") from None


async def _read_all(stream: asyncio.StreamReader, limit: int, process: asyncio.subprocess.Process) -> bytes | None:
    chunks, size = [], 0
    while chunk := await stream.read(1 << 16):
        size += len(chunk)
        if size > limit:
            _kill(process)
            return None
        chunks.append(chunk)
    return b"".join(chunks)


async def _read_tail(stream: asyncio.StreamReader) -> str:
    tail = b""
    while chunk := await stream.read(1 << 16):
        tail = (tail + chunk)[-_ERROR_TAIL:]
    return tail.decode(errors="replace").strip()


async def _feed(process: asyncio.subprocess.Process, stdin: bytes) -> None:
    if process.stdin is None:
        return
    try:
        process.stdin.write(stdin)
        await process.stdin.drain()
    except (BrokenPipeError, ConnectionResetError):
        pass  # git did not want to hear it all; its exit code says why
    process.stdin.close()


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        _kill(process)
        await process.wait()


def _kill(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _failure(verb: str, code: int, error: str) -> Refused | Transient:
    said = f"git {verb} failed ({code}): {error or 'without a word'}"
    return Transient(said) if code < 0 or any(words in error for words in _BUSY) else Refused(said)
