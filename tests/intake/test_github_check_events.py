"""Events about checks wake the case whose pull request has the commit, and nobody else."""

import pytest

from caseworker.core.base.ids import CaseId, Sha
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.messages import NO_MESSAGE
from caseworker.store.store import Store
from tests.intake.github_desk import PULL_HEAD, SHOP, Desk, keep_open_pull

OURS, OTHER = PULL_HEAD, Sha("b" * 40)
CASE = CaseId("acme/shop#7")


@pytest.fixture
async def desk(store: Store) -> Desk:
    """A case whose pull request is open."""
    desk = Desk(store)
    desk.github.add(7)
    await desk.labels("ann", 7, "bot:triage")
    await keep_open_pull(store, CASE, 8)
    desk.bell.rung.clear()
    return desk


def check_run(commit: Sha, repository: str = "acme/shop") -> dict[str, object]:
    where = {"full_name": repository, "html_url": f"https://github.com/{repository}"}
    run = {"id": 1, "head_sha": commit}
    return {"action": "completed", "check_run": run, "repository": where, "sender": {"login": "ann"}}


async def test_a_check_of_our_commit_wakes_the_case_that_waits_for_it(desk: Desk) -> None:
    await desk.deliver("check_run", check_run(OURS))
    assert await desk.outcome() == "woken"
    assert desk.bell.rung == [(CASE, NO_MESSAGE, MessageKind.WORDS)]


@pytest.mark.parametrize(("commit", "repository"), [(OTHER, "acme/shop"), (OURS, "acme/till")])
async def test_a_check_of_anything_else_wakes_nobody(desk: Desk, commit: Sha, repository: str) -> None:
    await desk.deliver("check_run", check_run(commit, repository))
    assert await desk.outcome() == "ignored: nobody_waits"
    assert desk.bell.rung == []


async def test_a_check_of_a_merged_pull_request_wakes_nobody(desk: Desk) -> None:
    repository = await desk.store.repositories.register(SHOP)
    await desk.store.pulls.set_state(repository, 8, "merged")
    await desk.deliver("check_run", check_run(OURS))
    assert desk.bell.rung == []
