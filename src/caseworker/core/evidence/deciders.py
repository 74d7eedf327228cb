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
from caseworker.core.evidence.build_file_deciders import cmake_parts, meson_parts, vite_parts
from caseworker.core.evidence.jvm_deciders import gradle_parts, maven_parts
from caseworker.core.evidence.plain_fixtures import only_adds_fixtures

Texts = Mapping[str, str | None]
_MAKEFILES: Final = frozenset({"Makefile", "makefile", "GNUmakefile"})
_IN_PARTS: Final = _MAKEFILES | {
    *("package.json", "composer.json", "deno.json", "pyproject.toml", "setup.cfg", "Cargo.toml"),
    *("pom.xml", "build.gradle", "build.gradle.kts", "CMakeLists.txt", "meson.build"),
    *(f"vite.config.{ending}" for ending in ("ts", "mts", "cts", "js", "mjs", "cjs")),
}
"""Files that hold other things as well."""
_WHOLE_FILES: Final = re.compile(
    r"conftest\.py|sitecustomize\.py|usercustomize\.py|\.?pytest\.(?:ini|toml)|tox\.ini|noxfile\.py|\.coveragerc"
    r"|(?:jest|vitest|karma|playwright|cypress|wdio)(?:\.\w+)?\.(?:config|conf)(?:\.\w+)?\.\w+|jest\.config\.\w+"
    r"|\.mocharc(?:\.\w+)?|ava\.config\.\w+|phpunit\.xml(?:\.dist)?|\.rspec|Rakefile|nextest\.toml|justfile|Taskfile\.ya?ml"
    r"|\.gitlab-ci\.yml|\.travis\.yml|Jenkinsfile|azure-pipelines\.ya?ml|appveyor\.yml|bitbucket-pipelines\.yml"
    r"|\.pre-commit-config\.yaml|\.caseworker\.toml|[\w.-]{1,100}\.mk|run[_-]?tests?(?:\.\w+)?"
    r"|\.npmrc|\.yarnrc(?:\.yml)?|babel\.config\.\w+|\.babelrc(?:\.\w+)?|bunfig\.toml|vitest\.workspace\.\w+"
    r"|(?:jest|vitest)[.-]setup\.\w+|setupTests\.\w+|(?:spec|rails|test)_helper\.(?:rb|exs)|mvnw|gradlew"
    r"|junit-platform\.properties|\.taprc|mocha\.opts|hatch\.toml"
)
_WHOLE_PATHS: Final = re.compile(
    r"(?:.{0,300}/)?\.cargo/config(?:\.toml)?|(?:.{0,300}/)?\.mvn/[\w.-]{1,40}\.config|(?:.{0,300}/)?tests?/bootstrap\.php"
    r"|(?:.{0,300}/)?(?:scripts?|bin|ci|\.ci|tools)/(?:tests?|check|ci)(?:\.\w{1,5})?"
)
_RUNNERS: Final = frozenset(
    {
        *("pytest", "_pytest", "pluggy", "nose", "nose2", "hypothesis", "coverage", "sitecustomize", "unittest"),
        *("iniconfig", "packaging", "pygments", "exceptiongroup", "tomli", "attr", "attrs", "colorama", "py", "mock"),
        *("xdist", "execnet", "pytest_asyncio", "pytest_cov", "pytest_mock", "anyio", "sortedcontainers"),
    }
)
"""Runners of Python, and what they load themselves: a module of that name at the root comes first."""
_CI_FOLDERS: Final = ("/.github/workflows/", "/.github/actions/", "/.circleci/", "/.buildkite/")
_TEST_WORD: Final = re.compile(
    r"(?:^|[^a-z])(?:tests?|check|verify|ci|lint|types?|typecheck|mypy|tsc)(?:$|[^a-z])", re.I
)
_SCRIPT_RUNNERS: Final = frozenset(
    {"run", "run-script", "run-s", "run-p", "npm-run-all", "yarn", "pnpm", "bun", "task"}
)
_PACKAGE_KEYS: Final = ("jest", "vitest", "mocha", "ava", "tap", "c8", "nyc")
_TOML_TABLES: Final = ("pytest", "coverage", "tox", "nox")
_TASKS: Final = {"hatch": "envs", "pdm": "scripts", "poe": "tasks", "taskipy": "tasks"}
_CARGO_KEYS: Final = ("path", "test", "doctest", "harness", "required-features")
_INI_SECTION: Final = re.compile(r"^\[(?P<name>[^\]\n]{1,100})\]", re.MULTILINE)
_SPECIAL_TARGETS: Final = frozenset({".IGNORE", ".ONESHELL", ".POSIX", ".DEFAULT"})
_SPECIAL_VARIABLES: Final = frozenset({"SHELL", ".SHELLFLAGS", "MAKEFLAGS", "PATH", "PYTHONPATH", "PYTEST_ADDOPTS"})
_VARIABLE: Final = re.compile(r"(?P<name>[\w.-]{1,80})\s{0,20}(?:[:?+!]|::)?=")
_USE: Final = re.compile(r"\$(?:[({](?P<name>[\w.-]{1,80})|(?P<letter>\w))")
_MAX_TEXT: Final = 500_000
_RULE: Final = re.compile(r"^(?P<targets>[\w./%-][\w./% -]{0,200}?)\s{0,20}::?(?!=)(?P<needs>[^\n#]{0,500})")


