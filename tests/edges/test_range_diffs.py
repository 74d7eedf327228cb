"""The comparison of two versions of a branch, by real git."""

from pathlib import Path

from caseworker.core.base.ids import Sha
from caseworker.workspaces.git import SafeGit
from caseworker.workspaces.range_diffs import compare_changes
from tests.edges.repositories import new_repository


async def test_a_branch_that_was_merged_meanwhile_is_compared_without_a_range_diff(tmp_path: Path) -> None:
    """Its base is its head then, and git calls that no range."""
    repository = new_repository(tmp_path / "repository")
    base = Sha(repository.head())
    head = Sha(repository.commit({"calc.py": "def add(a, b):\n    return a + b\n"}))
    git_dir = repository.path / ".git"
    compared = await compare_changes(SafeGit(), git_dir, (head, head), (base, head))
    assert (compared.is_same, compared.range_diff) == (False, "")
    assert (await compare_changes(SafeGit(), git_dir, (base, head), (base, head))).range_diff
