"""Runs git outside the sandbox, on folders that an agent has written to.

Every call names its repository, uses no configuration but ours and the mirror's own, runs no hook, filter or helper,
fetches from local paths only unless it is given a login, and has a time limit.
"""

import asyncio
import os
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from caseworker.core.base.errors import Defect, Refused, Transient
from caseworker.core.base.repositories import COMMITTER, OUR_BRANCHES
from caseworker.ports import GitAnswer, GitLogin
from caseworker.workspaces.child_processes import Child, Program

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
    # The record of a turn survives a power cut, so the commit that it names must, too. By default git syncs neither
    # loose objects nor refs. Versions before 2.36 ignore this setting.
    "core.fsync=committed",
    "commit.gpgSign=false",
    "safe.directory=*",
)
_GIT = ("git", *(word for setting in _SETTINGS for word in ("-c", setting)))
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
_PROXIES = ("http_proxy", "https_proxy", "no_proxy", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE", "GIT_SSL_CAINFO")
"""Variables of our own environment that git gets if it speaks with a server."""
_ERROR_TAIL = 2_000
_BUSY = ("File exists", "cannot lock ref", "Unable to create", "No space left on device", "Resource temporarily")
_LOCK: Final = re.compile(
    rf"Unable to create '([^'\n]{{1,4000}}/refs/(?:caseworker/|bases/|heads/{OUR_BRANCHES})[^'\n]{{1,1000}}\.lock)'"
)
_LOCK_SECONDS: Final = 30.0
_UNREACHED = (
    "Could not resolve host",
    "Failed to connect",
    "Connection refused",
    "Connection timed out",
    "Connection reset",
    "Recv failure",
    "Empty reply",
    "RPC failed",
    "early EOF",
    "unexpected disconnect",
    "the remote end hung up",
    "requested URL returned error: 5",
    "requested URL returned error: 429",
)
"""Words of git and curl about a server that did not answer, or failed."""


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
        login: GitLogin | None = None,
        most: int | None = None,
    ) -> GitAnswer:
        argv = [*_GIT]
        if inside is not None:
            argv += ["-C", str(inside)]
        elif git_dir is not None:
            argv += [f"--git-dir={git_dir}", *([f"--work-tree={work_tree}"] if work_tree is not None else [])]
        elif arguments[0] != "init":
            raise Defect(f"git {arguments[0]} would look for a repository wherever we happen to be")
        output, error = _Bounded(self._output_bytes if most is None else most), _Tail()
        program = Program(
            argv=[*argv, *arguments],
            folder=work_tree or Path("/"),
            environment={**_ENVIRONMENT, **(_remote_environment(login) if login else {})},
            stdin=stdin,
        )
        child = _start(program, work_tree, output, error)
        try:
            async with asyncio.timeout(self._seconds):
                code = await child.ended()
        except TimeoutError:
            raise Transient(f"git {arguments[0]} took longer than {self._seconds:.0f} s.") from None
        except _TooMuch:
            if most is not None:
                return GitAnswer(code=0, output=b"", cut=True)
            raise Refused(f"git {arguments[0]} answered with more than {self._output_bytes >> 20} MB.") from None
        finally:
            await child.end()
        if code not in accept:
            if login is None:
                _clear_left_lock(error.text)
            raise _failure(arguments[0], code, error.text)
        return GitAnswer(code=code, output=output.whole)


class _TooMuch(Exception):
    pass


class _Bounded:
    """The whole output, up to a limit."""

    def __init__(self, limit: int) -> None:
        self._chunks: list[bytes] = []
        self._left = limit

    def add(self, chunk: bytes) -> None:
        self._left -= len(chunk)
        if self._left < 0:
            raise _TooMuch
        self._chunks.append(chunk)

    @property
    def whole(self) -> bytes:
        return b"".join(self._chunks)


class _Tail:
    """The end of the output."""

    def __init__(self) -> None:
        self._bytes = b""

    def add(self, chunk: bytes) -> None:
        self._bytes = (self._bytes + chunk)[-_ERROR_TAIL:]

    @property
    def text(self) -> str:
        return self._bytes.decode(errors="replace").strip()


def _remote_environment(login: GitLogin) -> Mapping[str, str]:
    """Configuration in the environment: arguments, files and addresses would show the token to others."""
    scheme = login.url.partition(":")[0]
    settings = {
        f"protocol.{scheme}.allow": "always",
        f"http.{login.url}.extraHeader": login.header,
        "http.followRedirects": "false",
        "credential.helper": "",
    }
    pairs: dict[str, str] = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings.items()):
        pairs |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return pairs | {name: os.environ[name] for name in _PROXIES if name in os.environ}


def _start(program: Program, work_tree: Path | None, output: _Bounded, error: _Tail) -> Child:
    try:
        return Child(program, on_output=output.add, on_errors=error.add)
    except FileNotFoundError as missing:
        if work_tree is not None and str(missing.filename) == str(work_tree):
            raise Transient(f"the worktree {work_tree} is gone.") from None
        raise Refused("git is not installed.", todo="Type: sudo apt-get install git") from None


def _clear_left_lock(error: str) -> None:
    """Removes an old lock of a ref, so that the next try succeeds. git locks a ref for milliseconds, but a killed git
    leaves its lock. Only for refs that we alone write: a lock of a person's branch is left alone."""
    if found := _LOCK.search(error):
        lock = Path(found[1])
        with suppress(FileNotFoundError):
            if time.time() - lock.lstat().st_mtime > _LOCK_SECONDS:
                lock.unlink()


def _failure(verb: str, code: int, error: str) -> Refused | Transient:
    sentence = f"git {verb} failed ({code}): {error or 'without a word'}"
    return Transient(sentence) if code < 0 or any(words in error for words in _BUSY + _UNREACHED) else Refused(sentence)