def may_decide(path: str) -> bool:
    """Whether its contents have to be compared."""
    return PurePosixPath(path).name in _IN_PARTS or _is_whole(path) or _stands_in(path)


def changed_deciders(before: Texts, after: Texts) -> list[str]:
    """A sentence for each change. `before`, `after`: texts of changed files; null: too large to be read; missing: there
    is no such file."""
    return [sentence for path in sorted({*before, *after}) for sentence in _changes_of(path, before, after)]


def _is_whole(path: str) -> bool:
    is_ci = any(folder in f"/{path}" for folder in _CI_FOLDERS)
    is_named = _WHOLE_FILES.fullmatch(PurePosixPath(path).name[-200:]) or _WHOLE_PATHS.fullmatch(path[-400:])
    return is_ci or is_named is not None


def _stands_in(path: str) -> bool:
    """Whether Python, started in the repository, finds it in the place of its own module or of a runner's."""
    return _top(path) in sys.stdlib_module_names | _RUNNERS


def _top(path: str) -> str:
    """The name under which Python imports a file at the root of the repository. Empty: it is not a module there."""
    parts = PurePosixPath(path).parts
    is_module = (len(parts) == 1 and path.endswith(".py")) or parts[1:] == ("__init__.py",)
    return parts[0].removesuffix(".py") if is_module else ""


def _changes_of(path: str, before: Texts, after: Texts) -> Iterator[str]:
    old, new = before.get(path, ""), after.get(path, "")
    if not may_decide(path) or (old == new and (path in before) == (path in after)):
        return
    if path in before and not _is_whole(path) and _top(path) in sys.stdlib_module_names - _RUNNERS:
        return  # it was in the way of Python's own module before the change: a part of the program like others
    if old is None or new is None or max(len(old), len(new)) > _MAX_TEXT:
        yield f"{code(path)} decides about tests, and is too large to be compared: look at it."
    elif _is_whole(path) or _stands_in(path):
        is_conftest = PurePosixPath(path).name == "conftest.py"
        if is_conftest and path in after and only_adds_fixtures(old, new):
            return
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
    settings: list[str] = []
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
            settings.append(line.strip())
    deciding = {name for name in recipes if _TEST_WORD.search(name) or name in _SPECIAL_TARGETS}
    waiting = list(deciding)
    while waiting:
        for name in needs.get(waiting.pop(), set()) & recipes.keys() - deciding:
            deciding.add(name)
            waiting.append(name)
    parts = {f"the target {code(name)}": recipes[name] for name in deciding}
    used = _used_settings(settings, "\n".join(parts.values()))
    return parts | ({"the settings": "\n".join(used)} if used and deciding else {})


def _used_settings(settings: list[str], recipes: str) -> list[str]:
    """The settings, except for plain variables that neither these recipes nor other settings use."""
    plain = {line: found["name"] for line in settings if (found := _VARIABLE.match(line)) is not None}
    others = [line for line in settings if line not in plain or plain[line] in _SPECIAL_VARIABLES]
    used: set[str] = set()
    waiting = [recipes, *others]
    while waiting:
        names = {_either(found) for found in _USE.finditer(waiting.pop())} - used
        used |= names
        waiting += [line for line, name in plain.items() if name in names]
    return [line for line in settings if line in others or plain.get(line) in used]


