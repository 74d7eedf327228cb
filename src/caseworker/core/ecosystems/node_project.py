"""The rule for Node: npm, pnpm, yarn (classic and berry) and bun, with the package manager's own version."""

import json
import re
from typing import Any, Final

from caseworker.core.ecosystems.make_targets import TYPE_NAMES
from caseworker.core.ecosystems.plan_parts import Ecosystem, Files, Wanted, named, set_up, test
from caseworker.core.ecosystems.version_ranges import lowest_major
from caseworker.core.evidence.builds import Command, Purpose

_LOCKS: Final = (
    *(("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("package-lock.json", "npm")),
    *(("npm-shrinkwrap.json", "npm"), ("bun.lock", "bun"), ("bun.lockb", "bun")),
)
_MANAGER: Final = re.compile(r"(npm|pnpm|yarn|bun)@(\d+(?:\.\d+){0,2})")
_ASKS: Final = re.compile(r"\baudit\b|\bnpx\b|\baud\b|\bnpm (?:install|outdated|publish)\b|\bcodecov\b|\bcoveralls\b")
_STYLE: Final = re.compile(r"lint|prettier|standard|xo\b")
_TEST_SCRIPTS: Final = ("test", "test:unit", "test:run", "test:ci", "tests", "unit")
_NOT_BY_ITSELF: Final = re.compile(
    r"\b(?:playwright test|cypress|wdio|nightwatch|protractor|ng (?:test|e2e))\b|--watch(?:All)?(?=\s|$)(?!\s+false\b)"
)
"""Wants a browser, or does not end."""
_QUOTED: Final = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"")
_SAYS_ONLY: Final = ("echo", "exit", "true", ":")
_YARN_HOSTS: Final = (
    "asked=$(env -u YARN_REGISTRY -u npm_config_registry yarn --silent config get registry) && "
    '[ -z "$npm_config_registry" ] || sed -i "s#\\"${asked%/}/#\\"${npm_config_registry%/}/#" yarn.lock'
)
"""Yarn's lock file names the host of Yarn's own default registry; packages come from the registry of this user."""
_OLDEST_NODE: Final = 12
"""No system on which we run comes with an older one, so there is nothing to compare or to install."""
_USUAL: Final = {"pnpm": "9", "yarn": "1", "bun": "1"}


def find_node(files: Files) -> Ecosystem | None:
    package = _package(files)
    scripts = package.get("scripts")
    if not isinstance(scripts, dict):
        return None
    manager, version = _manager(files, package)
    tests = _tests(manager, scripts)
    if not tests:
        return None
    steps = [*_node_itself(files, package), *_install(files, package, manager, version)] if _depends(package) else []
    said, because = _wanted_node(files, package)
    return Ecosystem(
        name="Node",
        because=named(files, "package.json", *(lock for lock, _ in _LOCKS)),
        commands=(*set_up(*steps), *tests),
        wanted=(Wanted(name="node", versions=said, because=because or "package.json", provided=True),),
    )


def _package(files: Files) -> dict[str, Any]:
    try:
        value = json.loads(files.get("package.json", ""))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _depends(package: dict[str, Any]) -> bool:
    return any(package.get(key) for key in ("dependencies", "devDependencies", "workspaces", "peerDependencies"))


def _manager(files: Files, package: dict[str, Any]) -> tuple[str, str]:
    said = _MANAGER.match(str(package.get("packageManager", "")))
    if said:
        return said[1], said[2]
    manager = next((manager for lock, manager in _LOCKS if lock in files), "npm")
    return manager, "4" if manager == "yarn" and ".yarnrc.yml" in files else _USUAL.get(manager, "")


def _tests(manager: str, scripts: dict[str, Any]) -> list[Command]:
    script = _test_script(scripts)
    if not script:
        return []
    found = list(test(_test_line(manager, scripts, script)))
    if _is_real(scripts.get("lint")):
        found.append(Command(purpose=Purpose.LINT, command=f"{manager} run lint"))
    if kind := next((name for name in TYPE_NAMES if _is_real(scripts.get(name))), None):
        found.append(Command(purpose=Purpose.TYPES, command=f"{manager} run {kind}"))
    return found


def _test_script(scripts: dict[str, Any]) -> str:
    """The first that tests by itself, or else the first. Empty: there is none."""
    real = [name for name in _TEST_SCRIPTS if _is_real(scripts.get(name))]
    return next((name for name in real if not _NOT_BY_ITSELF.search(scripts[name])), "".join(real[:1]))


def _test_line(manager: str, scripts: dict[str, Any], script: str) -> str:
    """Without scripts before and after the tests that only look at style or ask a registry: they are no tests, and
    offline the latter always fail. npm leaves them out; the others would give its option to the script."""
    before, after = str(scripts.get(f"pre{script}", "")), str(scripts.get(f"post{script}", ""))
    name = "test" if script == "test" else f"run {script}"
    if _ASKS.search(f"{before} {after}") and (not before or _STYLE.search(before)):
        return f"npm {name} --ignore-scripts"
    return f"bun run {script}" if manager == "bun" else f"{manager} {name}"


def _is_real(script: object) -> bool:
    """Whether it does more than to say something, like npm's own default."""
    if not isinstance(script, str):
        return False
    parts = (part.split() for part in re.split(r"&&|\|\|?|;", _QUOTED.sub("", script)))
    return any(words and words[0] not in _SAYS_ONLY for words in parts)


def _wanted_node(files: Files, package: dict[str, Any]) -> tuple[str, str]:
    engines = package.get("engines")
    if isinstance(engines, dict) and isinstance(engines.get("node"), str):
        return engines["node"], "engines in package.json"
    for name in (".nvmrc", ".node-version"):
        said = files.get(name, "").strip().lstrip("v")
        if said[:1].isdigit():
            return f">={said.split('.')[0]}", name
    return "", ""


def _node_itself(files: Files, package: dict[str, Any]) -> list[str]:
    """The registry has Node itself as a package, for a repository that wants a newer one than is here."""
    major = lowest_major(_wanted_node(files, package)[0])
    if major is None or major <= _OLDEST_NODE:
        return []
    have = "node -p 'process.versions.node.split(`.`)[0]'"
    arch = "$(uname -m | sed 's/x86_64/x64/;s/aarch64/arm64/')"
    return [f'[ "$({have})" -ge {major} ] || npm install --silent --global "node-linux-{arch}@{major}"']


def _install(files: Files, package: dict[str, Any], manager: str, version: str) -> list[str]:
    if manager == "npm":
        if any(name in files for name in ("package-lock.json", "npm-shrinkwrap.json")):
            return ["npm ci"]
        return ["npm install --no-package-lock"]
    berry = manager == "yarn" and not version.startswith("1")
    name = "@yarnpkg/cli-dist" if berry else manager
    get = f"npm install --silent --global {name}@{version}"
    if "packageManager" not in package and not berry:
        get = f"command -v {manager} >/dev/null || {get}"
    locked = any(lock in files for lock, of in _LOCKS if of == manager)
    options = {
        "pnpm": f'{" --frozen-lockfile" if locked else " --no-lockfile"} --store-dir "$CASEWORKER_ENV/.cache/pnpm"',
        "yarn": " --immutable" if berry and locked else " --frozen-lockfile --ignore-engines" if not berry else "",
        "bun": " --frozen-lockfile" if locked else "",
    }[manager]
    before = [_YARN_HOSTS] if manager == "yarn" and not berry and locked else []
    return [get, *before, f"{manager} install{options}"]
