"""A small GitHub for tests of the double's faces: olga's shop with an issue and a pull request of sam's."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from caseworker.github_double import git_store
from caseworker.github_double.acts.account_acts import create_token, create_user
from caseworker.github_double.acts.issue_acts import create_issue
from caseworker.github_double.acts.pull_acts import create_pull
from caseworker.github_double.acts.push_acts import set_ref, write_file
from caseworker.github_double.acts.repository_acts import add_collaborator, create_repository
from caseworker.github_double.entities.accounts import Actor, Role
from caseworker.github_double.entities.repository import Issue, PullRequest, Repository
from caseworker.github_double.moments import Moments
from caseworker.github_double.state import GitHub

WORKFLOW = """\
name: CI
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: sh test.sh
"""


@dataclass
class Stage:
    github: GitHub
    shop: Repository
    olga: Actor
    sam: Actor
    issue: Issue
    pull: PullRequest


def person(github: GitHub, login: str) -> Actor:
    """An account with a classic token that may do everything its owner may."""
    user = create_user(github, login, email=f"{login}@example.org")
    return Actor(user=user, token=create_token(github, user, scopes=["repo", "workflow", "read:org"]))


def set_up(folder: Path, *, workflow: str | None = None) -> Stage:
    github = GitHub(folder, moments=Moments(datetime(2026, 1, 5, 9, 0, tzinfo=UTC)), url="http://github.localhost")
    return furnish(github, workflow=workflow)


def furnish(github: GitHub, *, workflow: str | None = None) -> Stage:
    """Puts the shop into an empty GitHub."""
    olga, sam = person(github, "olga"), person(github, "sam")
    assert olga.user is not None
    assert sam.user is not None
    shop = create_repository(github, olga.user, "shop", description="A small shop")
    add_collaborator(github, shop, sam.user, Role.WRITE)
    write_file(github, olga, shop, "shop.py", b"PRICE = 1\nTAX = 2\n", message="Begin the shop")
    write_file(github, olga, shop, "test.sh", b"grep -q PRICE shop.py\n", message="Test the price")
    if workflow is not None:
        write_file(github, olga, shop, ".github/workflows/ci.yml", workflow.encode(), message="Run the tests")
    issue = create_issue(github, olga, shop, title="The price is wrong", body="It should be 3.", labels=["bug"])
    propose(github, sam, shop, "fix-price", "shop.py", b"PRICE = 3\nTAX = 2\n")
    pull = create_pull(github, sam, shop, title="Correct the price", head="fix-price", base="main", body="Fixes #1")
    return Stage(github=github, shop=shop, olga=olga, sam=sam, issue=issue, pull=pull)


def propose(github: GitHub, actor: Actor, repository: Repository, branch: str, path: str, content: bytes) -> str:
    """Makes a branch from the default one with one changed file; returns its head."""
    heads = git_store.branches(repository.path)
    if branch not in heads:
        set_ref(github, actor, repository, f"refs/heads/{branch}", heads[repository.default_branch])
    before = git_store.run_git(repository.path, "rev-parse", f"{branch}:{path}", ok=(0, 128)).partition("\n")[0]
    blob = before if len(before) == 40 else None
    return write_file(github, actor, repository, path, content, message=f"Change {path}", branch=branch, blob=blob)