def _either(found: re.Match[str]) -> str:
    return found["name"] or found["letter"]


def _package_parts(text: str) -> dict[str, str]:
    try:
        package = json.loads(text)
    except (ValueError, RecursionError):
        return {"the text": text}
    if not isinstance(package, dict):
        return {}
    scripts = {**_table(package, "scripts"), **_table(package, "tasks")}
    parts = {f"the key {code(key)}": json.dumps(package[key]) for key in _PACKAGE_KEYS if key in package}
    return parts | {f"the script {code(name)}": str(scripts[name]) for name in _deciding_scripts(scripts)}


def _deciding_scripts(scripts: dict[str, object]) -> set[str]:
    """The scripts that test, and those that they run."""
    found = {name for name in scripts if _TEST_WORD.search(name) or name.startswith(("pretest", "posttest"))}
    waiting = list(found)
    while waiting:
        for call in re.split(r"[;&|]", str(scripts[waiting.pop()])):
            words = set(call.replace('"', " ").replace("'", " ").split())
            run = words & scripts.keys() - found if words & _SCRIPT_RUNNERS else set()
            found |= run
            waiting += run
    return found


def _toml_parts(text: str) -> dict[str, str]:
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {"the text": text}
    project = _table(table, "project")
    parts = {f"the table {code(f'tool.{name}')}": repr(value) for name, value in _tools(_table(table, "tool"))}
    if "pytest11" in (plugins := _table(project, "entry-points")):
        parts["the plugins of pytest"] = repr(plugins["pytest11"])
    targets = ((kind, _target_keys(table[kind])) for kind in ("test", "lib", "bin", "bench") if kind in table)
    profiles = ((f"profile.{name}", value) for name, value in _table(table, "profile").items() if name != "release")
    return parts | {f"the table {code(key)}": repr(value) for key, value in (*targets, *profiles) if value}


def _table(of: dict[str, object], key: str) -> dict[str, object]:
    value = of.get(key)
    return value if isinstance(value, dict) else {}


def _tools(tool: dict[str, object]) -> Iterator[tuple[str, object]]:
    """The tables that decide. Of tools that do other things as well, what they run, without what they install."""
    for name in _TOML_TABLES:
        if name in tool:
            yield name, tool[name]
    for name, key in _TASKS.items():
        if key in (tasks := _table(tool, name)):
            yield f"{name}.{key}", _without_dependencies(tasks[key])


def _without_dependencies(value: object, depth: int = 6) -> object:
    if not isinstance(value, dict) or depth == 0:
        return value
    kept = {key: one for key, one in value.items() if not key.endswith("dependencies") and key != "python"}
    return {key: _without_dependencies(one, depth - 1) for key, one in kept.items()}


def _target_keys(value: object) -> list[dict[str, object]]:
    """Of targets of Cargo: whether and how they are tested."""
    found = value if isinstance(value, list) else [value]
    kept = [{key: one[key] for key in _CARGO_KEYS if key in one} for one in found if isinstance(one, dict)]
    return [one for one in kept if one]


def _ini_parts(text: str) -> dict[str, str]:
    starts = [*_INI_SECTION.finditer(text)]
    ends = [*(start.start() for start in starts), len(text)][1:]
    sections = {start["name"]: text[start.end() : end].strip() for start, end in zip(starts, ends, strict=True)}
    deciding = {name: body for name, body in sections.items() if any(word in name for word in _TOML_TABLES)}
    return {f"the section {code(name)}": body for name, body in deciding.items()}


_PARTS: Final = {
    "make": _make_parts,
    ".json": _package_parts,
    ".toml": _toml_parts,
    ".cfg": _ini_parts,
    ".xml": maven_parts,
    ".gradle": gradle_parts,
    ".kts": gradle_parts,
    ".txt": cmake_parts,
    ".build": meson_parts,
    **dict.fromkeys((".ts", ".mts", ".cts", ".js", ".mjs", ".cjs"), vite_parts),
}
