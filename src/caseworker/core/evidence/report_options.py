"""Makes a test command report each test: options and environment of the runner's own, added when it is run.

Nothing is installed and no plugin is used, so there is nothing that a repository could put in its place. A command that
we can't read is run as it is.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

PYTEST_FILE: Final = "pytest.xml"
JEST_FILE: Final = "jest.json"
REPORT_FOLDERS: Final = ("/target/surefire-reports/", "/build/test-results/")
"""Where Maven and Gradle write JUnit XML without being asked."""

_COMPOUND: Final = re.compile(r"[;&|<>`\n]|\$\(")
"""A command with one of these is not one call of one program: no option is added to it."""
_UNITTEST: Final = re.compile(r"(\bpython[\d.]{0,6} (?:-[A-Za-z]+ ){0,4}-m unittest)( discover)?(?=\s|$)")
_VERBOSE: Final = re.compile(r"\s(?:-v|-q|--verbose|--quiet)\b")
_GO: Final = re.compile(r"(^|\s)(go test)(?=\s|$)")
_NODE_RUNNER: Final = re.compile(r"(?:^|\s|/)(?:npx (?:--\S+ )*)?(?P<runner>jest|vitest)(?=\s|$)")
_PACKAGE_SCRIPT: Final = re.compile(r"^(?P<manager>npm|yarn|pnpm)(?: run)? (?P<script>test[\w:-]*|t)(?=\s|$)")


@dataclass(frozen=True, kw_only=True)
class Reporting:
    """How a command is run so that it reports."""

    command: str
    environment: Mapping[str, str] = field(default_factory=dict)


def reporting(command: str, *, folder: str, package: str = "") -> Reporting:
    """`folder`: where reports are written to, an absolute path without spaces. `package`: the text of package.json."""
    xml = f"{folder}/{PYTEST_FILE}"
    environment = {"PYTEST_ADDOPTS": f"--junitxml={xml} -o junit_family=xunit1 -o junit_logging=no -rfE"}
    return Reporting(command=_with_options(command, f"{folder}/{JEST_FILE}", package), environment=environment)


def _with_options(command: str, jest_file: str, package: str) -> str:
    if _UNITTEST.search(command) and not _VERBOSE.search(command):
        return _UNITTEST.sub(lambda found: f"{found[0]} -v", command)
    if _COMPOUND.search(command):
        return command
    if _GO.search(command) and " -json" not in command:
        return _GO.sub(r"\1\2 -json", command, count=1)
    if (found := _PACKAGE_SCRIPT.match(command)) is not None:
        runner = _script_runner(package, "test" if found["script"] == "t" else found["script"])
        separator = "" if found["manager"] != "npm" or " -- " in command else " --"
        return f"{command}{separator}{_node_options(runner, jest_file)}" if runner else command
    if (direct := _NODE_RUNNER.search(command)) is not None:
        return f"{command}{_node_options(direct['runner'], jest_file)}"
    return command


def _node_options(runner: str, file: str) -> str:
    if runner == "jest":
        return f" --json --outputFile={file}"
    return f" --reporter=default --reporter=json --outputFile.json={file}"


def _script_runner(package: str, script: str) -> str:
    """Jest or Vitest, if the script is one call of it. Empty: it is something else."""
    try:
        scripts = json.loads(package).get("scripts", {})
        text = scripts.get(script, "")
    except (ValueError, AttributeError, RecursionError):
        return ""
    if not isinstance(text, str) or _COMPOUND.search(text):
        return ""
    found = _NODE_RUNNER.search(text)
    return found["runner"] if found else ""
