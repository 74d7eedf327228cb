"""`caseworker demo`: a sample project of its own, its issue, its rehearsal, and the ordinary `run` on them."""

import os
import shutil
import subprocess
from importlib.resources import as_file, files
from pathlib import Path

from rich.console import Console

from caseworker.app.running import RunRequest, check_disk, check_sandbox, read_rehearsal, run
from caseworker.app.settings import Settings, make_home
from caseworker.core.errors import Refused
from caseworker.intake.issues import read_issue


async def run_demo(settings: Settings, console: Console, *, as_json: bool) -> int:
    check_disk(settings.home)
    await check_sandbox(settings)
    make_home(settings)
    with as_file(files("caseworker.app") / "demos" / "shop") as source:
        project = lay_out(source, settings.home / "demo")
        request = RunRequest(
            repository=project,
            issue=read_issue(source / "issue.md"),
            rehearsal=read_rehearsal(source / "rehearsal.yaml"),
        )
        if not as_json:
            console.print(f"The sample project is {project}; its model is rehearsed, the rest is real.\n", style="dim")
        return await run(request, settings, console, as_json=as_json)


def lay_out(sample: Path, folder: Path) -> Path:
    """A fresh git repository; each demo has its own, so that none sees another's branch. A sample is one commit
    (`project`), or a patch for each commit (`history`), which gives the same hashes everywhere."""
    number = 1
    while (folder / f"{sample.name}-{number}").exists():
        number += 1
    project = folder / f"{sample.name}-{number}"
    folder.mkdir(parents=True, exist_ok=True)
    if (sample / "history").is_dir():
        project.mkdir()
        _git(project, "init", "--quiet", "--initial-branch=main")
        patches = sorted(map(str, (sample / "history").glob("*.patch")))
        _git(project, "am", "--quiet", "--committer-date-is-author-date", *patches)
        return project
    shutil.copytree(sample / "project", project, ignore=shutil.ignore_patterns("__pycache__"))
    _git(project, "init", "--quiet", "--initial-branch=main")
    _git(project, "add", "--all")
    _git(project, "commit", "--quiet", "--message", "The till of a small web shop")
    return project


def _git(project: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=Demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgsign=false"]
    environment = {"PATH": os.environ.get("PATH", ""), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    try:
        subprocess.run(
            ["git", *identity, *arguments], cwd=project, env=environment, check=True, capture_output=True, text=True
        )
    except FileNotFoundError:
        raise Refused(
            "git is not installed.", todo="`apt-get install git`, or your system's way to install it."
        ) from None
    except subprocess.CalledProcessError as error:
        raise Refused(f"The sample project could not be made: {error.stderr.strip()}") from error
