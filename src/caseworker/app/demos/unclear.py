"""`caseworker demo unclear`: an issue that says too little. The case asks the viewer, and goes on with the answer."""

import asyncio
import sys
from typing import Final

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from caseworker.app.demos.issue import Scene, Stage, on_stage
from caseworker.app.processes.own_name import person
from caseworker.app.settings import Settings
from caseworker.app.terminal.follow_bug import HOST_SECONDS
from caseworker.app.terminal.interrupted import Interrupted
from caseworker.app.terminal.keyboard import typing_on
from caseworker.app.terminal.send import Speaker, send
from caseworker.core.base.ids import MessageId, typed
from caseworker.core.base.text import printable
from caseworker.core.issue.states import WAITING
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.people.commands import Answer
from caseworker.core.people.messages import Standing, receipt
from caseworker.core.telling.story import one_line

PREPARED: Final = "Members ship free from 20.00 on. For everybody else it stays at 50.00."
_SCENE: Final = Scene(
    about="An issue that says too little: the case asks you, and goes on with your answer.",
    issue="unclear-issue.md",
    rehearsal="unclear-rehearsal.yaml",
)


async def run_unclear_demo(settings: Settings, console: Console, *, yes: bool, as_json: bool) -> int:
    """`yes`: nobody is asked, the prepared answer is given."""
    async with on_stage(_SCENE, settings, console, as_json=as_json) as stage:
        summary = await stage.goes_on()
        if await _is_asked(stage):
            sent = await _answer(stage, summary.asked, yes=yes)
            summary = await stage.goes_on()
            await _tell_receipt(stage, sent)
        return await stage.ends(
            summary,
            [
                (f"caseworker conversation {typed(stage.case)}", "what was asked and answered"),
                (f"caseworker why {typed(stage.case)}", "where it stands, and why"),
                (f"caseworker show {typed(stage.case)}", "its whole story"),
            ],
        )


async def _is_asked(stage: Stage) -> bool:
    case = (await stage.stored()).case
    return case.state in WAITING and case.waits_for is WaitingFor.ANSWER


async def _answer(stage: Stage, asked: str, *, yes: bool) -> MessageId:
    if not stage.as_json:
        stage.console.print()
        stage.console.print(Panel(Text(printable(asked)), title="The case asks you", border_style="yellow"))
    nobody = yes or stage.as_json or not (sys.stdin.isatty() and stage.console.is_terminal)
    answer = PREPARED if nobody else await _read_answer(stage)
    if nobody and not stage.as_json:
        stage.console.print("Nobody is waited for here: a prepared answer is given.\n", style="dim")
    you = Speaker(case=stage.case, name=person(), standing=Standing.OWNER)
    return (await send(stage.desk, you, answer, Answer())).id


async def _tell_receipt(stage: Stage, sent: MessageId) -> None:
    if stage.as_json:
        return
    said = next(message for message in await stage.desk.store.inbox.of(stage.case) if message.id == sent)
    words = receipt(said, (await stage.stored()).case.progress.turns)
    stage.console.print()
    stage.console.print(Text(f"↳ Your answer “{one_line(said.text, 80)}”: {words}.", style="dim"))
    if said.text.strip() != PREPARED:
        stage.console.print(
            Text(f"This demo is rehearsed: your answer was heard, but the script goes on as if it were “{PREPARED}”")
        )


async def _read_answer(stage: Stage) -> str:
    stage.console.print("Type your answer (any amount will do), then Enter. Enter alone answers:", style="dim")
    stage.console.print(f"  {PREPARED}\n", style="dim")
    async with typing_on(stage.console) as (lines, screen):
        screen.prompt("your answer › ")
        while True:
            try:
                line = await asyncio.wait_for(lines.get(), timeout=HOST_SECONDS)
            except TimeoutError:
                await stage.keep_host()  # so that the host does not stop as idle while somebody thinks
                continue
            if line is None:
                raise Interrupted(_how_to_answer_later(stage))
            return line.strip() or PREPARED


def _how_to_answer_later(stage: Stage) -> str:
    return (
        f"{stage.case} stays, and waits for an answer. When you have one:\n"
        f'  caseworker answer {typed(stage.case)} "..."\n'
        f"  caseworker show {typed(stage.case)} --follow"
    )
