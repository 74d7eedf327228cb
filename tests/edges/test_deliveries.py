"""Delivers a case's work where people push as well: real git, a real store, and the activities themselves."""

import json
import shutil
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import pytest
from pydantic import BaseModel
from temporalio.testing import ActivityEnvironment

from caseworker.activities.issue.delivery import Delivering
from caseworker.activities.issue.posts import IssuePosts
from caseworker.activities.issue.pull_texts import PullTexts
from caseworker.activities.shared.case_file_copy import CaseFileCopy
from caseworker.activities.shared.load_case import stored_case
from caseworker.agents.claude import ModelSettings
from caseworker.agents.single_questions import SingleQuestions
from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.contract.wire import PullReply, Pushed, PushReply, PushRequest
from caseworker.core.base.errors import Transient
from caseworker.core.base.failed_steps import EffectRefused
from caseworker.core.base.ids import CaseId, MessageId, RepositoryId, Sha, issue_case, typed
from caseworker.core.base.policy import Policy
from caseworker.core.base.repositories import RepositoryRef
from caseworker.core.base.roles import Role, Task
from caseworker.core.casefile.model import load_case_file
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.facts import BranchMoved, PullRequestReady
from caseworker.core.issue.posts import IssueAbout, IssuePost
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import Grant, Subject
from caseworker.core.outcomes.developer import ImplementationOutcome
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.messages import Audience
from caseworker.core.record.entries import Noted, Posted
from caseworker.core.telling.pull_text import OWN_WORDS, PullText
from caseworker.forges.local import LocalForge
from caseworker.forges.local_pulls import LocalPulls
from caseworker.forges.local_source import LocalSource
from caseworker.ports import Answer, Attempt, Failed, Joined, NewIssue, PullRequest, PullUpdate, Question, Workspace
from caseworker.store.store import Store, open_store
from caseworker.workspaces.git import SafeGit
from caseworker.workspaces.worktrees import GitWorkspaces
from tests.edges.repositories import Repository, git, new_repository
from tests.edges.store_examples import TRACE, begun, case_file, completed_entry, finished, said

BRANCH = "agent/issue-1"
START = {"calc.py": "a\nb\nc\nd\ne\nf\ng\n", "test_calc.py": "def test_b():\n    assert 'b'\n"}


class Workspaces(GitWorkspaces):
    """Loses a finished merge, as a killed worker does, as often as it is told to."""

    dies_after_merging = 0

    async def merge(self, workspace: Workspace, ours: Sha, theirs: Sha, *, since: Sha | None, message: str) -> Joined:
        joined = await super().merge(workspace, ours, theirs, since=since, message=message)
        if self.dies_after_merging:
            self.dies_after_merging -= 1
            raise Transient("killed")
        return joined


class Source(LocalSource):
    dies_after_pushing = 0
    meanwhile: Callable[[], object] | None = None
    """What somebody does between our look and our push."""

    async def push(
        self,
        repository: RepositoryRef,
        workspace: Workspace,
        commit: Sha,
        *,
        branch: str,
        expected: Sha | None,
        update: PullUpdate | None = None,
    ) -> None:
        if self.meanwhile is not None:
            self.meanwhile()
            self.meanwhile = None
        await super().push(repository, workspace, commit, branch=branch, expected=expected, update=update)
        if self.dies_after_pushing:
            self.dies_after_pushing -= 1
            raise Transient("killed")


A = TypeVar("A", bound=BaseModel)


@dataclass
class ScriptedModel:
    """Answers single questions from a list; without one there is no answer."""

    texts: list[PullText] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    async def ask(self, question: Question[A]) -> Answer[A] | Failed:
        self.asked.append(question.text)
        if not self.texts:
            return Failed(why="budget", reason="the case's budget is used up")
        value = question.answer.model_validate(self.texts.pop(0).model_dump())
        return Answer(value=value, calls=1, cost_micros=10)


