"""A GitHub of our own with two private repositories and four people, and a case in each of the repositories."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from caseworker.app.settings import Settings
from caseworker.core.base.ids import CaseId, issue_case
from caseworker.core.base.policy import Policy
from caseworker.core.base.repositories import RemoteRepository
from caseworker.github_double.acts.account_acts import create_app, create_user, install
from caseworker.github_double.acts.repository_acts import add_collaborator, create_repository
from caseworker.github_double.app_keys import new_key_pair
from caseworker.github_double.double_server import GitHubDouble
from caseworker.github_double.entities.accounts import App, Permissions, Role, User
from caseworker.github_double.entities.repository import Repository
from caseworker.github_double.page.page_routes import page_routes
from caseworker.ports import NewIssue
from caseworker.store.store import Store
from tests.edges.store_examples import TRACE, said

_NEEDED: Permissions = {"metadata": "read", "issues": "write", "contents": "write"}


@dataclass
class GitHubWorld:
    double: GitHubDouble
    app: App
    private_key: str
    shop: Repository
    tools: Repository

    def user(self, login: str) -> User:
        return self.double.state.user(login)

    def settings(self, home: Path, **more: object) -> Settings:
        return Settings.model_validate({**self.written(home), **more})

    def written(self, home: Path) -> dict[str, str]:
        """The same as JSON can say it."""
        return {
            "home": str(home),
            "github_app_id": str(self.app.id),
            "github_app_private_key": self.private_key,
            "github_client_id": self.app.client_id,
            "github_client_secret": self.app.client_secret,
            "github_api_url": f"{self.double.url}/api/v3",
        }

    async def open_case(self, store: Store, repository: Repository, title: str) -> CaseId:
        host = self.double.url.partition("//")[2]
        ref = RemoteRepository(host=host, owner=repository.owner.login, name=repository.name)
        issue = await store.repositories.new_issue(
            await store.repositories.register(ref), NewIssue(title=title, body="")
        )
        case = issue_case(issue.repository, issue.number)
        opened = await store.cases.open(issue, policy=Policy(), rehearsal=None, trace=TRACE, first=said(case))
        assert opened
        return case


@asynccontextmanager
async def github_world(folder: Path, callback: str) -> AsyncIterator[GitHubWorld]:
    """olga owns both; dana writes to the shop; rita only reads it; sam is a stranger."""
    double = GitHubDouble(folder)
    github = double.state
    olga, dana, rita, _ = (create_user(github, login) for login in ("olga", "dana", "rita", "sam"))
    private, public = new_key_pair()
    app = create_app(github, olga, "Cases", public_key=public, permissions=_NEEDED, callback_urls=[callback])
    shop, tools = (create_repository(github, olga, name, is_private=True) for name in ("shop", "tools"))
    add_collaborator(github, shop, dana, Role.WRITE)
    add_collaborator(github, shop, rita, Role.READ)
    install(github, app, olga)
    async with double.serving(pages=page_routes(double.front)):
        yield GitHubWorld(double, app, private, shop, tools)
