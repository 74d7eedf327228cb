"""Rules that owners told to be remembered: the reviews of later cases get them, and pull requests name them."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from caseworker.core.base.ids import RepositoryId
from caseworker.core.base.roles import Role, Task
from caseworker.core.outcomes.outcome import Outcome, parse_outcome
from caseworker.engine.client import connect
from caseworker.engine.temporal_address import Address
from tests.patience import PATIENCE
from tests.scenarios.conftest import end
from tests.world.github_office import GitHubOffice, open_github_office


@pytest.fixture
async def office(home: Path, temporal: Address, request: pytest.FixtureRequest) -> AsyncIterator[GitHubOffice]:
    async with open_github_office(home, await connect(temporal)) as office:
        yield office
        await office.serving_stops()
        await end(office.world, request)


def approved_by_rules(workspace: Path) -> Outcome:
    """Says that it used rules 1 and 2. The second is about other paths."""
    given = {"status": "APPROVED", "good": ["The smallest change."], "learnings_used": [1, 2]}
    return parse_outcome(Role.TECH_LEAD, Task.REVIEW, given)


async def remembered(office: GitHubOffice, count: int) -> None:
    store = office.world.store
    async with asyncio.timeout(PATIENCE):
        while len(await store.review_learnings.of(RepositoryId(office.shop.full_name))) < count:  # noqa: ASYNC110 - no event
            await asyncio.sleep(0.02)


@pytest.mark.slow
async def test_a_remembered_rule_is_in_a_later_review_and_the_pull_request_names_it(office: GitHubOffice) -> None:
    office.world.agent.does(Role.TECH_LEAD, Task.REVIEW, approved_by_rules)
    talk = office.olga.opens_issue("Rules", on=office.shop)
    office.olga.comments(talk, "bot:remember --path *.txt Greetings end without a stop.")
    await remembered(office, 1)
    office.olga.comments(talk, "bot:remember --path src/api/** Prices are cents.")
    await remembered(office, 2)
    issue = office.olga.opens_issue("The greeting misspells the world", "It says wrold.", on=office.shop)
    for name in ("triage", "plan", "implement"):
        office.olga.labels(issue, f"bot:{name}")
        await office.expect_tracking(issue, name, "done")
    reviews = [brief.prompt for brief in office.world.agent.briefs if brief.task is Task.REVIEW]
    others = [brief.prompt for brief in office.world.agent.briefs if brief.task is not Task.REVIEW]
    assert "1. `*.txt`: Greetings end without a stop. (olga, " in reviews[-1]
    assert not any("Prices are cents" in prompt for prompt in reviews)
    assert not any("Greetings end without" in prompt for prompt in others)
    [pull] = office.pulls()
    assert "**Learnings used**\n\n- `*.txt`: Greetings end without a stop. (olga, " in (pull.issue.body or "")
    assert "Prices are cents" not in (pull.issue.body or "")
