"""References to repositories: how they are shown and stored, and how branches are named."""

from pathlib import Path

import pytest
from pydantic import TypeAdapter

from caseworker.core.base.repositories import LocalRepository, RemoteRepository, RepositoryRef

HERE = LocalRepository(path=Path("/srv/shop"))
THERE = RemoteRepository(host="github.com", owner="acme", name="shop")
BOTH = [HERE, THERE]


def test_a_reference_is_shown_as_people_know_it() -> None:
    assert [str(ref) for ref in BOTH] == ["/srv/shop", "github.com/acme/shop"]


@pytest.mark.parametrize("ref", BOTH)
def test_a_reference_is_the_same_after_json(ref: RepositoryRef) -> None:
    adapter: TypeAdapter[RepositoryRef] = TypeAdapter(RepositoryRef)
    assert adapter.validate_json(adapter.dump_json(ref)) == ref


@pytest.mark.parametrize("ref", BOTH)
def test_the_branch_of_an_issue_leads_back_to_the_issue(ref: RepositoryRef) -> None:
    assert ref.branch_of(42) == "agent/issue-42"
    assert ref.issue_of(ref.branch_of(42)) == 42


@pytest.mark.parametrize(
    ("branch", "issue"),
    [("agent/issue-7/more", 7), ("agent/issue-07", None), ("agent/issue-7x", None), ("issue-7", None), ("main", None)],
)
def test_only_branches_that_block_an_issues_branch_take_its_number(branch: str, issue: int | None) -> None:
    assert HERE.issue_of(branch) == issue
