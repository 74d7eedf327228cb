"""What is told of a change depends on what the build ran: settings of linters decide only where one runs."""

from pathlib import Path

import pytest

from caseworker.activities.issue.weakenings import Weakenings
from caseworker.contract.wire import BuildRequest
from caseworker.core.base.ids import RepositoryId, Sha, issue_case
from caseworker.core.base.policy import Policy
from caseworker.core.evidence.builds import Build, CommandRun, Purpose, Stage
from caseworker.core.issue.case import IssueCase
from tests.edges.repositories import local_workspaces, new_repository

CHANGED = {"mypy.ini": "[mypy]\n", "shop.py": "x: int = y  # type: ignore\n", "tests/help.golden": "Help!\n"}
ALWAYS = "`tests/help.golden`, which tests compare their output with, was rewritten."
SETTINGS = "`mypy.ini`, which decides what linters and type checkers accept, was changed."
SILENT = "`shop.py`, line 1, keeps a linter or type checker silent: `x: int = y # type: ignore`."


@pytest.mark.parametrize(
    ("ran", "told"),
    [
        (Purpose.TEST, (ALWAYS,)),
        (Purpose.LINT, (ALWAYS, SETTINGS, SILENT)),
        (Purpose.TYPES, (ALWAYS, SETTINGS, SILENT)),
    ],
)
async def test_settings_of_linters_are_told_where_a_build_runs_one(
    tmp_path: Path, ran: Purpose, told: tuple[str, ...]
) -> None:
    before = {"mypy.ini": "[mypy]\nstrict = True\n", "shop.py": "x: int = 1\n", "tests/help.golden": "Help\n"}
    repository = new_repository(tmp_path / "shop", before)
    case, workspaces = issue_case(RepositoryId("shop"), 1), local_workspaces(tmp_path / "home")
    workspace = await workspaces.prepare(case, repository.ref, None)
    for name, text in CHANGED.items():
        (workspace.path / name).write_text(text)
    commit: Sha = await workspaces.commit(workspace, "Fix", parent=workspace.base, name="turn-1-1")
    request = BuildRequest(case=IssueCase(id=case), number=2, stage=Stage.HEAD, commit=commit, policy=Policy())
    run = CommandRun(purpose=ran, command="make", exit_code=0, seconds=1, output="")
    build = Build(number=2, stage=Stage.HEAD, commit=commit, runs=(run,))
    assert await Weakenings(workspaces).find(request, workspace, build, None) == told
