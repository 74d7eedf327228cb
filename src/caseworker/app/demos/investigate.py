"""`caseworker demo investigate`: a race that shows on one day in eight.

A guess fails, an investigation finds the cause, and at the end the test is run 200 times without the fix, with the
guess and with the fix.
"""

import json
from dataclasses import asdict, dataclass
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from caseworker.app.demos.issue import Scene, Stage, on_stage
from caseworker.app.parts import make_sandbox, make_source
from caseworker.app.settings import Settings
from caseworker.app.terminal.live_view import print_json_line
from caseworker.app.terminal.run_issue import exit_code
from caseworker.app.terminal.show_matrix import print_matrix
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import Sha, typed
from caseworker.core.evidence.builds import Command, Purpose
from caseworker.core.evidence.builds import Stage as BuildStage
from caseworker.core.issue.case import IssueCase
from caseworker.core.record.investigation import Bisected
from caseworker.core.telling.story import one_line
from caseworker.views.investigations import known_investigations

RUNS: Final = 200
_SECONDS: Final = 60.0
_TEST: Final = "tests.test_many_days"
_MEASURE: Final = f"""python3 - <<'END'
import io, json, os, unittest

failed = []
for seed in range(1, {RUNS} + 1):
    os.environ["SEED"] = str(seed)
    test = unittest.defaultTestLoader.loadTestsFromName("{_TEST}")
    if not unittest.TextTestRunner(stream=io.StringIO()).run(test).wasSuccessful():
        failed.append(seed)
print(json.dumps(failed))
END"""
_SCENE: Final = Scene(
    about="A count that is wrong on one day in eight: a guess fails, an investigation finds the cause.",
    sample="depot",
    issue="issue.md",
    rehearsal="rehearsal.yaml",
)


@dataclass(frozen=True, kw_only=True)
class Runs:
    """The results of running the test with each seed on one commit."""

    what: str
    commit: Sha
    failed: list[int]


async def run_investigate_demo(settings: Settings, console: Console, *, as_json: bool) -> int:
    async with on_stage(_SCENE, settings, console, as_json=as_json) as stage:
        summary = await stage.goes_on()
        if exit_code(summary) == 0:
            await _tell_what_was_found(stage)
            await _tell_runs(stage, await _measure_runs(stage))
        return await stage.ends(
            summary,
            [
                (f"caseworker matrix {typed(stage.case)}", "what was suspected, and what changed that"),
                (f"caseworker why {typed(stage.case)}", "where it stands, and on what evidence"),
                (f"caseworker show {typed(stage.case)} --all", "its story, with every tool call"),
            ],
        )


async def _tell_what_was_found(stage: Stage) -> None:
    if stage.as_json:  # the record has all of it
        return
    stored, store = await stage.stored(), stage.desk.store
    stage.console.print()
    print_matrix(stage.case, stored.title, await known_investigations(store, stored), stage.console)
    stage.console.print()
    for recorded in await store.record.whole(stage.case, {"bisected"}):
        if isinstance(recorded.entry, Bisected) and recorded.entry.culprit_hash:
            subject = recorded.entry.culprit_message.strip().partition("\n\n")[0]
            culprit = f"{recorded.entry.culprit_hash[:12]}  {one_line(subject)}"
            stage.console.print(Text("The first bad commit  ", style="bold") + Text(culprit, style="not bold"))


async def _measure_runs(stage: Stage) -> list[Runs]:
    """Run the test in the sandbox, in a tree beside the case's own: code that agents wrote runs nowhere else."""
    from caseworker.workspaces.builds import SandboxedBuilder
    from caseworker.workspaces.worktrees import GitWorkspaces

    stored, settings = await stage.stored(), stage.desk.settings
    workspaces = GitWorkspaces(settings.home, source=make_source())
    builder = SandboxedBuilder(make_sandbox(settings))
    repository = await stage.desk.store.repositories.ref(stored.repository)
    measured: list[Runs] = []
    async with workspaces.hold(stage.case):
        workspace = await workspaces.prepare(stage.case, repository, stored.case.delivery.base)
        for what, commit in await _commits(stage, stored.case):
            tree = await workspaces.branch_off(workspace, "measure", commit)
            try:
                command = Command(purpose=Purpose.TEST, command=_MEASURE)
                [run] = await builder.run(tree, [command], seconds=_SECONDS)
            finally:
                await workspaces.drop(tree)
            if not run.passed:
                raise Refused(f"The {RUNS} runs came to nothing: {run.output[-400:]}", todo="Begin the demo again.")
            measured.append(Runs(what=what, commit=commit, failed=json.loads(run.output.splitlines()[-1])))
    return measured


async def _commits(stage: Stage, case: IssueCase) -> list[tuple[str, Sha]]:
    builds = [build for build in await stage.desk.store.builds.of(stage.case) if build.stage is BuildStage.HEAD]
    assert case.evidence.tests is not None, "there is a pull request"
    assert case.delivery.checkpoint is not None, "there is a pull request"
    guess = [
        ("with the first fix, a guess", build.commit)
        for build in builds[:1]
        if build.commit != case.delivery.checkpoint
    ]
    return [("without a fix", case.evidence.tests), *guess, ("with the fix of the cause", case.delivery.checkpoint)]


async def _tell_runs(stage: Stage, measured: list[Runs]) -> None:
    if stage.as_json:
        print_json_line({"kind": "measured", "test": _TEST, "runs": RUNS, "commits": [asdict(one) for one in measured]})
        return
    stage.console.print()
    stage.console.print(Text(f"{RUNS} runs of {_TEST}, each with a seed of its own", style="bold"))
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for heading in ("", "commit", "fail"):
        table.add_column(heading, justify="right" if heading == "fail" else "left")
    for one in measured:
        style = "red" if one.failed else "green"
        table.add_row(one.what, one.commit[:12], Text(str(len(one.failed)), style=style))
    stage.console.print(table)
