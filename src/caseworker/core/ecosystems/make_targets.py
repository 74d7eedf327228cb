"""Reads the targets of a Makefile: `make test` is how its authors test."""

import re
from typing import Final

from caseworker.core.ecosystems.plan_parts import Files
from caseworker.core.ecosystems.project_files import MAKEFILES
from caseworker.core.evidence.builds import Command, Purpose

TYPE_NAMES: Final = ("typecheck", "type-check", "types", "mypy", "tsc")
_RULE: Final = re.compile(r"^([A-Za-z0-9_.\-/ \t]++)::?(?!=)", re.MULTILINE)
_OWN_SET_UP: Final = re.compile(
    r"\b(?:tox|nox|docker|docker-compose|podman|poetry|pipenv|hatch|pdm|rye|pre-commit|vagrant)\b"
    r"|\b(?:pip3?|npm|yarn|pnpm|gem|bundle|apt-get|brew) (?:install|ci|sync)\b|\bcurl\b|\bwget\b"
)
"""A target that fetches things by itself can't run where there is no network."""


_RUN_FILE: Final = re.compile(r"(?<=[ \t])(?:\./)?[\w.][\w./-]{0,200}(?:\.py|/bin/activate)(?=[\s;&]|$)")
"""A Python file, or the virtual environment that a person has made beside the sources."""


def make_commands(files: Files) -> list[Command]:
    """`make test`, lint and types. Empty: there is no such target, or it would fetch things by itself."""
    text = next((files[name] for name in MAKEFILES if name in files), "")
    bodies = _bodies(text)
    if "test" not in bodies:
        return []
    found = [Command(purpose=Purpose.TEST, command="make test")]
    if "lint" in bodies:
        found.append(Command(purpose=Purpose.LINT, command="make lint"))
    if kind := next((name for name in TYPE_NAMES if name in bodies), None):
        found.append(Command(purpose=Purpose.TYPES, command=f"make {kind}"))
    return found


def names_lost_file(files: Files) -> bool:
    """Whether `make test` runs a Python file that the repository no longer has, or activates a virtual environment: the
    first is out of date, the second counts on a set-up by hand, and ours is active already."""
    text = next((files[name] for name in MAKEFILES if name in files), "")
    named = _RUN_FILE.findall(_bodies(text).get("test", ""))
    return any(path.removeprefix("./") not in files for path in named)


def fetches(files: Files) -> bool:
    """Whether `make test` would set things up by itself, from the network."""
    text = next((files[name] for name in MAKEFILES if name in files), "")
    return bool(_OWN_SET_UP.search(_bodies(text).get("test", "")))


def has_target(files: Files, target: str) -> bool:
    return target in _bodies(next((files[name] for name in MAKEFILES if name in files), ""))


def _bodies(text: str) -> dict[str, str]:
    """The recipe of each target, together with the names it depends on."""
    found: dict[str, str] = {}
    targets: list[str] = []
    for line in text.splitlines():
        if line.startswith("\t"):
            for name in targets:
                found[name] += f"{line}\n"
        elif (rule := _RULE.match(line)) is not None:
            targets = [name for name in rule[1].split() if not name.startswith(".")]
            for name in targets:
                found.setdefault(name, "")
        elif line.strip() and not line.startswith("#"):
            targets = []
    return found
