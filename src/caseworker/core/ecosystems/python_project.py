"""The rule for Python: a virtual environment made by uv, with the project, what its tests need, and pytest."""

import shlex
from typing import Any, Final

from caseworker.core.ecosystems.plan_parts import Ecosystem, Files, Wanted, named, set_up, test
from caseworker.core.ecosystems.poetry_needs import is_application, poetry_requirements
from caseworker.core.ecosystems.python_needs import Needs, python_needs
from caseworker.core.ecosystems.python_tests import (
    pytest_itself,
    pytest_plugins,
    test_lines,
    tests_at_home,
    uses_pytest,
)
from caseworker.core.ecosystems.version_ranges import pep440

PYTHON: Final = "Python"
_MANIFESTS: Final = (
    "uv.lock",
    "poetry.lock",
    "pdm.lock",
    "Pipfile.lock",
    "Pipfile",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
)
_PIP: Final = "uv pip install -q"
_CONSTRAINTS: Final = "$CASEWORKER_ENV/constraints.txt"
_PINS: Final = (
    "import collections, os, tomllib; "
    "every = [(p['name'], p['version']) for p in tomllib.load(open('{lock}', 'rb'))['package'] if 'version' in p]; "
    "times = collections.Counter(name for name, _ in every); "
    "open(os.environ['CASEWORKER_ENV'] + '/constraints.txt', 'w')"
    ".writelines(f'{{n}}=={{v}}' + chr(10) for n, v in every if times[n] == 1)"
)
"""The versions of a lock file as constraints. A package with two versions has one for each of two platforms."""
_PIPENV: Final = (
    "import json, os; lock = json.load(open('Pipfile.lock')); "
    "open(os.environ['CASEWORKER_ENV'] + '/constraints.txt', 'w').writelines("
    "n + (p.get('version') or '') + chr(10) for part in ('default', 'develop') for n, p in lock[part].items() "
    "if 'version' in p)"
)


def find_python(files: Files) -> Ecosystem | None:
    needs = python_needs(files)
    installable = _is_installable(files, needs.tables)
    lines = test_lines(files, installed=installable, fetched=_fetches(needs))
    is_project = _is_project(files, needs)
    if not lines and not is_project:
        return None
    setup = _set_up(files, needs, installable=installable) if is_project else _only_pytest(files)
    because = named(files, *_MANIFESTS, *needs.files[:2]) or "files named like tests of Python"
    return Ecosystem(
        name=PYTHON,
        because=because,
        commands=(*set_up(*setup), *test(*lines)),
        wanted=(_interpreter(files, needs.tables),),
    )


def has_only_scripts(files: Files) -> bool:
    """Whether nothing speaks of Python but tests of scripts or of vendored tools, in folders of theirs."""
    return not _is_project(files, python_needs(files)) and not tests_at_home(files)


def _is_project(files: Files, needs: Needs) -> bool:
    declared = "project" in needs.tables or "Pipfile" in files or "uv.lock" in files
    return declared or _is_installable(files, needs.tables) or _fetches(needs)


def _fetches(needs: Needs) -> bool:
    """Whether anything is to be got from an index, so that pytest can come along."""
    project = needs.tables.get("project")
    depends = isinstance(project, dict) and bool(project.get("dependencies"))
    return bool(needs.files or needs.groups) or depends or is_application(needs.tables)


def _is_installable(files: Files, tables: dict[str, Any]) -> bool:
    packaged = "build-system" in tables and not is_application(tables)
    return packaged or "setup.py" in files or "[metadata]" in files.get("setup.cfg", "")


def _interpreter(files: Files, tables: dict[str, Any]) -> Wanted:
    spec, because = _requires(files, tables)
    return Wanted(name="python3", versions=spec, because=because, provided=True)


def _requires(files: Files, tables: dict[str, Any]) -> tuple[str, str]:
    project, poetry = tables.get("project", {}), tables.get("tool", {}).get("poetry", {})
    if isinstance(project, dict) and isinstance(project.get("requires-python"), str):
        return project["requires-python"], "requires-python in pyproject.toml"
    dependencies = poetry.get("dependencies", {}) if isinstance(poetry, dict) else {}
    if isinstance(dependencies, dict) and isinstance(dependencies.get("python"), str):
        return pep440(dependencies["python"]), "tool.poetry in pyproject.toml"
    said = files.get(".python-version", "").strip()
    return ("", "") if not said else (f"=={said}.*" if said.count(".") == 1 else "", ".python-version")


