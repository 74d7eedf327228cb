"""`caseworker action` inside a real workflow, run by `act`, on our own GitHub."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from caseworker.github_double.acts.account_acts import create_token
from caseworker.github_double.acts.repository_acts import create_repository
from caseworker.github_double.ci.act_process import act_command
from tests.app.test_action import body
from tests.patience import PATIENCE
from tests.world.github import OWN_PERMISSIONS, GitHubWorld
from tests.world.project import make_project
from tests.world.terminal import REHEARSAL, open_terminal

WORKFLOW = f"""\
on: {{issues: {{types: [labeled]}}}}
jobs:
  caseworker:
    runs-on: ubuntu-latest
    steps:
      - run: {Path(sys.executable).parent / "caseworker"} action --rehearse {REHEARSAL}
      - run: >-
          grep '"pr_created"' "$GITHUB_WORKSPACE/issue-state.json" | grep -q true
"""


@pytest.mark.slow
async def test_a_labelled_issue_becomes_a_pull_request_within_one_job(tmp_path: Path) -> None:
    world = GitHubWorld(tmp_path / "github")
    async with world.double.serving():
        olga = world.user("olga")
        shop = create_repository(world.state, olga.user, "shop", source=make_project(tmp_path / "project"))
        olga.opens_issue("The greeting is wrong", "It says wrold.", on=shop)
        token = create_token(world.state, olga.user, permissions=OWN_PERMISSIONS)
        event = body(label="bot:implement", web=world.state.url)
        with open_terminal(tmp_path / "home"):
            done = await asyncio.to_thread(_act, tmp_path, event, world.state.api_url, token.value)
        assert done.returncode == 0, done.stdout
        assert [pull.issue.title for pull in shop.pulls.values()] == ["Greet the world by its name"]


def _act(folder: Path, event: dict[str, object], api: str, token: str) -> subprocess.CompletedProcess[str]:
    home, checkout = folder / "act", make_project(folder / "checkout")
    (home / ".config" / "act").mkdir(parents=True)
    (home / ".config" / "act" / "actrc").write_text("")
    (folder / "event.json").write_text(json.dumps(event))
    (checkout / ".github" / "workflows").mkdir(parents=True)
    (checkout / ".github" / "workflows" / "bot.yml").write_text(WORKFLOW)
    settings = {
        "CASEWORKER_HOME": str(folder / "home"),
        "CASEWORKER_GITHUB_API_URL": api,
        "CASEWORKER_GITHUB_TOKEN": token,
        "CASEWORKER_CHECKS_SETTLE_SECONDS": "1",  # this repository has no other workflow
    }
    return subprocess.run(
        [
            act_command(),
            *("issues", "-e", str(folder / "event.json"), "-P", "ubuntu-latest=-self-hosted", "--no-cache-server"),
            *(part for name, value in settings.items() for part in ("--env", f"{name}={value}")),
        ],
        cwd=checkout,
        env={"PATH": os.environ["PATH"], "HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
