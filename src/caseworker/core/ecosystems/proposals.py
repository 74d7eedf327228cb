"""A recipe that a model proposes: its shape, what it is asked from, and which proposals are not even tried."""

import re
from collections.abc import Iterable
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from caseworker.core.ecosystems.recipes import recipe_text
from caseworker.core.evidence.builds import Command, Purpose

_MOST_LINES: Final = 12
_LONGEST: Final = 600
_TELLS: Final = re.compile(
    r"\.github/workflows/[^/]+\.ya?ml|\.gitlab-ci\.yml|\.circleci/config\.yml|\.travis\.yml|azure-pipelines\.yml"
    r"|(?:docs/|\.github/)?CONTRIBUTING(?:\.\w{1,4})?|README(?:\.\w{1,4})?|DEVELOP\w{0,8}(?:\.\w{1,4})?|HACKING(?:\.\w{1,4})?"
    r"|Dockerfile|justfile|Taskfile\.ya?ml|GNUmakefile|makefile|Makefile|tox\.ini|noxfile\.py|package\.json|pyproject\.toml"
    r"|setup\.(?:py|cfg)|CMakeLists\.txt",
    re.IGNORECASE,
)


class Proposal(BaseModel):
    model_config = ConfigDict(frozen=True)
    setup: list[str] = Field(max_length=_MOST_LINES)
    test: list[str] = Field(max_length=_MOST_LINES)
    why: str = Field(max_length=1_000)

    @property
    def commands(self) -> tuple[Command, ...]:
        lines = [(Purpose.SETUP, line) for line in self.setup] + [(Purpose.TEST, line) for line in self.test]
        return tuple(Command(purpose=purpose, command=line.strip()) for purpose, line in lines if line.strip())

    @property
    def problem(self) -> str:
        """Why it is not tried. Empty: it may be."""
        if not any(one.purpose is Purpose.TEST for one in self.commands):
            return "it names no test command"
        if any(len(one.command) > _LONGEST or "\n" in one.command for one in self.commands):
            return "a command of it is longer than a line"
        return ""

    def as_recipe(self) -> str:
        return recipe_text(self.commands, comment=f"Learned: {' '.join(self.why.split())}"[:300])


def telling_files(paths: Iterable[str]) -> list[str]:
    """Files in which people wrote how to build and test."""
    return sorted(path for path in paths if _TELLS.fullmatch(path))
