"""Finds changes of what decides whether tests pass: test targets, scripts, and configuration of runners and CI.

Texts are compared as they are; nothing is run. In files that hold other things as well, only the deciding parts count.
"""

import json
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Final

from caseworker.core.base.text import code

Texts = Mapping[str, str | None]
_MAKEFILES: Final = frozenset({"Makefile", "makefile", "GNUmakefile"})
_WHOLE_FILES: Final = re.compile(
    r"conftest\.py|sitecustomize\.py|usercustomize\.py|\.?pytest\.(?:ini|toml)|tox\.ini|noxfile\.py|\.coveragerc"
    r"|(?:jest|vitest|karma|playwright|cypress|wdio)(?:\.\w+)?\.(?:config|conf)(?:\.\w+)?\.\w+|jest\.config\.\w+"
    r"|\.mocharc(?:\.\w+)?|ava\.config\.\w+|phpunit\.xml(?:\.dist)?|\.rspec|Rakefile|nextest\.toml|justfile|Taskfile\.ya?ml"
    r"|\.gitlab-ci\.yml|\.travis\.yml|Jenkinsfile|azure-pipelines\.ya?ml|appveyor\.yml|bitbucket-pipelines\.yml"
    r"|\.pre-commit-config\.yaml|\.caseworker\.toml|[\w.-]{1,100}\.mk|run[_-]?tests?(?:\.\w+)?"
    r"|\.npmrc|\.yarnrc(?:\.yml)?|babel\.config\.\w+|\.babelrc(?:\.\w+)?"
)
_WHOLE_PATHS: Final = re.compile(
    r"(?:.{0,300}/)?\.cargo/config(?:\.toml)?|(?:.{0,300}/)?(?:scripts?|bin|ci|\.ci|tools)/(?:tests?|check|ci)(?:\.\w{1,5})?"
)
_RUNNERS: Final = frozenset({"pytest", "_pytest", "pluggy", "nose", "nose2", "hypothesis", "coverage", "sitecustomize"})
_CI_FOLDERS: Final = ("/.github/workflows/", "/.github/actions/", "/.circleci/", "/.buildkite/")
_TEST_WORD: Final = re.compile(
    r"(?:^|[^a-z])(?:tests?|check|verify|ci|lint|types?|typecheck|mypy|tsc)(?:$|[^a-z])", re.I
)
_PACKAGE_KEYS: Final = ("jest", "vitest", "mocha", "ava", "tap", "c8", "nyc")
_TOML_TABLES: Final = ("pytest", "coverage", "tox", "nox", "hatch", "pdm", "poe", "taskipy")
_INI_SECTION: Final = re.compile(r"^\[(?P<name>[^\]\n]{1,100})\]", re.MULTILINE)
_MAX_TEXT: Final = 500_000
_RULE: Final = re.compile(r"^(?P<targets>[\w./%-][\w./% -]{0,200}?)\s{0,20}::?(?!=)(?P<needs>[^\n#]{0,500})")


def may_decide(path: str) -> bool:
    """Whether its contents have to be compared."""
    name = PurePosixPath(path).name
    named = name in _MAKEFILES or name in ("package.json", "composer.json", "pyproject.toml", "setup.cfg", "Cargo.toml")
    return named or _is_whole(path)


def changed_deciders(before: Texts, after: Texts) -> list[str]:
    """A sentence for each change. `before`, `after`: texts of changed files; null: too large to be read; missing: there
    is no such file."""
    return [sentence for path in sorted({*before, *after}) for sentence in _changes_of(path, before, after)]


def _is_whole(path: str) -> bool:
    is_ci = any(folder in f"/{path}" for folder in _CI_FOLDERS)
    is_named = _WHOLE_FILES.fullmatch(PurePosixPath(path).name[-200:]) or _WHOLE_PATHS.fullmatch(path[-400:])
    return is_ci or is_named is not None or _stands_in(path)


def _stands_in(path: str) -> bool:
    """Whether Python, started in the repository, finds it in the place of its own module or of a runner's."""
    parts = PurePosixPath(path).parts
    top = parts[0].removesuffix(".py") if parts else ""
    is_module = (len(parts) == 1 and path.endswith(".py")) or parts[1:] == ("__init__.py",)
    return is_module and (top in sys.stdlib_module_names or top in _RUNNERS)


