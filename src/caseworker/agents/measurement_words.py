"""Prompt blocks about what the skills of an investigation measured: bisects, profiles, stresses and traces."""

from collections.abc import Sequence
from typing import Final

from caseworker.agents.case_words import newest
from caseworker.core.base.text import clip, code
from caseworker.core.base.untrusted_text import Fence, one_line, revealed
from caseworker.core.record.investigation import Bisected, InstrumentRan

_BLOCK_LIMIT: Final = 12_000
_LOG_LIMIT: Final = 3_000
_SOURCE: Final = "Caseworker, for the investigator"


def measurement_blocks(
    fence: Fence, bisects: Sequence[Bisected], instruments: Sequence[InstrumentRan]
) -> dict[str, str]:
    measured = "\n\n".join(newest([_instrument(one) for one in instruments], _BLOCK_LIMIT))
    return {
        "bisects": fence.around(_bisects(bisects), what="bisects", source=_SOURCE),
        "instruments": fence.around(measured, what="profiles, stresses and traces", source=_SOURCE),
    }


def _instrument(one: InstrumentRan) -> str:
    lines = [f"{one.instrument} {one.number}, {one.status}: {one_line(one.summary)}"]
    lines.append(f"Of {code(one_line(one.command, 600))} at {one.commit[:12]}, by {one_line(one.how, 100)}")
    return "\n".join([*lines, clip(revealed(one.report), _LOG_LIMIT)]).strip()


def _bisects(bisects: Sequence[Bisected]) -> str:
    blocks: list[str] = []
    for one in bisects:
        lines = [f"bisect {one.number}, {one.status}: {one_line(one.reason)}"]
        lines += [f"First bad commit: {one.culprit_hash} {one_line(one.culprit_message)}"] if one.culprit_hash else []
        lines.append(f"From {one_line(one.good, 200)} to {one_line(one.bad, 200)}, each commit {one.runs} times")
        lines.append(f"Script: {code(one_line(one.script, 600))}")
        blocks.append("\n".join([*lines, clip(revealed(one.log), _LOG_LIMIT)]).strip())
    return "\n\n".join(newest(blocks, _BLOCK_LIMIT))
