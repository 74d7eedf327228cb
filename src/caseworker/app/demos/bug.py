"""`caseworker demo bug`: a vague report, a question, two answers, findings, a fix; the demo plays the people.

Each line is sent after an event in the record, never after a delay: the second answer is sent while the agent works,
and reaches it there.
"""

from collections.abc import Callable
from importlib.resources import as_file, files
from typing import Final

from rich.console import Console

from caseworker.app.demos.fix import in_the_browser, lay_out, tell_next
from caseworker.app.demos.stage import Play
from caseworker.app.desk import Desk, at_desk
from caseworker.app.parts import read_rehearsal
from caseworker.app.processes.start_checks import check_disk, check_sandbox
from caseworker.app.settings import Settings, make_home
from caseworker.app.terminal.bug_summary import cost_line
from caseworker.app.terminal.live_view import print_json_line
from caseworker.app.terminal.report import ReportRequest, open_report
from caseworker.app.terminal.send import Speaker
from caseworker.app.terminal.summary import print_summary
from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.ids import CaseId, typed
from caseworker.core.base.repositories import LocalRepository
from caseworker.core.bug.case import About
from caseworker.core.people.messages import Audience, Standing
from caseworker.core.record.entries import Posted, Recorded, ToolCalled
from caseworker.core.telling.money import money_words
from caseworker.views.case_summaries import bug_summary, summary_of

REPORTER: Final = "ada"
DEVELOPER: Final = "grace"
REPORT: Final = "checkout is broken"
ANSWER: Final = "Two blankets at 25.00 each: I expected 50.00 and was charged 54.90, with 4.90 for shipping."
ADDED: Final = "Oh, and with a sticker for 0.01 on top it was free. So it is only at exactly 50.00!"
WISH: Final = "Well found. Please fix it, with a test for exactly 50.00."


async def run_bug_demo(settings: Settings, console: Console, *, as_json: bool) -> int:
    check_disk(settings.home)
    await check_sandbox(settings)
    make_home(settings)
    with as_file(files("caseworker.app") / "demos" / "samples" / "shop") as source:
        project = lay_out(source, settings.home / "demo")
        rehearsal = read_rehearsal(source / "bug-rehearsal.yaml")
    if not as_json:
        console.print(f"The sample project is {project}.", style="dim")
        console.print(f"{REPORTER} and {DEVELOPER} are played, the model rehearsed, the rest is real.", style="dim")
        console.print(f"{in_the_browser()}\n", style="dim", markup=False)
    async with at_desk(settings) as desk:
        request = ReportRequest(text=REPORT, rehearsal=rehearsal, reporter=REPORTER)
        case = await open_report(desk, request, LocalRepository(path=project))
        play = Play(desk=desk, console=console, case=case, as_json=as_json)
        fix = await _play(play, case)
        await _tell_the_end(desk, case, fix, console, as_json=as_json)
    return 0


async def _play(play: Play, case: CaseId) -> CaseId:
    ada = Speaker(case=case, name=REPORTER, standing=Standing.REPORTER)
    grace = Speaker(case=case, name=DEVELOPER, standing=Standing.DEVELOPER)
    await play.until_it_waits()
    await play.says(ada, ANSWER)
    await play.until(_agent_at_work)
    await play.says(ada, ADDED, at_once=True)
    await play.until_it_waits()
    await play.says(grace, WISH)
    await play.until(_told_about(About.FIX_OPENED))
    fix = await play.follow_the_fix()
    await play.until(_told_about(About.FIX_NEWS))
    return fix


def _agent_at_work(recorded: Recorded) -> bool:
    return isinstance(recorded.entry, ToolCalled)


def _told_about(about: About) -> Callable[[Recorded], bool]:
    def is_it(recorded: Recorded) -> bool:
        entry = recorded.entry
        return isinstance(entry, Posted) and entry.about == about and entry.audience is Audience.DEVELOPERS

    return is_it


async def _tell_the_end(desk: Desk, case: CaseId, fix: CaseId, console: Console, *, as_json: bool) -> None:
    stored = await desk.store.bugs.load(case)
    delivered = await desk.store.cases.load(fix)
    assert stored is not None
    assert delivered is not None
    summary, bug = await summary_of(desk.store, fix, TerminalPhrasing()), await bug_summary(desk.store, stored)
    if as_json:
        print_json_line({"kind": "bug", **bug.model_dump(mode="json")})
        print_json_line({"kind": "summary", **summary.model_dump(mode="json")})
        return
    print_summary(summary, await desk.store.repositories.ref(delivered.repository), console, as_json=False)
    both = money_words(bug.cost_micros + summary.cost_micros, rehearsed=bug.rehearsed)
    console.print(f"The conversation: {cost_line(bug)}. With the fix, in all: {both}.", markup=False)
    commands = [
        (f"caseworker conversation {typed(case)}", "who said what, and what came of it"),
        (f"caseworker chat {typed(case)}", "speak with it yourself, as a developer"),
        (f"caseworker show {typed(case)}", "its whole story"),
        ("caseworker sla", "what was promised to the reporter"),
    ]
    tell_next(commands, console)
