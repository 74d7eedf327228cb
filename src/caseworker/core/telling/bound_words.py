"""What a case is bound to: its base, its environment, the commands that test it, and the settings that count."""

from typing import Final

from caseworker.core.base.budget import dollars
from caseworker.core.base.ids import Sha
from caseworker.core.base.policy import Policy
from caseworker.core.base.text import code
from caseworker.core.evidence.builds import Build, Command, CommandRun, Purpose

_RENEWED: Final = "Models and limits of time are those of the settings of today; they are read again at the next step."
_OF_REPOSITORY: Final = "what the base says (`.caseworker.toml`, or the rules)"


def bound_words(policy: Policy, *, base: Sha | None, cap: int, build: Build | None) -> list[str]:
    """`cap`: micro-dollars that it may cost. `build`: the newest one. Null: nothing was built yet."""
    lines = [f"Base: commit {base[:12]}."] if base else []
    if build is not None:
        lines += _built(build)
    approval = "the plan needs an approval" if policy.approve_plan else "the plan needs no approval"
    agreed = f"at most {dollars(cap)}, {policy.attempts} attempts a round, {approval}"
    return [*lines, f"Settings that it keeps: {agreed}. {_RENEWED}"]


def _built(build: Build) -> list[str]:
    every: list[Command | CommandRun] = [*build.runs, *build.not_run]
    made = list(dict.fromkeys(one.command for one in every if one.purpose is Purpose.SETUP))
    others = list(dict.fromkeys(one.command for one in every if one.purpose is not Purpose.SETUP))
    source = build.recipe or _OF_REPOSITORY
    environment = (
        f"Environment: made by {_listed(made)}." if made else "Environment: the system's own; nothing is set up."
    )
    return [environment, *([f"Commands: {_listed(others)}, from {source}."] if others else [])]


def _listed(lines: list[str]) -> str:
    return ", ".join(code(line) for line in lines)
