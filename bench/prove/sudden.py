"""Two further trials: fifty copies of one delivery at once, and Temporal down for a minute while people write."""

import asyncio
import json
import time
from collections import Counter
from random import Random
from typing import Final

from rich.console import Console

from bench.prove.checking import Check, handled_once
from bench.prove.facts import gather, pulse
from bench.prove.people import Sender, storm
from bench.prove.processes import Stage
from bench.prove.showing import Column
from bench.prove.slack import REPORTS
from bench.prove.trials import Trial

_COPIES: Final = 50
_AWAY: Final = 60.0
_CASES: Final = 20
_EACH: Final = 6
Shown = tuple[str, Column]


async def copies(stage: Stage, lot: Random, aside: Console) -> Shown:
    """A new report, delivered fifty times at once: one case, one message, one answer."""
    aside.print(f"{_COPIES} copies of one delivery …", style="dim", highlight=False)
    sender = Sender(stage.slack, stage.url)
    workspace = stage.slack.indexed
    said = workspace.say(REPORTS, "UCOPIES", "since 9:40 order 1183 ends in Error 500 when I click pay")
    payload = workspace.callback(workspace.event_of(said, REPORTS))
    answers = await asyncio.gather(*(sender.post(json.dumps(payload)) for _ in range(_COPIES)))
    await sender.close()
    quiet = Trial(stage=stage, conversations=(), lot=lot, aside=aside)
    await quiet.quiet()
    await quiet.sender.close()
    rows = [row for row in gather(stage.database).messages if row.reference == f"{REPORTS}:{said['ts']}"]
    case = rows[0].case if rows else ""
    abouts = Counter(key.removeprefix(f"{case}/").split("/")[1] for key in workspace.keys if key.startswith(f"{case}/"))
    answered = abouts["question.reporter"] + abouts["findings.reporter"]
    checks = [
        Check(what="copies acknowledged", found=sum(answers), at_least=_COPIES),
        Check(what="messages in the inbox", found=len(rows), at_least=1, at_most=1),
        Check(what="acknowledgements to the reporter", found=abouts["acknowledged.reporter"], at_least=1, at_most=1),
        Check(what="answers of the investigator", found=answered, at_least=1, at_most=1),
    ]
    return f"{_COPIES} copies of one delivery at the same time", Column(name="found", checks=checks)


async def outage(stage: Stage, lot: Random, aside: Console) -> Shown:
    """People go on writing while Temporal is away; intake must not need it."""
    aside.print(f"Temporal away for {_AWAY:.0f} s …", style="dim", highlight=False)
    before = gather(stage.database).cases
    conversations = storm(_CASES * _EACH, _CASES, _AWAY * 0.9, lot, first=500_000)
    # Developers can't write before there is a summary thread, which nobody begins meanwhile.
    for conversation in conversations:
        for mail in conversation.mails:
            mail.author = "reporter"
    trial = Trial(stage=stage, conversations=conversations, lot=lot, aside=aside)
    away = asyncio.create_task(stage.temporal.away(_AWAY))
    await asyncio.sleep(0.5)
    await trial.sender.play(conversations)
    during = sum(mail.acknowledged for mail in trial.mails)
    left = pulse(stage.database).unclaimed
    await away
    back = time.monotonic()
    await trial.rest()
    await trial.sender.close()
    facts = gather(stage.database)
    checks = [
        Check(what="messages sent meanwhile", found=_CASES * _EACH),
        Check(what="acknowledged meanwhile", found=during, at_least=_CASES * _EACH),
        Check(what="waiting in the inbox when it came back", found=left),
        Check(what="cases opened", found=facts.cases - before, at_least=_CASES, at_most=_CASES),
        *handled_once(trial.mails, facts),
        Check(what="came to rest (1: yes)", found=trial.rested, at_least=1),
        Check(what="seconds from its return to rest", found=round(time.monotonic() - back)),
    ]
    return f"Temporal away for {_AWAY:.0f} s while people talk", Column(name="found", checks=checks)
