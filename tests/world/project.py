"""Makes the small git repository of every scenario: a misspelt greeting, a Makefile and a test."""

import atexit
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path


def git(repository: Path, *arguments: str) -> str:
    environment = {
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "A Person",
        "GIT_AUTHOR_EMAIL": "person@localhost",
        "GIT_COMMITTER_NAME": "A Person",
        "GIT_COMMITTER_EMAIL": "person@localhost",
    }
    done = subprocess.run(
        ["git", *arguments], cwd=repository, env=environment, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def make_project(folder: Path) -> Path:
    shutil.copytree(_template(), folder)
    git(folder, "update-index", "-q", "--refresh")  # it knew the files of the template
    return folder


@cache
def _template() -> Path:
    """The project, to be copied: that is faster than three calls of git."""
    folder = Path(tempfile.mkdtemp(prefix="cw-project-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "tests").mkdir()
    (folder / "greeting.txt").write_text("Hello wrold\n")
    (folder / "tests" / "hello.sh").write_text("grep -q ^Hello greeting.txt\n")
    (folder / "Makefile").write_text("test:\n\t@set -e; for t in tests/*.sh; do echo $$t; sh $$t; done\n")
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "A greeting")
    return folder
