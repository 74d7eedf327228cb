"""The parts of a plan: what was found in a repository, the tools it wants, and the commands that set up and test it."""

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.text import code
from caseworker.core.evidence.builds import Command, Purpose

Files = Mapping[str, str]
"""Every tracked path. Contents only of files that tell how to build (`read_paths`); empty for all others."""


class Wanted(BaseModel):
    """A tool that a repository needs."""

    model_config = ConfigDict(frozen=True)
    name: str
    """The program, as it is typed."""
    versions: str = ""
    """Which versions will do, as the repository writes it. Empty: any."""
    because: str
    """The file that says so."""
    provided: bool = False
    """The set-up gets it from a registry where it is missing."""


class Ecosystem(BaseModel):
    """What one rule found."""

    model_config = ConfigDict(frozen=True)
    name: str
    because: str
    """The files by which it was recognised, for people."""
    commands: tuple[Command, ...]
    wanted: tuple[Wanted, ...] = ()


class Plan(BaseModel):
    model_config = ConfigDict(frozen=True)
    source: Literal["settings", "recipe", "rules"]
    """Who said how to test: `.caseworker.toml`, a recipe that was learned or edited, or the rules."""
    ecosystems: tuple[Ecosystem, ...] = ()
    commands: tuple[Command, ...] = ()
    """In the order to run them."""
    note: str = ""
    """What a recipe says of itself: "Learned: ...", if a model proposed it."""

    @property
    def recipe(self) -> str:
        """Where the commands come from, if that is a recipe, as a part of a sentence. Empty: it is not."""
        if self.source != "recipe":
            return ""
        said = f" (it says {code(self.note)})" if self.note else ""
        return f"a recipe that is kept outside of the repository{said}"

    @property
    def set_up(self) -> tuple[Command, ...]:
        return tuple(one for one in self.commands if one.purpose is Purpose.SETUP)

    @property
    def check_lines(self) -> tuple[str, ...]:
        """What agents are told to run. Not the set-up: the environment is there, and an agent has no network."""
        return tuple(one.command for one in self.commands if one.purpose is not Purpose.SETUP)

    @property
    def tests(self) -> tuple[Command, ...]:
        return tuple(one for one in self.commands if one.purpose is Purpose.TEST)


def set_up(*lines: str) -> tuple[Command, ...]:
    return tuple(Command(purpose=Purpose.SETUP, command=line) for line in lines)


def test(*lines: str) -> tuple[Command, ...]:
    return tuple(Command(purpose=Purpose.TEST, command=line) for line in lines)


test.__test__ = False  # type: ignore[attr-defined]  # not a test of pytest's


def named(files: Files, *names: str) -> str:
    """Those of the files that are there, for people: "pyproject.toml and uv.lock"."""
    there = [name for name in names if name in files]
    return " and ".join([", ".join(there[:-1]), there[-1]]) if len(there) > 1 else "".join(there)
