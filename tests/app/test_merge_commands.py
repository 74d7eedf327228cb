"""The printed commands merge into the base of the case, whatever is checked out when a person runs them."""

import subprocess
from pathlib import Path

import pytest

from caseworker.app.terminal.merge_commands import merge_commands
from tests.world.project import git, make_project

BRANCH = "agent/issue-2"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A repository in which a case began on `wip` and was delivered."""
    shop = make_project(tmp_path / "shop")
    git(shop, "switch", "--quiet", "--create", "wip")
    git(shop, "switch", "--quiet", "--create", BRANCH)
    (shop / "fixed.txt").write_text("fixed\n")
    git(shop, "add", "--all")
    git(shop, "commit", "--quiet", "--message", "Fix it")
    git(shop, "switch", "--quiet", "wip")
    return shop


def printed(shop: Path) -> dict[str, str]:
    return dict(merge_commands(shop, branch=BRANCH, into="wip"))


def test_on_the_base_the_merge_is_one_command(shop: Path) -> None:
    assert printed(shop) == {
        "See the diff": f"git -C {shop} diff wip...{BRANCH}",
        "Merge it": f"git -C {shop} merge {BRANCH}",
    }


@pytest.mark.parametrize("elsewhere", [("main",), ("--detach", "main")])
def test_elsewhere_the_work_lands_on_the_base_all_the_same(shop: Path, elsewhere: tuple[str, ...]) -> None:
    git(shop, "switch", "--quiet", *elsewhere)
    commands = printed(shop)
    assert commands["Merge it"] == f"git -C {shop} switch wip && git -C {shop} merge {BRANCH}"
    assert "fixed.txt" in subprocess.check_output(commands["See the diff"], shell=True, text=True)
    subprocess.run(commands["Merge it"], shell=True, check=True, capture_output=True)
    assert git(shop, "rev-parse", "wip") == git(shop, "rev-parse", BRANCH)
    assert git(shop, "rev-parse", "main") != git(shop, "rev-parse", BRANCH)


def test_a_further_worktree_is_read_too(shop: Path, tmp_path: Path) -> None:
    git(shop, "switch", "--quiet", "main")
    git(shop, "worktree", "add", "--quiet", str(tmp_path / "beside"), "wip")
    assert printed(tmp_path / "beside")["Merge it"] == f"git -C {tmp_path / 'beside'} merge {BRANCH}"


def test_a_bare_repository_has_no_checkout_to_merge_in(shop: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    git(shop, "clone", "--quiet", "--bare", str(shop), str(bare))
    assert list(printed(bare)) == ["See the diff"]


def test_a_base_that_was_no_branch_is_merged_into_where_one_stands(shop: Path) -> None:
    assert dict(merge_commands(shop, branch=BRANCH, into="HEAD"))["Merge it"] == f"git -C {shop} merge {BRANCH}"
