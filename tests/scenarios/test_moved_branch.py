"""A person commits on a delivered branch: what is proven is told apart from what would be merged."""

import io

from rich.console import Console

from caseworker.app.settings import Settings
from caseworker.app.terminal.case_filter import CaseFilter
from caseworker.app.terminal.list_cases import show_cases
from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.people.commands import MessageKind
from caseworker.views.case_summaries import summary_of
from caseworker.views.explanations import why_issue
from tests.world.project import git
from tests.world.world import CaseInWorld, World


def _amends_and_commits(world: World) -> str:
    """Returns the branch's new tip."""
    git(world.repository, "switch", "--quiet", "agent/issue-1")
    git(world.repository, "commit", "--quiet", "--amend", "--message", "In my own words")
    (world.repository / "notes.txt").write_text("mine\n")
    git(world.repository, "add", "--all")
    git(world.repository, "commit", "--quiet", "--message", "A note of mine")
    git(world.repository, "switch", "--quiet", "main")
    return git(world.repository, "rev-parse", "agent/issue-1")[:12]


async def _told(case: CaseInWorld) -> list[str]:
    """What `why` says of the branch, and `show` and `run`."""
    why = await why_issue(case.world.store, await case.stored(), TerminalPhrasing())
    evidence = [fact.text for fact in why.evidence if fact.text.startswith("Branch: ")]
    return [*evidence, (await summary_of(case.world.store, case.id, TerminalPhrasing())).not_proven]


async def _listed(world: World) -> str:
    console = Console(file=io.StringIO(), width=1000)
    settings = Settings.model_validate({"home": world.repository.parent})
    await show_cases(world.store, settings, console, CaseFilter(demos=True), as_json=False)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


async def test_a_branch_with_unproven_commits_is_told_until_the_hand_back_proves_them(world: World) -> None:
    case = await world.owner_files_issue()
    proven = (await case.expect_pull_request()).head_sha[:12]
    assert await _told(case) == [""]
    tip = _amends_and_commits(world)
    words = f"`agent/issue-1` is at {tip}, which is not proven: the proof is of {proven}."
    how = "`caseworker takeover project/1`, then `caseworker handback project/1` have it built and reviewed."
    assert await _told(case) == [f"Branch: {words} {how}", f"{words} {how}"]
    assert words in await _listed(world)
    await case.person_says("", kind=MessageKind.TAKEOVER)
    await case.expect(lambda stored: bool(stored.case.people.taken_by), "a takeover")
    await case.person_says("", kind=MessageKind.HAND_BACK)
    stored = await case.expect(
        lambda stored: stored.case.waits_for is WaitingFor.MERGE and (stored.case.delivery.pushed or "")[:12] != proven,
        "the branch ready again",
    )
    assert stored.case.evidence.green == stored.case.evidence.approved == stored.case.delivery.pushed
    assert await case.file_on_branch("notes.txt") == "mine"
    assert await _told(case) == [""]
    assert words not in await _listed(world)


async def test_a_merge_of_unproven_commits_is_told_by_the_completed_case(world: World) -> None:
    case = await world.owner_files_issue()
    proven = (await case.expect_pull_request()).head_sha[:12]
    tip = _amends_and_commits(world)
    await case.person_merges()
    stored = await case.expect_end(IssueState.COMPLETED)
    words = f"Merged by a person at {tip}, which is not proven: the proof is of {proven}."
    assert (await why_issue(world.store, stored, TerminalPhrasing())).because == words
    assert (await summary_of(world.store, case.id, TerminalPhrasing())).stands == words
    await case.expect_story(words)
