"""Turns of a pull case, on real git and our own GitHub: what an agent is given, refused, and what its work becomes."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from caseworker.activities.pull.pull_brief import PullBriefs, PullSources
from caseworker.activities.pull.pull_turns import PullTurn, PullTurnParts
from caseworker.activities.pull.reproductions import Reproductions
from caseworker.activities.turn.attempts import Try
from caseworker.activities.turn.transaction import Kept
from caseworker.contract.wire import PullTurnRequest
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Role, Task
from caseworker.core.casefile.review_learnings import Provenance, Rule, Scope
from caseworker.core.outcomes.outcome import parse_outcome
from caseworker.core.people.commands import StartWork
from caseworker.core.people.messages import NewMessage, Standing
from caseworker.core.pull.branch_updates import Conflict
from caseworker.core.pull.case import Failure, PullCase
from caseworker.core.record.entries import TurnCompleted
from caseworker.core.record.pull_entries import TurnGiven
from caseworker.forges.github.failure_reads import GitHubFailures
from caseworker.forges.github.probe import GitHubProbe
from caseworker.forges.github.thread_reads import GitHubPullThreads
from caseworker.github_double.acts.check_acts import create_status
from caseworker.github_double.acts.review_acts import create_review_comment
from caseworker.github_double.acts.review_records import LineComment
from caseworker.ports import Attempt, FinishedTurn, NewPullCase, PullBrief
from caseworker.ports.pull_branches import PullTree
from caseworker.workspaces.builds import SandboxedBuilder
from caseworker.workspaces.sandbox import Unconfined
from tests.edges.github_shop import Shop
from tests.edges.pull_desk import PullDesk, github_desk
from tests.edges.store_examples import TRACE, said

CASE = CaseId("acme/shop!1")
FINDING: dict[str, object] = {
    "file": "calc.py",
    "line": 1,
    "severity": "major",
    "title": "It shouts",
    "body": "Letters should be small.",
    "quote": "A",
}
DONE: dict[str, object] = {
    "status": "RESOLVED",
    "summary": "Done.",
    "commit_message": "Lower the letter\n\nIt shouted.",
}


@dataclass(kw_only=True)
class TurnDesk:
    """The hooks of turns, with an agent's work done by hand."""

    desk: PullDesk
    shop: Shop
    tree: PullTree
    case: PullCase
    turns: int = 0

    async def begin(self, work: Literal["review", "resolve"], **changes: object) -> tuple[PullTurn, PullBrief, Try]:
        role = Role.TECH_LEAD if work == "review" else Role.DEVELOPER
        task = Task.REVIEW_PULL if work == "review" else Task.RESOLVE_PULL
        self.turns += 1
        self.case = self.case.updated(**changes)
        attempt = await self.shop.store.turns.begin(
            CASE, self.turns, role=role, task=task, worker="host", activity=b"token", trace=TRACE
        )
        assert isinstance(attempt, Attempt)
        this = Try(attempt=attempt, role=role, task=task, trace=TRACE)
        stored = await self.shop.store.pull_cases.load(CASE)
        assert stored is not None
        policy = Policy(budget_micros=5_000_000)
        request = PullTurnRequest(case=self.case, turn=self.turns, role=role, task=task, policy=policy)
        turn = PullTurn(parts=self._parts(), request=request, stored=stored)
        assert self.case.commit is not None
        await self.desk.workspaces.reset(self.tree.workspace, self.case.commit, scrub=True)
        return turn, await turn.brief(this, self.tree.workspace), this

    async def hand_in(self, turn: PullTurn, this: Try, answer: dict[str, object]) -> Kept:
        outcome = parse_outcome(this.role, this.task, answer)
        async with self.desk.held():
            kept = await turn.commit(this, outcome, self.tree.workspace)
        numbers = {"turn": this.turn, "attempt": this.attempt.number, "calls": 1, "cost_micros": 1}
        what = {"role": this.role, "task": this.task, "checkpoint": kept.checkpoint}
        done = FinishedTurn.model_validate({**numbers, **what, "outcome": outcome, "session": this.attempt.session})
        entry = TurnCompleted.model_validate({**numbers, **what, "status": outcome.status, "summary": "Done."})
        assert await self.shop.store.turns.complete(this.attempt, done, None, entry, *kept.entries)
        return kept

    def write(self, name: str, text: str) -> None:
        (self.tree.workspace.path / name).write_text(text)

    async def check(self, brief: PullBrief, answer: dict[str, object]) -> str:
        assert brief.check is not None
        return await brief.check(parse_outcome(brief.role, brief.task, answer))

    def comments(self, text: str) -> None:
        [pull] = self.shop.repository.pulls.values()
        draft = LineComment(path="calc.py", body=text, line=1)
        create_review_comment(self.shop.state, self.shop.people["olga"], pull, draft)

    def _parts(self) -> PullTurnParts:
        shop, workspaces = self.shop, self.desk.workspaces
        sources = PullSources(
            threads=GitHubPullThreads(shop.api, broker=shop.broker),
            probe=GitHubProbe(shop.api),
            failures=GitHubFailures(shop.api, shop.broker),
        )
        builder = SandboxedBuilder(Unconfined(shop.folder / "sandbox"))
        return PullTurnParts(
            store=shop.store,
            workspaces=workspaces,
            branches=self.desk.branches,
            briefs=PullBriefs(store=shop.store, workspaces=workspaces, sources=sources),
            reproductions=Reproductions(workspaces=workspaces, builder=builder),
        )


