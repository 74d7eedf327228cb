"""`caseworker deliveries`: what is listed, and with which words."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from caseworker.app.settings import Settings, make_home
from caseworker.app.terminal.list_deliveries import list_deliveries
from caseworker.core.base.ids import CaseId
from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.runs.delivery_outcomes import Dispatched, Ignored, IgnoreReason, NotDone, Outcome, RefusalReason
from caseworker.core.runs.outcome_kinds import OutcomeKind
from caseworker.store.store import open_store
from tests.edges.delivery_examples import delivery


@pytest.fixture
async def settings(tmp_path: Path) -> Settings:
    """A home with three deliveries."""
    settings = Settings.model_validate({"home": tmp_path / "home"})
    make_home(settings)
    store = await open_store(settings.database)
    triaged = Dispatched(workflow=WorkflowName.TRIAGE, case=CaseId("acme/shop#7"))
    early = NotDone(reason=RefusalReason.NEEDS_EARLIER, workflow=WorkflowName.PLAN, detail="triage")
    other = Ignored(reason=IgnoreReason.NOT_OUR_LABEL, detail="bug")
    outcomes: list[Outcome] = [triaged, early, other]
    for number, outcome in enumerate(outcomes):
        await store.deliveries.put(delivery(f"g-{number}", outcome=outcome))
    await store.close()
    return settings


async def listed(settings: Settings, outcome: OutcomeKind | None = None) -> str:
    written = io.StringIO()
    console = Console(file=written, width=200)
    await list_deliveries(settings, console, outcome=outcome, limit=50, as_json=False)
    return written.getvalue()


async def test_each_delivery_is_a_line_that_says_what_came_of_it(settings: Settings) -> None:
    lines = [" ".join(line.split()[3:]) for line in (await listed(settings)).splitlines()[1:]]
    assert lines == [
        "issues.labeled acme/shop#7 ann ignored not a label of Caseworker: bug",
        "issues.labeled acme/shop#7 ann refused `plan` needs a finished triage first: add the label "
        "`bot:triage`, when it is done `bot:plan`.",
        "issues.labeled acme/shop#7 ann dispatched triage on acme/shop#7",
    ]


async def test_only_those_with_an_outcome_are_listed(settings: Settings) -> None:
    assert len((await listed(settings, OutcomeKind.REFUSED)).splitlines()) == 2
    assert await listed(settings, OutcomeKind.FAILED) == "No delivery was failed.\n"


async def test_json_has_the_reason_as_words_and_the_guid(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    await list_deliveries(settings, Console(), outcome=None, limit=1, as_json=True)
    [line] = json.loads(capsys.readouterr().out)
    assert (line["guid"], line["outcome"], line["because"]) == (
        "g-2",
        "ignored",
        "not a label of Caseworker: bug",
    )
