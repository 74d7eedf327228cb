"""How a Python repository tests: pytest where it is used, Django's runner or unittest otherwise; and pytest's plugins
by their options."""

import re
import tomllib
from pathlib import PurePosixPath
from typing import Any, Final

from caseworker.core.ecosystems.plan_parts import Files
from caseworker.core.ecosystems.project_files import PYTHON_TEST, REQUIREMENTS

_WRITTEN_FOR_PYTEST: Final = re.compile(
    r"^(?:(?:async )?def test_(?!suite\b)\w|(?:import|from) pytest\b|class Test\w*(?:\(\))?:)", re.MULTILINE
)
"""Tests that unittest does not see: plain functions, and classes that derive from nothing."""
_DJANGO_TEST: Final = re.compile(r"(?:.*/)?test[^/]*\.py")
"""What Django's runner looks into."""
_AT_HOME: Final = re.compile(r"(?:tests?/(?:.*/)?)?(?:test_[^/]*\.py|[^/]*_test\.py|conftest\.py)|pytest\.ini|tox\.ini")
_IN_SRC: Final = re.compile(r"src/[^/]+/__init__\.py")
_NAMING: Final = ("pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "Pipfile", "noxfile.py")
_LOCKS: Final = ("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock")
_PLUGINS: Final = (
    (r"--cov\b|--no-cov", "pytest-cov"),
    (r"(?:^|\s)(?:-n[\s=]?(?:auto|logical|\d)|--dist\b|--numprocesses)", "pytest-xdist"),
    (r"asyncio_mode|asyncio_default", "pytest-asyncio"),
    (r"--timeout\b|^\s*timeout\s*=", "pytest-timeout"),
    (r"--benchmark", "pytest-benchmark"),
    (r"--strict-asyncio|--reruns", "pytest-rerunfailures"),
    (r"--mypy\b", "pytest-mypy"),
    (r"--flake8", "pytest-flake8"),
    (r"--black\b", "pytest-black"),
    (r"--isort\b", "pytest-isort"),
    (r"--randomly|-p randomly", "pytest-randomly"),
    (r"--socket-|--disable-socket", "pytest-socket"),
    (r"--doctest-plus|doctest_plus", "pytest-doctestplus"),
    (r"DJANGO_SETTINGS_MODULE|--ds=", "pytest-django"),
    (r"--sugar", "pytest-sugar"),
    (r"--instafail", "pytest-instafail"),
    (r"^\s*env\s*=", "pytest-env"),
)


def uses_pytest(files: Files) -> bool:
    if "pytest.ini" in files or any(path.rpartition("/")[2] == "conftest.py" for path in files):
        return True
    naming = [*_NAMING, *(name for name in files if REQUIREMENTS.fullmatch(name))]
    return any(re.search(r"\bpytest\b", files.get(name, "")) for name in naming) or _written_for_pytest(files)


def tests_at_home(files: Files) -> bool:
    """Whether tests, or settings for them, are where a project has its own: at the root or in its folder for tests."""
    return bool(_toml_settings(files)) or any(_AT_HOME.fullmatch(path) for path in files)


def _written_for_pytest(files: Files) -> bool:
    return any(
        text and PYTHON_TEST.fullmatch(path) and _WRITTEN_FOR_PYTEST.search(text) for path, text in files.items()
    )


def test_lines(files: Files, *, installed: bool, fetched: bool) -> list[str]:
    """`installed`: the set-up makes the project importable. `fetched`: it gets its dependencies. Either way it can
    install pytest as well, which runs the tests of unittest, too; many projects use it without naming it anywhere."""
    in_src = any(_IN_SRC.fullmatch(path) for path in files)
    tests = [PurePosixPath(path) for path in files if PYTHON_TEST.fullmatch(path)]
    with_pytest = uses_pytest(files)
    if not with_pytest and _tests_with_django(files):
        return ["python3 manage.py test"]
    if with_pytest or ((installed or fetched) and tests):
        sees_src = installed or "pythonpath" in files.get("pyproject.toml", "") + files.get("pytest.ini", "")
        return [f"{'PYTHONPATH=src ' if in_src and not sees_src else ''}python3 -m pytest -q"]
    prefix = "PYTHONPATH=src " if in_src else ""
    starts = sorted({_discovery_start(path, files) for path in tests if path.name.startswith("test")})
    return [f"{prefix}python3 -m unittest discover{'' if start == '.' else f' -s {start}'}" for start in starts]


test_lines.__test__ = False  # type: ignore[attr-defined]  # not a test of pytest's


def _tests_with_django(files: Files) -> bool:
    """Its tests need the settings and the database that Django's own runner prepares."""
    return "django" in files.get("manage.py", "") and any(_DJANGO_TEST.fullmatch(path) for path in files)


def pytest_itself(files: Files) -> str:
    """The newest, or 9.0 where a verbosity in TOML's own types is a string: 9.0 wants that, later ones refuse it, and
    only in the middle of the tests. With a lock file, the version is in there."""
    table = _toml_settings(files)
    written = [value for name, value in table.items() if name.startswith("verbosity_")]
    locked = any(name in files for name in _LOCKS)
    return "pytest~=9.0.0" if not locked and any(isinstance(value, str) for value in written) else "pytest"


def pytest_plugins(files: Files) -> list[str]:
    """Plugins whose options stand in pytest's configuration: without them pytest refuses to start."""
    text = _configuration(files)
    return [plugin for pattern, plugin in _PLUGINS if re.search(pattern, text, re.MULTILINE)]


def _toml_settings(files: Files) -> dict[str, Any]:
    """Those in TOML's own types, which newer versions read. `ini_options` in it has those that are text."""
    try:
        table = tomllib.loads(files.get("pyproject.toml", "")).get("tool", {}).get("pytest", {})
    except (tomllib.TOMLDecodeError, AttributeError):
        return {}
    return table if isinstance(table, dict) else {}


def _configuration(files: Files) -> str:
    pytest = _toml_settings(files)
    as_text = pytest.get("ini_options", {})
    table = {**pytest, **(as_text if isinstance(as_text, dict) else {})}
    lines = [
        f"{key} = {' '.join(map(str, value)) if isinstance(value, list) else value}" for key, value in table.items()
    ]
    parts = [files.get("pytest.ini", ""), section(files.get("tox.ini", ""), "pytest")]
    return "\n".join([*lines, *parts, section(files.get("setup.cfg", ""), "tool:pytest")])


def section(text: str, name: str) -> str:
    """The body of one section of an INI file."""
    kept, inside = [], False
    for line in text.splitlines():
        if line.startswith("["):
            inside = line.strip() == f"[{name}]"
        elif inside:
            kept.append(line)
    return "\n".join(kept)


def ini_list(text: str, key: str) -> list[str]:
    """The lines of a key with several values, in the body of a section."""
    found, inside = [], False
    for line in text.splitlines():
        if re.match(rf"{re.escape(key)}\s*[=:]", line):
            inside = True
            line = re.sub(r"^[^=:]*[=:]", " ", line)
        elif line[:1] not in (" ", "\t", ""):
            inside = False
        if inside and line.strip() and not line.strip().startswith("#"):
            found.append(line.strip())
    return found


def _discovery_start(path: PurePosixPath, files: Files) -> str:
    """The nearest folder above that is no package: unittest only descends into packages, so it has to start there."""
    folder = path.parent
    while str(folder) != "." and f"{folder}/__init__.py" in files:
        folder = folder.parent
    return str(folder)
