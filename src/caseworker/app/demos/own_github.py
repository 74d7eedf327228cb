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
from caseworker.github_double import git_store
from caseworker.github_double.acts.account_acts import create_app, create_user, install
from caseworker.github_double.acts.issue_acts import create_issue
from caseworker.github_double.acts.label_acts import create_label
from caseworker.github_double.acts.pull_acts import create_pull
from caseworker.github_double.acts.push_acts import set_ref, write_file
from caseworker.github_double.acts.repository_acts import add_collaborator, create_repository, new_hook
from caseworker.github_double.acts.review_acts import create_review
from caseworker.github_double.acts.review_records import LineComment
from caseworker.github_double.app_keys import new_key_pair
from caseworker.github_double.ci.listener import ContinuousIntegration, run_ci
from caseworker.github_double.double_server import GitHubDouble
from caseworker.github_double.entities.accounts import Actor, App, Permissions, Role
from caseworker.github_double.entities.repository import Issue, PullRequest, Repository
from caseworker.github_double.page.page_routes import page_routes
from caseworker.intake.issues import read_issue

OWNER: Final = "olga"
STRANGER: Final = "sam"
COLLEAGUE: Final = "rita"
LABELS: Final = {
    **dict.fromkeys(("bot:triage", "bot:plan", "bot:implement"), "Ask Caseworker: for issues"),
    **dict.fromkeys(("bot:review", "bot:resolve", "bot:ship"), "Ask Caseworker: for pull requests"),
}
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


_GIFTS: Final = {
    "shop/cart.py": "Let customers have things wrapped",
    "tests/test_gifts.py": "Test what wrapping costs",
}
"""The files of the pull request and their commits."""
_GIFTS_BODY: Final = "Customers ask for it before every holiday. A wrapped piece costs 2.50 more."
_QUESTION: Final = "Is that for each piece, or for each line of the order? Please say it here."


@dataclass(frozen=True, kw_only=True)
class OwnGitHub:
    """What a bot needs to know to work on it."""

    double: GitHubDouble
    ci: ContinuousIntegration
    repository: Repository
    issue: Issue
    gifts: PullRequest
    """Opened by the owner, with a red check and a thread of a colleague that nobody has answered."""
    app: App
    private_key: str
    webhook_secret: str

    @property
    def page(self) -> str:
        """The issue that the demo is about."""
        return f"{self.repository_page}/issues/{self.issue.number}"

    @property
    def gifts_page(self) -> str:
        return f"{self.repository_page}/pull/{self.gifts.number}"

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
    for name, description in LABELS.items():
        create_label(github, olga, shop, name=name, color="5319e7", description=description)
    write_file(github, olga, shop, ".github/workflows/ci.yml", WORKFLOW.encode(), message="Run the tests")
    private, public = new_key_pair()
    secret = secrets.token_hex(20)
    hook = new_hook(github, url="", secret=secret, events=EVENTS, is_of_app=True)
    hook.is_active = False
    app = create_app(github, owner, "Caseworker", public_key=public, permissions=PERMITTED, events=EVENTS, hook=hook)
    install(github, app, owner, repositories=[shop])
    opened = create_issue(github, olga, shop, title=issue.title, body=issue.body)
    return OwnGitHub(
        double=double,
        ci=ci,
        repository=shop,
        issue=opened,
        gifts=_open_gifts(double, olga, shop),
        app=app,
        private_key=private,
        webhook_secret=secret,
    )


def _open_gifts(double: GitHubDouble, olga: Actor, shop: Repository) -> PullRequest:
    """A change of the owner's whose test fails, and a question of a colleague about one of its lines."""
    github, branch = double.state, "gift-wrap"
    rita = create_user(github, COLLEAGUE, name="Rita", email="rita@example.org")
    add_collaborator(github, shop, rita, Role.WRITE)
    set_ref(github, olga, shop, f"refs/heads/{branch}", git_store.branches(shop.path)[shop.default_branch])
    with as_file(files("caseworker.app") / "demos" / "samples" / "shop" / "gifts") as sample:
        for path, message in _GIFTS.items():
            blob = git_store.run_git(shop.path, "rev-parse", "--verify", "--quiet", f"{branch}:{path}", ok=(0, 1, 128))
            text = (sample / path).read_bytes()
            write_file(github, olga, shop, path, text, message=message, branch=branch, blob=blob or None)
    pull = create_pull(github, olga, shop, title="Wrap gifts", head=branch, base=shop.default_branch, body=_GIFTS_BODY)
    lines = (git_store.read_blob(shop.path, f"{branch}:shop/cart.py") or b"").decode().splitlines()
    remark = LineComment(path="shop/cart.py", line=1 + lines.index("GIFT_WRAP = 250"), body=_QUESTION)
    create_review(github, Actor(user=rita), pull, verdict="COMMENT", comments=[remark])
    return pull
