"""Finds changes of what linters and type checkers accept: their settings, in files of their own or beside others.

They decide only where a build runs such a command, which the caller knows.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Final

from caseworker.core.base.text import code
from caseworker.core.evidence.test_places import is_in_a_test_place

Texts = Mapping[str, str | None]
_MAX_TEXT: Final = 500_000
_WHOLE_FILES: Final = re.compile(
    r"\.?ruff\.toml|\.?mypy\.ini|\.flake8|\.?pylintrc(?:\.toml)?|pyrightconfig\.json|eslint\.config\.\w{1,5}"
    r"|\.eslintrc(?:\.\w{1,5})?|\.eslintignore|biome\.jsonc?|\.oxlintrc\.json|\.golangci\.\w{1,5}|\.?clippy\.toml"
    r"|\.rubocop(?:_todo)?\.yml|phpstan\.neon(?:\.dist)?|psalm\.xml(?:\.dist)?|checkstyle\.xml|detekt\.yml|\.swiftlint\.yml"
)
_TYPESCRIPT: Final = re.compile(r"tsconfig(?:\.[\w-]{1,40}){0,2}\.json")
_IN_PARTS: Final = frozenset({"pyproject.toml", "Cargo.toml", "setup.cfg", "package.json"})
_TOOLS: Final = ("ruff", "mypy", "pyright", "basedpyright", "pylint", "flake8", "ty", "pyrefly")
_SECTION: Final = re.compile(r"^\[(?P<name>[^\]\n]{1,100})\]", re.MULTILINE)
_OF_LINTERS: Final = re.compile(r"mypy|flake8|pylint|pycodestyle|pydocstyle")
_SCRIPT_KEYS: Final = ("eslintConfig", "eslintIgnore", "xo", "standard")
_STRICT: Final = re.compile(
    r"strict\w{0,40}|no(?:Implicit|Unused|Unchecked|Fallthrough|PropertyAccess|Emit)\w{0,40}|allow(?:Un|Js)\w{0,40}"
    r"|checkJs|skip(?:Default)?LibCheck|exactOptional\w{0,40}|isolatedDeclarations|useUnknownIn\w{0,40}"
)
"""Options for what TypeScript's compiler checks. Others say what it writes, and are not compared."""
_SCOPE: Final = ("extends", "include", "exclude", "files")
_COMMENT: Final = re.compile(r"^\s{0,200}//[^\n]{0,1000}$", re.MULTILINE)
_LAST_COMMA: Final = re.compile(r",(?=\s{0,200}[}\]])")


def may_set_lint(path: str) -> bool:
    name = PurePosixPath(path).name[-200:]
    return name in _IN_PARTS or _is_whole(name) or _TYPESCRIPT.fullmatch(name) is not None


def changed_lint_settings(before: Texts, after: Texts) -> list[str]:
    """A sentence for each change. `before`, `after`: as of `changed_deciders`."""
    paths = sorted(path for path in {*before, *after} if may_set_lint(path))
    return [sentence for path in paths for sentence in _changes_of(path, before, after)]


def _is_whole(name: str) -> bool:
    return _WHOLE_FILES.fullmatch(name) is not None


def _changes_of(path: str, before: Texts, after: Texts) -> Iterator[str]:
    old, new = before.get(path, ""), after.get(path, "")
    decides = f"{code(path)}, which decides what linters and type checkers accept,"
    if old is None or new is None or max(len(old), len(new)) > _MAX_TEXT:
        yield f"{decides} was changed, and is too large to be compared: look at it."
        return
    name = PurePosixPath(path).name
    if not _is_whole(name) and (is_in_a_test_place(path) or path not in before):
        return  # a project that tests read, or a new one
    if _is_whole(name) or (_TYPESCRIPT.fullmatch(name) and path not in after):
        if old != new:
            how = "added" if path not in before else "deleted" if path not in after else "changed"
            yield f"{decides} was {how}."
        return
    was, now = _parts(name, old), _parts(name, new)
    for part in sorted(was.keys() | now.keys()):
        if was.get(part) != now.get(part):
            how = "removed" if part not in now else "added" if part not in was else "changed"
            yield f"{part[0].upper()}{part[1:]} of {decides} was {how}."


def _parts(name: str, text: str) -> dict[str, str]:
    if not text.strip():
        return {}
    try:
        if name.endswith(".toml"):
            return {f"the table {code(key)}": repr(value) for key, value in _tables(tomllib.loads(text))}
        if name == "package.json":
            keys = _mapping(json.loads(text))
            return {f"the key {code(key)}": repr(keys[key]) for key in _SCRIPT_KEYS if key in keys}
        if name.endswith(".json"):
            return _typescript_parts(_mapping(json.loads(_LAST_COMMA.sub("", _COMMENT.sub("", text)))))
    except (ValueError, RecursionError):
        return {}  # it can't be read: another rule tells of a broken manifest, and a tool refuses it
    return _sections(text)


def _tables(manifest: dict[str, object]) -> Iterator[tuple[str, object]]:
    tool = _mapping(manifest.get("tool"))
    yield from ((f"tool.{name}", tool[name]) for name in _TOOLS if name in tool)
    if "lints" in manifest:
        yield "lints", manifest["lints"]
    if "lints" in (workspace := _mapping(manifest.get("workspace"))):
        yield "workspace.lints", workspace["lints"]


def _typescript_parts(settings: dict[str, object]) -> dict[str, str]:
    options = _mapping(settings.get("compilerOptions"))
    strict = {key: options[key] for key in sorted(options) if _STRICT.fullmatch(key)}
    parts = {f"the option {code(key)}": repr(value) for key, value in strict.items()}
    return parts | {f"the key {code(key)}": repr(settings[key]) for key in _SCOPE if key in settings}


def _sections(text: str) -> dict[str, str]:
    starts = [*_SECTION.finditer(text)]
    ends = [*(start.start() for start in starts[1:]), len(text)]
    bodies = {start["name"]: text[start.end() : end].strip() for start, end in zip(starts, ends, strict=True)}
    return {f"the section {code(name)}": body for name, body in bodies.items() if _OF_LINTERS.search(name)}


def _mapping(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}
