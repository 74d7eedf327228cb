"""`caseworker run --issue LINK` with a token alone, on our own GitHub: the real command and the real client."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from caseworker.core.base.errors import Refused
from caseworker.core.base.repositories import RemoteRepository
from caseworker.forges.github.address import ApiAddress
from caseworker.forges.github.issue_links import parse_issue_link
from caseworker.github_double import git_store
from caseworker.github_double.acts.account_acts import create_token
from caseworker.github_double.acts.repository_acts import create_repository
from caseworker.github_double.entities.repository import Issue, Repository
from tests.world.github import OWN_PERMISSIONS, GitHubWorld, Person
from tests.world.project import make_project
from tests.world.terminal import REHEARSAL, Answer, Terminal, open_terminal

ANNOUNCED = [
    "Pull request #2 is open: `agent/issue-1`, from olga/shop#1. Its page has its text and its proof. It waits for its "
    "checks to begin and to end.",
    "Pull request #2 is open: `agent/issue-1`, from olga/shop#1. Its page has its text and its proof. It has no "
    "checks: none has reported on its commit. A person merges it.",
]
SHOP = RemoteRepository(host="github.com", owner="acme", name="shop")


@pytest.mark.parametrize(
    "name",
    [
        "https://github.com/acme/shop/issues/42",
        "https://www.github.com/acme/shop/issues/42",
        "https://github.com/acme/shop/issues/42#issuecomment-9",
        "acme/shop#42",
    ],
)
def test_an_issue_is_named_by_its_link_or_in_short(name: str) -> None:
    link = parse_issue_link(name)
    assert link is not None
    assert (link.on(ApiAddress()), link.number) == (SHOP, 42)


def test_a_link_to_an_enterprise_server_fits_its_own_address() -> None:
    link = parse_issue_link("https://git.acme.example/acme/shop/issues/42")
    assert link is not None
    assert link.on(ApiAddress("https://git.acme.example/api/v3")).host == "git.acme.example"
    with pytest.raises(Refused, match=r"CASEWORKER_GITHUB_API_URL=https://git\.acme\.example/api/v3"):
        link.on(ApiAddress())


@pytest.mark.parametrize("name", ["bug.md", "acme/shop", "#42", "acme/shop#0", "../acme/shop#x"])
def test_other_words_name_no_issue_on_github(name: str) -> None:
    assert parse_issue_link(name) is None


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("https://github.com/acme/shop/pull/57", "is a pull request"),
        ("https://github.com/acme/shop", "is not the link of an issue"),
    ],
)
def test_a_link_to_something_else_is_refused(name: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        parse_issue_link(name)


# --- the command


@dataclass
class Office:
    """A person with a token and a terminal, and a shop on GitHub."""

    world: GitHubWorld
    owner: Person
    shop: Repository
    issue: Issue
    terminal: Terminal

    @property
    def link(self) -> str:
        return f"{self.world.double.url}/{self.shop.full_name}/issues/{self.issue.number}"

    async def types(self, *arguments: str | Path) -> Answer:
        return await asyncio.to_thread(self.terminal.types, *arguments)

    async def runs(self, link: str, *options: str) -> Answer:
        return await self.types("run", "--issue", link, "--rehearse", REHEARSAL, *options)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    with open_terminal(tmp_path / "home") as opened:
        yield opened


@pytest.fixture
async def office(tmp_path: Path, terminal: Terminal) -> AsyncIterator[Office]:
    world = GitHubWorld(tmp_path / "github")
    async with world.double.serving():
        owner = world.user("olga")
        shop = create_repository(world.state, owner.user, "shop", source=make_project(tmp_path / "project"))
        issue = owner.opens_issue("The greeting is wrong", "It says wrold.", on=shop)
        token = create_token(world.state, owner.user, permissions=OWN_PERMISSIONS)
        terminal.environment |= {
            "CASEWORKER_CHECKS_SETTLE_SECONDS": "1",
            "CASEWORKER_GITHUB_API_URL": world.state.api_url,
            "CASEWORKER_GITHUB_TOKEN": token.value,
        }
        yield Office(world, owner, shop, issue, terminal)


@pytest.mark.slow
async def test_a_link_and_a_token_are_enough_for_a_pull_request(office: Office) -> None:
    answer = await office.runs(office.link)
    assert answer.code == 0, answer.err
    (pull,) = office.shop.pulls.values()
    assert pull.issue.title == "Greet the world by its name"
    assert (pull.issue.body or "").rstrip().endswith("Fixes olga/shop#1")
    assert "agent/issue-1" in git_store.branches(office.shop.path)
    assert f"olga/shop/pull/{pull.issue.number}" in answer.out
    assert [comment.body.partition("\n")[0] for comment in office.issue.comments] == ANNOUNCED
    again = await office.runs("olga/shop#1")
    assert again.code == 0, again.err
    assert len(office.shop.pulls) == 1


async def test_what_cannot_be_worked_on_is_refused_before_anything_is_made(office: Office) -> None:
    async def refusal(link: str, *options: str) -> str:
        answer = await office.runs(link, *options)
        assert answer.code == 2, answer.out
        assert not (office.terminal.home / "caseworker.db").exists()
        return answer.err

    pull = office.owner.opens_pull(office.shop, _branch(office))
    assert "is a pull request" in await refusal(f"olga/shop#{pull.issue.number}")
    assert "has no issue 99, or Caseworker may not see it" in await refusal("olga/shop#99")
    assert "Leave `--repo` out" in await refusal(office.link, "--repo", str(office.terminal.home))
    office.owner.closes(office.issue)
    assert "olga/shop#1 is closed" in await refusal(office.link)
    office.terminal.environment["CASEWORKER_GITHUB_TOKEN"] = "github_pat_revoked"
    assert "does not accept the token" in await refusal(office.link)
    office.terminal.environment["CASEWORKER_GITHUB_TOKEN"] = ""
    assert "Set CASEWORKER_GITHUB_TOKEN" in await refusal(office.link)


def _branch(office: Office) -> str:
    office.owner.commits(office.shop, "feature", {"notes.md": "notes\n"})
    return "feature"
