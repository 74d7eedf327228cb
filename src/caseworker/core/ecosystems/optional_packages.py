"""Node packages that only check style and types: a registry that lacks one of them need not keep tests from running."""

import re
import shlex
from typing import Any, Final

from caseworker.core.ecosystems.plan_parts import Files

_STYLE: Final = re.compile(
    r"eslint|eclint|prettier|tslint|stylelint|jshint|jscs|commitlint|markdownlint|husky|lint-staged|npmignore"
    r"|auto-changelog|^(?:standard|xo|aud|in-publish|safe-publish-latest)$"
)
_TYPES: Final = re.compile(r"^(?:typescript$|@types/|@arethetypeswrong/|@ljharb/tsconfig$|typedoc)")
_USES_STYLE: Final = re.compile(r"lint|prettier|standard|\bxo\b|\bjshint\b|\bjscs\b")
_CALLED: Final = re.compile(r"\b(?:run(?:-s|-p)?|npm-run-all|yarn|pnpm)((?:\s+-{1,2}[\w-]+)*(?:\s+[\w:.-]+)+)")
_REMOVE: Final = (
    'const f="package.json",p=JSON.parse(fs.readFileSync(f));'
    "for(const n of process.argv.slice(1))delete p.devDependencies[n];fs.writeFileSync(f,JSON.stringify(p))"
)


def optional_packages(files: Files, package: dict[str, Any], *, hooks: bool) -> list[str]:
    """Those that no test needs, as far as scripts tell. `hooks`: scripts before and after the tests are run, too."""
    asked, scripts = package.get("devDependencies"), package.get("scripts")
    if not isinstance(asked, dict) or not isinstance(scripts, dict):
        return []
    first = ("pretest", "test", "posttest") if hooks else ("test",)
    used = _reached(scripts, first)
    typed = "tsc" in used or any(path.endswith((".ts", ".tsx")) and not path.endswith(".d.ts") for path in files)
    style = not _USES_STYLE.search(used)
    return [name for name in asked if (style and _STYLE.search(name)) or (not typed and _TYPES.match(name))]


def _reached(scripts: dict[str, Any], first: tuple[str, ...]) -> str:
    """The text of these scripts and of all that they run."""
    waiting, seen = list(first), set[str]()
    while waiting:
        name = waiting.pop()
        text = scripts.get(name)
        if name in seen or not isinstance(text, str):
            continue
        seen.add(name)
        waiting += [word for called in _CALLED.findall(text) for word in called.split()]
    return "\n".join(str(scripts[name]) for name in sorted(seen))


def or_without(install: str, optional: list[str]) -> str:
    """The same once more without these, if the registry lacks a package or a version. The manifest is put back."""
    if not optional:
        return install
    names = " ".join(shlex.quote(name) for name in optional)
    again = f"cp package.json /tmp/whole.json && node -e {shlex.quote(_REMOVE)} {names} && {install}"
    return (
        f"{install} 2>/tmp/said || {{ cat /tmp/said; grep -qE 'ETARGET|E404' /tmp/said && "
        f"{{ {again}; ended=$?; cp /tmp/whole.json package.json; (exit $ended); }}; }}"
    )
