"""`caseworker doctor`: everything it needs, looked at for real, with what to do about what is missing."""

import asyncio
import os
import platform
import shutil
import sys
from dataclasses import asdict

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from caseworker.app.parts import make_sandbox
from caseworker.app.processes.start_checks import check_disk
from caseworker.app.settings import Settings
from caseworker.app.terminal.live_view import print_json
from caseworker.app.terminal.slack_checks import Finding, examine_reports
from caseworker.core.base.errors import Refused, Transient
from caseworker.engine.host import HostPlace


async def examine(settings: Settings, console: Console, *, as_json: bool) -> int:
    findings = [
        _system(),
        Finding("python", "ok", platform.python_version()),
        await _git(),
        await _sandbox(settings),
        await _engine(settings),
        await _agent(),
        _home(settings),
        await _records(settings),
        _model(settings),
        _host(settings),
        *await examine_reports(settings),
    ]
    if as_json:
        print_json([asdict(finding) for finding in findings])
    else:
        _print(findings, console)
    return 1 if any(finding.mark == "missing" for finding in findings) else 0


def _print(findings: list[Finding], console: Console) -> None:
    signs = {"ok": "[green]✔[/]", "note": "[yellow]•[/]", "missing": "[red]✘[/]"}
    table = Table.grid(padding=(0, 2))
    for finding in findings:
        table.add_row(signs[finding.mark], f"[bold]{finding.what}[/]", escape(finding.says))
    console.print(table)


def _system() -> Finding:
    match sys.platform:
        case "linux":
            return Finding("system", "ok", f"Linux {platform.release()}, {os.cpu_count()} cores")
        case "darwin":
            return Finding("system", "missing", "macOS has no bubblewrap: run Caseworker in a Linux container.")
        case _:
            return Finding("system", "missing", "Linux is supported; on Windows use WSL2.")


async def _git() -> Finding:
    if shutil.which("git") is None:
        return Finding("git", "missing", "not found: `apt-get install git`, or your system's way to install it")
    return Finding("git", "ok", (await _output("git", "--version")).removeprefix("git version "))


async def _sandbox(settings: Settings) -> Finding:
    if settings.sandbox == "off":
        return Finding("sandbox", "note", "OFF by your settings: agents and builds can read and reach all that you can")
    problem = await make_sandbox(settings).probe()
    if problem is not None:
        return Finding("sandbox", "missing", problem)
    return Finding(
        "sandbox", "ok", f"{await _output('bwrap', '--version')} works here: no network, no home, no keys inside"
    )


async def _engine(settings: Settings) -> Finding:
    from caseworker.engine.server import server_binary, server_version

    if settings.is_embedded:
        try:
            return Finding("engine", "ok", f"embedded, {server_version()} ({server_binary()})")
        except Refused as refused:
            return Finding("engine", "missing", str(refused))
    from caseworker.app.bell import cluster_address
    from caseworker.engine.client import connect

    try:
        await connect(cluster_address(settings), timeout=5)
    except (Refused, Transient) as error:
        return Finding("engine", "missing", str(error))
    return Finding("engine", "ok", f"cluster {settings.temporal_address}, namespace {settings.temporal_namespace}")


async def _agent() -> Finding:
    from caseworker.agents.claude import agent_binary

    answer = await _output(str(agent_binary()), "--version")
    if answer == "not found":
        return Finding("agent", "missing", "its program is not installed: `make setup` installs it again")
    return Finding("agent", "ok", answer)


def _home(settings: Settings) -> Finding:
    there = next(folder for folder in (settings.home, *settings.home.parents) if folder.exists())
    if not os.access(there, os.W_OK):
        return Finding("home", "missing", f"{there} is not writable: set CASEWORKER_HOME to a folder of yours")
    try:
        check_disk(settings.home)
    except Refused as refused:
        return Finding("home", "missing", str(refused))
    return Finding("home", "ok", f"{settings.home}, {shutil.disk_usage(there).free // 1_000_000_000} GB free")


async def _records(settings: Settings) -> Finding:
    from caseworker.store.store import open_store

    if not settings.database_url and not (settings.home / "caseworker.db").exists():
        return Finding("records", "ok", "none yet: made with the first case")
    try:
        store = await open_store(settings.database)
    except (Refused, Transient) as error:
        return Finding("records", "missing", str(error))
    cases = len(await store.cases.all())
    await store.close()
    where = "PostgreSQL" if settings.database_url.startswith("postgresql") else str(settings.home / "caseworker.db")
    return Finding("records", "ok", f"{where}, {cases} cases")


def _model(settings: Settings) -> Finding:
    if settings.anthropic_api_key is None:
        return Finding("model", "note", "no key: only rehearsals work. Set ANTHROPIC_API_KEY for real cases")
    return Finding("model", "ok", f"a key is set; calls go to {settings.anthropic_base_url}")


def _host(settings: Settings) -> Finding:
    host = HostPlace(settings.home).running()
    if host is None:
        return Finding("host", "ok", "not running; commands start it when they need it")
    return Finding("host", "ok", f"process {host.pid}, Temporal's web UI at {host.ui}")


async def _output(*command: str) -> str:
    program = shutil.which(command[0])
    if program is None:
        return "not found"
    process = await asyncio.create_subprocess_exec(
        program, *command[1:], stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    output, _ = await process.communicate()
    lines = output.decode(errors="replace").strip().splitlines()
    return lines[0] if lines else "it printed nothing"
