"""Reads the commands that a repository or a person has written down: `[commands]` in `.caseworker.toml` or a recipe."""

import tomllib
from collections.abc import Iterable
from itertools import takewhile

from caseworker.core.base.errors import Refused
from caseworker.core.base.toml_lines import likely, line_of
from caseworker.core.ecosystems.plan_parts import Files
from caseworker.core.evidence.builds import Command, Purpose
from caseworker.core.evidence.repository_rules import SETTINGS_FILE

_PURPOSES = {"setup": Purpose.SETUP, "test": Purpose.TEST, "lint": Purpose.LINT, "types": Purpose.TYPES}


def written_commands(files: Files, file: str) -> dict[Purpose, list[Command]] | None:
    """By purpose, only those that are named. Null: the file is not there, or says nothing of commands."""
    text = files.get(file)
    if text is None:
        return None
    name = file if file == SETTINGS_FILE else "The recipe"
    try:
        table = tomllib.loads(text).get("commands")
    except tomllib.TOMLDecodeError as error:
        raise Refused(f"{name} is not valid TOML: {error}.") from None
    if table is None:
        return None
    mistake = _Mistake(name, text)
    if not isinstance(table, dict):
        raise mistake.told("commands", "must be a table", 'Write [commands], and below it test = "make check".')
    for key in table:
        if key not in _PURPOSES:
            meant = likely(key, _PURPOSES)
            todo = f"Did you mean {meant}?" if meant else f"Known are: {', '.join(_PURPOSES)}."
            raise mistake.told(key, "is not known in [commands]", todo)
    return {
        purpose: [Command(purpose=purpose, command=line) for line in _lines(mistake, key, table[key])]
        for key, purpose in _PURPOSES.items()
        if key in table
    }


def recipe_text(commands: Iterable[Command], *, comment: str = "") -> str:
    """The same commands as a file that `written_commands` reads."""
    lines = [f"# {line}" for line in comment.splitlines()] + ["[commands]"]
    every = list(commands)
    for key, purpose in _PURPOSES.items():
        found = [one.command for one in every if one.purpose is purpose]
        if found:
            lines.append(
                f"{key} = [{', '.join(map(_quoted, found))}]" if len(found) > 1 else f"{key} = {_quoted(found[0])}"
            )
    return "\n".join(lines) + "\n"


def recipe_note(text: str) -> str:
    """The comment at its head, on one line."""
    lines = takewhile(lambda line: line.startswith("#"), text.splitlines())
    return " ".join(line.lstrip("# ").strip() for line in lines).rstrip(".")


def _quoted(text: str) -> str:
    if "'" not in text and text.isprintable():
        return f"'{text}'"
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


class _Mistake:
    def __init__(self, name: str, text: str) -> None:
        self._name = name
        self._text = text

    def told(self, key: str, what: str, todo: str) -> Refused:
        line = line_of(self._text, ["commands", key] if key != "commands" else [key])
        place = f", line {line}" if line is not None else ""
        return Refused(f"{self._name}{place}: `{key}` {what}.", todo=todo)


def _lines(mistake: _Mistake, key: str, value: object) -> list[str]:
    lines = [value] if isinstance(value, str) else value
    if isinstance(lines, list) and all(isinstance(line, str) and line.strip() for line in lines):
        return [line.strip() for line in lines]
    raise mistake.told(key, "must be a command or a list of commands", f'For example: {key} = "make {key}".')
