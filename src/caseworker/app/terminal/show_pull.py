"""`show` and `export` of a pull case, for people and for programs."""

from pathlib import Path

from rich.console import Console

from caseworker.app.terminal.live_view import PlainView, print_json, to_json
from caseworker.app.terminal.local_times import zone_words
from caseworker.app.terminal.pull_summary import print_pull_summary
from caseworker.app.terminal.show import write_files
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import typed
from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.people.messages import receipt
from caseworker.core.record.entries import AgentSaid, ToolCalled, ToolReturned
from caseworker.core.telling.story import one_line
from caseworker.ports import Store, StoredPull
from caseworker.views.pull_documents import pull_document
from caseworker.views.pull_pages import pull_run_page


async def show_pull(store: Store, stored: StoredPull, console: Console, *, as_json: bool, everything: bool) -> None:
    record = await store.record.whole(stored.case.id)
    if as_json:
        print_json(await pull_document(store, stored, record))
        return
    console.print(zone_words(), style="dim")
    view = PlainView(console)
    for recorded in record:
        if everything or not isinstance(recorded.entry, ToolCalled | ToolReturned | AgentSaid):
            view.show(recorded)
    console.print("\nMessages", style="bold")
    for message in await store.inbox.of(stored.case.id):
        told = receipt(message, stored.case.progress.turns)
        console.print(f"  {message.author}: {one_line(message.text)}  ({told})", markup=False, highlight=False)
    await print_pull_summary(store, stored, console, as_json=False)


async def pull_file(store: Store, stored: StoredPull) -> str:
    """`pull.json`: the case without its record."""
    return to_json(await pull_document(store, stored))


async def export_pull(store: Store, stored: StoredPull, folder: Path) -> list[Path]:
    """Write the case, its snapshot, its record and the artifacts of its runs."""
    record = await store.record.whole(stored.case.id)
    texts = {
        "pull.json": await pull_file(store, stored),
        "snapshot.json": stored.case.model_dump_json(indent=2) + "\n",
        "record.jsonl": "".join(recorded.model_dump_json() + "\n" for recorded in record),
    }
    for run in await store.runs.of(stored.case.id):
        page = await pull_run_page(store, stored, run)
        if run.artifact is not None and page is not None:
            texts[run.artifact] = page
    return write_files(folder, texts)


async def artifact_of_pull(store: Store, stored: StoredPull, workflow: WorkflowName) -> tuple[str, str]:
    """The name and text of the artifact of the newest run of a workflow."""
    case = stored.case.id
    runs = [run for run in await store.runs.of(case) if run.workflow is workflow]
    if not runs or runs[-1].artifact is None:
        todo = f"`caseworker show {typed(case)} --json` lists its runs."
        raise Refused(f"{case} has no artifact of a run `{workflow.value}`.", todo=todo)
    page = await pull_run_page(store, stored, runs[-1])
    if page is None:
        raise Refused(
            f"{runs[-1].artifact} is not written yet.", todo=f"`caseworker why {typed(case)}` says what happens."
        )
    return runs[-1].artifact, page
