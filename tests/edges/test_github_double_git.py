"""git over HTTP on the GitHub double: real clones and pushes, and what follows from them."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from caseworker.github_double import git_store
from caseworker.github_double.acts.account_acts import create_installation_token
from caseworker.github_double.acts.repository_acts import fork_repository, protect
from caseworker.github_double.entities.accounts import Actor
from caseworker.github_double.entities.protection import ReviewRule
from caseworker.github_double.entities.repository import Repository
from caseworker.github_double.state import Event
from tests.world.github import GitHubWorld, Person, run


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[GitHubWorld]:
    world = GitHubWorld(tmp_path / "github")
    async with world.double.serving():
        yield world


@pytest.fixture
def olga(world: GitHubWorld) -> Person:
    person = world.user("olga")
    world.repository(person, "shop", {"README.md": "# Shop\n"}, is_private=True)
    return person


@pytest.fixture
def shop(world: GitHubWorld, olga: Person) -> Repository:
    return world.state.repository("olga", "shop")


def address(world: GitHubWorld, token: str, name: str = "olga/shop") -> str:
    return f"{world.double.url.replace('http://', f'http://x-access-token:{token}@')}/{name}.git"


async def git(folder: Path, *arguments: str) -> str:
    return await run(folder, "git", "-c", "user.name=Pat", "-c", "user.email=pat@example.org", *arguments)


async def clone(world: GitHubWorld, token: str, folder: Path, name: str = "olga/shop") -> Path:
    said = await git(folder, "clone", "-q", address(world, token, name), "work")
    assert said.startswith("0"), said
    return folder / "work"


async def commit(work: Path, file: str, text: str) -> None:
    (work / file).parent.mkdir(parents=True, exist_ok=True)
    (work / file).write_text(text)
    await git(work, "add", ".")
    await git(work, "commit", "-qm", f"Write {file}")


async def test_a_push_is_told_and_moves_the_pull_request(
    world: GitHubWorld, olga: Person, shop: Repository, tmp_path: Path
) -> None:
    heard: list[Event] = []
    world.state.listeners.append(heard.append)
    work = await clone(world, olga.token, tmp_path)
    await git(work, "checkout", "-qb", "fix")
    await commit(work, "a.txt", "one\n")
    assert (await git(work, "push", "-q", "origin", "fix")).startswith("0")
    pull = olga.opens_pull(shop, "fix")
    await commit(work, "a.txt", "two\n")
    assert (await git(work, "push", "-q", "origin", "fix")).startswith("0")
    assert pull.head.sha == git_store.branches(shop.path)["fix"]
    names = [one.full_name for one in heard]
    assert names == ["push", "create", "pull_request.opened", "push", "pull_request.synchronize"]
    last = heard[-2].body["commits"]
    assert isinstance(last, list)
    assert (len(last), last[0]["modified"]) == (1, ["a.txt"])


async def test_git_is_asked_for_credentials_and_strangers_find_nothing(
    world: GitHubWorld, olga: Person, tmp_path: Path
) -> None:
    plain = await git(tmp_path, "clone", "-q", f"{world.double.url}/olga/shop.git")
    assert "could not read Username" in plain
    eve = world.user("eve")
    assert "not found" in await git(tmp_path, "clone", "-q", address(world, eve.token))


async def test_a_protected_branch_refuses_pushes_and_says_why(
    world: GitHubWorld, olga: Person, shop: Repository, tmp_path: Path
) -> None:
    protect(world.state, olga.actor, shop, "main", reviews=ReviewRule(), checks=["ci"])
    sam = world.user("sam", role="write", on=shop)
    work = await clone(world, sam.token, tmp_path)
    await commit(work, "a.txt", "one\n")
    before = git_store.branches(shop.path)
    said = await git(work, "push", "origin", "main")
    assert "GH006: Protected branch update failed for refs/heads/main" in said
    assert "Changes must be made through a pull request." in said
    assert "protected branch" in said or "hook declined" in said
    assert git_store.branches(shop.path) == before


async def test_a_forced_push_is_refused_only_where_a_rule_forbids_it(
    world: GitHubWorld, olga: Person, shop: Repository, tmp_path: Path
) -> None:
    sam = world.user("sam", role="write", on=shop)
    work = await clone(world, sam.token, tmp_path)
    for branch in ("free", "kept"):
        await git(work, "checkout", "-qb", branch, "origin/main")
        await commit(work, "a.txt", f"{branch}\n")
        await git(work, "push", "-q", "origin", branch)
    protect(world.state, olga.actor, shop, "kept")
    results = {}
    for branch in ("free", "kept"):
        await git(work, "checkout", "-q", branch)
        await git(work, "commit", "-q", "--amend", "-m", "Other words")
        results[branch] = await git(work, "push", "--force", "origin", branch)
    assert results["free"].startswith("0")
    assert "Cannot force-push to this branch" in results["kept"]


async def test_a_workflow_file_needs_its_own_permission(
    world: GitHubWorld, olga: Person, shop: Repository, tmp_path: Path
) -> None:
    app, _ = world.app(olga)
    installation = world.installed(app, shop)
    token = create_installation_token(world.state, Actor(user=None, app=app), installation.id)
    work = await clone(world, token.value, tmp_path)
    await git(work, "checkout", "-qb", "caseworker/1")
    await commit(work, "a.txt", "one\n")
    assert (await git(work, "push", "-q", "origin", "caseworker/1")).startswith("0")
    await commit(work, ".github/workflows/ci.yml", "on: push\n")
    refused = await git(work, "push", "origin", "caseworker/1")
    assert "without `workflows` permission" in refused
    world.state.moments.advance(timedelta(hours=2))
    assert "could not read Password" in await git(work, "fetch") or "Authentication failed" in await git(work, "fetch")


@pytest.mark.slow
async def test_a_maintainer_may_push_to_the_branch_of_a_forks_pull_request(
    world: GitHubWorld, olga: Person, tmp_path: Path
) -> None:
    lib = world.repository(olga, "lib", {"a.txt": "one\n"})
    finn = world.user("finn")
    fork = fork_repository(world.state, finn.actor, lib)
    finn.commits(fork, "idea", {"a.txt": "two\n"})
    pull = finn.opens_pull(lib, "finn:idea")
    assert pull.is_cross_repository
    work = await clone(world, olga.token, tmp_path, "finn/lib")
    await git(work, "checkout", "-q", "idea")
    await commit(work, "a.txt", "three\n")
    assert (await git(work, "push", "-q", "origin", "idea")).startswith("0")
    assert pull.head.sha == git_store.branches(fork.path)["idea"]
    pull.maintainer_can_modify = False
    await commit(work, "a.txt", "four\n")
    assert "denied to olga" in await git(work, "push", "origin", "idea")


@pytest.mark.slow
async def test_a_push_in_between_makes_the_lease_fail(
    world: GitHubWorld, olga: Person, shop: Repository, tmp_path: Path
) -> None:
    work = await clone(world, olga.token, tmp_path)
    await git(work, "checkout", "-qb", "fix")
    await commit(work, "a.txt", "mine\n")
    await git(work, "push", "-q", "-u", "origin", "fix")
    await git(work, "commit", "-q", "--amend", "-m", "Mine, again")
    world.double.faults.before("git-receive-pack", lambda: olga.commits(shop, "fix", {"b.txt": "theirs\n"}))
    said = await git(work, "push", "--force-with-lease", "origin", "fix")
    assert said.startswith("1")
    assert git_store.read_blob(shop.path, "fix:b.txt") == b"theirs\n"


async def test_refs_that_another_git_process_moves_are_seen_at_once(shop: Repository) -> None:
    first = git_store.branches(shop.path)["main"]
    second = git_store.commit_tree(shop.path, git_store.commit(shop.path, first).tree, (first,), "Say more")
    for wanted in (second, first, second):
        await git(shop.path, "update-ref", "refs/heads/main", wanted)
        assert git_store.branches(shop.path) == {"main": wanted}
    await git(shop.path, "pack-refs", "--all")
    await git(shop.path, "update-ref", "-d", "refs/heads/main")
    assert git_store.branches(shop.path) == {}
