"""Reads the targets of a Makefile: `make test` is how its authors test."""

import re
from dataclasses import dataclass, field
from typing import Final

from caseworker.core.ecosystems.plan_parts import Files
from caseworker.core.ecosystems.project_files import MAKEFILES
from caseworker.core.evidence.builds import Command, Purpose

TYPE_NAMES: Final = ("typecheck", "type-check", "types", "mypy", "tsc")
_RULE: Final = re.compile(r"^([A-Za-z0-9_.\-/ \t]++)::?(?!=)(.*)$", re.MULTILINE)
_SPECIAL: Final = re.compile(r"\.[A-Z]")
_OWN_SET_UP: Final = re.compile(
    r"\b(?:tox|nox|docker|docker-compose|podman|poetry|pipenv|hatch|pdm|rye|pre-commit|vagrant|uvx|virtualenv)\b"
    r"|\b(?:pip3?|npm|yarn|pnpm|gem|bundle|apt-get|brew|composer|cargo|uv) (?:install|ci|sync|venv)\b|-m venv\b"
    r"|\buv run [^\n;&|]{0,80}--(?:with|isolated)\b|\bcurl\b|\bwget\b"
)
"""A target that fetches things by itself can't run where there is no network."""
_RUN_FILE: Final = re.compile(
    r"(?<=[ \t@])(?:\./)?[\w.][\w./-]{0,200}(?:\.py|/bin/(?:activate|python[\d.]*|pytest|pip3?))(?=[\s;&]|$)"
)
"""A Python file, or the virtual environment that a person has made beside the sources."""
_VARIABLE: Final = re.compile(r"^(?:export )?(\w+)[ \t]*(?:\?|::?)?=[ \t]*(.*)$", re.MULTILINE)
_USED: Final = re.compile(r"\$[({](\w+)[)}]")
_CALLED: Final = re.compile(r"(?:\$[({]MAKE[)}]|(?:^|[;&|@])\s{0,8}make)[ \t]([^\n;&|]{1,200})")
_DEEPEST: Final = 3
"""How often variables are put into others. A Makefile is written by strangers: what comes out has a limit, too."""
_LONGEST: Final = 400


@dataclass
class _Target:
    needs: list[str] = field(default_factory=list)
    """What it depends on."""
    recipe: str = ""


def make_commands(files: Files) -> list[Command]:
    """`make test`, lint and types. Empty: there is no such target, or it would fetch things by itself."""
    targets = _targets(files)
    if "test" not in targets:
        return []
    found = [Command(purpose=Purpose.TEST, command="make test")]
    if "lint" in targets:
        found.append(Command(purpose=Purpose.LINT, command="make lint"))
    if kind := next((name for name in TYPE_NAMES if name in targets), None):
        found.append(Command(purpose=Purpose.TYPES, command=f"make {kind}"))
    return found


def names_lost_file(files: Files) -> bool:
    """Whether `make test` runs a Python file that the repository no longer has, or activates a virtual environment: the
    first is out of date, the second counts on a set-up by hand, and ours is active already."""
    named = _RUN_FILE.findall(_targets(files).get("test", _Target()).recipe)
    return any(path.removeprefix("./") not in files for path in named)


def fetches(files: Files) -> bool:
    """Whether `make test`, or what it depends on, would set things up by itself, from the network."""
    targets, left, seen = _targets(files), ["test"], set[str]()
    while left:
        name = left.pop()
        if name in targets and name not in seen:
            seen.add(name)
            left += targets[name].needs
    return any(_OWN_SET_UP.search(targets[name].recipe) for name in seen)


def has_target(files: Files, target: str) -> bool:
    return target in _targets(files)


def _targets(files: Files) -> dict[str, _Target]:
    text = next((files[name] for name in MAKEFILES if name in files), "")
    variables = _variables(text)
    found: dict[str, _Target] = {}
    now: list[str] = []
    for line in text.splitlines():
        filled = _filled(line, variables)
        if line.lstrip("\t @").startswith("#"):
            continue
        if line.startswith("\t"):
            for name in now:
                found[name].recipe += f"{filled}\n"
                found[name].needs += _called(filled)
        elif (rule := _RULE.match(filled)) is not None:
            now = [name for name in rule[1].split() if not _SPECIAL.match(name)]
            for name in now:
                found.setdefault(name, _Target()).needs += rule[2].partition("#")[0].split()
        elif line.strip():
            now = []
    return found


def _called(line: str) -> list[str]:
    """The targets that make is called with again, in the same folder."""
    words = [found[1].split() for found in _CALLED.finditer(line)]
    return [word for call in words if not any(word.startswith("-C") for word in call) for word in call]


def _variables(text: str) -> dict[str, str]:
    found = {one[1]: one[2][:_LONGEST].strip() for one in _VARIABLE.finditer(text)}
    for _ in range(_DEEPEST):
        found = {name: _filled(value, found) for name, value in found.items()}
    return found


def _filled(line: str, variables: dict[str, str]) -> str:
    """The line with the variables whose values stand in the Makefile."""
    if "$" not in line:
        return line
    return _USED.sub(lambda used: variables.get(used[1], used[0]), line[:_LONGEST])[:_LONGEST]
