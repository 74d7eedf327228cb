"""The stage of `caseworker demo github`: a GitHub of our own with a shop, two people, an App and real CI."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final

from rich.console import Console

from caseworker.app.demos.fix import lay_out
from caseworker.app.settings import Settings, make_home
from caseworker.github_double.acts.account_acts import create_app, create_user, install
from caseworker.github_double.acts.issue_acts import create_issue
from caseworker.github_double.acts.label_acts import create_label
from caseworker.github_double.acts.push_acts import write_file
from caseworker.github_double.acts.repository_acts import create_repository, new_hook
from caseworker.github_double.app_keys import new_key_pair
from caseworker.github_double.ci.listener import ContinuousIntegration, run_ci
from caseworker.github_double.double_server import GitHubDouble
from caseworker.github_double.entities.accounts import Actor, Installation, Permissions
from caseworker.github_double.entities.repository import Repository
from caseworker.github_double.page.page_routes import page_routes
from caseworker.intake.issues import read_issue

OWNER: Final = "olga"
STRANGER: Final = "sam"
LABELS: Final = ("bot:triage", "bot:plan", "bot:implement")
EVENTS: Final = ("issues", "issue_comment", "pull_request", "pull_request_review", "check_suite", "workflow_run")
PERMISSIONS: Final[Permissions] = {
    "issues": "write",
    "pull_requests": "write",
    "contents": "write",
    "checks": "write",
    "actions": "write",
    "metadata": "read",
}
WORKFLOW: Final = """\
name: CI
on: [push, pull_request]
jobs:
  tests:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: python3 -m unittest
"""


@dataclass(frozen=True, kw_only=True)
class OwnGitHub:
    """What a bot needs to know to work on it."""

    double: GitHubDouble
    ci: ContinuousIntegration
    repository: Repository
    installation: Installation
    private_key: str
    webhook_secret: str

    @property
    def page(self) -> str:
        return f"{self.double.url}/{self.repository.full_name}"


@asynccontextmanager
async def own_github(folder: Path, *, port: int = 0, webhook_url: str | None = None) -> AsyncIterator[OwnGitHub]:
    """Serves a furnished GitHub. With `webhook_url` the App is told there what happens."""
    double = GitHubDouble(folder / "repositories")
    async with double.serving(port=port, pages=page_routes(double.front)), run_ci(double.state) as ci:
        yield _furnish(double, ci, folder, webhook_url)


def _furnish(double: GitHubDouble, ci: ContinuousIntegration, folder: Path, webhook_url: str | None) -> OwnGitHub:
    github = double.state
    owner = create_user(github, OWNER, name="Olga", email="olga@example.org")
    create_user(github, STRANGER, name="Sam", email="sam@example.org")
    olga = Actor(user=owner)
    with as_file(files("caseworker.app") / "demos" / "samples" / "shop") as sample:
        project = lay_out(sample, folder)
        issue = read_issue(sample / "issue.md")
    description = "The till of a small web shop"
    shop = create_repository(github, owner, "shop", description=description, source=project)
    for name in LABELS:
        create_label(github, olga, shop, name=name, color="5319e7", description="Ask Caseworker for it")
    write_file(github, olga, shop, ".github/workflows/ci.yml", WORKFLOW.encode(), message="Run the tests")
    private, public = new_key_pair()
    secret = secrets.token_hex(20)
    hook = None
    if webhook_url is not None:
        hook = new_hook(github, url=webhook_url, secret=secret, events=EVENTS, is_of_app=True)
    app = create_app(github, owner, "Caseworker", public_key=public, permissions=PERMISSIONS, events=EVENTS, hook=hook)
    installation = install(github, app, owner, repositories=[shop])
    create_issue(github, olga, shop, title=issue.title, body=issue.body)
    return OwnGitHub(
        double=double, ci=ci, repository=shop, installation=installation, private_key=private, webhook_secret=secret
    )


async def run_github_demo(settings: Settings, console: Console, *, port: int = 0) -> int:
    """Serves until it is interrupted."""
    make_home(settings)
    async with own_github(_new_folder(settings.home / "demo"), port=port) as github:
        console.print(f"A GitHub of our own is at {github.page}", markup=False)
        console.print(f"You are {OWNER}, the owner, or {STRANGER}, a stranger. Press Ctrl-C to stop.", style="dim")
        await asyncio.Event().wait()
    return 0


def _new_folder(parent: Path) -> Path:
    number = 1
    while (parent / f"github-{number}").exists():
        number += 1
    return parent / f"github-{number}"
