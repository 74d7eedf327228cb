"""What a Python project wants installed for its tests, from every place where projects write that down."""

import re
import tomllib
from dataclasses import dataclass, field
from typing import Any, Final

from caseworker.core.ecosystems.plan_parts import Files
from caseworker.core.ecosystems.project_files import REQUIREMENTS
from caseworker.core.ecosystems.python_tests import ini_list, section

_TEST: Final = re.compile(
    r"(?:unit[-_]?)?tests?(?:ing|s)?(?:[-_](?:dev|requirements|deps|suite|core))?|pytest|test[-_]tools"
)
_DEV: Final = re.compile(r"dev(?:el|elop|elopment)?|develop(?:ment|er)?s?|all[-_]dev|dev[-_]test")
_NO_USERS_EXTRA: Final = re.compile(
    rf"{_TEST.pattern}|{_DEV.pattern}|docs?|documentation|lint(?:ing|ers?)?|typing|mypy|release|bench(?:marks?)?"
)
_REQUIREMENT: Final = re.compile(
    r"[A-Za-z0-9][\w.-]*(?:\[[\w, .-]+\])?\s*(?:(?:[<>=!~^]=?|===)[^;#{}\s][^;#{}]*)?(?:;[^#{}]+)?"
)
_OTHER_FILES: Final = re.compile(r"doc|lint|min|bench|build|publish|release|typing|mypy|old|\d")
"""Requirements files for other work, or for one version of Python."""
_QUOTED: Final = re.compile(r"""['"]([^'"\n]{1,120})['"]""")
_NOT_FOR_TESTS: Final = re.compile(
    r"(?:python|pre[-_]commit|sphinx.*|furo|mkdocs.*|black|ruff|flake8.*|mypy|pylint|isort|twine|tox.*|nox|asv|build|wheel|bump.*|towncrier|coveralls|codecov)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Needs:
    extras: tuple[str, ...] = ()
    other_extras: tuple[str, ...] = ()
    """Extras of users of the project. Tests of these parts need them."""
    groups: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    """Requirements files."""
    names: tuple[str, ...] = ()
    """Single requirements."""
    tables: dict[str, Any] = field(default_factory=dict)
    """pyproject.toml, parsed."""


def python_needs(files: Files) -> Needs:
    tables = read_toml(files.get("pyproject.toml", ""))
    extras = [*_names(table_at(tables, "project", "optional-dependencies")), *_other_extras(files)]
    return Needs(
        extras=_for_tests(extras),
        other_extras=tuple(name for name in dict.fromkeys(extras) if not _NO_USERS_EXTRA.fullmatch(name.lower())),
        groups=_groups(files, tables),
        files=_requirement_files(files),
        names=tuple(dict.fromkeys([*_tools(tables), *_tox(files), *_setup_py(files), *_nox(files)])),
        tables=tables,
    )


def read_toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


def table_at(tables: Any, *path: str) -> dict[str, Any]:
    for name in path:
        tables = tables.get(name) if isinstance(tables, dict) else None
    return tables if isinstance(tables, dict) else {}


def _names(table: dict[str, Any]) -> list[str]:
    return [str(name) for name in table]


def _for_tests(names: list[str]) -> tuple[str, ...]:
    tests = [name for name in names if _TEST.fullmatch(name.lower())]
    return tuple(dict.fromkeys(tests or [name for name in names if _DEV.fullmatch(name.lower())]))


def _groups(files: Files, tables: dict[str, Any]) -> tuple[str, ...]:
    names = _names(table_at(tables, "dependency-groups"))
    uv = table_at(tables, "tool", "uv")
    if "uv.lock" in files and "dev-dependencies" in uv:
        names.append("dev")  # uv's lock file has its older table under this name
    return _for_tests(names) or tuple(name for name in _strings(uv, "default-groups") if name in names)


def _other_extras(files: Files) -> list[str]:
    cfg = section(files.get("setup.cfg", ""), "options.extras_require")
    found = [line.partition("=")[0].strip() for line in cfg.splitlines() if re.match(r"[\w-]+\s*=", line)]
    text = files.get("setup.py", "")
    if "extras_require" in text:
        found += [
            name
            for name in re.findall(r"""['"]([\w-]{2,30})['"]\s{0,8}:""", text)
            if _TEST.fullmatch(name) or _DEV.fullmatch(name)
        ]
    return found


def _requirement_files(files: Files) -> tuple[str, ...]:
    every = sorted(name for name in files if REQUIREMENTS.fullmatch(name) and not _OTHER_FILES.search(name))
    pinned = [name for name in every if not (name.endswith(".in") and f"{name[:-3]}.txt" in files)]
    tests = [name for name in pinned if "test" in name]
    dev = [name for name in pinned if "dev" in name]
    plain = [name for name in ("requirements.txt",) if name in files]
    return tuple(dict.fromkeys([*plain, *(tests or dev)]))


def _tools(tables: dict[str, Any]) -> list[str]:
    """Hatch's environments, PDM's groups, tox in pyproject.toml."""
    found: list[str] = []
    environments = table_at(tables, "tool", "hatch", "envs")
    for name in ("default", "test", "tests", "hatch-test", "dev"):
        found += [
            *_strings(table_at(environments, name), "dependencies"),
            *_strings(table_at(environments, name), "extra-dependencies"),
        ]
    groups = table_at(tables, "tool", "pdm", "dev-dependencies")
    for name in _for_tests(_names(groups)):
        found += _strings(groups, name)
    found += _strings(table_at(tables, "tool", "uv"), "dev-dependencies")
    found += _strings(table_at(tables, "tool", "tox", "env_run_base"), "deps")
    return [one for one in found if _REQUIREMENT.fullmatch(one) and not is_tool(one)]


def _strings(table: dict[str, Any], key: str) -> list[str]:
    value = table.get(key)
    return [one.strip() for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _tox(files: Files) -> list[str]:
    body = section(files.get("tox.ini", ""), "testenv") or section(files.get("setup.cfg", ""), "tox:testenv")
    # A factor ("py39: mock") may be about another version, and a substitution about another file.
    plain = [
        line for line in ini_list(body, "deps") if not line.startswith("-") and not re.match(r"[\w{},!.-]+:\s", line)
    ]
    return [line for line in plain if _REQUIREMENT.fullmatch(line) and not is_tool(line)]


def _setup_py(files: Files) -> list[str]:
    found = re.search(r"tests_require\s{0,8}=\s{0,8}\[([^\]]{0,2000})\]", files.get("setup.py", ""))
    return [one for one in _QUOTED.findall(found[1]) if _REQUIREMENT.fullmatch(one)] if found else []


def _nox(files: Files) -> list[str]:
    """What a session called test or tests installs by name."""
    text = files.get("noxfile.py", "")
    found = re.search(r"def (?:unit_?)?tests?\(([\s\S]{0,3000}?)(?=\n@|\ndef |\Z)", text)
    calls = re.findall(r"\.install\(([^)]{0,600})\)", found[1]) if found else []
    named = [one for call in calls for one in _QUOTED.findall(call)]
    return [one for one in named if _REQUIREMENT.fullmatch(one) and not one.startswith((".", "-")) and not is_tool(one)]


def is_tool(requirement: str) -> bool:
    return bool(_NOT_FOR_TESTS.fullmatch(re.split(r"[\s<>=!~\[;^]", requirement, maxsplit=1)[0]))
