"""Real git repositories for tests, made and changed with plain git, as a person would."""

import atexit
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from caseworker.core.base.repositories import LocalRepository
from caseworker.forges.local_source import LocalSource
from caseworker.ports import Git
from caseworker.workspaces.git import SafeGit
from caseworker.workspaces.worktrees import GitWorkspaces

_ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
}


def git(folder: Path, *arguments: str, stdin: str = "") -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=_ENVIRONMENT, input=stdin, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"git {' '.join(arguments)}: {done.stderr}"
    return done.stdout.strip()


@dataclass(frozen=True)
class Repository:
    path: Path

    @property
    def ref(self) -> LocalRepository:
        return LocalRepository(path=self.path)

    def git(self, *arguments: str) -> str:
        return git(self.path, *arguments)

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            (self.path / name).parent.mkdir(parents=True, exist_ok=True)
            (self.path / name).write_text(text)

    def commit(self, files: dict[str, str], message: str = "A change") -> str:
        self.write(files)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return self.head()

    def head(self, name: str = "HEAD") -> str:
        return self.git("rev-parse", name)

    def state(self) -> tuple[str, ...]:
        """Everything whose change a person would notice: HEAD, index, their branch, and the text of the files."""
        head = (self.path / ".git" / "HEAD").read_text()
        text = "".join(path.read_text() for path in sorted(self.path.glob("*.*")) if path.is_file())
        index = (self.path / ".git" / "index").read_bytes().hex()
        return head, index, self.git("for-each-ref", "refs/heads/main", "refs/tags"), text


_FILES = {"calc.py": "def add(a, b):\n    return a - b\n", "README.md": "# Calc\n"}


def new_repository(path: Path, files: dict[str, str] | None = None) -> Repository:
    shutil.copytree(_template(tuple((files or _FILES).items())), path)
    repository = Repository(path)
    repository.git("update-index", "-q", "--refresh")  # it knew the files of the template
    return repository


@cache
def _template(files: tuple[tuple[str, str], ...]) -> Path:
    """A repository with these files, to be copied: that is faster than four calls of git."""
    repository = Repository(Path(tempfile.mkdtemp(prefix="cw-template-")))
    atexit.register(shutil.rmtree, repository.path, ignore_errors=True)
    repository.git("init", "-q", "-b", "main")
    repository.commit(dict(files), "Start")
    return repository.path


def local_workspaces(
    home: Path, *, git: Git | None = None, lock_seconds: float = 60, walls: bool = False
) -> GitWorkspaces:
    """Workspaces of repositories on this disk: one git for both sides."""
    run = git or SafeGit()
    return GitWorkspaces(home, source=LocalSource(run), git=run, lock_seconds=lock_seconds, walls=walls)