@dataclass(kw_only=True)
class Desk:
    """One case, its repository, and the activities that deliver it."""

    store: Store
    repository: Repository
    workspaces: Workspaces
    source: Source
    forge: LocalForge
    id: CaseId
    case: IssueCase
    commits: int = field(default=0)
    model: "ScriptedModel" = field(default_factory=lambda: ScriptedModel())

    @property
    def delivering(self) -> Delivering:
        copy = CaseFileCopy(folder=self.repository.path.parent)
        texts = PullTexts(store=self.store, model=self.model)
        return Delivering(store=self.store, workspaces=self.workspaces, forge=self.forge, copy=copy, texts=texts)

    async def agent_writes(self, files: dict[str, str], *, on: Sha | None = None) -> Sha:
        """Run a turn: it begins from the checkpoint and becomes one commit, on the base or on the named commit."""
        workspace = await self.workspaces.prepare(self.id, self.repository.ref, self.case.delivery.base)
        await self.workspaces.reset(workspace, self.case.delivery.checkpoint or workspace.base, scrub=True)
        for name, text in files.items():
            (workspace.path / name).write_text(text)
        self.commits += 1
        commit = await self.workspaces.commit(
            workspace, "Fix it", parent=on or workspace.base, name=f"turn-{self.commits}-1"
        )
        self.case = self.case.updated(base=workspace.base, checkpoint=commit)
        return commit

    def person_pushes(self, files: dict[str, str], *, amend: bool = False) -> Sha:
        self.repository.git("switch", "-q", BRANCH)
        self.repository.write(files)
        self.repository.git("add", "-A")
        self.repository.git("commit", "-q", *(["--amend"] if amend else []), "-m", "Theirs")
        theirs = Sha(self.repository.head())
        self.repository.git("switch", "-q", "main")
        return theirs

    def person_commits_to_base(self, files: dict[str, str]) -> None:
        self.repository.write(files)
        self.repository.git("add", "-A")
        self.repository.git("commit", "-q", "-m", "On the base")

    async def pull_request_text(self) -> str:
        [pull] = await self.store.pulls.of(self.id)
        return pull.body

    async def push(self) -> PushReply:
        return await ActivityEnvironment().run(self.delivering.push_branch, self._next())

    async def keep(self) -> PushReply:
        return await ActivityEnvironment().run(self.delivering.keep_branch, self._next())

    async def adopt(self) -> PushReply:
        return await ActivityEnvironment().run(self.delivering.adopt_branch, self._request())

    async def open_pull_request(self) -> PullReply:
        return await ActivityEnvironment().run(self.delivering.open_pull_request, self._next())

    async def open_pull_request_again(self) -> PullReply:
        return await ActivityEnvironment().run(self.delivering.open_pull_request, self._request())

    async def delivered(self) -> Sha:
        """Push, and update the case as the flow does."""
        assert isinstance(await self.push(), Pushed)
        ready = await self.open_pull_request()
        assert isinstance(ready, PullRequestReady)
        self.case = self.case.updated(pushed=ready.commit, pull_request=ready.number)
        return ready.commit

    def learns(self, moved: PushReply) -> BranchMoved:
        assert isinstance(moved, BranchMoved)
        self.case = self.case.updated(checkpoint=moved.commit, pushed=moved.theirs)
        return moved

    def head(self) -> Sha:
        return Sha(self.repository.head(BRANCH))

    def show(self, commit: Sha, name: str) -> str:
        return git(self.workspaces_git_dir, "show", f"{commit}:{name}")

    def parents(self, commit: Sha) -> list[str]:
        return git(self.workspaces_git_dir, "show", "-s", "--format=%P", commit).split()

    @property
    def workspaces_git_dir(self) -> Path:
        [mirror] = self.workspaces._mirrors.all()
        return mirror

    async def notes(self) -> list[str]:
        entries = [recorded.entry for recorded in await self.store.record.whole(self.id)]
        return [entry.text for entry in entries if isinstance(entry, Noted | Posted)]

    async def kinds(self) -> list[str]:
        return [recorded.entry.kind for recorded in await self.store.record.whole(self.id)]

    def _request(self) -> PushRequest:
        assert self.case.delivery.checkpoint is not None
        return PushRequest(case=self.case, commit=self.case.delivery.checkpoint)

    def _next(self) -> PushRequest:
        self.case = self.case.updated(transitions=self.case.progress.transitions + 1)
        return self._request()


