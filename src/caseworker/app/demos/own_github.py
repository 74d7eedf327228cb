"""The stage of `caseworker demo github`: a GitHub of our own with a shop, two people, an App and real CI."""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final

from caseworker.app.demos.fix import lay_out
from caseworker.forges.github.app_needs import EVENTS, PERMISSIONS
from caseworker.github_double.acts.account_acts import create_app, create_user, install
from caseworker.github_double.acts.issue_acts import create_issue
from caseworker.github_double.acts.label_acts import create_label
from caseworker.github_double.acts.push_acts import write_file
from caseworker.github_double.acts.repository_acts import create_repository, new_hook
from caseworker.github_double.app_keys import new_key_pair
from caseworker.github_double.ci.listener import ContinuousIntegration, run_ci
from caseworker.github_double.double_server import GitHubDouble
from caseworker.github_double.entities.accounts import Actor, App, Permissions
from caseworker.github_double.entities.repository import Issue, Repository
from caseworker.github_double.page.page_routes import page_routes
from caseworker.intake.issues import read_issue

OWNER: Final = "olga"
STRANGER: Final = "sam"
LABELS: Final = ("bot:triage", "bot:plan", "bot:implement")
PERMITTED: Final[Permissions] = {
    name: "write" if level == "write" else "read" for name, (level, _) in PERMISSIONS.items()
}
"""What `caseworker init github` asks GitHub for, and no more."""
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
    issue: Issue
    app: App
    private_key: str
    webhook_secret: str

    @property
    def page(self) -> str:
        """The issue that the demo is about."""
        return f"{self.repository_page}/issues/{self.issue.number}"

    @property
    def repository_page(self) -> str:
        return f"{self.double.url}/{self.repository.full_name}"

    def tell_app(self, url: str) -> None:
        """From now on the App gets webhooks there."""
        assert self.app.hook is not None, "the App was made with one"
        self.app.hook.url = url
        self.app.hook.is_active = True


@asynccontextmanager
async def own_github(folder: Path, *, port: int = 0) -> AsyncIterator[OwnGitHub]:
    """Serves a furnished GitHub. Its App is told nothing until `tell_app` names an address."""
    double = GitHubDouble(folder / "repositories")
    async with double.serving(port=port, pages=page_routes(double.front)), run_ci(double.state) as ci:
        yield _furnish(double, ci, folder)


def _furnish(double: GitHubDouble, ci: ContinuousIntegration, folder: Path) -> OwnGitHub:
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
    hook = new_hook(github, url="", secret=secret, events=EVENTS, is_of_app=True)
    hook.is_active = False
    app = create_app(github, owner, "Caseworker", public_key=public, permissions=PERMITTED, events=EVENTS, hook=hook)
    install(github, app, owner, repositories=[shop])
    opened = create_issue(github, olga, shop, title=issue.title, body=issue.body)
    return OwnGitHub(
        double=double, ci=ci, repository=shop, issue=opened, app=app, private_key=private, webhook_secret=secret
    )
