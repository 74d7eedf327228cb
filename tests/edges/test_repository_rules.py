"""The rules of a repository come from its last commit."""

from pathlib import Path

import pytest

from caseworker.activities.shared import read_rules
from caseworker.core.base.errors import Refused
from caseworker.core.base.policy import Milestone
from caseworker.core.base.repositories import LocalRepository
from caseworker.core.evidence.repository_rules import RepositoryRules
from caseworker.forges.local_source import LocalSource
from caseworker.workspaces.git import SafeGit
from tests.world.project import git, make_project


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "project")


async def rules_of(project: Path) -> RepositoryRules:
    return await read_rules.rules_of(LocalRepository(path=project), LocalSource(SafeGit()))


def commit(project: Path, content: bytes) -> None:
    (project / ".caseworker.toml").write_bytes(content)
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message", "Rules")


async def test_a_repository_without_the_file_has_no_rules(project: Path) -> None:
    assert await rules_of(project) == RepositoryRules()


async def test_the_committed_file_counts_and_the_one_in_the_folder_does_not(project: Path) -> None:
    commit(project, b'until = "plan"\r\n')
    (project / ".caseworker.toml").write_text('until = "triage"\n')
    assert await rules_of(project) == RepositoryRules(until=Milestone.PLAN)
    (project / ".caseworker.toml").unlink()
    assert await rules_of(project) == RepositoryRules(until=Milestone.PLAN)


async def test_a_file_that_was_never_committed_does_not_count(project: Path) -> None:
    (project / ".caseworker.toml").write_text("this is not TOML")
    assert await rules_of(project) == RepositoryRules()


async def test_a_folder_with_the_files_name_does_not_count(project: Path) -> None:
    (project / ".caseworker.toml").mkdir()
    (project / ".caseworker.toml" / "x").write_text("x")
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message", "A folder")
    assert await rules_of(project) == RepositoryRules()


async def test_a_bare_repository_has_rules_too(project: Path, tmp_path: Path) -> None:
    commit(project, b"[approvals]\nplan = true\n")
    git(project, "clone", "--quiet", "--bare", str(project), str(tmp_path / "bare.git"))
    assert await rules_of(tmp_path / "bare.git") == RepositoryRules(approve_plan=True)


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"\xff\xfe", "is not UTF-8 text"), (b"# ours\n[budget]\nusd = -1\n", "line 3: `usd` must be an amount")],
)
async def test_mistakes_in_the_file_are_reported(project: Path, content: bytes, words: str) -> None:
    commit(project, content)
    with pytest.raises(Refused, match=words):
        await rules_of(project)