@pytest.fixture
async def desk(tmp_path: Path, migrated_file: Path) -> AsyncIterator[Desk]:
    shutil.copy(migrated_file, tmp_path / "caseworker.db")
    store = await open_store(f"sqlite:///{tmp_path / 'caseworker.db'}")
    repository = new_repository(tmp_path / "calc", START)
    issue = await store.repositories.new_issue(
        await store.repositories.register(repository.ref), NewIssue(title="It is broken", body="Very.")
    )
    case = issue_case(issue.repository, issue.number)
    await store.cases.open(issue, policy=Policy(), rehearsal=None, trace=TRACE, first=said(case))
    stored = await store.cases.load(case)
    assert stored is not None
    source = Source(SafeGit())
    pulls = LocalPulls(repositories=store.repositories, records=store.pulls, git=SafeGit())
    desk = Desk(
        store=store,
        repository=repository,
        workspaces=Workspaces(tmp_path / "home", source=source),
        source=source,
        forge=LocalForge(source=source, pulls=pulls),
        id=case,
        case=stored.case.updated(state=IssueState.CREATING_PR),
    )
    await desk.agent_writes({"calc.py": START["calc.py"].replace("b", "B")})
    try:
        yield desk
    finally:
        await store.close()


# --- what the case file says of a push


async def test_a_kept_branch_of_a_parked_case_is_in_the_case_file(desk: Desk) -> None:
    assert await desk.keep() == Pushed(commit=desk.head())
    kept = (await case_file(desk.store, desk.id)).commit
    assert (kept.pushed, kept.hash, kept.branch, kept.message) == (True, desk.head(), BRANCH, "Fix it")
    assert (kept.completed, kept.pr_created) == (False, False)
    copied = json.loads((desk.repository.path.parent / "issue-state.json").read_text())
    assert load_case_file(copied).commit == kept


@pytest.mark.slow
async def test_the_case_file_has_the_message_of_the_merge_that_was_pushed(desk: Desk) -> None:
    await desk.delivered()
    desk.person_pushes({"theirs.txt": "1\n"})
    await desk.agent_writes({"ours.txt": "1\n"})
    desk.learns(await desk.adopt())
    await desk.delivered()
    commit = (await case_file(desk.store, desk.id)).commit
    assert (commit.hash, commit.message) == (desk.head(), f"Merge what a person has pushed to {BRANCH}")
    assert commit.completed


# --- merging what people pushed


async def test_without_a_persons_push_there_is_nothing_to_merge(desk: Desk) -> None:
    commit = await desk.delivered()
    assert await desk.adopt() == Pushed(commit=commit)
    newer = await desk.agent_writes({"more.py": "1\n"})
    assert await desk.adopt() == Pushed(commit=newer)


async def test_before_our_first_push_there_is_nothing_to_merge(desk: Desk) -> None:
    assert desk.case.delivery.checkpoint is not None
    assert await desk.adopt() == Pushed(commit=desk.case.delivery.checkpoint)


async def test_the_case_continues_from_a_persons_commit_on_top_of_ours(desk: Desk) -> None:
    await desk.delivered()
    theirs = desk.person_pushes({"theirs.txt": "1\n"})
    moved = BranchMoved(theirs=theirs, commit=theirs)
    assert await desk.adopt() == moved
    assert await desk.adopt() == moved
    assert (await desk.notes()).count(
        f"A person has pushed {theirs[:12]} to {BRANCH}; it was merged with the work of the case."
    ) == 1


async def test_a_persons_commit_and_newer_work_of_ours_are_merged(desk: Desk) -> None:
    await desk.delivered()
    theirs = desk.person_pushes({"theirs.txt": "1\n"})
    ours = await desk.agent_writes({"ours.txt": "1\n"})
    moved = desk.learns(await desk.adopt())
    assert (moved.theirs, moved.conflict) == (theirs, ())
    assert desk.parents(moved.commit) == [ours, theirs]
    assert desk.show(moved.commit, "theirs.txt") == desk.show(moved.commit, "ours.txt") == "1"
    assert await desk.adopt() == Pushed(commit=moved.commit)
    assert await desk.delivered() == desk.head() == moved.commit


