"""`caseworker ship` with a token alone, on our own GitHub: the real command, the real host and the real client."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from caseworker.github_double.acts.account_acts import create_token
from caseworker.github_double.acts.repository_acts import protect
from caseworker.github_double.entities.repository import PullRequest, Repository
from tests.edges.agents_world import until
from tests.world.github import OWN_PERMISSIONS, GitHubWorld, Person
from tests.world.terminal import REHEARSAL, Answer, Terminal, open_terminal


@dataclass
class Office:
    """A person with a token and a terminal, and a shop on GitHub."""

    world: GitHubWorld
    owner: Person
    shop: Repository
    terminal: Terminal

    async def types(self, *arguments: str | Path) -> Answer:
        return await asyncio.to_thread(self.terminal.types, *arguments)

    def opens_pull(self, branch: str) -> PullRequest:
        self.owner.commits(self.shop, branch, {"greeting.txt": f"Hello {branch}\n"}, "Change it")
        return self.owner.opens_pull(self.shop, branch, f"Say {branch}")


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    with open_terminal(tmp_path / "home") as opened:
        yield opened


@pytest.fixture
async def office(tmp_path: Path, terminal: Terminal) -> AsyncIterator[Office]:
    world = GitHubWorld(tmp_path / "github")
    async with world.double.serving():
        owner = world.user("olga")
        shop = world.repository(owner, "shop", {"greeting.txt": "Hello\n", "Makefile": "test:\n\t@true\n"})
        token = create_token(world.state, owner.user, permissions={**OWN_PERMISSIONS, "statuses": "write"})
        terminal.environment |= {
            "CASEWORKER_GITHUB_TOKEN": token.value,
            "CASEWORKER_GITHUB_API_URL": world.state.api_url,
            "CASEWORKER_CHECKS_BEGIN_SECONDS": "0",
            "CASEWORKER_PULL_LOOK_SECONDS": "1",
        }
        yield Office(world, owner, shop, terminal)


@pytest.mark.slow
async def test_ship_is_followed_to_its_end_and_the_same_command_begins_anew(office: Office) -> None:
    name = f"olga/shop#{office.opens_pull('world').number}"
    would = await office.types("ship", name, "--dry-run")
    assert (would.code, would.out.splitlines()[-1]) == (
        0,
        "Next: it would end at once, ready awaiting human merge. It is ready. A person can merge it. Costs nothing.",
    )
    shipped = await office.types("ship", name, "--rehearse", REHEARSAL)
    assert shipped.code == 0, shipped
    assert "ready awaiting human merge" in shipped.out
    assert (await office.types("ship", name, "--rehearse", REHEARSAL)).code == 0
    shown = json.loads((await office.types("show", name.replace("#", "!"), "--json")).out)
    assert [(run["workflow"], run["state"]) for run in shown["runs"]] == [("ship", "succeeded"), ("ship", "succeeded")]
    await until(lambda: bool(office.shop.records.statuses))  # it is shown after the end
    on_head = {(one.context, one.state) for one in office.shop.records.statuses}
    assert on_head == {("caseworker/ready", "success")}  # with a token there are no check runs


@pytest.mark.slow
async def test_a_session_is_stopped_resumed_and_aborted_from_the_terminal(office: Office) -> None:
    pull = office.opens_pull("moon")
    protect(office.world.state, office.owner.actor, office.shop, "main", checks=["unit"])
    case = f"olga/shop!{pull.number}"
    begun = await office.types("ship", f"olga/shop#{pull.number}", "--rehearse", REHEARSAL, "--detach")
    assert begun.code == 0, begun
    for verb, receipt in (("stop", "paused"), ("resume", "goes on"), ("abort", "ended")):
        answer = await office.types(verb, case)
        assert (answer.code, answer.out.strip().endswith(receipt)) == (0, True), answer
