"""What a report needs before anything is created: its text, its files, and the repository it is about."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from caseworker.app.desk import Desk
from caseworker.app.parts import find_repository
from caseworker.app.settings import Settings
from caseworker.app.terminal.report import ReportRequest, open_report, read_attachments, read_text, repository_for
from caseworker.app.terminal.send import Speaker, send
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Service
from caseworker.core.base.repositories import LocalRepository, RemoteRepository
from caseworker.core.people.messages import Standing
from caseworker.intake.conversation import Conversation
from caseworker.intake.new_cases import NewCases
from caseworker.store.store import open_store
from tests.intake.bell import RecordingBell
from tests.world.project import make_project

SERVICES = {"checkout-api": Service(aliases=("till",), repository="/srv/checkout"), "search": Service()}


def settings(**known: object) -> Settings:
    return Settings.model_validate({"home": "/nowhere", **known})


@pytest.mark.parametrize(
    ("text", "named", "default", "expected"),
    [
        ("the till is broken", "/mine", "/all", "/mine"),
        ("search and the till are broken", None, "/all", "/srv/checkout"),
        ("search is broken", None, "/all", "/all"),
        ("it is broken", None, "/all", "/all"),
        ("Checkout API fails", None, None, "/srv/checkout"),
    ],
)
async def test_the_repository_is_the_named_one_the_services_or_the_default(
    text: str, named: str | None, default: str | None, expected: str
) -> None:
    known = settings(services=SERVICES, reports_repository=default)
    assert await repository_for(text, Path(named) if named else None, known) == expected


async def test_the_repository_of_reports_may_be_on_github() -> None:
    known = settings(github_token="t", github_api_url="https://api.github.com")
    found = await find_repository("https://github.com/acme/shop", known)
    assert found == RemoteRepository(host="github.com", owner="acme", name="shop")


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("https://github.com/acme", "is not the address of a repository"),
        ("https://github.com/acme/shop/issues", "is not the address of a repository"),
        ("https://git.acme.com/acme/shop", "is not on github.com"),
        ("https://github.com/acme/shop", "has no access to GitHub"),
    ],
)
async def test_an_address_that_leads_nowhere_is_refused(address: str, problem: str) -> None:
    with pytest.raises(Refused, match=problem):
        await find_repository(address, settings())


async def test_a_report_is_about_the_repository_one_stands_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Refused, match=r"is not a git repository.*--repo FOLDER"):
        await repository_for("it is broken", None, settings())
    inside = make_project(tmp_path / "shop") / "src"
    inside.mkdir()
    monkeypatch.chdir(inside)
    assert await repository_for("it is broken", None, settings()) == str(inside.parent)


def test_an_attached_file_keeps_its_name_and_gets_a_media_type(tmp_path: Path) -> None:
    (tmp_path / "screen shot.png").write_bytes(b"\x89PNG")
    (tmp_path / "what").write_bytes(b"")
    image, unknown = read_attachments([tmp_path / "screen shot.png", tmp_path / "what"])
    assert (image.title, image.media_type, image.size, image.content) == ("screen shot.png", "image/png", 4, b"\x89PNG")
    assert (unknown.media_type, unknown.size) == ("application/octet-stream", 0)


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    large = tmp_path / "large.log"
    large.touch()
    os.truncate(large, 10_000_001)
    for path, words in ((tmp_path / "none", "is not there"), (tmp_path, "is not a file"), (large, "10,000,001 bytes")):
        with pytest.raises(Refused, match=words):
            read_attachments([path])
    with pytest.raises(Refused, match="11 files are attached; 10 are taken"):
        read_attachments([large] * 11)


def test_a_report_without_text_is_refused() -> None:
    with pytest.raises(Refused, match="no words"):
        read_text(" \n")
    assert read_text("  it is broken\n") == "it is broken"


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    known, bell = settings(home=str(tmp_path), cases_per_hour=2), RecordingBell()
    store = await open_store(known.database)
    yield Desk(
        settings=known,
        store=store,
        conversation=Conversation(store=store, doorbell=bell),
        new_cases=NewCases(store=store, doorbell=bell),
    )
    await store.close()


async def test_a_burst_of_reports_is_refused_at_a_terminal(desk: Desk, tmp_path: Path) -> None:
    request = ReportRequest(text="it is broken", rehearsal=None, reporter="rita")
    _, newest = [await open_report(desk, request, LocalRepository(path=tmp_path)) for _ in range(2)]
    with pytest.raises(Refused) as burst:
        await open_report(desk, request, LocalRepository(path=tmp_path))
    assert str(burst.value) == (
        "rita has opened 2 cases within an hour. Further reports open none for a while. "
        f"Write to {newest}, or wait. An owner can raise the number: `caseworker caps --cases`."
    )


async def test_an_unknown_case_is_refused_with_a_command(desk: Desk) -> None:
    with pytest.raises(Refused) as unknown:
        await send(desk, Speaker(case=CaseId("shop#9"), name="ann", standing=Standing.OWNER), "hello")
    assert str(unknown.value) == "There is no case shop#9. `caseworker cases` lists what there is."