async def opened(desk: PullDesk) -> TurnDesk:
    shop = desk.shop
    assert shop is not None
    repository = await shop.register()
    new = NewPullCase(
        repository=repository,
        number=1,
        title="Topic",
        url="",
        author="rita",
        policy=Policy(budget_micros=5_000_000),
        rehearsal=None,
        trace=TRACE,
    )
    first = NewMessage(
        case=CASE,
        surface="github",
        external_id="1",
        author="olga",
        standing=Standing.OWNER,
        command=StartWork(workflow="ship"),
        text="bot:ship",
        trace=TRACE,
    )
    assert await shop.store.pull_cases.open(new, "ship", first)
    tree = await desk.checkout()
    seen = {"head": tree.head, "head_branch": tree.place.branch, "base_branch": "main", "base": tree.merge_base}
    case = PullCase(id=CASE).updated(**seen, started_from=tree.head)
    return TurnDesk(desk=desk, shop=shop, tree=tree, case=case)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[TurnDesk]:
    async with github_desk(tmp_path) as pull:
        await pull.person_pushes({"calc.py": "A\nb\nc\nd\ne\nf\ng\n"})
        yield await opened(pull)


async def test_a_review_is_given_the_diff_the_rules_and_the_texts(desk: TurnDesk) -> None:
    rule = Rule(scope=Scope.REPOSITORY, text="Letters are small.")
    repository = await desk.shop.register()
    await desk.shop.store.review_learnings.add(repository, rule, Provenance(author="olga", source="https://x/1"))
    _, brief, _ = await desk.begin("review")
    assert "-a\n+A\n b" in brief.prompt
    assert "Topic" in brief.prompt
    assert "Letters are small." in brief.prompt
    assert (brief.tree.writable, brief.tools) == (False, ("Bash", "Read"))


async def test_a_finding_beside_the_diff_or_misquoted_is_refused(desk: TurnDesk) -> None:
    _, brief, _ = await desk.begin("review")
    answer: dict[str, object] = {"status": "REVIEWED", "summary": "x", "findings": [FINDING]}
    assert await desk.check(brief, answer) == ""
    assert "is not line 1" in await desk.check(brief, {**answer, "findings": [{**FINDING, "quote": "Z"}]})
    assert "not a file of this change" in await desk.check(brief, {**answer, "findings": [{**FINDING, "file": "x"}]})


@pytest.mark.slow
async def test_a_diff_of_three_thousand_files_is_a_file_beside_the_tree(desk: TurnDesk) -> None:
    head = await desk.desk.person_pushes({f"many/module_{number}.py": "x = 1\n" for number in range(3_000)})
    tree = await desk.desk.checkout()
    desk.tree = tree
    _, brief, _ = await desk.begin("review", head=head, started_from=head, base=tree.merge_base)
    folder = tree.workspace.path.parent / "brief"
    assert "3,001 files" in brief.prompt
    assert folder in brief.tree.read_only
    assert "+++ b/many/module_2999.py" in (folder / "change.diff").read_text()
    finding = {**FINDING, "file": "many/module_2999.py", "quote": "x = 1"}
    assert await desk.check(brief, {"status": "REVIEWED", "summary": "x", "findings": [finding]}) == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "result", "is_shown"),
    [
        ("grep -q A calc.py && exit 1", "failed", True),
        ("true", "passed", False),
        ("no-such-command-at-all", "failed", False),
    ],
)
async def test_the_command_of_a_finding_is_run_on_the_head(
    desk: TurnDesk, command: str, result: str, is_shown: bool
) -> None:
    turn, _, this = await desk.begin("review")
    answer: dict[str, object] = {
        "status": "REVIEWED",
        "summary": "x",
        "findings": [{**FINDING, "reproduction": command}],
    }
    kept = await desk.hand_in(turn, this, answer)
    [given] = kept.entries
    assert isinstance(given, TurnGiven)
    [found] = given.reproductions.values()
    assert (found.result, found.is_shown, found.commit, kept.checkpoint) == (
        result,
        is_shown,
        desk.tree.head,
        desk.tree.head,
    )


async def test_a_developer_is_given_threads_and_failed_checks_and_answers_each(desk: TurnDesk) -> None:
    desk.comments("Why so loud?")
    create_status(
        desk.shop.state,
        desk.shop.people["rita"],
        desk.shop.repository,
        sha=desk.tree.head,
        state="failure",
        context="ci",
        description="3 tests fail",
    )
    ours = Failure(check="ci", signature="s", kind="ours", commit=desk.tree.head)
    _, brief, _ = await desk.begin("resolve", failures=(ours,))
    assert "T1: `calc.py:1`\n<quoted-" in brief.prompt
    assert 'from="olga, owner">\nWhy so loud?\n' in brief.prompt
    assert 'what="check ci"' in brief.prompt
    assert "3 tests fail" in brief.prompt
    assert brief.tree.writable
    assert await desk.check(brief, DONE) == "threads: these threads have no answer: T1."
    answer = {"thread": "T1", "verdict": "valid", "reply": "Done.", "changed": True}
    assert await desk.check(brief, {**DONE, "threads": [answer]}) == ""


