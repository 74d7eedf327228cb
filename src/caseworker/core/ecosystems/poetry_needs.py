"""What Poetry's own tables want installed: its groups, and all that an application wants that is no package."""

import re
from typing import Any, Final

from caseworker.core.ecosystems.python_needs import is_tool, table_at
from caseworker.core.ecosystems.version_ranges import pep440

_PLAIN_RANGE: Final = re.compile(r"[\^~<>=!,\d.* ]{1,80}")
"""Without alternatives and versions that are not released yet."""


def is_application(tables: dict[str, Any]) -> bool:
    """Whether it is set up by Poetry but can't be installed itself: its dependencies are, and it runs where it is."""
    poetry = table_at(tables, "tool", "poetry")
    return bool(poetry) and ("build-system" not in tables or poetry.get("package-mode") is False)


def poetry_requirements(tables: dict[str, Any], *, locked: bool) -> tuple[str, ...]:
    """`locked`: versions are in its lock file."""
    poetry = table_at(tables, "tool", "poetry")
    groups = [table_at(group, "dependencies") for group in table_at(poetry, "group").values()]
    for_tests = [*groups, table_at(poetry, "dev-dependencies")]
    wanted = [(name, said) for group in for_tests for name, said in group.items() if not is_tool(name)]
    if is_application(tables):
        main = table_at(poetry, "dependencies").items()
        wanted = [*((name, said) for name, said in main if name.lower() != "python"), *wanted]
    found = (_requirement(name, said, locked=locked) for name, said in wanted)
    return tuple(dict.fromkeys(one for one in found if one))


def _requirement(name: str, said: object, *, locked: bool) -> str:
    """Empty: it is not for everybody, or comes from elsewhere; a registry may have a stranger's under its name."""
    table = said if isinstance(said, dict) else {"version": said}
    if table.get("optional") is True or "git" in table or "url" in table:
        return ""
    if isinstance(path := table.get("path"), str):
        return "" if path.startswith(("/", "..")) else f"./{path.removeprefix('./')}"
    extras, version = table.get("extras"), table.get("version")
    chosen = f"[{','.join(map(str, extras))}]" if isinstance(extras, list) else ""
    plain = not locked and isinstance(version, str) and _PLAIN_RANGE.fullmatch(version)
    marker = table.get("markers") or (f"sys_platform == '{table['platform']}'" if "platform" in table else "")
    return f"{name}{chosen}{pep440(str(version)) if plain else ''}{f' ; {marker}' if marker else ''}"
