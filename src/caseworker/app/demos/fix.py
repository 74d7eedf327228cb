"""`caseworker demo`: makes a sample project with an issue, and works on it with a rehearsed model."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path
from shlex import quote

from rich.console import Console

from caseworker.app.desk import reading
from caseworker.app.parts import read_rehearsal
from caseworker.app.processes.open_issue import RunRequest
from caseworker.app.processes.start_checks import check_disk, check_sandbox
from caseworker.app.settings import Settings, make_home
from caseworker.app.terminal.run_issue import run
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId, issue_case, typed
from caseworker.core.base.repositories import LocalRepository
from caseworker.intake.issues import read_issue


def in_the_browser() -> str:
    """Names the program by its path where a terminal would not find it: `make run` activates nothing."""
    program = "caseworker" if shutil.which("caseworker") else str(Path(sys.argv[0]).absolute())
    return f"In your browser, while it works: `{program} open` in another terminal."


async def run_demo(settings: Settings, console: Console, *, as_json: bool) -> int:
    check_disk(settings.home)
    await check_sandbox(settings)
    make_home(settings)
    with as_file(files("caseworker.app") / "demos" / "samples" / "shop") as source:
        project = lay_out(source, settings.home / "demo")
        request = RunRequest(
            repository=project,
            issue=read_issue(source / "issue.md"),
            rehearsal=read_rehearsal(source / "rehearsal.yaml"),
        )
        if not as_json:
            console.print(f"The sample project is {project}; its model is rehearsed, the rest is real.", style="dim")
            console.print(f"{in_the_browser()}\n", style="dim", markup=False)
        code = await run(request, settings, console, as_json=as_json)
    if code == 0 and not as_json:
        case = await _case_of(project, settings)
        commands = [
            (f"caseworker why {typed(case)}", "where it stands, and on what evidence"),
            (f"caseworker show {typed(case)} --all", "its story, with every tool call"),
            ("caseworker demo bug", "the next demo: a vague report"),
        ]
        tell_next(commands, console)
    return code


async def _case_of(project: Path, settings: Settings) -> CaseId:
    """The case of the sample's only issue: the project is new, so the issue has number 1."""
    async with reading(settings) as store:
        return issue_case(await store.repositories.register(LocalRepository(path=project)), 1)


def tell_next(commands: Sequence[tuple[str, str]], console: Console) -> None:
    """Print each command and what it is for. After `make run` the program is not on the reader's PATH; the command that
    puts it there is printed first."""
    if (first := _command_to_set_path()) is not None:
        console.print("First, once in this terminal, so that `caseworker` is found:", style="bold", markup=False)
        console.print(f"  {first}", markup=False, highlight=False, soft_wrap=True)
    room = max(len(command) for command, _ in commands)
    console.print("Next, type one of these:", style="bold")
    for command, why in commands:
        console.print(f"  {command:<{room}}  {why}", markup=False, highlight=False)


def _command_to_set_path() -> str | None:
    """The whole path is used, so that it works in any folder."""
    if shutil.which("caseworker") is not None:
        return None
    programs = Path(sys.prefix) / "bin"
    if (programs / "activate").exists():
        return f"source {quote(str(programs / 'activate'))}"
    return f'export PATH={quote(str(programs))}:"$PATH"'


def lay_out(sample: Path, folder: Path) -> Path:
    """Make a fresh git repository for one demo, so that no demo sees another's branch. A sample is one commit
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
