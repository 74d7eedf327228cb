"""Ids are validated, and names made from different ids differ."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from caseworker.core.base.ids import (
    CaseId,
    RepositoryId,
    effect_key,
    is_issue_called,
    is_pull_called,
    issue_case,
    issue_typed,
    pull_case,
    pull_typed,
    slug,
    split_issue_case,
    typed,
)

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


@given(case=CASES)
def test_what_is_typed_for_an_issue_case_names_it_and_is_safe_in_a_shell(case: CaseId) -> None:
    assert issue_typed(typed(case)) == case
    assert not set(typed(case)) & set("#!&|;<>()$`\\\"' \t\n*?[]{}~=%")


@given(owner=OWNERS, name=NAMES, number=st.integers(1, 999))
def test_what_is_typed_for_a_pull_case_names_it_and_no_issue(owner: str, name: str, number: int) -> None:
    case = pull_case(RepositoryId(f"{owner}/{name}"), number)
    assert (pull_typed(typed(case)), issue_typed(typed(case))) == (case, None)


@pytest.mark.parametrize(
    ("written", "issue", "pull"),
    [
        ("shop/3", "local/shop#3", None),
        ("acme/shop/3", "acme/shop#3", None),
        ("https://github.com/acme/shop/issues/3", "acme/shop#3", None),
        ("acme/shop/pull/3", None, "acme/shop!3"),
        ("https://github.com/acme/shop/pull/3", None, "acme/shop!3"),
        ("https://github.com/acme/shop/3", None, None),
        ("shop", None, None),
        ("shop/03", None, None),
        ("a/b/c/3", None, None),
        ("3", None, None),
    ],
)
def test_what_people_type_means_at_most_one_case(written: str, issue: str | None, pull: str | None) -> None:
    assert (issue_typed(written), pull_typed(written)) == (issue, pull)


def test_the_end_of_an_id_names_a_case_by_whole_parts_only() -> None:
    issue, pull = CaseId("acme/shop-3#1"), CaseId("acme/shop#1")
    assert [is_issue_called(issue, name) for name in ("shop-3/1", "shop-3#1", "1", "3/1", "3#1")] == [True] * 3 + [
        False
    ] * 2
    assert is_pull_called(CaseId("acme/shop!1"), "shop/pull/1")
    assert not is_pull_called(pull, "shop/pull/1")