@pytest.mark.slow
async def test_an_amended_commit_counts_as_a_persons(desk: Desk) -> None:
    await desk.delivered()
    theirs = desk.person_pushes({"calc.py": START["calc.py"].replace("b", "bee")}, amend=True)
    assert await desk.adopt() == BranchMoved(theirs=theirs, commit=theirs)
    ours = await desk.agent_writes({"calc.py": START["calc.py"].replace("b", "B").replace("f", "F")})
    moved = desk.learns(await desk.adopt())
    assert desk.parents(moved.commit) == [ours, theirs]
    assert desk.show(moved.commit, "calc.py") == "a\nbee\nc\nd\ne\nF\ng"


async def test_conflicts_are_left_in_the_files_and_named(desk: Desk) -> None:
    await desk.delivered()
    theirs = desk.person_pushes({"calc.py": START["calc.py"].replace("b", "theirs")})
    ours = await desk.agent_writes({"calc.py": START["calc.py"].replace("b", "ours")})
    moved = desk.learns(await desk.adopt())
    assert moved.conflict == ("calc.py",)
    assert desk.parents(moved.commit) == [ours, theirs]
    assert "<<<<<<< this case\nours\n=======\ntheirs\n>>>>>>> a person" in desk.show(moved.commit, "calc.py")
    assert (await desk.notes())[-1].endswith("They contradict each other in `calc.py`; the developer resolves it.")


@pytest.mark.slow
async def test_a_merge_repeated_after_a_crash_gives_the_same_reply(desk: Desk) -> None:
    await desk.delivered()
    desk.person_pushes({"calc.py": START["calc.py"].replace("b", "theirs"), "theirs.txt": "1\n"})
    await desk.agent_writes({"calc.py": START["calc.py"].replace("b", "ours")})
    desk.workspaces.dies_after_merging = 1
    with pytest.raises(Transient):
        await desk.adopt()
    first = await desk.adopt()
    assert isinstance(first, BranchMoved)
    assert await desk.adopt() == first
    desk.workspaces = Workspaces(desk.workspaces._home, source=desk.source)  # another worker of this machine
    assert await desk.adopt() == first


async def test_a_deleted_branch_is_pushed_again(desk: Desk) -> None:
    await desk.delivered()
    desk.repository.git("branch", "-q", "-D", BRANCH)
    ours = await desk.agent_writes({"ours.txt": "1\n"})
    assert await desk.adopt() == Pushed(commit=ours)
    assert await desk.push() == Pushed(commit=ours)
    assert desk.head() == ours


@pytest.mark.slow
async def test_a_branch_that_a_person_reset_stays_reset(desk: Desk) -> None:
    first = await desk.delivered()
    await desk.agent_writes({"second.txt": "1\n"}, on=first)
    await desk.delivered()
    desk.repository.git("branch", "-q", "-f", BRANCH, first)
    ours = await desk.agent_writes({"third.txt": "1\n"}, on=desk.case.delivery.pushed)
    moved = desk.learns(await desk.adopt())
    assert moved.theirs == first
    assert desk.parents(moved.commit) == [ours, first]
    listed = git(desk.workspaces_git_dir, "ls-tree", "--name-only", moved.commit).splitlines()
    assert listed == ["calc.py", "test_calc.py", "third.txt"]
    assert await desk.delivered() == desk.head() == moved.commit


@pytest.mark.slow
async def test_only_a_handed_back_case_merges_a_branch_that_we_never_pushed(desk: Desk) -> None:
    assert desk.case.delivery.checkpoint is not None
    desk.repository.git("branch", "-q", BRANCH)
    theirs = desk.person_pushes({"theirs.txt": "1\n"})
    assert await desk.adopt() == Pushed(commit=desk.case.delivery.checkpoint)
    assert isinstance(await desk.push(), EffectRefused)
    desk.case = desk.case.updated(handed_back=True)
    moved = desk.learns(await desk.adopt())
    assert (moved.theirs, moved.conflict) == (theirs, ())
    assert await desk.adopt() == Pushed(commit=moved.commit)
    assert await desk.delivered() == desk.head() == moved.commit
    assert desk.show(moved.commit, "theirs.txt") == "1"


