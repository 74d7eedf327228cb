"""Ids are validated, and names made from different ids differ."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from caseworker.core.base.ids import CaseId, RepositoryId, effect_key, issue_case, slug, split_issue_case

OWNERS = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9-]{0,8}", fullmatch=True)
NAMES = st.from_regex(r"[A-Za-z0-9._-]{1,8}", fullmatch=True)
CASES = st.builds(
    lambda owner, name, number: issue_case(RepositoryId(f"{owner}/{name}"), number), OWNERS, NAMES, st.integers(1, 999)
)


@given(owner=OWNERS, name=NAMES, number=st.integers(1, 10**9))
def test_an_issue_id_splits_into_repository_and_number(owner: str, name: str, number: int) -> None:
    repository = RepositoryId(f"{owner}/{name}")
    assert split_issue_case(issue_case(repository, number)) == (repository, number)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "42",
        "#42",
        "repo#42",
        "owner/repo",
        "owner/repo#",
        "owner/repo#0",
        "owner/repo#042",
        "owner/repo#-1",
        "owner/repo#4 2",
        "owner/repo#42\n",
        "owner/repo#4٢",
        "owner/repo!42",
        "a/b/c#42",
        "owner/re po#42",
        "owner/repo#42#43",
        "bug-7F3K",
    ],
)
def test_text_that_is_no_issue_id_is_refused(text: str) -> None:
    with pytest.raises(ValueError) as error:
        split_issue_case(CaseId(text))
    assert str(error.value) == f"{text!r} is not the id of an issue case (owner/repo#42)"


def test_a_slug_is_a_name_for_folders_and_refs() -> None:
    assert slug(CaseId("owner/my.repo-1#42")) == "owner__my.repo-1__42"


@given(one=CASES, other=CASES)
def test_two_cases_never_share_a_slug(one: CaseId, other: CaseId) -> None:
    assume(one != other)
    assert slug(one) != slug(other)


def test_an_effect_key_is_made_of_counters() -> None:
    assert effect_key(CaseId("owner/repo#42"), 1, "push", 7) == "owner/repo#42/1/push/7"