def _venv(files: Files, tables: dict[str, Any]) -> str:
    spec, because = _requires(files, tables)
    plain = 'uv venv -q --allow-existing "$VIRTUAL_ENV"'
    spec = "" if because == ".python-version" else spec
    anyone = f"{plain} --no-project --python {shlex.quote(spec or 'python3')}"
    said = files.get(".python-version", "").strip().splitlines()
    if not said:
        return anyone
    # The version that the authors use, if it is here; otherwise any that the project allows.
    return f"{plain} --no-project --no-python-downloads --python {shlex.quote(said[0])} 2>/dev/null || {anyone}"


def _set_up(files: Files, needs: Needs, *, installable: bool) -> list[str]:
    lines = [_venv(files, needs.tables)]
    uses = any("pytest" in line for line in test_lines(files, installed=installable, fetched=_fetches(needs)))
    more = [pytest_itself(files), *pytest_plugins(files)] if uses else []
    if "uv.lock" in files:
        lines += _from_uv_lock(needs, installable=installable)
        extras = [_unless_loaded(_extras_of_uv_lock())] if uses and needs.other_extras else []
        return [*lines, *([_install(more)] if more else []), *extras]
    constrained: list[str] = []
    for lock in ("poetry.lock", "pdm.lock"):
        if lock in files and not constrained:
            lines.append(f'python3 -c "{_PINS.format(lock=lock)}"')
            constrained = ["-c", f'"{_CONSTRAINTS}"']
    names = poetry_requirements(needs.tables, locked=bool(constrained))
    if "Pipfile.lock" in files and not installable:
        return [*lines, f'python3 -c "{_PIPENV}"', f'{_PIP} -r "{_CONSTRAINTS}"', *([_install(more)] if more else [])]
    target = _project(needs, installable=installable, files=files)
    words = [*constrained, *target, *_quoted([*names, *needs.names, *more])]
    if uses and installable and needs.other_extras:
        every = shlex.quote(f".[{','.join(needs.other_extras)}]")
        return [*lines, f"{_PIP} {' '.join(words)}", _unless_loaded(" ".join([_PIP, *constrained, "-e", every]))]
    return [*lines, f"{_PIP} {' '.join(words)}"] if words else lines


def _unless_loaded(install: str) -> str:
    """Installs the extras of users if tests can't be loaded without: tests of an optional part need its extra, but an
    extra can be large, or made for another machine, which is also why it may fail. Tests have no network, here too."""
    collect = "NO_PROXY='*' no_proxy='*' python3 -m pytest -q --collect-only -p no:cacheprovider >/dev/null 2>&1"
    return f"{collect} || {{ {install}; }} || true"


def _project(needs: Needs, *, installable: bool, files: Files) -> list[str]:
    words: list[str] = []
    if installable:
        words.append(shlex.quote(f".[{','.join(needs.extras)}]") if needs.extras else ".")
        words.insert(0, "-e")
    elif "project" in needs.tables:
        words += ["-r", "pyproject.toml", *(word for extra in needs.extras for word in ("--extra", extra))]
    words += [word for group in needs.groups for word in ("--group", group)]
    return words + [word for name in needs.files for word in ("-r", shlex.quote(name))]


def _from_uv_lock(needs: Needs, *, installable: bool) -> list[str]:
    """By a list of requirements: `uv sync` would go to the hosts that the lock file names, not to this user's index."""
    members = needs.tables.get("tool", {}).get("uv", {}).get("workspace") is not None
    chosen = [*(f"--group {name}" for name in needs.groups), *(f"--extra {name}" for name in needs.extras)]
    words = " ".join(["--frozen --no-hashes --no-default-groups --no-emit-project", *chosen])
    listed = '"$CASEWORKER_ENV/requirements.txt"'
    lines = [f"uv export -q {words}{' --all-packages' if members else ''} -o {listed}"]
    return [*lines, f"{_PIP} -r {listed}", *([f"{_PIP} --no-deps -e ."] if installable else [])]


def _extras_of_uv_lock() -> str:
    listed = '"$CASEWORKER_ENV/extras.txt"'
    chosen = "--frozen --no-hashes --no-default-groups --no-emit-project --all-extras"
    return f"uv export -q {chosen} -o {listed} && {_PIP} -r {listed}"


def _only_pytest(files: Files) -> list[str]:
    """Nothing is to be installed but pytest, which may be there."""
    if not uses_pytest(files):
        return []
    packages = " ".join(["pytest", *pytest_plugins(files)])
    make = f'uv venv -q --allow-existing --no-project --python python3 "$VIRTUAL_ENV" && {_PIP} {packages}'
    return [f"python3 -m pytest --version >/dev/null 2>&1 || {{ {make}; }}"]


def _install(names: list[str]) -> str:
    return f"{_PIP} {' '.join(_quoted(names))}"


def _quoted(names: list[str]) -> list[str]:
    return [shlex.quote(name) for name in dict.fromkeys(names)]
