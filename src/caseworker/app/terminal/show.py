"""`show` and `export` of an issue case, for people and for programs."""

import asyncio
import json
from pathlib import Path

from rich.console import Console

from caseworker.app.terminal.live_view import PlainView, print_json
from caseworker.app.terminal.local_times import zone_words
from caseworker.app.terminal.summary import print_summary
from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.budget import cache_words
from caseworker.core.base.ids import CaseId, noun
from caseworker.core.base.repositories import is_local_address
from caseworker.core.base.text import printable
from caseworker.core.casefile.pipeline import standing_in_file
from caseworker.core.people.messages import Message, receipt
from caseworker.core.record.entries import AgentSaid, ToolCalled, ToolReturned
from caseworker.core.telling.artifacts import plan_page
from caseworker.core.telling.investigation import investigation_page
from caseworker.core.telling.story import one_line
from caseworker.ports import Store, StoredCase
from caseworker.views.case_summaries import summary_of
from caseworker.views.documents import issue_document
from caseworker.views.investigations import investigation_document, known_investigations


async def show_case(store: Store, stored: StoredCase, console: Console, *, as_json: bool, everything: bool) -> None:
    case = stored.case.id
    story = await store.record.whole(case)
    messages = await store.inbox.of(case)
    summary = await summary_of(store, case, TerminalPhrasing())
    if as_json:
        print_json(await issue_document(store, stored, summary, story))
        return
    console.print(zone_words(), style="dim")
    view = PlainView(console)
    for recorded in story:
        if everything or not isinstance(recorded.entry, ToolCalled | ToolReturned | AgentSaid):
            view.show(recorded)
    console.print("\nMessages", style="bold")
    for message in messages:
        console.print(
            f"  {message.author}: {one_line(message.text)}  ({receipt(message, stored.case.progress.turns)})",
            markup=False,
            highlight=False,
        )
    print_summary(summary, await store.repositories.ref(stored.repository), console, as_json=False)
    if told := cache_words((await store.ledger.spent(case)).usage):
        console.print(f"  {told}", style="dim", highlight=False)


async def show_pull_request(store: Store, stored: StoredCase, console: Console, *, as_json: bool) -> None:
    pulls = await store.pulls.of(stored.case.id)
    if as_json:
        print_json([pull.model_dump(mode="json") for pull in pulls])
        return
    if not pulls:
        stands = standing_in_file(stored.case, stored.file)
        console.print(f"{stored.case.id} has no {noun(stored.case.id)} to merge yet: {stands}", highlight=False)
    for pull in pulls:
        named = "Branch ready to merge" if is_local_address(pull.url) else f"Pull request {pull.number}"
        head = f"{named} ({pull.state}): {pull.title}\n{pull.head} -> {pull.base}\n"
        console.print(printable(head), markup=False, highlight=False)
        console.print(printable(pull.body), markup=False, highlight=False)


async def export_case(store: Store, stored: StoredCase, folder: Path) -> list[Path]:
    """Write the case file, the record, the plan, the investigations and the pull request's text."""
    record = await store.record.whole(stored.case.id)
    texts = {
        "issue-state.json": stored.file.dump(),
        "record.jsonl": "".join(recorded.model_dump_json() + "\n" for recorded in record),
    }
    plan = plan_page([turn.outcome for turn in await store.turns.finished(stored.case.id)])
    if plan is not None:
        texts["PLAN.md"] = plan
    known = await known_investigations(store, stored)
    if known:
        texts["investigation-state.json"] = json.dumps(investigation_document(stored, known), indent=2) + "\n"
        texts["INVESTIGATION.md"] = investigation_page(stored.title, known)
    pulls = await store.pulls.of(stored.case.id)
    if pulls:
        texts["pull-request.md"] = f"# {pulls[-1].title}\n\n{pulls[-1].body}"
    return write_files(folder, texts)


def write_files(folder: Path, texts: dict[str, str]) -> list[Path]:
    """Write each file completely or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        draft = folder / f".{name}.new"
        draft.write_text(text, encoding="utf-8")
        draft.rename(folder / name)
    return [folder / name for name in texts]


async def await_outcome(store: Store, case: CaseId, message: int, *, seconds: float) -> Message:
    """The message once it has an outcome, or as it is when the time is up."""
    deadline = asyncio.get_running_loop().time() + seconds
    while True:
        found = next(m for m in await store.inbox.of(case) if m.id == message)
        if found.outcome is not None or asyncio.get_running_loop().time() > deadline:
            return found
        await asyncio.sleep(0.1)
