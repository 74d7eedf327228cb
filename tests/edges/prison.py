"""A sandbox with everything around it that an attacker inside might want, for root and for an ordinary user."""

import os
import pwd
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from caseworker.ports import Enclosure, Sandbox
from caseworker.workspaces.sandbox import Bubblewrap
from tests.patience import PATIENCE

KEY = "sk-planted-key-8841"
PREAMBLE = f"""
import os, socket, subprocess, sys
from pathlib import Path
KEY = {KEY!r}
def got(what): print("GOT", what)
"""


@dataclass(frozen=True)
class Prison:
    user: str
    folder: Path
    port: int
    abstract: str
    sandbox: Sandbox

    @property
    def workspace(self) -> Path:
        return self.folder / "home/workspaces/mine/tree"

    def enclosure(self, *, writable: bool = True) -> Enclosure:
        return Enclosure(workspace=self.workspace, writable=writable, environment={"GIVEN": "yes"})

    def run(self, argv: list[str], *, sandbox: Sandbox | None = None, writable: bool = True) -> str:
        """Runs a command as this user's worker would, but with secrets in the environment."""
        command = (sandbox or self.sandbox).command(self.enclosure(writable=writable), argv)
        account = pwd.getpwnam(self.user)
        worker = ["/bin/sh", "-c", '"$@"; exit $?', "worker", *command]
        done = subprocess.run(
            worker,
            env={"ANTHROPIC_API_KEY": KEY, "PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            user=account.pw_uid,
            group=account.pw_gid,
            extra_groups=[],
            check=False,
        )
        return done.stdout + done.stderr

    def attack(self, code: str, *, sandbox: Sandbox | None = None, writable: bool = True) -> str:
        places = {
            "FOLDER": str(self.folder),
            "WORKSPACE": str(self.workspace),
            "PORT": self.port,
            "ABSTRACT": self.abstract,
            "WORKER": os.getpid(),
            "WORDS": Path("/proc/self/cmdline").read_bytes(),
            "PERSON": str(Path.home()),
        }
        constants = "".join(f"{name} = {value!r}\n" for name, value in places.items())
        script = f"{PREAMBLE}{constants}print('TRIED', flush=True)\n{code}"
        return self.run(["/usr/bin/python3", "-c", script], sandbox=sandbox, writable=writable)


@contextmanager
def prison(user: str) -> Iterator[Prison]:
    """A prison outside pytest's folder, which only root may enter."""
    with tempfile.TemporaryDirectory(prefix="prison-") as name, listening() as (port, abstract):
        folder = Path(name)
        for path, text in {
            "home/caseworker.db": KEY,
            "home/mirrors/calc.git/HEAD": "ref: refs/heads/main",
            "home/workspaces/mine/tree/calc.py": "x = 1\n",
            "home/workspaces/mine/tree/.git": "gitdir: /somewhere\n",
            "home/workspaces/other/tree/secret.py": KEY,
            "people/ada/.ssh/id_ed25519": KEY,
        }.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        account = pwd.getpwnam(user)
        for made in (folder, *folder.rglob("*")):
            os.chown(made, account.pw_uid, account.pw_gid)
        # An ordinary user can't read root's toolchains: only those of the system are used.
        sandbox = Bubblewrap(folder / "sandbox", path=None if user == "root" else "/usr/bin:/bin")
        yield Prison(user=user, folder=folder, port=port, abstract=abstract, sandbox=sandbox)


@contextmanager
def listening() -> Iterator[tuple[int, str]]:
    name = f"caseworker-test-{os.getpid()}"
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as unix:
        unix.bind(f"\0{name}")
        unix.listen()
        yield tcp.getsockname()[1], name
