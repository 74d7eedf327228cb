"""A GitHub with people in it: what they do, and what is there afterwards."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import httpx

from caseworker.github_double import git_store
from caseworker.github_double.acts import comment_acts, issue_acts, label_acts, merge_acts, pull_acts, review_acts
from caseworker.github_double.acts.account_acts import create_app, create_token, create_user, install
from caseworker.github_double.acts.push_acts import set_ref
from caseworker.github_double.acts.repository_acts import add_collaborator, create_repository, new_hook
from caseworker.github_double.acts.review_records import LineComment
from caseworker.github_double.app_keys import new_key_pair
from caseworker.github_double.double_server import GitHubDouble
from caseworker.github_double.entities.accounts import Actor, App, Installation, Permissions, Role, User
from caseworker.github_double.entities.repository import Comment, Issue, PullRequest, Repository, Review
from caseworker.github_double.moments import Moments
from tests.world.github_judge import judge_answer

OWN_PERMISSIONS: Permissions = {
    "metadata": "read",
    "issues": "write",
    "pull_requests": "write",
    "contents": "write",
    "checks": "write",
    "statuses": "read",
    "actions": "write",
    "administration": "read",
}
OWN_EVENTS = (
    "issues",
    "issue_comment",
    "label",
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "pull_request_review_thread",
    "push",
    "create",
    "delete",
    "status",
    "check_run",
    "check_suite",
    "workflow_run",
    "repository",
    "member",
)


@dataclass(frozen=True)
class Person:
    """Somebody with an account. Each method is what the person does on the web page."""

    world: "GitHubWorld"
    actor: Actor
    token: str

    @property
    def user(self) -> User:
        assert self.actor.user is not None
        return self.actor.user

    def opens_issue(self, title: str, body: str = "", *, on: Repository, labels: Iterable[str] = ()) -> Issue:
        return issue_acts.create_issue(self.world.state, self.actor, on, title=title, body=body, labels=labels)

    def labels(self, issue: Issue, *names: str) -> None:
        label_acts.add_labels(self.world.state, self.actor, issue, names)

    def unlabels(self, issue: Issue, name: str) -> None:
        """A second passes: nobody removes a label and sets it again within the same one."""
        label_acts.remove_label(self.world.state, self.actor, issue, name)
        self.world.state.moments.advance(timedelta(seconds=1))

    def comments(self, issue: Issue, body: str) -> Comment:
        return comment_acts.create_comment(self.world.state, self.actor, issue, body=body)

    def edits(self, comment: Comment, body: str) -> None:
        comment_acts.edit_comment(self.world.state, self.actor, comment, body=body)

    def closes(self, issue: Issue) -> None:
        issue_acts.close_issue(self.world.state, self.actor, issue)

    def reopens(self, issue: Issue) -> None:
        issue_acts.reopen_issue(self.world.state, self.actor, issue)

    def rewrites(self, issue: Issue, *, title: str | None = None, body: str | None = None) -> None:
        issue_acts.edit_issue(self.world.state, self.actor, issue, title=title, body=body)

    def locks(self, issue: Issue) -> None:
        issue_acts.lock_issue(self.world.state, self.actor, issue)

    def unlocks(self, issue: Issue) -> None:
        issue_acts.unlock_issue(self.world.state, self.actor, issue)

    def transfers(self, issue: Issue, to: Repository) -> Issue:
        return issue_acts.transfer_issue(self.world.state, self.actor, issue, to)

    def deletes(self, issue: Issue) -> None:
        issue_acts.delete_issue(self.world.state, self.actor, issue)

    def commits(self, repository: Repository, branch: str, files: Mapping[str, str], message: str = "Change") -> str:
        """Commits files on top of a branch, which begins at the default branch if it is new, and pushes."""
        heads = git_store.branches(repository.path)
        parent = heads.get(branch, heads.get(repository.default_branch))
        for path, content in files.items():
            parent = git_store.commit_file(
                repository.path, parent, path, content.encode(), message=message, author=self.user
            )
        assert parent is not None
        set_ref(self.world.state, self.actor, repository, f"refs/heads/{branch}", parent)
        return parent

    def force_pushes(self, repository: Repository, branch: str, sha: str) -> None:
        set_ref(self.world.state, self.actor, repository, f"refs/heads/{branch}", sha, force=True)

    def opens_pull(self, repository: Repository, branch: str, title: str = "A change", body: str = "") -> PullRequest:
        return pull_acts.create_pull(
            self.world.state, self.actor, repository, title=title, head=branch, base="main", body=body
        )

    def approves(self, pull: PullRequest) -> Review:
        return review_acts.create_review(self.world.state, self.actor, pull, verdict="APPROVE")

    def requests_changes(self, pull: PullRequest, body: str = "Please change it.") -> Review:
        return review_acts.create_review(self.world.state, self.actor, pull, verdict="REQUEST_CHANGES", body=body)

    def remarks(self, pull: PullRequest, path: str, line: int, body: str) -> Review:
        draft = LineComment(path=path, line=line, body=body)
        return review_acts.create_review(self.world.state, self.actor, pull, verdict="COMMENT", comments=[draft])

    def merges(self, pull: PullRequest) -> str:
        return merge_acts.merge_pull(self.world.state, self.actor, pull)

    def client(self) -> httpx.AsyncClient:
        """REST with this person's token; every answer is judged."""
        return self.world.client(self.token)


