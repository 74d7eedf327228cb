"""GitHub's own `gh` at our own GitHub, through a Unix socket."""

import os
import sys
from pathlib import Path
from typing import Final

from caseworker.core.pull.pull_facts import PullFacts

GH: Final = Path(sys.executable).parent / "gh"


def gh_environment(folder: Path, socket: Path, token: str, repository: str) -> dict[str, str]:
    """What `gh` needs to talk to the socket as the owner of this token. Writes its settings into the folder."""
    (folder / "config.yml").write_text(f"http_unix_socket: {socket}\nversion: 1\n")
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GH_CONFIG_DIR": str(folder),
        "GH_TOKEN": token,
        "GH_REPO": repository,
        "GH_PROMPT_DISABLED": "1",
        "GH_NO_UPDATE_NOTIFIER": "1",
        "NO_COLOR": "1",
    }


def checks_exit(facts: PullFacts) -> int:
    """What `gh pr checks` ends with: 1 failed or none, 8 pending, 0 passed. It shows a cancelled one as failed, and
    does not count it."""
    newest = [one for one in facts.checks if not one.is_superseded]
    states = {one.state for one in newest if one.result != "cancelled"}
    if not newest or "failed" in states:
        return 1
    return 8 if states & {"pending", "expected"} else 0
