"""`caseworker demo review`: a fix passes every test and is rejected; the senior developer repairs it."""

from typing import Final

from rich.console import Console

from caseworker.app.demos.issue import Scene, on_stage
from caseworker.app.settings import Settings
from caseworker.core.base.ids import typed

_SCENE: Final = Scene(
    about="A fix passes every test, and the review rejects it: a senior developer repairs it.",
    issue="issue.md",
    rehearsal="review-rehearsal.yaml",
)


async def run_review_demo(settings: Settings, console: Console, *, as_json: bool) -> int:
    async with on_stage(_SCENE, settings, console, as_json=as_json) as stage:
        summary = await stage.goes_on()
        return await stage.ends(
            summary,
            [
                (f"caseworker why {typed(stage.case)}", "where it stands, and on what evidence"),
                (f"caseworker show {typed(stage.case)}", "its story, with both reviews"),
                (f"caseworker show {typed(stage.case)} --all", "and with every tool call"),
            ],
        )
