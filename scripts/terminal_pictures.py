"""Draws docs/demo.svg and docs/demo-bug.svg from real runs of the demos: `python -m scripts.terminal_pictures`."""

import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.terminal_theme import MONOKAI

from caseworker.app.terminal.live_view import story_line
from caseworker.app.terminal.summary import print_summary
from caseworker.app.terminal.talk import Talk
from caseworker.app.terminal.text_console import TextConsole
from caseworker.core.base.repositories import LocalRepository
from caseworker.core.record.bug_conversation import conversation
from caseworker.core.record.entries import AgentSaid, BugMoved, CaseOpened, Recorded, ToolCalled, TurnStarted
from caseworker.core.telling.story import tell
from caseworker.core.telling.summaries import Summary

_WIDTH: Final = 118
_DOCS: Final = Path(__file__).parents[1] / "docs"
_SHOWN_HOME: Final = "/home/you/.caseworker"


def main() -> None:
    (*record, last), home = _run("demo")
    console = _paper("caseworker demo")
    for line in record:
        for told in tell(Recorded.model_validate_json(line).entry):
            console.print(story_line(told), highlight=False)
    _end(console, last, home, _DOCS / "demo.svg")
    (*record, _, last), home = _run("demo", "bug")
    console = _paper("caseworker demo bug")
    _draw_conversation([Recorded.model_validate_json(line) for line in record], console)
    _end(console, last, home, _DOCS / "demo-bug.svg")


def _draw_conversation(record: list[Recorded], console: Console) -> None:
    """The bug's own record, up to the fix, whose story the other picture tells."""
    talk = Talk(console)
    is_fix = False
    for recorded in record:
        is_fix = is_fix or isinstance(recorded.entry, CaseOpened)
        for line in conversation([recorded]):
            if not (is_fix and line.speaker != "bot"):
                talk.show(line)
        if not is_fix and isinstance(recorded.entry, BugMoved | TurnStarted | ToolCalled | AgentSaid):
            for told in tell(recorded.entry):
                console.print(talk.aside(story_line(told).plain.strip(), sign=""), highlight=False)


def _run(*demo: str) -> tuple[list[str], Path]:
    home = Path(tempfile.mkdtemp()) / "home"
    command = str(Path(sys.executable).parent / "caseworker")
    environment = {**os.environ, "CASEWORKER_HOME": str(home)}
    done = subprocess.run([command, *demo, "--json"], env=environment, capture_output=True, text=True, check=True)
    subprocess.run([command, "host", "stop"], env=environment, check=True, capture_output=True)
    return done.stdout.splitlines(), home


def _paper(command: str) -> Console:
    console = TextConsole(record=True, width=_WIDTH, file=io.StringIO(), force_terminal=True)
    console.print(f"$ {command}\n", style="bold")
    return console


def _end(console: Console, summary: str, home: Path, path: Path) -> None:
    project = LocalRepository(path=home / "demo" / "shop-1")
    print_summary(Summary.model_validate_json(summary), project, console, as_json=False)
    svg = console.export_svg(title="caseworker", theme=MONOKAI)
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)  # no fonts from elsewhere
    svg = re.sub(r"<!--.*?-->\s*", "", svg)
    path.write_text(svg.replace(str(home), _SHOWN_HOME).replace("root:", "you:"), encoding="utf-8")


if __name__ == "__main__":
    main()
