"""`caseworker check`: tries how a repository is set up and tested, without a model and without a key."""

import hashlib
import shlex
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from caseworker.app.parts import look_at, make_builder, make_registries, make_sandbox, make_source
from caseworker.app.processes.logs import hush_logs
from caseworker.app.processes.start_checks import check_disk, check_sandbox
from caseworker.app.settings import Settings, make_home
from caseworker.app.terminal.git_parts import Say, tell_git
from caseworker.app.terminal.live_view import print_json
from caseworker.app.terminal.repository_plan import plan_of
from caseworker.core.base.ids import CaseId
from caseworker.core.base.repositories import LocalRepository, RepositoryRef
from caseworker.core.base.text import code, printable
from caseworker.core.ecosystems.check_result import CheckResult, result_of
from caseworker.core.ecosystems.plan_parts import Plan
from caseworker.core.ecosystems.plans import find_plan
from caseworker.core.evidence.builds import Command, CommandRun, Purpose
from caseworker.ports import Builder, Workspace, Workspaces
from caseworker.workspaces.kept_checks import KeptCheck, KeptChecks
from caseworker.workspaces.submodules import Submodules

if TYPE_CHECKING:
    from caseworker.workspaces.environments.allowed_registries import Registries

Working = Callable[[Command], AbstractContextManager[object]]
"""Shows that a command runs."""
_TOPICS = {Purpose.SETUP: "set-up", Purpose.TEST: "tests", Purpose.LINT: "lint", Purpose.TYPES: "types"}
_TOOLS_OF = {
    "Python": ("pip",),
    "Node": ("npm",),
    "Rust": ("cargo",),
    "Go": ("go",),
    "Java": ("maven",),
    "Java or Kotlin": ("maven",),
    "Ruby": ("gem",),
    "PHP": ("composer",),
    ".NET": ("nuget",),
    "Elixir": ("hex",),
    "Deno": ("npm",),
}
_UNUSABLE = ("could_not_run", "fails_otherwise")
_SOURCES = {
    "settings": ".caseworker.toml says how to test",
    "recipe": "a recipe of yours says how to test (`caseworker recipe show`)",
    "rules": "found by rules",
}


@dataclass(frozen=True, kw_only=True)
class Screen:
    say: Say
    working: Working


@dataclass
class Findings:
    """What a check found, as it is printed and as JSON."""

    said: list[tuple[str, str]] = field(default_factory=list)
    runs: list[CommandRun] = field(default_factory=list)
    plan: Plan | None = None
    result: CheckResult | None = None
    seconds: float = 0.0


async def check(repo: Path, settings: Settings, console: Console, *, as_json: bool) -> int:
    """Returns the exit code: 0 if a case can use the tests, 1 if not."""
    found = Findings()

    def say(topic: str, sentence: str) -> None:
        found.said.append((topic, sentence))
        if not as_json:
            console.print(Text.assemble((f"{topic:<12}", "bold"), printable(sentence)), highlight=False)

    def working(command: Command) -> AbstractContextManager[object]:
        quiet = as_json or not console.is_terminal
        return (
            nullcontext()
            if quiet
            else console.status(f"{_TOPICS[command.purpose]}: {printable(command.command)[:100]}")
        )

    started = monotonic()
    hush_logs()  # what they say of hosts and environments is told here
    await look_over(repo, settings, found, Screen(say=say, working=working))
    found.seconds = round(monotonic() - started, 1)
    assert found.result is not None, "it ends with a result, or raises"
    if as_json:
        print_json(_as_json(found))
    else:
        _tell_end(found, console, repo)
    return 1 if found.result.kind in _UNUSABLE else 0


async def look_over(repo: Path, settings: Settings, found: Findings, screen: Screen) -> None:
    """Everything that is found and tried, told as it goes."""
    from caseworker.activities.shared.read_rules import rules_of
    from caseworker.workspaces.worktrees import GitWorkspaces

    folder = await look_at(repo)
    await check_sandbox(settings)
    make_home(settings)
    check_disk(settings.home)
    await rules_of(folder.ref, make_source())  # a mistake in its settings is told now, as `run` would
    screen.say("repository", f"{folder.path} at {folder.head.commit[:12]}")
    workspaces = GitWorkspaces(settings.home, source=make_source(), walls=settings.sandbox != "off")
    case = CaseId(f"check/{hashlib.sha256(str(folder.ref).encode()).hexdigest()[:10]}#0")
    async with workspaces.hold(case):
        try:
            workspace = await workspaces.prepare(case, folder.ref, None)
            one = _Check(settings=settings, workspaces=workspaces, ref=folder.ref, found=found, screen=screen)
            await one.run(workspace)
            keep_check(settings.home, folder.ref, folder.head.commit, found)
        finally:
            await workspaces.remove(case)