class GitHubWorld:
    """One GitHub and its people. Without `serving` it answers `client` calls in the same process."""

    def __init__(self, folder: Path, *, moments: Moments | None = None) -> None:
        self.double = GitHubDouble(folder, moments=moments)
        self.state = self.double.state
        self._application = self.double.application()

    def user(self, login: str, *, role: str = "none", on: Repository | None = None) -> Person:
        """Somebody new, with a role on a repository if one is named."""
        user = create_user(self.state, login, email=f"{login}@example.org")
        if on is not None and role != "none":
            add_collaborator(self.state, on, user, Role[role.upper()])
        token = create_token(self.state, user, scopes=("repo", "workflow"))
        return Person(self, Actor(user=user), token.value)

    def repository(
        self, owner: Person, name: str, files: Mapping[str, str] | None = None, *, is_private: bool = False
    ) -> Repository:
        """A repository with one commit on main."""
        made = create_repository(self.state, owner.user, name, is_private=is_private)
        owner.commits(made, "main", files if files is not None else {"README.md": "# Shop\n"}, "Begin")
        return made

    def app(self, owner: Person, name: str = "Caseworker", *, url: str = "", secret: str = "hush") -> tuple[App, str]:
        """An App of ours and its private key; `url` is where its webhooks go."""
        private, public = _keys()
        hook = new_hook(self.state, url=url, secret=secret, events=OWN_EVENTS, is_of_app=True) if url else None
        app = create_app(
            self.state,
            owner.user,
            name,
            public_key=public,
            permissions=OWN_PERMISSIONS,
            events=OWN_EVENTS,
            hook=hook,
        )
        return app, private

    def installed(self, app: App, repository: Repository) -> Installation:
        return install(self.state, app, repository.owner, repositories=[repository])

    def client(self, token: str = "") -> httpx.AsyncClient:
        """REST in this process; every answer is judged by GitHub's description."""

        async def judge(response: httpx.Response) -> None:
            await response.aread()
            judge_answer(response)

        return httpx.AsyncClient(
            transport=httpx.ASGITransport(app=self._application),
            base_url="http://api.github.localhost",
            headers={"authorization": f"Bearer {token}"} if token else {},
            event_hooks={"response": [judge]},
        )


async def run(folder: Path, *command: str) -> str:
    """A command of a person at a terminal: its exit code, then what it wrote to both streams."""
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env=git_store.git_environment(),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    written, _ = await process.communicate()
    return f"{process.returncode}\n{written.decode()}"


_made: list[tuple[str, str]] = []


def _keys() -> tuple[str, str]:
    """One key pair for all tests: making one takes a noticeable time."""
    if not _made:
        _made.append(new_key_pair())
    return _made[0]
