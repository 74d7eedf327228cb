"""The last lines of a demo: the commands they name work as printed."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from caseworker.app.demos.fix import tell_next

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
