"""TAB in a shell: open cases are offered, and whatever goes wrong writes nothing into the line."""

import os
import subprocess
import sys
from pathlib import Path

from tests.app.issue_desk import IssueDesk

_PROGRAM = "import sys; sys.argv = ['caseworker']; from caseworker.app.cli.program import program; program()"


def completed(home: Path, line: str) -> tuple[str, str]:
    """What bash gets to offer, and what would be seen in the line."""
    shell = {"_CASEWORKER_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "CASEWORKER_HOME": str(home), **shell}
    done = subprocess.run([sys.executable, "-c", _PROGRAM], env=environment, capture_output=True, text=True)
    return done.stdout.strip(), done.stderr


async def test_tab_completes_the_ids_of_open_cases(tmp_path: Path) -> None:
    desk = IssueDesk(tmp_path / "home")
    await desk.begin()
    assert completed(desk.settings.home, "caseworker show sh") == ("shop/1", "")
    assert completed(desk.settings.home, "caseworker show ") == ("shop/1", "")
    assert completed(desk.settings.home, "caseworker show x") == ("", "")
    await desk.end()
    assert completed(desk.settings.home, "caseworker show ") == ("", "")


def test_tab_writes_no_error_into_the_line(tmp_path: Path) -> None:
    assert completed(tmp_path, "caseworker show ti") == ("", "")
    assert completed(tmp_path, "caseworker list ti") == ("", "")
    (tmp_path / "caseworker.toml").write_text("nonsense = 1\n")
    assert completed(tmp_path, "caseworker show ti") == ("", "")
    (tmp_path / "caseworker.toml").unlink()
    (tmp_path / "caseworker.db").write_text("no database")
    assert completed(tmp_path, "caseworker show ti") == ("", "")
