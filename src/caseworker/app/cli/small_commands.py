"""Implementations of the small commands: new issue, list, show, export, host."""

import asyncio
from pathlib import Path
from shlex import quote

from rich.console import Console

from caseworker.app.desk import at_desk, find_case, reading, recording
from caseworker.app.parts import look_at, make_forge, make_source
from caseworker.app.processes.find_host import start_host
from caseworker.app.processes.start_checks import check_disk, check_sandbox
from caseworker.app.run_subjects import folder_or_here, read_issue_from
from caseworker.app.settings import Settings, actions_folder, make_home
from caseworker.app.terminal.case_filter import CaseFilter
from caseworker.app.terminal.host_note import note_dead_host
from caseworker.app.terminal.list_cases import show_cases
from caseworker.app.terminal.live_view import empty_without_records, print_json
from caseworker.app.terminal.local_times import date_and_time
from caseworker.app.terminal.show import write_files
from caseworker.app.terminal.text_console import write_document
from caseworker.app.terminal.view_of_kind import view_of
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId, issue_case, typed
from caseworker.core.base.workflow_names import WorkflowName
from caseworker.engine.host import HostPlace, stop
from caseworker.ports import NewIssue, Store


async def new_issue(
    settings: Settings,
    console: Console,
    *,
    repo: Path | None,
    title: str | None,
    body: str,
    file: Path | None,
    as_json: bool,
) -> None:
    if (title is None) == (file is None):
        raise Refused("An issue needs either --title (and --body) or --file.")
    draft = read_issue_from(str(file)) if file is not None else NewIssue(title=(title or "").strip(), body=body)
    if not draft.title:
        raise Refused("The title is empty.", todo="Say in one line what is wrong.")
    found = await look_at(await folder_or_here(repo))
    check_disk(settings.home)
    async with recording(settings) as store:
        repository = await store.repositories.register(found.ref)
        taken = await make_source().taken_numbers(found.ref)
        issue = await store.repositories.new_issue(repository, draft, taken=taken)
    if as_json:
        print_json(issue.model_dump(mode="json"))
        return
    console.print(f"{typed(issue_case(repository, issue.number))}: {issue.title}", markup=False)
    here = f" --repo {quote(str(found.path))}" if Path.cwd() != found.path else ""
    console.print(f"Work on it: caseworker run{here} --issue {issue.number}", markup=False, soft_wrap=True)


async def list_cases(settings: Settings, console: Console, wanted: CaseFilter, *, as_json: bool) -> None:
    with empty_without_records(console, as_json=as_json):
        async with reading(settings) as store:
            await notice_merges(settings, store)
            await show_cases(store, settings, console, wanted, as_json=as_json)


async def show_one(
    settings: Settings,
    console: Console,
    name: str,
    *,
    everything: bool,
    pull_request: bool,
    follow: bool,
    as_json: bool,
) -> None:
    if follow:
        await _follow(settings, console, name, as_json=as_json)
        return
    async with reading(settings) as store:
        await notice_merges(settings, store)
        stored = await find_case(store, name)
        view = view_of(stored)
        if pull_request:
            await view.show_pull_request(store, console, as_json=as_json)
        else:
            await view.show(store, console, as_json=as_json, everything=everything)
            if not as_json:
                note_dead_host(settings, [stored], console)


async def _follow(settings: Settings, console: Console, name: str, *, as_json: bool) -> None:
    """Watch a case and end as `run` and `report` do: with the result or the question, and the command to type next."""
    async with at_desk(settings, any_host=True) as desk:
        stored = await find_case(desk.store, name)
        await view_of(stored).follow(desk, console, as_json=as_json)


async def notice_merges(settings: Settings, store: Store) -> None:
    """Have merges noticed. The host does that; if none runs and a merge is waiting, one is started."""
    if not settings.is_embedded or HostPlace(settings.home).running() is not None:
        return
    if not await store.pulls.open_ones():
        return
    settled = await make_forge(store, settings).pulls.settled()
    waiting = {pull.case for pull in settled if pull.case is not None}
    if not waiting:
        return
    start_host(settings)
    deadline = asyncio.get_running_loop().time() + 10
    while waiting and asyncio.get_running_loop().time() < deadline:
        waiting = {case for case in waiting if not await _is_over(store, case)}
        await asyncio.sleep(0.1)


async def _is_over(store: Store, case: CaseId) -> bool:
    stored = await store.cases.load(case)
    return stored is None or stored.case.is_over


async def export_one(
    settings: Settings, console: Console, name: str, to: Path | None, *, run: WorkflowName | None = None
) -> None:
    """In GitHub Actions the case file goes into the workspace, unless a folder is named. `run`: only the artifact of
    the newest run of that workflow."""
    async with reading(settings) as store:
        view = view_of(await find_case(store, name))
        folder = to or actions_folder()
        artifact = None if run is None else await view.artifact(store, run)
        if folder is None:
            write_document(artifact[1] if artifact is not None else await view.file(store))
            return
        written = write_files(folder, dict([artifact])) if artifact is not None else await view.export(store, folder)
        for path in written:
            console.print(str(path), markup=False)


def start(settings: Settings, console: Console, *, fresh_engine: bool, as_json: bool) -> None:
    check_disk(settings.home)
    make_home(settings)
    if fresh_engine and HostPlace(settings.home).running() is not None:
        raise Refused("The host is running.", todo="`caseworker host stop` first.")
    asyncio.run(check_sandbox(settings))
    host = start_host(settings, fresh_engine=fresh_engine)
    if as_json:
        print_json(host.model_dump(mode="json"))
    else:
        shown = f" Temporal's web UI: {host.ui}" if host.ui else ""
        console.print(f"The host runs (process {host.pid}).{shown}")


def restart(settings: Settings, console: Console, *, as_json: bool) -> None:
    stop(HostPlace(settings.home))
    start(settings, console, fresh_engine=False, as_json=as_json)


def stop_host(settings: Settings, console: Console, *, as_json: bool) -> None:
    stopped = stop(HostPlace(settings.home))
    if as_json:
        print_json({"stopped": stopped})
    else:
        console.print("The host has stopped." if stopped else "No host was running.")


def host_state(settings: Settings, console: Console, *, as_json: bool) -> int:
    host = HostPlace(settings.home).running()
    if as_json:
        print_json({"running": host is not None, "host": host.model_dump(mode="json") if host else None})
    elif host is None:
        console.print("No host runs. Commands start it when they need it.")
    else:
        console.print(
            f"The host runs: process {host.pid}, version {host.version}, since {date_and_time(host.started_at)}"
        )
        shown = f"at {host.ui}" if host.ui else "is off (temporal_ui = true switches it on)"
        console.print(f"Temporal at {host.target}, its web UI {shown}", markup=False)
    return 0 if host is not None else 1