async def test_an_unchanged_or_unrelated_branch_is_not_merged_after_a_takeover(desk: Desk) -> None:
    desk.case = desk.case.updated(handed_back=True)
    desk.repository.git("branch", "-q", BRANCH)
    assert isinstance(await desk.adopt(), Pushed)
    desk.repository.git("switch", "-q", "--orphan", "elsewhere")
    desk.repository.write({"other.txt": "1\n"})
    desk.repository.git("add", "-A")
    desk.repository.git("commit", "-q", "-m", "Elsewhere")
    desk.repository.git("branch", "-q", "-f", BRANCH)
    desk.repository.git("switch", "-q", "main")
    assert isinstance(await desk.adopt(), Pushed)


# --- work kept for a person


@pytest.mark.slow
async def test_work_of_a_waiting_case_is_pushed_once_for_each_commit(desk: Desk) -> None:
    desk.source.dies_after_pushing = 1
    with pytest.raises(Transient):
        await desk.keep()
    first = desk.case.delivery.checkpoint
    assert first is not None
    assert [await desk.keep(), await desk.keep()] == [Pushed(commit=first)] * 2
    assert (await desk.kinds()).count("branch_pushed") == 1
    theirs = desk.person_pushes({"theirs.txt": "1\n"})
    assert await desk.keep() == Pushed(commit=first)
    assert desk.head() == theirs
    assert desk.learns(await desk.adopt()).commit == theirs
    assert await desk.delivered() == theirs


@pytest.mark.slow
async def test_newer_work_of_a_waiting_case_goes_on_top_of_a_persons_push(desk: Desk) -> None:
    await desk.keep()
    theirs = desk.person_pushes({"theirs.txt": "1\n"})
    await desk.agent_writes({"ours.txt": "1\n"})
    moved = desk.learns(await desk.keep())
    assert moved.theirs == desk.head() == theirs
    assert await desk.keep() == Pushed(commit=moved.commit)
    assert desk.head() == moved.commit


async def test_work_that_can_not_be_pushed_is_refused_and_noted_once(desk: Desk) -> None:
    desk.repository.git("branch", "-q", BRANCH)
    theirs = desk.person_pushes({"theirs.txt": "1\n"})
    for _ in range(2):
        assert isinstance(await desk.keep(), EffectRefused)
    told = [note for note in await desk.notes() if note.startswith(f"The work so far could not be put on `{BRANCH}`")]
    assert len(told) == 1
    assert "won't overwrite a person's work" in told[0]
    assert desk.head() == theirs


# --- pushing


async def test_a_push_that_would_overwrite_a_person_merges_their_work_instead(desk: Desk) -> None:
    await desk.delivered()
    theirs = desk.person_pushes({"theirs.txt": "1\n"})
    ours = await desk.agent_writes({"ours.txt": "1\n"})
    moved = desk.learns(await desk.push())
    assert moved.theirs == desk.head() == theirs
    assert desk.parents(moved.commit) == [ours, theirs]
    assert await desk.delivered() == desk.head() == moved.commit


async def test_a_person_who_pushes_between_look_and_push_is_not_overwritten(desk: Desk) -> None:
    await desk.delivered()
    await desk.agent_writes({"ours.txt": "1\n"})
    desk.source.meanwhile = lambda: desk.person_pushes({"theirs.txt": "1\n"})
    moved = desk.learns(await desk.push())
    assert moved.theirs == desk.head()
    assert desk.show(moved.commit, "theirs.txt") == "1"
    assert isinstance(await desk.push(), Pushed)


@pytest.mark.slow
async def test_a_branch_deleted_between_look_and_push_is_looked_at_again(desk: Desk) -> None:
    await desk.delivered()
    ours = await desk.agent_writes({"ours.txt": "1\n"})
    desk.source.meanwhile = lambda: desk.repository.git("branch", "-q", "-D", BRANCH)
    with pytest.raises(Transient):  # Temporal tries it again
        await desk.push()
    assert await desk.push() == Pushed(commit=ours)


@pytest.mark.slow
async def test_work_that_left_out_a_merged_commit_is_merged_with_it_again(desk: Desk) -> None:
    await desk.delivered()
    theirs = desk.person_pushes({"theirs.txt": "1\n"})
    desk.learns(await desk.adopt())
    ours = await desk.agent_writes({"ours.txt": "1\n"})  # one commit on the base, with the files of both
    moved = desk.learns(await desk.push())
    assert desk.head() == theirs
    assert desk.parents(moved.commit) == [ours, theirs]
    assert await desk.delivered() == desk.head() == moved.commit


