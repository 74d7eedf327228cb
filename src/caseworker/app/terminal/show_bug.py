"""`show` and `export` of a bug case: its story, conversation with receipts, fix, SLA and cost."""

from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from caseworker.app.terminal.bug_summary import cost_line, print_bug_summary
from caseworker.app.terminal.list_promises import promises_in_words
from caseworker.app.terminal.live_view import PlainView, print_json, to_json
from caseworker.app.terminal.local_times import zone_words
from caseworker.app.terminal.show import show_pull_request, write_files
from caseworker.app.terminal.show_conversation import print_conversation
from caseworker.app.terminal.talk import who_words
from caseworker.core.base.budget import cache_words
from caseworker.core.base.ids import typed
from caseworker.core.casefile.pipeline import standing_in_file
from caseworker.core.issue.words import state_words
from caseworker.core.people.messages import Attachment
from caseworker.core.record.bug_conversation import Delivery, Line
from caseworker.core.record.entries import AgentSaid, MessageRecorded, Posted, Recorded, ToolCalled, ToolReturned
from caseworker.core.telling.summaries import BugSummary, standing_of_bug
from caseworker.ports import Store, StoredBug
from caseworker.views.case_summaries import bug_summary
from caseworker.views.conversations import lines_with_receipts
from caseworker.views.documents import bug_document


async def show_bug(store: Store, stored: StoredBug, console: Console, *, as_json: bool, everything: bool) -> None:
    record = await store.record.whole(stored.case.id)
    summary = await bug_summary(store, stored)
    if as_json:
        document = await bug_document(store, stored, summary, record)
        print_json({**document, "record": [r.model_dump(mode="json") for r in record]})
        return
    console.print(zone_words(), style="dim")
    view = PlainView(console)
    for recorded in record:
        if everything or not isinstance(recorded.entry, _SHOWN_ELSEWHERE):
            view.show(recorded)
    console.print("\nConversation", style="bold")
    print_conversation(await lines_with_receipts(store, stored, record), console)
    for attachment in await store.attachments.of(stored.case.id):
        console.print(f"  attached: {_attached(attachment)}", markup=False, highlight=False)
    print_bug_summary(summary, console, voice="developer", as_json=False)
    promised = promises_in_words(stored, record, datetime.now(UTC))
    for name, value in await _facts(store, stored, summary, promised):
        console.print(f"  {name:<12} {value}", markup=False, highlight=False)


_SHOWN_ELSEWHERE = (ToolCalled, ToolReturned, AgentSaid, Posted, MessageRecorded)


async def _facts(store: Store, stored: StoredBug, summary: BugSummary, promised: str) -> list[tuple[str, str]]:
    sent = cache_words((await store.ledger.spent(stored.case.id)).usage)
    facts = [("Cost", cost_line(summary)), *([("Sent", sent)] if sent else []), ("Promised", promised)]
    fix = await store.cases.load(stored.case.repair.fix) if stored.case.repair.fix is not None else None
    if fix is not None:
        facts.append(("Fix", f"{fix.case.id}, {state_words(fix.case.state)}: {standing_in_file(fix.case, fix.file)}"))
        facts.append(("", f"caseworker show {typed(fix.case.id)}"))
    return facts


async def show_fix(store: Store, stored: StoredBug, console: Console, *, as_json: bool) -> None:
    """Show the pull request of the case that fixes the bug."""
    fix = await store.cases.load(stored.case.repair.fix) if stored.case.repair.fix is not None else None
    if fix is not None:
        await show_pull_request(store, fix, console, as_json=as_json)
    elif as_json:
        print_json([])
    else:
        console.print(f"{stored.case.id} has no fix yet: {standing_of_bug(stored.case)}", markup=False, highlight=False)


async def bug_file(store: Store, stored: StoredBug, record: list[Recorded] | None = None) -> str:
    """`bug.json`: all that a program would want to know of the case, except its whole record."""
    known = await store.record.whole(stored.case.id) if record is None else record
    return to_json(await bug_document(store, stored, await bug_summary(store, stored), known))


async def export_bug(store: Store, stored: StoredBug, folder: Path) -> list[Path]:
    """Write the case, its conversation, its record, and its attachments under names of ours."""
    record = await store.record.whole(stored.case.id)
    texts = {
        "bug.json": await bug_file(store, stored, record),
        "conversation.md": _markdown(stored, await lines_with_receipts(store, stored, record)),
        "record.jsonl": "".join(recorded.model_dump_json() + "\n" for recorded in record),
    }
    written = write_files(folder, texts)
    for attachment in await store.attachments.of(stored.case.id):
        if attachment.content:
            written.append(_write_attachment(folder / "attachments", attachment))
    return written


def _write_attachment(folder: Path, attachment: Attachment) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{attachment.message}-{attachment.id}{attachment.plain_ending}"
    draft = folder / f".{path.name}.new"
    draft.write_bytes(attachment.content)
    return draft.rename(path)


def _attached(attachment: Attachment) -> str:
    title = attachment.title.encode("unicode_escape", "replace").decode()
    return f"{title}, {attachment.size:,} bytes" + (f" ({attachment.problem})" if attachment.problem else "")


def _markdown(stored: StoredBug, lines: list[tuple[Line, str]]) -> str:
    parts = [f"# {stored.case.id}: {stored.title}\n"]
    for line, told in lines:
        quoted = "\n".join(f"> {row}" for row in line.text.splitlines())
        told = told if line.delivery is Delivery.SAID else line.delivery.value
        parts.append(
            f"**{who_words(line)}**, {line.at:%Y-%m-%d %H:%M:%S} UTC{f' · {told}' if told else ''}\n\n{quoted}\n"
        )
    return "\n".join(parts)
