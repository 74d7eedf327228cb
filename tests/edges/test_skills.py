"""The skills of an investigation as tools: each result is recorded under a number by which evidence can cite it."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pydantic import ValidationError

from caseworker.activities.issue.skills import INSTRUMENT_SECONDS, Skills
from caseworker.activities.turn.attempts import Try
from caseworker.core.base.ids import Sha
from caseworker.core.base.roles import Role, Task
from caseworker.core.investigation.bisection import Bisection, BisectRequest
from caseworker.core.investigation.measurements import InstrumentRequest, Measurement, unavailable
from caseworker.core.outcomes.investigation import Evidence
from caseworker.core.record.cited import EVENTS, tie
from caseworker.core.record.investigation import Bisected, InstrumentRan, Tied
from caseworker.ports import SkillTool, Workspace
from caseworker.store.store import Store
from tests.edges.store_examples import TRACE, begun, open_case

HEAD = Sha("c" * 40)


@dataclass
class FakeInstruments:
    """Answers at once. A profile can't be made here."""

    asked: list[tuple[InstrumentRequest, Sha, float]] = field(default_factory=list)
    at_once: int = 0

    async def measure(
        self, workspace: Workspace, commit: Sha, request: InstrumentRequest, *, seconds: float
    ) -> Measurement:
        self.at_once += 1
        assert self.at_once == 1, "two instruments run at the same time"
        await asyncio.sleep(0)
        self.at_once -= 1
        self.asked.append((request, commit, seconds))
        if request.command == "make slow":
            return unavailable("perf", "perf is not installed here.")
        return Measurement(status="measured", how="runs", summary="3 of 50 runs failed.", report="| 3 | exit code 1 |")


class FakeBisector:
    async def find(self, workspace: Workspace, request: BisectRequest, *, seconds: float) -> Bisection:
        return Bisection(status="not_found", reason="The time was over.")


@pytest.fixture
def instruments() -> FakeInstruments:
    return FakeInstruments()


@pytest.fixture
async def tools(store: Store, instruments: FakeInstruments, tmp_path: Path) -> dict[str, SkillTool]:
    case = await open_case(store)
    attempt = await begun(store, case, 4)
    this = Try(attempt=attempt, role=Role.INVESTIGATOR, task=Task.ITERATE, trace=TRACE)
    workspace = Workspace(case=case, path=tmp_path, base=HEAD, base_branch="main")
    skills = Skills(store=store, bisector=FakeBisector(), instruments=instruments)
    return {tool.name: tool for tool in skills.tools(this, workspace, HEAD)}


async def recorded(store: Store) -> list[Bisected | InstrumentRan]:
    (case,) = await store.cases.unfinished()
    return [one.entry for one in await store.record.whole(case) if isinstance(one.entry, Bisected | InstrumentRan)]


async def test_an_investigator_has_the_four_skills_as_tools(tools: dict[str, SkillTool]) -> None:
    assert list(tools) == ["bisect", "profile", "stress", "trace"]
    assert all("properties" in tool.schema for tool in tools.values())


async def test_each_measurement_is_recorded_and_can_be_cited_by_its_number(
    store: Store, tools: dict[str, SkillTool], instruments: FakeInstruments
) -> None:
    await tools["trace"].run({"command": "make test"})
    await tools["stress"].run({"command": "make test", "runs": 50})
    told = await tools["stress"].run({"command": "make test -j", "runs": 50})
    assert told == "stress 2, measured: 3 of 50 runs failed.\n| 3 | exit code 1 |"
    assert [(one.kind, one.number, one.turn) for one in await recorded(store)] == [
        ("instrument_ran", 1, 4),
        ("instrument_ran", 1, 4),
        ("instrument_ran", 2, 4),
    ]
    assert {(commit, seconds) for _, commit, seconds in instruments.asked} == {(HEAD, INSTRUMENT_SECONDS)}
    (case,) = await store.cases.unfinished()
    cited = [Evidence(kind="run", source=source, shows="it fails") for source in ("stress 2", "trace 1", "trace 2")]
    found = tie(cited, await store.record.whole(case, EVENTS), {})
    assert [isinstance(piece, Tied) for piece in found] == [True, True, False]


async def test_what_is_not_available_is_a_result_and_no_evidence(store: Store, tools: dict[str, SkillTool]) -> None:
    told = await tools["profile"].run({"command": "make slow"})
    assert told == "profile 1, unavailable: perf is not installed here."
    (case,) = await store.cases.unfinished()
    cited = [Evidence(kind="run", source="profile 1", shows="it is slow")]
    assert tie(cited, await store.record.whole(case, EVENTS), {}) == ["there is no profile 1 on record"]


async def test_skills_run_one_at_a_time(tools: dict[str, SkillTool], instruments: FakeInstruments) -> None:
    await asyncio.gather(*(tools[name].run({"command": "make test"}) for name in ("stress", "trace", "profile")))
    assert len(instruments.asked) == 3


async def test_wrong_arguments_are_refused_before_anything_runs(store: Store, tools: dict[str, SkillTool]) -> None:
    with pytest.raises(ValidationError):
        await tools["stress"].run({"command": "make test", "runs": 100_000})
    assert await recorded(store) == []
