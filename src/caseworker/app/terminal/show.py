"""`cases`, `show` and `export`: what the records say, for people and for programs."""

import asyncio
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from caseworker.app.terminal.live_view import TIMES, PlainView, print_json
from caseworker.app.terminal.summary import print_summary, summary_of
from caseworker.core.base.budget import dollars
from caseworker.core.base.ids import CaseId
from caseworker.core.base.text import printable, words_of
from caseworker.core.bug.case import status_of
from caseworker.core.issue.words import standing_of, state_words
from caseworker.core.outcomes.pm import PlanOutcome
from caseworker.core.people.messages import Message, receipt
from caseworker.core.record.entries import AgentSaid, ToolCalled, ToolReturned
from caseworker.core.telling.story import one_line
from caseworker.core.telling.summaries import standing_of_bug
from caseworker.ports import Store, StoredBug, StoredCase

_STANDS_LENGTH = 300


async def show_cases(store: Store, console: Console, *, as_json: bool) -> None:
    """Both kinds, the newest change first."""
    rows: list[StoredCase | StoredBug] = [*await store.cases.list(), *await store.bugs.list()]
    rows.sort(key=lambda stored: stored.changed_at, reverse=True)
    if as_json:
        print_json([_case_json(row) for row in rows])
        return
    for stored in rows:
        spent = await store.ledger.spent(stored.case.id)
        cost = "rehearsed" if stored.rehearsal is not None else dollars(spent.micros)
        console.print(case_row(stored, cost, terminal=console.is_terminal))


def case_row(stored: StoredCase | StoredBug, cost: str, *, terminal: bool) -> RenderableType:
    """What it is about, then how it stands, as wide as the terminal is; in a log a line each, to be searched."""
    state, stands = how_it_stands(stored)
    stands = state if stands == state else f"{state}: {one_line(stands, _STANDS_LENGTH)}"
    title, changed = one_line(stored.title), f"{stored.changed_at:%Y-%m-%d %H:%M} UTC"
    if not terminal:
        return Text("  ".join((stored.case.id, title, stands, cost, changed)))
    about = Text.assemble((f"{stored.case.id}  ", "bold"), title)
    below = Text.assemble(stands, (f"  {cost}, {changed}", "dim"))
    return Group(about, Padding(below, (0, 0, 0, 2)))


def how_it_stands(stored: StoredCase | StoredBug) -> tuple[str, str]:
    if isinstance(stored, StoredBug):
        return words_of(status_of(stored.case)), standing_of_bug(stored.case)
    return state_words(stored.case.state), standing_of(stored.case)


def _case_json(stored: StoredCase | StoredBug) -> dict[str, object]:
    return {
        "case": stored.case.id,
        "title": stored.title,
        "state": (status_of(stored.case) if isinstance(stored, StoredBug) else stored.case.state).value,
        "stands": how_it_stands(stored)[1],
        "opened_at": stored.opened_at.isoformat(),
        "changed_at": stored.changed_at.isoformat(),
        "pull_request": None if isinstance(stored, StoredBug) else stored.case.delivery.pull_request,
        "trace": stored.trace,
    }


async def show_case(store: Store, stored: StoredCase, console: Console, *, as_json: bool, everything: bool) -> None:
    case = stored.case.id
    story = await store.record.whole(case)
    messages = await store.inbox.of(case)
    summary = await summary_of(store, case)
    if as_json:
        print_json(
            {
                **_case_json(stored),
                "summary": summary.model_dump(mode="json"),
                "messages": [
                    {**m.model_dump(mode="json"), "receipt": receipt(m, stored.case.progress.turns)} for m in messages
                ],
                "record": [r.model_dump(mode="json") for r in story],
            }
        )
        return
    console.print(TIMES, style="dim")
    view = PlainView(console)
    for recorded in story:
        if everything or not isinstance(recorded.entry, ToolCalled | ToolReturned | AgentSaid):
            view.show(recorded)
    console.print("\n[bold]Messages[/]")
    for message in messages:
        console.print(
            f"  {message.author}: {one_line(message.text)}  ({receipt(message, stored.case.progress.turns)})",
            markup=False,
            highlight=False,
        )
    print_summary(summary, await store.repositories.ref(stored.repository), console, as_json=False)


async def show_pull_request(store: Store, stored: StoredCase, console: Console, *, as_json: bool) -> None:
    pulls = await store.pulls.of(stored.case.id)
    if as_json:
        print_json([pull.model_dump(mode="json") for pull in pulls])
        return
    if not pulls:
        console.print(f"{stored.case.id} has no pull request yet: {standing_of(stored.case)}", highlight=False)
    for pull in pulls:
        head = f"Pull request {pull.number} ({pull.state}): {pull.title}\n{pull.head} -> {pull.base}\n"
        console.print(printable(head), markup=False, highlight=False)
        console.print(printable(pull.body), markup=False, highlight=False)


async def export_case(store: Store, stored: StoredCase, folder: Path) -> list[Path]:
    """The case file, the record, the plan and the pull request's text."""
    record = await store.record.whole(stored.case.id)
    texts = {
        "issue-state.json": stored.file.dump(),
        "record.jsonl": "".join(recorded.model_dump_json() + "\n" for recorded in record),
    }
    plan = await _plan(store, stored.case.id)
    if plan is not None:
        texts["PLAN.md"] = plan
    pulls = await store.pulls.of(stored.case.id)
    if pulls:
        texts["pull-request.md"] = f"# {pulls[-1].title}\n\n{pulls[-1].body}"
    return write_files(folder, texts)


async def _plan(store: Store, case: CaseId) -> str | None:
    """The newest one that was finished: a plan may have been rejected, and made again."""
    for turn in reversed(await store.turns.finished(case)):
        if (
            isinstance(turn.outcome, PlanOutcome)
            and turn.outcome.status == "PLANNING_COMPLETE"
            and not turn.outcome.ask
        ):
            return turn.outcome.plan.rstrip() + "\n"
    return None


def write_files(folder: Path, texts: dict[str, str]) -> list[Path]:
    """Each whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        draft = folder / f".{name}.new"
        draft.write_text(text, encoding="utf-8")
        draft.rename(folder / name)
    return [folder / name for name in texts]


async def await_outcome(store: Store, case: CaseId, message: int, *, seconds: float) -> Message:
    """The message once something came of it, or as it is when the time is up."""
    deadline = asyncio.get_running_loop().time() + seconds
    while True:
        found = next(m for m in await store.inbox.of(case) if m.id == message)
        if found.outcome is not None or asyncio.get_running_loop().time() > deadline:
            return found
        await asyncio.sleep(0.1)
