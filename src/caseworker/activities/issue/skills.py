"""The skills of an investigation as tools of its agent: each is run, limited in time, and recorded as evidence."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from caseworker.activities.turn.attempts import Try
from caseworker.core.base.ids import Sha
from caseworker.core.base.text import clip
from caseworker.core.investigation.bisection import Bisection, BisectRequest
from caseworker.core.investigation.measurements import (
    InstrumentRequest,
    ProfileRequest,
    StressRequest,
    TraceRequest,
    name_of,
)
from caseworker.core.record.investigation import Bisected, InstrumentRan
from caseworker.ports import Bisector, Instruments, SkillTool, Store, Workspace

log = structlog.get_logger()

BISECT_SECONDS: Final = 1_200.0
INSTRUMENT_SECONDS: Final = 900.0
_LOG_LIMIT: Final = 8_000
_INSTRUMENTS: Final[tuple[type[InstrumentRequest], ...]] = (ProfileRequest, StressRequest, TraceRequest)


class Skills:
    def __init__(self, *, store: Store, bisector: Bisector, instruments: Instruments) -> None:
        self._store = store
        self._bisector = bisector
        self._instruments = instruments

    def tools(self, this: Try, workspace: Workspace, commit: Sha) -> tuple[SkillTool, ...]:
        """The tools for one attempt. `commit`: what the agent sees, and what is measured."""
        one_at_a_time = asyncio.Lock()  # two would work in the same trees, and disturb each other's times

        async def bisect(arguments: dict[str, object]) -> str:
            asked = BisectRequest.model_validate(arguments)
            async with one_at_a_time:
                return await self._bisect(this, workspace, asked)

        def instrument(model: type[InstrumentRequest]) -> Callable[[dict[str, object]], Awaitable[str]]:
            async def measure(arguments: dict[str, object]) -> str:
                asked = model.model_validate(arguments)
                async with one_at_a_time:
                    return await self._measure(this, workspace, commit, asked)

            return measure

        measuring = [
            SkillTool(name=name_of(model), schema=model.model_json_schema(), run=instrument(model))
            for model in _INSTRUMENTS
        ]
        return (SkillTool(name="bisect", schema=BisectRequest.model_json_schema(), run=bisect), *measuring)

    async def _bisect(self, this: Try, workspace: Workspace, asked: BisectRequest) -> str:
        log.info("bisect started", good=asked.good, bad=asked.bad, runs=asked.runs)
        found = await self._bisector.find(workspace, asked, seconds=BISECT_SECONDS)
        number = 1 + len(await self._store.record.whole(this.case, {"bisected"}))
        await self._store.record.append(this.case, [_bisected(number, this.turn, asked, found)], trace=this.trace)
        how = found.status.replace("_", " ")
        return f"bisect {number}, {how}: {found.reason}\n{clip(found.log, _LOG_LIMIT)}".strip()

    async def _measure(self, this: Try, workspace: Workspace, commit: Sha, asked: InstrumentRequest) -> str:
        name = name_of(type(asked))
        log.info("instrument started", instrument=name)
        found = await self._instruments.measure(workspace, commit, asked, seconds=INSTRUMENT_SECONDS)
        before = [one.entry for one in await self._store.record.whole(this.case, {"instrument_ran"})]
        number = 1 + sum(isinstance(one, InstrumentRan) and one.instrument == name for one in before)
        entry = InstrumentRan(
            instrument=name,
            number=number,
            turn=this.turn,
            command=asked.command,
            commit=commit,
            status=found.status,
            how=found.how,
            summary=found.summary,
            report=clip(found.report, _LOG_LIMIT),
        )
        await self._store.record.append(this.case, [entry], trace=this.trace)
        return f"{name} {number}, {found.status}: {found.summary}\n{entry.report}".strip()


def _bisected(number: int, turn: int, asked: BisectRequest, found: Bisection) -> Bisected:
    culprit = found.culprit
    return Bisected(
        number=number,
        turn=turn,
        good=asked.good,
        bad=asked.bad,
        script=asked.script,
        runs=asked.runs,
        status=found.status,
        reason=found.reason,
        culprit_hash=culprit.hash if culprit is not None else "",
        culprit_message=culprit.message if culprit is not None else "",
        log=clip(found.log, _LOG_LIMIT),
    )