@pytest.mark.slow
async def test_a_developer_reads_what_was_claimed_for_this_turn(desk: TurnDesk) -> None:
    inbox = desk.shop.store.inbox
    await inbox.put(said(CASE, "Hurry up."))
    await inbox.claim(CASE, 1)
    await inbox.put(said(CASE, "Later."))
    _, brief, _ = await desk.begin("resolve")
    assert 'what="message"' in brief.prompt
    assert "Hurry up." in brief.prompt
    assert "Later." not in brief.prompt


async def test_on_a_fork_nothing_is_written(desk: TurnDesk) -> None:
    turn, brief, this = await desk.begin("resolve", is_fork=True)
    assert (brief.tree.writable, brief.tools) == (False, ("Bash", "Read"))
    assert "The branch is in a fork" in brief.prompt
    assert (await desk.hand_in(turn, this, DONE)).checkpoint == desk.tree.head


@pytest.mark.slow
async def test_work_is_one_commit_on_the_head_also_after_a_red_build(desk: TurnDesk) -> None:
    turn, _, this = await desk.begin("resolve")
    desk.write("calc.py", "a\nb\n")
    first = (await desk.hand_in(turn, this, DONE)).checkpoint
    assert desk.desk.parents(first) == [desk.tree.head]
    turn, _, this = await desk.begin("resolve", checkpoint=first, feedback="red")
    desk.write("calc.py", "a\nb\nc\n")
    second = (await desk.hand_in(turn, this, {**DONE, "commit_message": ""})).checkpoint
    assert desk.desk.parents(second) == [desk.tree.head]
    assert desk.desk.show(second, "calc.py") == "a\nb\nc"
    assert desk.desk.subjects(desk.tree, second)[-1] == "Lower the letter"


@pytest.mark.slow
async def test_a_turn_without_a_change_gives_the_head_back(desk: TurnDesk) -> None:
    turn, _, this = await desk.begin("resolve")
    assert (await desk.hand_in(turn, this, DONE)).checkpoint == desk.tree.head


async def conflicting(desk: TurnDesk) -> Conflict:
    await desk.desk.base_moves({"calc.py": "Z\nb\nc\nd\ne\nf\ng\n"})
    desk.tree = await desk.desk.checkout()
    async with desk.desk.held():
        conflict = await desk.desk.branches.merge_in(desk.tree, message="Merge")
    assert isinstance(conflict, Conflict)
    return conflict


def solving(conflict: Conflict) -> dict[str, object]:
    return {"conflict": conflict, "checkpoint": conflict.prepared, "base": conflict.base}


async def test_a_solved_conflict_is_a_merge_commit_of_both(desk: TurnDesk) -> None:
    conflict = await conflicting(desk)
    turn, brief, this = await desk.begin("resolve", **solving(conflict))
    assert "leave no marker" in brief.prompt
    assert await desk.check(brief, DONE) == "These files still hold conflict markers: calc.py."
    desk.write("calc.py", "AZ\nb\nc\nd\ne\nf\ng\n")
    assert await desk.check(brief, DONE) == ""
    merged = (await desk.hand_in(turn, this, DONE)).checkpoint
    assert desk.desk.parents(merged) == [conflict.head, conflict.base]
    assert desk.desk.show(merged, "calc.py").startswith("AZ\n")
    turn, brief, this = await desk.begin("resolve", checkpoint=merged, feedback="red")
    assert "leave no marker" not in brief.prompt
    desk.write("calc.py", "az\n")
    repaired = (await desk.hand_in(turn, this, DONE)).checkpoint
    assert desk.desk.parents(repaired) == [merged]


@pytest.mark.slow
async def test_an_unsolved_conflict_is_refused_and_a_blocked_one_gives_the_head_back(desk: TurnDesk) -> None:
    conflict = await conflicting(desk)
    turn, _, this = await desk.begin("resolve", **solving(conflict))
    with pytest.raises(Refused, match="not solved"):
        await desk.hand_in(turn, this, DONE)
    assert (await desk.hand_in(turn, this, {**DONE, "status": "BLOCKED"})).checkpoint == conflict.head


@pytest.mark.slow
async def test_the_reply_says_whether_there_is_something_to_post(desk: TurnDesk) -> None:
    turn, _, this = await desk.begin("resolve")
    await desk.hand_in(turn, this, {**DONE, "reply": "It is done."})
    [finished] = await desk.shop.store.turns.finished(CASE)
    ended = await turn.reply(finished, [])
    assert (ended.task, ended.status, ended.posts, ended.replies) == (Task.RESOLVE_PULL, "RESOLVED", False, True)