async def test_a_push_with_an_unknown_result_is_found_on_the_branch(desk: Desk) -> None:
    commit = desk.case.delivery.checkpoint
    assert commit is not None
    desk.source.dies_after_pushing = 1
    with pytest.raises(Transient):
        await desk.push()
    assert await desk.push() == Pushed(commit=commit)
    assert (await desk.kinds()).count("branch_pushed") == 1


async def test_a_persons_commit_on_a_push_with_an_unknown_result_is_merged(desk: Desk) -> None:
    desk.source.dies_after_pushing = 1
    with pytest.raises(Transient):
        await desk.push()
    theirs = desk.person_pushes({"theirs.txt": "1\n"})
    assert await desk.push() == BranchMoved(theirs=theirs, commit=theirs)


async def test_a_push_that_led_to_no_pull_request_is_still_ours(desk: Desk) -> None:
    assert isinstance(await desk.push(), Pushed)  # then the case failed, and never learned of the push
    ours = await desk.agent_writes({"ours.txt": "1\n"})
    assert await desk.push() == Pushed(commit=ours)
    assert desk.head() == ours


async def test_work_of_ours_that_was_pushed_and_not_recorded_is_not_taken_for_a_persons(desk: Desk) -> None:
    pushed = desk.case.delivery.checkpoint
    assert pushed is not None
    turn = await begun(desk.store, desk.id)
    ended = finished(turn).model_copy(update={"checkpoint": pushed})
    assert await desk.store.turns.complete(turn, ended, None)
    desk.source.dies_after_pushing = 1
    with pytest.raises(Transient):
        await desk.keep()  # the case was parked; a person came back before this could be tried again
    ours = await desk.agent_writes({"ours.txt": "1\n"})
    assert await desk.push() == Pushed(commit=ours)
    assert desk.head() == ours


async def test_a_branch_older_than_the_case_is_refused_with_what_to_do(desk: Desk) -> None:
    desk.repository.git("branch", BRANCH)
    before = desk.head()
    refused = await desk.push()
    assert isinstance(refused, EffectRefused)
    assert refused.reason.endswith(f"Then type: caseworker retry {typed(desk.id)}")
    assert desk.head() == before


# --- the pull request


async def test_an_open_pull_request_is_updated(desk: Desk) -> None:
    await desk.delivered()
    await desk.agent_writes({"ours.txt": "1\n", "test_calc.py": ""})
    weakened = ("`test_b` was removed from `test_calc.py`.",)  # found by the build of the head
    desk.case = desk.case.updated(grants=(Grant(subject=Subject.NO_RED_TEST, by="ada"),), weakened=weakened)
    commit = await desk.delivered()
    [pull] = await desk.store.pulls.of(desk.id)
    assert (pull.number, pull.state, pull.head_sha) == (1, "open", commit)
    assert "**No red test**: no test was seen to fail without the change. Waived by `ada`." in pull.body
    assert "`test_b` was removed from `test_calc.py`." in pull.body
    assert (await desk.kinds())[-2:] == ["branch_pushed", "noted"]
    assert (await desk.notes())[-1] == "branch `agent/issue-1` was updated"


async def test_a_pull_request_says_whether_it_conflicts_with_a_base_that_moved(desk: Desk) -> None:
    desk.person_commits_to_base({"calc.py": START["calc.py"].replace("g", "G")})
    await desk.delivered()
    assert "The base branch has moved" not in await desk.pull_request_text()
    desk.person_commits_to_base({"calc.py": START["calc.py"].replace("b", "bb"), "other.py": "x\n"})
    await desk.open_pull_request()
    text = await desk.pull_request_text()
    assert text.startswith("**The base branch has moved, and this change conflicts with it.**")
    assert "resolve it in:\n\n- `calc.py`\n\n## What" in text


async def test_a_pull_request_with_an_unknown_result_is_opened_and_recorded_once(desk: Desk) -> None:
    await desk.push()
    for _ in range(2):
        assert await desk.open_pull_request_again() == PullRequestReady(number=1, commit=desk.head())
    assert len(await desk.store.pulls.of(desk.id)) == 1
    assert (await desk.kinds()).count("pull_request_opened") == 1


