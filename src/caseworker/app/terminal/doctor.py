"""`caseworker doctor`: checks everything Caseworker needs, and says what to do about what is missing."""

import asyncio
import os
import platform
import shutil
import sys
from dataclasses import asdict

from rich.console import Console
from rich.table import Table
from rich.text import Text

from caseworker.app.parts import make_registries, make_sandbox
from caseworker.app.processes.home_folder import home_problem
from caseworker.app.processes.start_checks import check_disk
from caseworker.app.settings import Settings
from caseworker.app.terminal.github_checks import examine_github
from caseworker.app.terminal.key_check import announced, try_key
from caseworker.app.terminal.live_view import print_json
from caseworker.app.terminal.slack_checks import Check, examine_reports
from caseworker.app.unpriced_models import told_unpriced, unpriced
from caseworker.core.base.errors import Refused, Transient
from caseworker.engine.host import HostPlace


async def examine(settings: Settings, console: Console, *, as_json: bool) -> int:
    if not as_json and (said := announced(settings)):
        console.print(said, markup=False, highlight=False)
    home = _home(settings)
    unusable = home.mark == "missing"  # read-only or full: the other checks write there
    checks = [home, *([_system(), await _git()] if unusable else await _other_checks(settings))]
    if as_json:
        print_json([asdict(check) for check in checks])
    else:
        print_checks(checks, console)
    return 1 if any(check.mark == "missing" for check in checks) else 0


async def _other_checks(settings: Settings) -> list[Check]:
    return [
        _system(),
        Check("python", "ok", platform.python_version()),
        await _git(),
        await _sandbox(settings),
        await _registries(settings),
        await _engine(settings),
        await _agent(),
        await _records(settings),
        await try_key(settings),
        *_prices(settings),
        _host(settings),
        *await examine_reports(settings),
        *await examine_github(settings),
    ]


def print_checks(checks: list[Check], console: Console) -> None:
    signs = {"ok": ("✔", "green"), "note": ("•", "yellow"), "missing": ("✘", "red")}
    table = Table.grid(padding=(0, 2))
    for check in checks:
        table.add_row(Text(*signs[check.mark]), Text(check.what, style="bold"), Text(check.says))
    console.print(table)


def _system() -> Check:
    match sys.platform:
        case "linux":
            return Check("system", "ok", f"Linux {platform.release()}, {os.cpu_count()} cores")
        case "darwin":
            return Check("system", "missing", "macOS has no bubblewrap: run Caseworker in a Linux container.")
        case _:
            return Check("system", "missing", "Linux is supported; on Windows use WSL2.")


async def _git() -> Check:
    if shutil.which("git") is None:
        return Check("git", "missing", "not found: `apt-get install git`, or your system's way to install it")
    return Check("git", "ok", (await _output("git", "--version")).removeprefix("git version "))


async def _sandbox(settings: Settings) -> Check:
    if settings.sandbox == "off":
        return Check("sandbox", "note", "OFF by your settings: agents and builds can read and reach all that you can")
    problem = await make_sandbox(settings).probe()
    if problem is not None:
        return Check("sandbox", "missing", problem)
    return Check(
        "sandbox", "ok", f"{await _output('bwrap', '--version')} works here: no network, no home, no keys inside"
    )


async def _registries(settings: Settings) -> Check:
    """What set-up may reach: shown, because nobody has listed it."""
    found = await make_registries(settings).found()
    if found is None:
        return Check(
            "registries", "ok", f"set-up may reach {', '.join(settings.setup_hosts) or 'nothing'} (setup_hosts)"
        )
    told = [f"{one.tool} {place}" for one in found.all for place in one.places]
    silent = [one.url for one in found.all if one.problem]
    says = f"set-up may reach {', '.join(dict.fromkeys(told)) or 'nothing: no package manager was found'}"
    return (
        Check("registries", "note", f"{says}; no answer from {', '.join(silent)}")
        if silent
        else Check("registries", "ok", says)
    )


async def _engine(settings: Settings) -> Check:
    from caseworker.engine.server import server_binary, server_version

    if settings.is_embedded:
        try:
            return Check("engine", "ok", f"embedded, {server_version()} ({server_binary()})")
        except Refused as refused:
            return Check("engine", "missing", str(refused))
    from caseworker.app.bell import cluster_address
    from caseworker.engine.client import connect

    try:
        await connect(cluster_address(settings), timeout=5)
    except (Refused, Transient) as error:
        return Check("engine", "missing", str(error))
    return Check("engine", "ok", f"cluster {settings.temporal_address}, namespace {settings.temporal_namespace}")


async def _agent() -> Check:
    from caseworker.agents.agent_program import agent_binary

    answer = await _output(str(agent_binary()), "--version")
    if answer == "not found":
        return Check("agent", "missing", "its program is not installed: `make setup` installs it again")
    return Check("agent", "ok", answer)


def _home(settings: Settings) -> Check:
    if (problem := home_problem(settings.home)) is not None:
        return Check("home", "missing", f"{problem} Set CASEWORKER_HOME to a folder that you can write to")
    try:
        check_disk(settings.home)
    except Refused as refused:
        return Check("home", "missing", str(refused))
    there = next(folder for folder in (settings.home, *settings.home.parents) if folder.exists())
    return Check("home", "ok", f"{settings.home}, {shutil.disk_usage(there).free // 1_000_000_000} GB free")


async def _records(settings: Settings) -> Check:
    from caseworker.store.store import open_store

    if not settings.database_url and not (settings.home / "caseworker.db").exists():
        return Check("records", "ok", "none yet: made with the first case")
    try:
        store = await open_store(settings.database)
    except (Refused, Transient) as error:
        return Check("records", "missing", str(error))
    cases = len(await store.cases.all())
    await store.close()
    where = "PostgreSQL" if settings.database_url.startswith("postgresql") else str(settings.home / "caseworker.db")
    return Check("records", "ok", f"{where}, {cases} {'case' if cases == 1 else 'cases'}")


def _prices(settings: Settings) -> list[Check]:
    unknown = unpriced(settings)
    return [Check("prices", "note", told_unpriced(unknown))] if unknown else []


def _host(settings: Settings) -> Check:
    host = HostPlace(settings.home).running()
    if host is None:
        return Check("host", "ok", "not running; commands start it when they need it")
    shown = f"Temporal's web UI at {host.ui}" if host.ui else f"Temporal at {host.target}"
    return Check("host", "ok", f"process {host.pid}, {shown}")


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
