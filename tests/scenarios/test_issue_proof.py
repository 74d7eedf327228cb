"""Before a pull request: a waiver that names its paths, and a validation of every requirement."""

from pathlib import Path

import pytest

from caseworker.core.base.roles import Role, Task
from caseworker.core.issue.subjects import Subject, WaitingFor
from caseworker.core.outcomes.outcome import Outcome
from tests.world.agent import Act, analyzed, answers, implemented, triaged
from tests.world.world import World


@pytest.mark.slow
async def test_a_person_waives_a_forbidden_path_and_every_requirement_is_validated(
    world: World,
) -> None:
    def a_large_one(workspace: Path) -> Outcome:
        return triaged(workspace).model_copy(update={"scope": "LARGE"})

    def leaves_a_file_alone(workspace: Path) -> Outcome:
        return analyzed(workspace).model_copy(update={"must_not_do": ["Don't touch notes.txt."]})

    def changes_it_all_the_same(workspace: Path) -> Outcome:
        (workspace / "notes.txt").write_text("The world is greeted.\n")
        return implemented(workspace)

    greets: dict[str, object] = {"requirement": "Greet the world.", "met": True, "evidence": "sh tests/world.sh"}
    lets: dict[str, object] = {
        "requirement": "Don't touch notes.txt.",
        "met": True,
        "evidence": "ada has let it",
    }

    def passes(*checks: dict[str, object]) -> Act:
        return answers(Role.TESTER, Task.VALIDATE, status="PASS", checks=list(checks), summary="All is there.")

    world.agent.does(Role.PM, Task.TRIAGE, a_large_one)
    world.agent.does(Role.ANALYST, Task.ANALYZE, leaves_a_file_alone)
    world.agent.does(Role.DEVELOPER, Task.IMPLEMENT, changes_it_all_the_same)
    world.agent.does(Role.DEVELOPER, Task.FIX, changes_it_all_the_same)
    world.agent.does(Role.TESTER, Task.VALIDATE, passes())
    world.agent.repairs(Role.TESTER, Task.VALIDATE, passes(greets, lets))
    case = await world.owner_files_issue()
    await case.expect_asked_for(Subject.FORBIDDEN)
    assert "only a person can let `notes.txt` be changed" in (await case.told())[-1]
    assert sum(brief.task is Task.FIX for brief in world.agent.briefs) == 1  # it was asked to revert the path first
    await case.person_approves()
    await case.expect_waiting(WaitingFor.MERGE)
    pull = await case.expect_pull_request()
    assert "Waived by `ada`: a change of what was not to be changed (`notes.txt`)" in pull.body
    (refused,) = world.agent.refused
    assert refused.endswith("Not among them:\n- Greet the world.\n- Don't touch notes.txt.")
    review = next(brief for brief in world.agent.briefs if brief.task is Task.REVIEW)
    assert "Except: a person has let these be changed all the same: `notes.txt`." in review.prompt