async def test_after_a_closed_pull_request_a_new_one_is_opened(desk: Desk) -> None:
    await desk.delivered()
    await desk.store.pulls.set_state(RepositoryId("local/calc"), 1, "closed")
    await desk.agent_writes({"ours.txt": "1\n"})
    await desk.delivered()
    assert [pull.state for pull in await desk.store.pulls.of(desk.id)] == ["closed", "open"]
    assert (await desk.kinds()).count("pull_request_opened") == 2


async def test_each_remark_is_answered_once(desk: Desk) -> None:
    await desk.delivered()
    remarks = await _remarks(desk, "Why B?\nIt looks odd.", "And the docs?", turn=2)
    await _developer_answers(desk, turn=1, answers=["of an earlier round"])
    await _developer_answers(desk, turn=3, answers=["B is the constant's name."])
    await _developer_answers(desk, turn=4, answers=[])
    await desk.agent_writes({"ours.txt": "1\n"})
    desk.case = desk.case.updated(remarks=remarks)
    await desk.delivered()
    await desk.open_pull_request_again()
    assert await _words(desk, IssueAbout.ANSWERS, remarks) == (
        "> ann: Why B?\n\nB is the constant's name.\n\n"
        "> ann: And the docs?\n\nIt was read while the work was under way: Done."
    )


async def _words(desk: Desk, about: IssueAbout, messages: tuple[MessageId, ...]) -> str:
    """The text of a post about these messages."""
    writer = IssuePosts(store=desk.store)
    post = IssuePost(about=about, audience=Audience.DEVELOPERS, epoch=1, number=1, messages=messages)
    return (await writer.words(await writer.find(desk.id), post))(TerminalPhrasing())


async def _remarks(desk: Desk, *texts: str, turn: int) -> tuple[MessageId, ...]:
    for text in texts:
        await desk.store.inbox.put(said(desk.id, text, kind=MessageKind.WORDS))
    claimed = await desk.store.inbox.claim(desk.id, turn)
    return tuple(message.id for message in claimed if message.text in texts)


async def _developer_answers(desk: Desk, *, turn: int, answers: list[str]) -> None:
    outcome = ImplementationOutcome(
        status="READY_FOR_QA", changes=[], summary="Done.", commit_message="Do it", answers=answers
    )
    attempt = await desk.store.turns.begin(
        desk.id,
        turn,
        role=Role.DEVELOPER,
        task=Task.ADDRESS_FEEDBACK,
        worker="host-1",
        activity=b"token",
        trace=TRACE,
    )
    assert isinstance(attempt, Attempt)
    done = finished(attempt).model_copy(
        update={"role": Role.DEVELOPER, "task": Task.ADDRESS_FEEDBACK, "outcome": outcome}
    )
    assert await desk.store.turns.complete(attempt, done, None, completed_entry(attempt))


# --- the pm's words ---------------------------------------------------------------------------------------------------

WORDED = PullText(title="Greet the whole world", opening="The greeting left somebody out. Now it greets everybody.")


AGAIN = PullText(title="Greet the whole world politely", opening="The greeting is polite now, and greets everybody.")


async def test_the_pm_words_title_and_opening_once_per_delivered_commit(desk: Desk) -> None:
    desk.model.texts = [WORDED, AGAIN]
    for files, worded in (({"greeting.txt": "Hello world\n"}, WORDED), ({"greeting.txt": "Hello, world\n"}, AGAIN)):
        await desk.agent_writes(files)
        await desk.push()
        for _ in range(2):  # the second call is a retry: the same commit keeps its text
            await desk.open_pull_request()
            [pull] = await desk.store.pulls.of(desk.id)
            assert (pull.title, pull.body.split("\n\n")[:2]) == (worded.title, ["The pm says:", worded.opening])
    assert len(desk.model.asked) == 2


@pytest.mark.slow
async def test_without_an_answer_after_feedback_no_older_text_stays(desk: Desk) -> None:
    desk.model.texts = [WORDED]
    for text in ("Hello world\n", "Hello, world\n"):
        await desk.agent_writes({"greeting.txt": text})
        await desk.push()
        await desk.open_pull_request()
    [updated] = await desk.store.pulls.of(desk.id)
    assert updated.body.startswith("## What")
    assert updated.title != WORDED.title


