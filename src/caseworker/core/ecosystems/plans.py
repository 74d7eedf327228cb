"""Finds how a repository is set up and tested, from its files. Runs nothing.

Commands in `.caseworker.toml` come first, then a recipe that was learned or written by hand, then the rules of the
repository's ecosystems. A Makefile's `test` is how its authors test, and does not make the set-up needless. Linters are
only run if the repository names a command for them: one that is not installed would make every build red.
"""

from collections.abc import Callable
from typing import Final, Literal

from caseworker.core.ecosystems import small_rules
from caseworker.core.ecosystems.c_project import C_WITH_CMAKE, C_WITH_MESON, find_c
from caseworker.core.ecosystems.make_targets import fetches, make_commands, names_lost_file
from caseworker.core.ecosystems.node_project import find_node
from caseworker.core.ecosystems.plan_parts import Ecosystem, Files, Plan
from caseworker.core.ecosystems.project_files import RECIPE_FILE
from caseworker.core.ecosystems.python_project import PYTHON, find_python, has_only_scripts
from caseworker.core.ecosystems.recipes import recipe_note, written_commands
from caseworker.core.evidence.builds import Command, Purpose
from caseworker.core.evidence.repository_rules import SETTINGS_FILE

_RULES: Final[tuple[Callable[[Files], Ecosystem | None], ...]] = (
    find_node,
    find_python,
    small_rules.find_go,
    small_rules.find_rust,
    small_rules.find_maven,
    small_rules.find_elixir,
    small_rules.find_deno,
    small_rules.find_gradle,
    small_rules.find_dotnet,
    small_rules.find_ruby,
    small_rules.find_php,
    find_c,
)


def find_plan(files: Files) -> Plan:
    found = tuple(one for rule in _RULES if (one := rule(files)) is not None)
    sources: tuple[tuple[str, Literal["settings", "recipe"]], ...]
    sources = ((SETTINGS_FILE, "settings"), (RECIPE_FILE, "recipe"))
    for file, source in sources:
        if (written := written_commands(files, file)) is not None:
            # Without a set-up in the file, that of the rules stays; an empty one means none.
            kept = [] if Purpose.SETUP in written else _of(found, Purpose.SETUP)
            every = [*kept, *(command for commands in written.values() for command in commands)]
            note = recipe_note(files[file]) if source == "recipe" else ""
            return Plan(source=source, ecosystems=found, commands=_in_order(every), note=note)
    made = make_commands(files)
    # CMake and Meson count each test; a Makefile beside them often runs an example only.
    counts = any(one.name in (C_WITH_CMAKE, C_WITH_MESON) for one in found)
    unfit = fetches(files) or names_lost_file(files)
    if made and not counts and not (unfit and _of(found, Purpose.TEST)):
        return Plan(source="rules", ecosystems=found, commands=(*_of(found, Purpose.SETUP), *made))
    if len(found) > 1 and has_only_scripts(files):
        found = tuple(one for one in found if one.name != PYTHON)
    return Plan(source="rules", ecosystems=found, commands=_in_order([one for rule in found for one in rule.commands]))


def _of(found: tuple[Ecosystem, ...], purpose: Purpose) -> list[Command]:
    return [one for rule in found for one in rule.commands if one.purpose is purpose]


def _in_order(commands: list[Command]) -> tuple[Command, ...]:
    return tuple(command for purpose in Purpose for command in commands if command.purpose is purpose)
