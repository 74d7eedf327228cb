"""Repositories and their issues on both databases: one id per place, one issue per text."""

import asyncio
from pathlib import Path

import pytest

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import RepositoryId, issue_case, split_issue_case
from caseworker.core.base.repositories import LocalRepository, RemoteRepository
from caseworker.ports import NewIssue
from caseworker.store.store import Store
from tests.edges.store_examples import repository


def about(title: str, *, body: str = "", number: int | None = None) -> NewIssue:
    return NewIssue(title=title, body=body, labels=["bug"], url="https://example.org/1", number=number)


async def test_the_same_path_is_the_same_repository_however_it_is_written(store: Store, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "shop")
    first = await store.repositories.register(LocalRepository(path=tmp_path / "shop"))
    assert first == "local/shop"
    assert await store.repositories.register(LocalRepository(path=tmp_path / "link")) == first
    assert await store.repositories.register(LocalRepository(path=tmp_path / "x" / ".." / "shop")) == first
    assert await store.repositories.ref(first) == LocalRepository(path=(tmp_path / "shop").resolve())


async def test_folders_of_the_same_name_are_numbered(store: Store) -> None:
    ids = [await repository(store, f"/srv/{letter}/shop") for letter in "abc"]
    assert ids == ["local/shop", "local/shop-2", "local/shop-3"]


async def test_a_repository_on_a_forge_is_registered_once_and_read_back(store: Store) -> None:
    shop = RemoteRepository(host="github.com", owner="acme", name="shop")
    ids = await asyncio.gather(*(store.repositories.register(shop) for _ in range(5)))
    assert set(ids) == {"acme/shop"}
    assert await store.repositories.ref(ids[0]) == shop
    elsewhere = shop.model_copy(update={"host": "git.acme.example"})
    assert await store.repositories.register(elsewhere) == "acme/shop-2"
    assert await store.repositories.ref(RepositoryId("acme/shop-2")) == elsewhere


async def test_ten_registrations_at_once_of_one_path_make_one_repository(store: Store) -> None:
    assert set(await asyncio.gather(*(repository(store) for _ in range(10)))) == {"local/shop"}


async def test_ten_folders_of_one_name_registered_at_once_get_ten_ids(store: Store) -> None:
    ids = await asyncio.gather(*(repository(store, f"/srv/{number}/shop") for number in range(10)))
    assert len(set(ids)) == 10


@pytest.mark.parametrize(
    ("folder", "expected"),
    [("/srv/my shop (new)", "local/my-shop-new"), ("/srv/.dotfiles", "local/dotfiles"), ("/", "local/repository")],
)
async def test_a_folder_name_becomes_part_of_a_case_id(store: Store, folder: str, expected: str) -> None:
    found = await repository(store, folder)
    assert found == expected
    assert split_issue_case(issue_case(found, 1)) == (found, 1)


async def test_the_place_of_an_unknown_repository_is_refused(store: Store) -> None:
    with pytest.raises(Refused, match="There is no repository local/nowhere here"):
        await store.repositories.ref(RepositoryId("local/nowhere"))


async def test_issues_get_consecutive_numbers_and_the_same_text_is_the_same_issue(store: Store) -> None:
    shop = await repository(store)
    one = await store.repositories.new_issue(shop, about("One", body="a"))
    two = await store.repositories.new_issue(shop, about("One", body="b"))
    assert (one.number, two.number) == (1, 2)
    assert await store.repositories.new_issue(shop, about("One", body="a")) == one
    assert await store.repositories.issues(shop) == [one, two]
    assert await store.repositories.issue(shop, 2) == two
    assert await store.repositories.issue(shop, 3) is None
    assert (one.labels, one.url) == (["bug"], "https://example.org/1")


async def test_repositories_number_their_issues_apart(store: Store) -> None:
    for folder in ("/srv/a", "/srv/b"):
        assert (await store.repositories.new_issue(await repository(store, folder), about("One"))).number == 1


async def test_issues_filed_at_the_same_time_get_numbers_without_gaps(store: Store) -> None:
    shop = await repository(store)
    filed = await asyncio.gather(*(store.repositories.new_issue(shop, about(f"Issue {n}")) for n in range(12)))
    assert sorted(issue.number for issue in filed) == list(range(1, 13))


async def test_one_text_filed_ten_times_at_once_is_one_issue(store: Store) -> None:
    shop = await repository(store)
    filed = await asyncio.gather(*(store.repositories.new_issue(shop, about("Same")) for _ in range(10)))
    assert {issue.number for issue in filed} == {1}
    assert len(await store.repositories.issues(shop)) == 1


async def test_a_given_number_is_kept_and_numbers_go_on_after_it(store: Store) -> None:
    shop = await repository(store)
    assert (await store.repositories.new_issue(shop, about("Given", number=42))).number == 42
    assert (await store.repositories.new_issue(shop, about("Next"))).number == 43
    assert (await store.repositories.new_issue(shop, about("Given", number=42))).number == 42


async def test_a_given_number_that_another_text_has_is_refused(store: Store) -> None:
    shop = await repository(store)
    await store.repositories.new_issue(shop, about("One", number=42))
    with pytest.raises(Refused, match="local/shop has an issue 42 already, and its text is another"):
        await store.repositories.new_issue(shop, about("Two", number=42))


async def test_an_issue_of_an_unknown_repository_is_refused(store: Store) -> None:
    with pytest.raises(Refused, match="There is no repository"):
        await store.repositories.new_issue(RepositoryId("local/nowhere"), about("One"))