@dataclass(frozen=True, kw_only=True)
class _Check:
    settings: Settings
    workspaces: Workspaces
    ref: RepositoryRef
    found: Findings
    screen: Screen

    async def run(self, workspace: Workspace) -> None:
        files = await self.workspaces.build_files(workspace, workspace.base)
        plan = self.found.plan = find_plan(files)
        tell_plan(plan, self.screen.say)
        await tell_git(self.workspaces, workspace, self.screen.say)
        await self._tell_tools(plan, workspace)
        registries = make_registries(self.settings)
        await self._tell_hosts(plan, registries)
        builder = make_builder(self.settings, make_sandbox(self.settings), self.workspaces, registries)
        if await self._all(builder, workspace, plan.set_up):
            # Once more: the worktree now has its environment.
            ready = await self.workspaces.prepare(workspace.case, self.ref, workspace.base)
            for command in plan.tests:
                await self._all(builder, ready, [command])
        self.found.result = result_of(
            self.found.runs,
            has_tests=bool(plan.tests),
            by_settings=plan.source == "settings",
            absent=Submodules.of(workspace.path.parent).missing,
        )

    async def _all(self, builder: Builder, workspace: Workspace, commands: Sequence[Command]) -> bool:
        if not commands:
            return True
        with self.screen.working(commands[0]):
            runs = await builder.run(workspace, commands, seconds=self.settings.command_minutes * 60)
        self.found.runs += runs
        for run in runs:
            self.screen.say(_TOPICS[run.purpose], _told(run))
        return all(run.passed for run in runs)

    async def _tell_tools(self, plan: Plan, workspace: Workspace) -> None:
        from caseworker.workspaces.environments.tool_versions import ask_versions
        from caseworker.workspaces.sandboxed_runs import SandboxedRuns

        runs = SandboxedRuns(make_sandbox(self.settings), network=None)
        wanted = [tool for one in plan.ecosystems for tool in one.wanted]
        for tool in await ask_versions(runs, workspace, wanted):
            want = f", wanted {tool.wanted.versions} ({tool.wanted.because})" if tool.wanted.versions else ""
            lacks = not tool.there or (bool(tool.version) and not tool.fits)
            todo = "; the set-up gets one" if tool.wanted.provided else "; it has to be installed"
            self.screen.say("tool", f"{tool.wanted.name}: {tool.state}{want}{todo if lacks else ''}")

    async def _tell_hosts(self, plan: Plan, registries: "Registries") -> None:
        if not plan.set_up:
            return
        found = await registries.found()
        concerned = {tool for one in plan.ecosystems for tool in _TOOLS_OF.get(one.name, ())}
        if found is None:
            named = ", ".join(self.settings.setup_hosts) or "none"
            self.screen.say("hosts", f"set-up may reach: {named} (setup_hosts)")
            return
        for source in (one for one in found.all if one.tool in concerned):
            where = str(source.folder) if source.folder is not None else ", ".join(source.places)
            problem = f"; it can't be asked: {source.problem}" if source.problem else ""
            self.screen.say("registry", f"{source.tool}: {where} ({source.because}){problem}")


def keep_check(home: Path, ref: RepositoryRef, commit: str, found: Findings) -> None:
    """The dashboard's page of repositories shows it."""
    assert found.plan is not None
    assert found.result is not None
    kept = KeptCheck(
        at=datetime.now(UTC),
        commit=commit,
        kind=found.result.kind,
        sentence=found.result.sentence,
        found=tuple(f"{one.name}, by {one.because}" for one in found.plan.ecosystems),
        source=found.plan.source,
    )
    KeptChecks(home).save(ref, kept)


async def tell_how_it_is_tested(repository: LocalRepository, settings: Settings, console: Console) -> None:
    """What `run` shows at its beginning. The set-up and the tests themselves are run by the case, on its base."""
    plan = await plan_of(repository, settings.home)
    lines = [f"{one.name}, by {one.because}" for one in plan.ecosystems]
    lines += [f"{_TOPICS[one.purpose]}: {one.command}" for one in plan.commands]
    for line in lines or ["No command was found that sets up or tests this repository."]:
        console.print(Text(printable(line), style="dim"), highlight=False)


def tell_plan(plan: Plan, say: Say) -> None:
    for one in plan.ecosystems:
        say("found", f"{one.name}, by {one.because}")
    if not plan.ecosystems:
        say("found", "a Makefile with `test`" if plan.tests else "no ecosystem that the rules know")
    say("commands", _SOURCES[plan.source])


def _told(run: CommandRun) -> str:
    how = "done" if run.passed else "took too long" if run.timed_out else f"ended with {run.exit_code}"
    if run.report is not None and run.purpose is Purpose.TEST:
        bad = len(run.report.failed) + len(run.report.broken)
        how = f"{run.report.ran} {'test' if run.report.ran == 1 else 'tests'} ran, {bad} failed"
    if run.from_cache:
        how = "taken from the cache"
    return f"{code(run.command)}: {how}, {run.seconds:.1f} s"


def _tell_end(found: Findings, console: Console, repo: Path) -> None:
    result = found.result
    assert result is not None
    failed = next((run for run in found.runs if not run.passed), None)
    if result.kind in _UNUSABLE and failed is not None:
        console.print(Text(printable("\n".join(failed.output.splitlines()[-25:])), style="dim"), highlight=False)
    style = {"works": "green", "fails_already": "yellow"}.get(result.kind, "red")
    console.print(Text(f"{result.sentence} ({found.seconds:.0f} s)", style=style), highlight=False)
    if result.kind in _UNUSABLE:
        edit = f"caseworker recipe edit{_of_repository(repo)}"
        told = f"`{edit}` opens the recipe; `caseworker doctor` shows the registries."
        console.print(Text(printable(told), style="dim"), highlight=False)


def _of_repository(repo: Path) -> str:
    """The option that names the repository, where one is not in it."""
    folder = repo.resolve()
    return "" if Path.cwd().is_relative_to(folder) else f" --repo {shlex.quote(str(repo))}"


def _as_json(found: Findings) -> dict[str, object]:
    assert found.result is not None
    assert found.plan is not None
    return {
        "result": found.result.model_dump(),
        "sentence": found.result.sentence,
        "seconds": found.seconds,
        "plan": found.plan.model_dump(mode="json"),
        "said": [{"topic": topic, "says": sentence} for topic, sentence in found.said],
        "runs": [run.for_record().model_dump(mode="json") for run in found.runs],
    }
