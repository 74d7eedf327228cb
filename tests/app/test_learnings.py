"""`caseworker learnings`: what is listed, for which repository, and what is forgotten."""

import io
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from rich.console import Console

from caseworker.app.settings import Settings
from caseworker.app.terminal.list_learnings import list_learnings
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId, RepositoryId, issue_case
from caseworker.core.base.policy import Policy
from caseworker.core.base.repositories import LocalRepository
from caseworker.core.outcomes.answers import Observation
from caseworker.intake.learnings import LearningAct
from caseworker.ports import NewIssue
from caseworker.store.store import Store, open_store
from tests.edges.store_examples import TRACE, said
from tests.world.project import make_project

Learns = Callable[[Path, str, list[Observation]], Awaitable[CaseId]]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.model_validate({"home": tmp_path / "home"})


@pytest.fixture
def learns(settings: Settings) -> Learns:
    """Opens a case in the repository of that folder, with what it noted."""

    async def learn(folder: Path, title: str, observations: list[Observation]) -> CaseId:
        store = await open_store(settings.database)
        try:
            return await _case_that_noted(store, folder, title, observations)
        finally:
            await store.close()

    return learn


async def _case_that_noted(store: Store, folder: Path, title: str, observations: list[Observation]) -> CaseId:
    repository = await store.repositories.register(LocalRepository(path=folder))
    issue = await store.repositories.new_issue(repository, NewIssue(title=title, body="b"))
    case = issue_case(repository, issue.number)
    await store.cases.open(issue, policy=Policy(), rehearsal=None, trace=TRACE, first=said(case))
    await store.learnings.add(repository, case, observations)
    return case


def noted(*contents: str) -> list[Observation]:
    return [Observation(type="pattern_discovered", content=content) for content in contents]


async def listed(settings: Settings, *, repo: Path | None = None, act: LearningAct | None = None) -> str:
    paper = io.StringIO()
    console = Console(file=paper, width=160, color_system=None, highlight=False, soft_wrap=True)
    assert await list_learnings(settings, console, repo=repo, act=act, as_json=False) == 0
    return "\n".join(line.rstrip() for line in paper.getvalue().splitlines())


async def test_learnings_are_listed_with_how_often_they_were_seen(settings: Settings, learns: Learns) -> None:
    await learns(Path("/srv/shop"), "One", noted("Prices are [bold]Decimal[/].", "Run `make`\n\x1b[2J first."))
    await learns(Path("/srv/shop"), "Two", noted("prices are [bold]decimal[/]."))
    await learns(Path("/srv/till"), "One", noted("Tests need a display."))
    assert await listed(settings) == (
        "id  repository  seen        last in       approved by  what\n"
        "2   local/shop  in 2 cases  local/shop#2               pattern discovered: Prices are [bold]Decimal[/].\n"
        "1   local/shop  once        local/shop#1               pattern discovered: Run `make` [2J first.\n"
        "4   local/till  once        local/till#1               pattern discovered: Tests need a display.\n"
        "A later case is offered the first ones of its repository.\n"
        "As an owner: --approve ID, --forget ID, --edit ID --text WORDS"
    )


async def test_a_repository_is_named_by_its_folder_or_one_inside(
    settings: Settings, learns: Learns, tmp_path: Path
) -> None:
    project = make_project(tmp_path / "project")
    other = make_project(tmp_path / "other")
    await learns(project, "One", noted("ours"))
    await learns(Path("/srv/till"), "One", noted("theirs"))
    for folder in (project, project / "tests"):
        out = await listed(settings, repo=folder)
        assert "ours" in out
        assert "theirs" not in out
    assert (await listed(settings, repo=other)).startswith("Nothing was learned yet.")
    with pytest.raises(Refused, match="is not a git repository"):
        await listed(settings, repo=tmp_path)


async def test_a_repository_that_is_not_on_this_disk_does_not_stop_the_listing(
    settings: Settings, learns: Learns, tmp_path: Path
) -> None:
    project = make_project(tmp_path / "project")
    case = await learns(project, "One", noted("ours"))
    store = await open_store(settings.database)
    await store.learnings.add(RepositoryId("owner/elsewhere"), case, noted("far away"))
    await store.close()
    assert "far away" in await listed(settings)
    assert "far away" not in await listed(settings, repo=project)


async def test_a_learning_is_forgotten_by_its_id(settings: Settings, learns: Learns) -> None:
    await learns(Path("/srv/shop"), "One", noted("a wrong idea"))
    assert await listed(settings, act=LearningAct(act="forget_learning", id=1)) == "Forgotten: a wrong idea"
    assert (await listed(settings)).startswith("Nothing was learned yet.")
    with pytest.raises(Refused) as refused:
        await listed(settings, act=LearningAct(act="forget_learning", id=1))
    assert str(refused.value) == "There is no learning 1 here. `caseworker learnings` lists them with their ids."


async def test_a_learning_of_another_repository_than_the_named_one_is_not_forgotten(
    settings: Settings, learns: Learns, tmp_path: Path
) -> None:
    project = make_project(tmp_path / "project")
    await learns(Path("/srv/shop"), "One", noted("theirs"))
    with pytest.raises(Refused, match="There is no learning 1 here"):
        await listed(settings, repo=project, act=LearningAct(act="forget_learning", id=1))
    assert "theirs" in await listed(settings)


async def test_learnings_are_printed_as_json_for_programs(
    settings: Settings, learns: Learns, capsys: pytest.CaptureFixture[str]
) -> None:
    case = await learns(Path("/srv/shop"), "One", noted("a"))
    console = Console(file=io.StringIO())
    assert await list_learnings(settings, console, repo=None, act=None, as_json=True) == 0
    (learning,) = json.loads(capsys.readouterr().out)
    assert (learning["id"], learning["seen"], learning["first_case"], learning["content"]) == (1, 1, case, "a")
    assert (
        await list_learnings(settings, console, repo=None, act=LearningAct(act="forget_learning", id=1), as_json=True)
        == 0
    )
    assert json.loads(capsys.readouterr().out) == {"forgotten": learning}
    assert await list_learnings(settings, console, repo=None, act=None, as_json=True) == 0
    assert json.loads(capsys.readouterr().out) == []


async def test_listing_without_records_creates_nothing(settings: Settings) -> None:
    assert "There are no cases yet" in await listed(settings)
    assert not settings.home.exists()