def _changes_of(path: str, before: Texts, after: Texts) -> Iterator[str]:
    old, new = before.get(path, ""), after.get(path, "")
    if not may_decide(path) or (old == new and (path in before) == (path in after)):
        return
    if old is None or new is None or max(len(old), len(new)) > _MAX_TEXT:
        yield f"{code(path)} decides about tests, and is too large to be compared: look at it."
    elif _is_whole(path):
        how = "added" if path not in before else "deleted" if path not in after else "changed"
        yield f"{code(path)}, which decides how tests are run, was {how}."
    else:
        parts_of = _PARTS[PurePosixPath(path).suffix if "." in PurePosixPath(path).name else "make"]
        was, now = parts_of(old), parts_of(new)
        for part in sorted(was.keys() | now.keys()):
            if was.get(part) != now.get(part):
                how = "removed" if part not in now else "added" if part not in was else "changed"
                yield f"{part[0].upper()}{part[1:]} of {code(path)}, which decides how tests are run, was {how}."


def _make_parts(text: str) -> dict[str, str]:
    """The test targets with all that they need, and the variables that they may use."""
    recipes: dict[str, str] = {}
    needs: dict[str, set[str]] = {}
    variables: list[str] = []
    current: list[str] = []
    for line in text.replace("\\\n", " ").split("\n"):
        if line.startswith("\t"):
            for name in current:
                recipes[name] += f"{line.strip()}\n"
        elif (rule := _RULE.match(line)) is not None:
            current = rule["targets"].split()
            for name in current:
                recipes.setdefault(name, "")
                recipes[name] += f"{rule['needs'].strip()}\n"
                needs.setdefault(name, set()).update(rule["needs"].split())
        elif line.strip() and not line.lstrip().startswith("#"):
            current = []
            variables.append(line.strip())
    deciding = {name for name in recipes if _TEST_WORD.search(name)}
    waiting = list(deciding)
    while waiting:
        for name in needs.get(waiting.pop(), set()) & recipes.keys() - deciding:
            deciding.add(name)
            waiting.append(name)
    parts = {f"the target {code(name)}": recipes[name] for name in deciding}
    return parts | ({"the settings": "\n".join(variables)} if variables and deciding else {})


def _package_parts(text: str) -> dict[str, str]:
    try:
        package = json.loads(text)
    except (ValueError, RecursionError):
        return {"the text": text}
    if not isinstance(package, dict):
        return {}
    scripts = package.get("scripts")
    parts = {f"the key {code(key)}": json.dumps(package[key]) for key in _PACKAGE_KEYS if key in package}
    for name, script in scripts.items() if isinstance(scripts, dict) else ():
        if _TEST_WORD.search(name) or name.startswith(("pretest", "posttest")):
            parts[f"the script {code(name)}"] = str(script)
    return parts


def _toml_parts(text: str) -> dict[str, str]:
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {"the text": text}
    tool = table.get("tool", {})
    project = table.get("project", {})
    plugins = project.get("entry-points", {}) if isinstance(project, dict) else {}
    tools = {name: tool[name] for name in _TOML_TABLES if isinstance(tool, dict) and name in tool}
    parts = {f"the table {code(f'tool.{name}')}": repr(value) for name, value in tools.items()}
    targets = {key: table[key] for key in ("test", "lib", "bin", "bench", "profile") if key in table}
    if isinstance(plugins, dict) and "pytest11" in plugins:
        parts["the plugins of pytest"] = repr(plugins["pytest11"])
    return parts | {f"the table {code(key)}": repr(value) for key, value in targets.items()}


def _ini_parts(text: str) -> dict[str, str]:
    starts = [*_INI_SECTION.finditer(text)]
    ends = [*(start.start() for start in starts[1:]), len(text)]
    sections = {start["name"]: text[start.end() : end].strip() for start, end in zip(starts, ends, strict=True)}
    deciding = {name: body for name, body in sections.items() if any(word in name for word in _TOML_TABLES)}
    return {f"the section {code(name)}": body for name, body in deciding.items()}


_PARTS: Final = {"make": _make_parts, ".json": _package_parts, ".toml": _toml_parts, ".cfg": _ini_parts}
