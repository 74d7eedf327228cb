"""Makes the repositories to work on: the demo's shop with rehearsals of any length, and a large, slow repository."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Final

import yaml

_SHOP: Final = Path(str(files("caseworker.app") / "demos" / "samples" / "shop"))
ISSUE: Final = _SHOP / "issue.md"
_ENVIRONMENT: Final = {
    "PATH": os.environ.get("PATH", os.defpath),
    "HOME": "/nonexistent",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Bench",
    "GIT_AUTHOR_EMAIL": "bench@localhost",
    "GIT_COMMITTER_NAME": "Bench",
    "GIT_COMMITTER_EMAIL": "bench@localhost",
}


def git(folder: Path, *arguments: str, stdin: bytes = b"") -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=_ENVIRONMENT, input=stdin, capture_output=True, check=True
    )
    return done.stdout.decode().strip()


def make_shop(folder: Path) -> Path:
    """The demo's project as a repository with one commit."""
    shutil.copytree(_SHOP / "project", folder, ignore=shutil.ignore_patterns("__pycache__"))
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "The till of a small web shop")
    return folder


def rehearsal(file: Path, *, more_steps: int = 0) -> Path:
    """The demo's script. Each further step is one more model call of the developer, with one small tool call."""
    document = yaml.safe_load((_SHOP / "rehearsal.yaml").read_text(encoding="utf-8"))
    document["pace"] = 0
    (developer,) = (turn for turn in document["turns"] if (turn["role"], turn["task"]) == ("developer", "implement"))
    looks = [
        {"call": "Read", "with": {"file_path": "${workspace}/README.md", "offset": 1, "limit": 1 + number}}
        for number in range(more_steps)
    ]
    developer["steps"] = [*looks, *developer["steps"]]
    file.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    return file


def rejection(file: Path) -> Path:
    """A rehearsal of the shortest case: one turn, one model call, and the case is over."""
    outcome = {
        "status": "REJECT",
        "type": "BUG_FIX",
        "scope": "SMALL",
        "complexity": "simple",
        "reason": "This case is only there to be timed.",
    }
    turn = {"role": "pm", "task": "triage", "steps": [{"outcome": outcome}]}
    file.write_text(yaml.safe_dump({"version": 1, "pace": 0, "turns": [turn]}), encoding="utf-8")
    return file


def make_large(folder: Path, *, number_of_files: int, commits: int) -> Path:
    """Files of about 3 KB in folders of 50; each commit after the first changes 20 of them."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "fast-import", "--quiet", stdin=b"".join(_history(number_of_files, commits)))
    git(folder, "reset", "--quiet", "--hard")
    return folder


def _history(number_of_files: int, commits: int) -> Iterator[bytes]:
    for number in range(commits):
        changed = (
            range(number_of_files) if number == 0 else [(number * 37 + i * 211) % number_of_files for i in range(20)]
        )
        yield b"commit refs/heads/main\n"
        yield f"committer Bench <bench@localhost> {1_700_000_000 + number * 3_600} +0000\n".encode()
        yield _data(f"Change {number}\n")
        for file in dict.fromkeys(changed):
            yield f"M 100644 inline part{file // 50:03}/module{file}.py\n".encode()
            yield _data(_text(file, number))


def _text(file: int, number: int) -> str:
    lines = (f"def step_{i}(value):\n    return value * {file * 31 + i} + {number}\n\n" for i in range(60))
    return "".join(lines)


def _data(text: str) -> bytes:
    encoded = text.encode()
    return f"data {len(encoded)}\n".encode() + encoded + b"\n"