async def test_a_title_that_a_person_gave_is_kept(desk: Desk) -> None:
    desk.model.texts = [WORDED, AGAIN]
    await desk.agent_writes({"greeting.txt": "Hello world\n"})
    await desk.push()
    await desk.open_pull_request()
    [opened] = await desk.store.pulls.of(desk.id)
    await desk.store.pulls.keep(opened.model_copy(update={"title": "Hello"}))
    await desk.agent_writes({"greeting.txt": "Hello, world\n"})
    await desk.push()
    await desk.open_pull_request()
    [updated] = await desk.store.pulls.of(desk.id)
    assert (updated.title, updated.body.split("\n\n")[1]) == ("Hello", AGAIN.opening)


@pytest.mark.parametrize("when", ["before it is opened", "before that is known"])
async def test_a_kill_after_the_text_was_stored_asks_for_no_other_text(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    """The text is stored, and the process dies before the pull request is open, or before it knows that it is."""
    desk.model.texts = [WORDED, WORDED.model_copy(update={"title": "Another title"})]
    await desk.agent_writes({"greeting.txt": "Hello world\n"})
    await desk.push()
    pulls, opens = desk.forge.pulls, desk.forge.pulls.open

    async def dies(draft: PullRequest) -> PullRequest:
        if when == "before that is known":
            await opens(draft)
        raise Transient("killed")

    with monkeypatch.context() as patch:
        patch.setattr(pulls, "open", dies)
        with pytest.raises(Transient):
            await desk.open_pull_request()
    await desk.open_pull_request()
    [opened] = await desk.store.pulls.of(desk.id)
    assert (opened.title, opened.body.split("\n\n")[1]) == (WORDED.title, WORDED.opening)
    assert len(desk.model.asked) == 1


@pytest.mark.parametrize("texts", [[], [WORDED.model_copy(update={"opening": "Thanks, @ann! Closes #3."})]])
async def test_without_a_usable_answer_the_program_uses_its_own_words(desk: Desk, texts: list[PullText]) -> None:
    desk.model.texts = list(texts)
    await desk.agent_writes({"greeting.txt": "Hello world\n"})
    await desk.push()
    await desk.open_pull_request()
    [opened] = await desk.store.pulls.of(desk.id)
    assert opened.body.startswith("## What")
    assert "@ann" not in opened.body
    desk.model.texts = [WORDED]
    await desk.open_pull_request()
    assert (await desk.pull_request_text()).startswith("## What")
    assert len(desk.model.asked) == 1


async def test_a_rehearsal_words_the_pull_request_and_it_is_kept(desk: Desk) -> None:
    questions = SingleQuestions(ledger=desk.store.ledger, record=desk.store.record, model=ModelSettings(pace=0))
    stored = await stored_case(desk.store, desk.id)
    other = "version: 1\nturns: []\nquestions: [{purpose: classify, steps: [{say: x}]}]\n"
    script = (
        "version: 1\nturns: []\nquestions: [{purpose: pr_text, steps: [{answer: "
        f"{{title: {WORDED.title}, opening: {WORDED.opening}}}}}]}}]\n"
    )
    texts = PullTexts(store=desk.store, model=questions)
    commit = Sha("a" * 40)
    worded = await texts.of(desk.case, commit, stored.model_copy(update={"rehearsal": script}), ["calc.py"])
    assert worded.text == WORDED
    assert (await desk.kinds())[-1] == "model_asked"
    kept = await texts.of(desk.case, commit, stored.model_copy(update={"rehearsal": other}), [])
    assert kept.text == WORDED


async def test_a_script_without_the_question_asks_nothing(desk: Desk) -> None:
    questions = SingleQuestions(ledger=desk.store.ledger, record=desk.store.record, model=ModelSettings(pace=0))
    stored = await stored_case(desk.store, desk.id)
    other = "version: 1\nturns: []\nquestions: [{purpose: classify, steps: [{say: x}]}]\n"
    before = await desk.kinds()
    texts = PullTexts(store=desk.store, model=questions)
    asked = await texts.of(desk.case, Sha("a" * 40), stored.model_copy(update={"rehearsal": other}), [])
    assert asked.text == OWN_WORDS
    assert await desk.kinds() == before
