"""Finds the commands that build and test a repository, from its files. Runs nothing.

Commands in `.caseworker.toml` come first; otherwise the conventions of the repository's languages apply. Linters are
only run if the repository names a command for them: one that is not installed would make every build red.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath

from caseworker.core.base.errors import Refused
from caseworker.core.evidence.builds import Command, Purpose

SETTINGS_FILE = ".caseworker.toml"
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
ROOT_FILES = (
    *(SETTINGS_FILE, *_MAKEFILES, "package.json", "deno.json", "pyproject.toml", "setup.cfg", "setup.py", "tox.ini"),
    *("pytest.ini", "requirements.txt", "requirements-dev.txt", "requirements_dev.txt", "dev-requirements.txt"),
    *("test-requirements.txt", "Pipfile", "Gemfile", "Rakefile", "composer.json"),
)
"""Files whose contents are read. For all others the path is enough."""

_PURPOSES = {"setup": Purpose.SETUP, "test": Purpose.TEST, "lint": Purpose.LINT, "types": Purpose.TYPES}
_TYPE_NAMES = ("typecheck", "type-check", "types", "mypy", "tsc")
_RULE = re.compile(r"^([A-Za-z0-9_.\-/ \t]++)::?(?!=)", re.MULTILINE)
_TEST_FILE = re.compile(r"^(test_.*|.*_test)\.py$")
_RUNNERS = (("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("package-lock.json", "npm"))
_INSTALL = {
    "pnpm": "pnpm install --frozen-lockfile",
    "yarn": "yarn install --frozen-lockfile",
    "npm": "npm ci",
}

Files = Mapping[str, str]


def find_commands(files: Files) -> list[Command]:
    """The commands in the order to run them. `files`: every tracked path; contents only of root files, else empty."""
    if (configured := _configured_commands(files)) is not None:
        return configured
    if made := list(_make(files)):
        return made
    found = [command for find in _CONVENTIONS for command in find(files)]
    return [command for purpose in Purpose for command in found if command.purpose is purpose]


# --- .caseworker.toml ------------------------------------------------------------------------------------------------


def _configured_commands(files: Files) -> list[Command] | None:
    text = files.get(SETTINGS_FILE)
    if text is None:
        return None
    try:
        table = tomllib.loads(text).get("commands")
    except tomllib.TOMLDecodeError as error:
        raise Refused(f"{SETTINGS_FILE} is not valid TOML: {error}.") from None
    if table is None:
        return None
    if not isinstance(table, dict):
        raise _invalid(text, "commands", "must be a table", 'Write [commands], and below it test = "make check".')
    for key in table:
        if key not in _PURPOSES:
            raise _invalid(text, key, "is not known in [commands]", f"Known are: {', '.join(_PURPOSES)}.")
    return [
        Command(purpose=purpose, command=line)
        for key, purpose in _PURPOSES.items()
        for line in _configured_lines(text, key, table.get(key, []))
    ]


def _configured_lines(text: str, key: str, value: object) -> list[str]:
    lines = [value] if isinstance(value, str) else value
    if isinstance(lines, list) and all(isinstance(line, str) and line.strip() for line in lines):
        return [line.strip() for line in lines]
    raise _invalid(text, key, "must be a command or a list of commands", f'For example: {key} = "make {key}".')


def _invalid(text: str, key: str, what: str, todo: str) -> Refused:
    start = re.compile(rf"^\s*\[?\s*[\"']?{re.escape(key)}[\"']?\s*[\].=]")
    numbers = [number for number, line in enumerate(text.splitlines(), start=1) if start.match(line)]
    place = f", line {numbers[-1]}" if numbers else ""
    return Refused(f"{SETTINGS_FILE}{place}: `{key}` {what}.", todo=todo)


# --- conventions -----------------------------------------------------------------------------------------------------


def _make(files: Files) -> Iterator[Command]:
    """If a Makefile has a test target, only its targets are used: it is how the authors test."""
    text = next((files[name] for name in _MAKEFILES if name in files), "")
    rules = _RULE.findall(text)
    targets = {name for rule in rules for name in rule.split()}
    if "test" not in targets:
        return
    yield Command(purpose=Purpose.TEST, command="make test")
    if "lint" in targets:
        yield Command(purpose=Purpose.LINT, command="make lint")
    if kind := next((name for name in _TYPE_NAMES if name in targets), None):
        yield Command(purpose=Purpose.TYPES, command=f"make {kind}")


def _node(files: Files) -> Iterator[Command]:
    package = _json_object(files.get("package.json", ""))
    scripts = package.get("scripts")
    if not isinstance(scripts, dict) or not _is_real_script(scripts.get("test")):
        return
    locked = next(((lock, runner) for lock, runner in _RUNNERS if lock in files), None)
    runner = locked[1] if locked else "npm"
    if locked and (package.get("dependencies") or package.get("devDependencies")):
        yield Command(purpose=Purpose.SETUP, command=_INSTALL[runner])
    yield Command(purpose=Purpose.TEST, command=f"{runner} test")
    if _is_real_script(scripts.get("lint")):
        yield Command(purpose=Purpose.LINT, command=f"{runner} run lint")
    if kind := next((name for name in _TYPE_NAMES if _is_real_script(scripts.get(name))), None):
        yield Command(purpose=Purpose.TYPES, command=f"{runner} run {kind}")


def _is_real_script(script: object) -> bool:
    return isinstance(script, str) and bool(script.strip()) and "no test specified" not in script


def _python(files: Files) -> Iterator[Command]:
    tests = [PurePosixPath(path) for path in files if _TEST_FILE.match(path.rpartition("/")[2])]
    in_src = any(re.fullmatch(r"src/[^/]+/__init__\.py", path) for path in files)
    if _uses_pytest(files):
        sees_src = "pythonpath" in files.get("pyproject.toml", "") + files.get("pytest.ini", "")
        prefix = "PYTHONPATH=src " if in_src and not sees_src else ""
        yield Command(purpose=Purpose.TEST, command=f"{prefix}python3 -m pytest -q")
        return
    prefix = "PYTHONPATH=src " if in_src else ""
    for start in sorted({_discovery_start(path, files) for path in tests if path.name.startswith("test")}):
        where = "" if start == "." else f" -s {start}"
        yield Command(purpose=Purpose.TEST, command=f"{prefix}python3 -m unittest discover{where}")


def _uses_pytest(files: Files) -> bool:
    if "pytest.ini" in files or any(path.rpartition("/")[2] == "conftest.py" for path in files):
        return True
    requirements = [name for name in ROOT_FILES if "requirements" in name]
    named = ("pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "Pipfile", *requirements)
    return any(re.search(r"\bpytest\b", files.get(name, "")) for name in named)


def _discovery_start(path: PurePosixPath, files: Files) -> str:
    """The nearest folder above that is no package: unittest only descends into packages, so it has to start there."""
    folder = path.parent
    while str(folder) != "." and f"{folder}/__init__.py" in files:
        folder = folder.parent
    return str(folder)


def _others(files: Files) -> Iterator[Command]:
    for marker, command in (
        ("go.mod", "go test ./..."),
        ("Cargo.toml", "cargo test"),
        ("pom.xml", "./mvnw -q -B test" if "mvnw" in files else "mvn -q -B test"),
        ("mix.exs", "mix test"),
        ("deno.json", "deno test"),
    ):
        if marker in files:
            yield Command(purpose=Purpose.TEST, command=command)
    if "build.gradle" in files or "build.gradle.kts" in files:
        yield Command(purpose=Purpose.TEST, command="./gradlew test" if "gradlew" in files else "gradle test")
    if any("/" not in path and path.endswith((".sln", ".csproj")) for path in files):
        yield Command(purpose=Purpose.TEST, command="dotnet test")


def _ruby(files: Files) -> Iterator[Command]:
    prefix = "bundle exec " if "Gemfile" in files else ""
    if any(path.startswith("spec/") and path.endswith("_spec.rb") for path in files):
        yield Command(purpose=Purpose.TEST, command=f"{prefix}rspec")
    elif re.search(r"TestTask|task\s{0,20}\(?\s{0,20}[:\"']test\b", files.get("Rakefile", "")):
        yield Command(purpose=Purpose.TEST, command=f"{prefix}rake test")


def _php(files: Files) -> Iterator[Command]:
    scripts = _json_object(files.get("composer.json", "")).get("scripts")
    if isinstance(scripts, dict) and "test" in scripts:
        yield Command(purpose=Purpose.TEST, command="composer test")
    elif "phpunit.xml" in files or "phpunit.xml.dist" in files:
        yield Command(purpose=Purpose.TEST, command="vendor/bin/phpunit")


_CONVENTIONS: tuple[Callable[[Files], Iterator[Command]], ...] = (_node, _python, _others, _ruby, _php)


def _json_object(text: str) -> dict[str, object]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
