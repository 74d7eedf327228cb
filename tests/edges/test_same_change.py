"""The comparison of two versions of a branch, by real git."""

from pathlib import Path

from caseworker.core.base.ids import Sha
from caseworker.workspaces.git import SafeGit
from caseworker.workspaces.same_change import is_same_change
from tests.edges.repositories import new_repository


async def test_a_change_on_another_base_is_the_same_and_an_empty_one_is_not(tmp_path: Path) -> None:
    repository = new_repository(tmp_path / "repository")
    base = Sha(repository.head())
    head = Sha(repository.commit({"calc.py": "def add(a, b):\n    return a + b\n"}))
    repository.git("switch", "-q", "-C", "other", base)
    other = Sha(repository.commit({"notes.txt": "beside\n"}))
    again = Sha(repository.commit({"calc.py": "def add(a, b):\n    return a + b\n"}))
    git_dir = repository.path / ".git"
    assert await is_same_change(SafeGit(), git_dir, (base, head), (other, again))
    assert not await is_same_change(SafeGit(), git_dir, (head, head), (base, head))
