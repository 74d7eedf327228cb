"""What people can do after a demo: the commands that it names work as printed, and a remark is answered."""

import io
import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from bench.projects import rehearsal
from rich.console import Console

from caseworker.agents.rehearsal import load_rehearsal
from caseworker.app.demos.fix import tell_next
from caseworker.core.base.roles import Role, Task

COMMANDS = [("caseworker why #1", "where it stands"), ("caseworker show #1 --all", "its story")]
NEXT = """\
Next, type one of these:
  caseworker why #1         where it stands
  caseworker show #1 --all  its story
"""


def told(width: int = 80) -> str:
    paper = io.StringIO()
    tell_next(COMMANDS, Console(file=paper, width=width))
    return paper.getvalue()


def test_with_the_program_on_the_path_only_the_commands_are_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "caseworker"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert told() == NEXT


def test_after_make_run_the_first_line_makes_the_others_work(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = os.environ["PATH"]
    monkeypatch.setenv("PATH", "/nowhere")
    said = told(width=20)  # a path is not broken into two lines: it could not be copied
    first, type_this, rest = told().split("\n", 2)
    assert first == "First, once in this terminal, so that `caseworker` is found:"
    assert type_this in said
    assert rest == NEXT
    typed = ["bash", "-c", f"{type_this}\ncommand -v caseworker"]
    found = subprocess.run(typed, env={"PATH": path}, cwd=tmp_path, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert Path(found.stdout.strip()).samefile(Path(sys.prefix) / "bin" / "caseworker")


@pytest.mark.parametrize("script", ["rehearsal", "bug-rehearsal", "review-rehearsal", "unclear-rehearsal"])
def test_a_demo_can_be_rejected_as_its_page_says(script: str) -> None:
    text = files("caseworker.app") / "demos" / "samples" / "shop" / f"{script}.yaml"
    tasks = [turn.task for turn in load_rehearsal(text.read_text(encoding="utf-8"), script).turns]
    assert Task.ADDRESS_FEEDBACK in tasks


def test_the_benchmarks_can_lengthen_the_work_of_the_first_demo(tmp_path: Path) -> None:
    short, long = (load_rehearsal(rehearsal(tmp_path / "s", more_steps=more).read_text(), "s") for more in (0, 3))
    steps = [len(script.steps_for(Role.DEVELOPER, Task.IMPLEMENT, 1) or ()) for script in (short, long)]
    assert steps[1] == steps[0] + 3
