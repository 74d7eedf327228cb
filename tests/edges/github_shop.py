"""A repository on our own GitHub, with people, an App and a token, and the real client against it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path

from caseworker.core.base.ids import CaseId, RepositoryId, Sha
from caseworker.core.base.pace import Pace
from caseworker.core.base.repositories import RemoteRepository
from caseworker.forges.github.broker import Broker
from caseworker.forges.github.connect import connect
from caseworker.forges.github.forge import make_github_forge
from caseworker.forges.github.github_access import GitHubAccess
from caseworker.forges.github.pull_reads import PullReader
from caseworker.forges.github.reads import GitHubReader
from caseworker.github_double.acts.account_acts import create_app, create_token, create_user, install
from caseworker.github_double.acts.comment_acts import create_comment
from caseworker.github_double.acts.issue_acts import create_issue
from caseworker.github_double.acts.repository_acts import add_collaborator, create_repository
from caseworker.github_double.app_keys import new_key_pair
from caseworker.github_double.double_server import GitHubDouble
from caseworker.github_double.entities.accounts import Actor, Permissions, Role, Token
from caseworker.github_double.entities.repository import Comment, Issue
from caseworker.ports import Workspace
from caseworker.store.store import Store, open_store
from caseworker.workspaces.git import SafeGit
from caseworker.workspaces.worktrees import GitWorkspaces
from tests.edges.repositories import new_repository

FAST = Pace(per_minute=10_000, per_hour=10_000, gap_seconds=0)
CASE = CaseId("acme/shop#1")
BRANCH = "agent/issue-1"
PERMISSIONS: Permissions = {
    "issues": "write",
    "pull_requests": "write",
    "contents": "write",
    "checks": "write",
    "actions": "write",
    "statuses": "read",
    "metadata": "read",
    "administration": "read",
}

key_pair = cache(new_key_pair)
"""One for all tests: making a key takes long."""


class Shop:
    """`acme/shop`, private, with olga (admin), rita (write) and sam (a stranger). We act as the App."""

    def __init__(self, double: GitHubDouble, store: Store, folder: Path, files: dict[str, str]) -> None:
        state = self.state = double.state
        self.double, self.store, self.folder = double, store, folder
        private_key, public_key = key_pair()
        self.acme = create_user(state, "acme", kind="Organization")
        self.people = {login: Actor(user=create_user(state, login)) for login in ("olga", "rita", "sam")}
        self.origin = new_repository(folder / "origin", {"calc.py": "x = 1\n", "notes.txt": "a\nb\nc\n", **files})
        self.repository = create_repository(state, self.acme, "shop", is_private=True, source=self.origin.path)
        for login, role in (("olga", Role.ADMIN), ("rita", Role.WRITE)):
            add_collaborator(state, self.repository, state.user(login), role)
        app = create_app(state, self.acme, "Caseworker", public_key=public_key, permissions=PERMISSIONS)
        self.installation = install(state, app, self.acme)
        access = GitHubAccess(api_url=state.api_url, app_id=str(app.id), app_private_key=private_key)
        self.use(access)

    def use(self, access: GitHubAccess, *, pace: Pace = FAST) -> None:
        """Connect anew, with other credentials or another pace."""
        self.access = access
        self.api = connect(access)
        self.reader, self.pulls = GitHubReader(self.api), PullReader(self.api)
        self.broker = Broker(self.api, budget=self.store.write_budget, git=SafeGit(), pace=pace)
        self.forge = make_github_forge(self.api, self.store, SafeGit(), pace=pace)
        self.workspaces = GitWorkspaces(self.folder / "home", source=self.forge.source, walls=False)

    def token_of(self, login: str) -> Token:
        """Connect with a fine-grained token of this person, and return it."""
        held: Permissions = {**PERMISSIONS, "statuses": "write"}
        token = create_token(self.state, self.state.user(login), permissions=held)
        self.use(GitHubAccess(api_url=self.state.api_url, token=token.value))
        return token

    @property
    def ref(self) -> RemoteRepository:
        return RemoteRepository(host=self.api.address.host, owner="acme", name="shop")

    async def register(self) -> RepositoryId:
        return await self.store.repositories.register(self.ref)

    def issue(self, title: str = "It fails", *, by: str = "rita", body: str | None = None) -> Issue:
        return create_issue(self.state, self.people[by], self.repository, title=title, body=body)

    def says(self, login: str, issue: Issue, text: str) -> Comment:
        return create_comment(self.state, self.people[login], issue, body=text)

    def written(self) -> list[str]:
        """What we changed over REST, in order, except tokens that we got."""
        return [
            f"{entry.method} {entry.path.removeprefix('/repos/acme/shop')}"
            for entry in self.double.log.writes("caseworker[bot]")
            if entry.face == "rest"
        ]

    async def work(self, files: dict[str, str], *, parent: Sha | None = None, name: str = "turn-1") -> Sha:
        self.workspace: Workspace = await self.workspaces.prepare(CASE, self.ref, None)
        await self.workspaces.reset(self.workspace, parent or self.workspace.base, scrub=False)
        for path, text in files.items():
            (self.workspace.path / path).write_text(text)
        return await self.workspaces.commit(self.workspace, "Fix it", parent=parent or self.workspace.base, name=name)

    async def push(self, commit: Sha, *, expected: Sha | None = None, branch: str = BRANCH) -> None:
        await self.forge.source.push(self.ref, self.workspace, commit, branch=branch, expected=expected)

    async def branch_head(self) -> Sha | None:
        return await self.forge.source.branch_head(self.ref, BRANCH)


@asynccontextmanager
async def opened_shop(
    folder: Path, files: dict[str, str] | None = None, *, uds: Path | None = None
) -> AsyncIterator[Shop]:
    store = await open_store(f"sqlite:///{folder / 'caseworker.db'}")
    try:
        async with GitHubDouble(folder / "github").serving(uds=uds) as double:
            yield Shop(double, store, folder, files or {})
    finally:
        await store.close()
