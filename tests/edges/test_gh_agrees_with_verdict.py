"""The verdict held against GitHub's own `gh` over a table of set-ups on our own GitHub: no contradiction."""

import asyncio
import json
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import combinations
from typing import Final

import pytest
from _pytest.mark import ParameterSet

from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.pull.pull_facts import PullFacts
from caseworker.core.pull.reasons import ReasonKind
from caseworker.core.pull.verdict import Verdict
from caseworker.forges.github.connect import connect
from caseworker.forges.github.github_access import GitHubAccess
from caseworker.forges.github.probe import GitHubProbe
from caseworker.github_double import git_store
from caseworker.github_double.acts.check_acts import CheckReport, create_status
from caseworker.github_double.acts.pull_acts import create_pull, request_reviewers, set_auto_merge, set_draft
from caseworker.github_double.acts.push_acts import set_ref
from caseworker.github_double.acts.queue_acts import enqueue
from caseworker.github_double.acts.repository_acts import add_ruleset, protect
from caseworker.github_double.acts.review_acts import create_review
from caseworker.github_double.acts.review_records import LineComment
from caseworker.github_double.acts.workflow_acts import add_job, begin_run, report_job
from caseworker.github_double.ci.listener import actions_app
from caseworker.github_double.double_server import GitHubDouble
from caseworker.github_double.entities.check_records import Conclusion, StatusState
from caseworker.github_double.entities.protection import Protection, RequiredCheck, ReviewRule, Rule
from caseworker.github_double.entities.repository import PullRequest
from caseworker.views.readiness import look_and_judge
from tests.edges.github_stage import Stage, furnish, propose
from tests.edges.github_thread import served
from tests.world.gh_command import GH, checks_exit, gh_environment

Kind = ReasonKind


@dataclass
class Scene:
    """One pull request of sam's, on a base of its own. What is set up here is what people and CI do."""

    stage: Stage
    pull: PullRequest

    @property
    def base(self) -> str:
        return self.pull.base.ref

    def protected(self, *checks: str | RequiredCheck, approvals: int = 0, is_strict: bool = False) -> Protection:
        reviews = ReviewRule(approvals=approvals) if approvals else None
        wanted = list(checks) or None
        stage = self.stage
        return protect(
            stage.github, stage.olga, stage.shop, self.base, checks=wanted, reviews=reviews, is_strict=is_strict
        )

    def ruled(self, *rules: Rule) -> "Scene":
        include = (f"refs/heads/{self.base}",)
        add_ruleset(self.stage.github, self.stage.olga, self.stage.shop, self.base, rules, include=include)
        return self

    def status(self, state: StatusState, context: str = "ci", sha: str = "") -> "Scene":
        stage = self.stage
        create_status(
            stage.github,
            stage.sam,
            stage.shop,
            sha=sha or self.pull.head.sha,
            state=state,
            context=context,
        )
        return self

    def run(self, conclusion: Conclusion | None, name: str = "ci") -> "Scene":
        """A job of GitHub Actions. None: it still runs."""
        stage = self.stage
        stage.github.moments.advance(timedelta(seconds=1))  # gh tells runs of one name apart by when they began
        assert stage.sam.user is not None
        run = begin_run(
            stage.github,
            actions_app(stage.github),
            stage.shop,
            name="CI",
            path=".github/workflows/ci.yml",
            event="pull_request",
            sha=self.pull.head.sha,
            branch=self.pull.head.ref,
            actor=stage.sam.user,
        )
        report = CheckReport(status="in_progress") if conclusion is None else CheckReport(conclusion=conclusion)
        report_job(stage.github, stage.shop, add_job(stage.github, stage.shop, run, name), report)
        return self

    def held(self) -> "Scene":
        stage = self.stage
        assert stage.sam.user is not None
        run = begin_run(
            stage.github,
            actions_app(stage.github),
            stage.shop,
            name="CI",
            path=".github/workflows/ci.yml",
            event="pull_request",
            sha=self.pull.head.sha,
            branch=self.pull.head.ref,
            actor=stage.sam.user,
        )
        run.suite.awaits_approval = True
        return self

    def approves(self) -> "Scene":
        create_review(self.stage.github, self.stage.olga, self.pull, verdict="APPROVE")
        return self

    def rejects(self) -> "Scene":
        create_review(self.stage.github, self.stage.olga, self.pull, verdict="REQUEST_CHANGES", body="No.")
        return self

    def remarks(self) -> "Scene":
        remark = LineComment(path="shop.py", body="Why?", line=1)
        create_review(self.stage.github, self.stage.olga, self.pull, verdict="COMMENT", comments=[remark])
        return self

    def base_moves(self, *, conflicts: bool = False) -> "Scene":
        path, content = ("shop.py", b"PRICE = 77\nTAX = 2\n") if conflicts else ("other.py", b"x = 1\n")
        propose(self.stage.github, self.stage.olga, self.stage.shop, self.base, path, content)
        return self

    def drafts(self) -> "Scene":
        set_draft(self.stage.github, self.stage.sam, self.pull, is_draft=True)
        return self

    def asks(self) -> "Scene":
        request_reviewers(self.stage.github, self.stage.sam, self.pull, ["olga"])
        return self


@dataclass(frozen=True)
class Row:
    name: str
    reasons: tuple[Kind, ...]
    set_up: Callable[[Scene], object]
    ours_alone: frozenset[Kind] = field(default_factory=frozenset)
    """Reasons for which only Caseworker waits: no rule of the base demands them, and `gh` may merge."""
    outcome: str = ""


THREADS: Final = Rule(type="pull_request", needs_resolved_threads=True)
PINNED: Final = Rule(type="required_status_checks", checks=(RequiredCheck(context="ci", app_id=15),))
RULED_CI: Final = Rule(type="required_status_checks", checks=(RequiredCheck(context="ci"),))


def _legacy(scene: Scene) -> None:
    """`old` is known as a status of another commit, and required."""
    scene.status("success", "old", sha=git_store.branches(scene.stage.shop.path)["main"])
    scene.protected("old")


def _switched(scene: Scene) -> None:
    scene.protected("ci")
    scene.run(None)
    set_auto_merge(scene.stage.github, scene.stage.olga, scene.pull, "merge")


def _locked(scene: Scene) -> None:
    scene.protected("ci").is_locked = True
    scene.status("success")


ROWS: Final = (
    Row("no rules and no checks", (), lambda s: None),
    Row(
        "required status passed and approved",
        (),
        lambda s: (s.protected("ci", approvals=1), s.status("success"), s.approves()),
    ),
    Row("required run skipped", (), lambda s: (s.protected("ci"), s.run("skipped"))),
    Row("superseded failure", (), lambda s: (s.protected("ci"), s.run("failure"), s.run("success"))),
    Row("behind where no rule minds", (), lambda s: s.base_moves()),
    Row(
        "red check beside the required one",
        (),
        lambda s: (s.protected("ci"), s.run("success"), s.run("failure", "lint")),
    ),
    Row("conflict", (Kind.BEHIND_BASE,), lambda s: s.base_moves(conflicts=True)),
    Row("behind", (Kind.BEHIND_BASE,), lambda s: (s.protected("ci", is_strict=True), s.run("success"), s.base_moves())),
    Row("held", (Kind.CI_AWAITING_APPROVAL,), lambda s: s.held(), frozenset({Kind.CI_AWAITING_APPROVAL})),
    Row("held and required", (Kind.CI_AWAITING_APPROVAL, Kind.CHECK_MISSING), lambda s: (s.protected("ci"), s.held())),
    Row("failing status", (Kind.FAILING_CHECKS,), lambda s: (s.protected("ci"), s.status("error"))),
    Row("failing run", (Kind.FAILING_CHECKS,), lambda s: (s.ruled(RULED_CI), s.run("failure"))),
    Row("cancelled run", (Kind.FAILING_CHECKS,), lambda s: (s.protected("ci"), s.run("cancelled"))),
    Row("failing, no rule", (Kind.FAILING_CHECKS,), lambda s: s.run("timed_out"), frozenset({Kind.FAILING_CHECKS})),
    Row("missing by protection", (Kind.CHECK_MISSING,), lambda s: s.protected("ci")),
    Row("missing by ruleset", (Kind.CHECK_MISSING,), lambda s: s.ruled(RULED_CI)),
    Row("another app's check", (Kind.CHECK_MISSING,), lambda s: (s.ruled(PINNED), s.run("success"))),
    Row("expected status", (Kind.CHECK_MISSING,), _legacy),
    Row("pending", (Kind.PENDING_CHECKS,), lambda s: (s.protected("ci"), s.status("pending"))),
    Row("pending, no rule", (Kind.PENDING_CHECKS,), lambda s: s.run(None), frozenset({Kind.PENDING_CHECKS})),
    Row("changes requested", (Kind.CHANGES_REQUESTED,), lambda s: (s.protected(approvals=1), s.rejects())),
    Row(
        "changes requested, no rule",
        (Kind.CHANGES_REQUESTED,),
        lambda s: s.rejects(),
        frozenset({Kind.CHANGES_REQUESTED}),
    ),
    Row("threads", (Kind.OPEN_THREADS,), lambda s: (s.ruled(THREADS), s.remarks())),
    Row("threads, no rule", (Kind.OPEN_THREADS,), lambda s: s.remarks(), frozenset({Kind.OPEN_THREADS})),
    Row("review required", (Kind.REVIEW_REQUIRED,), lambda s: (s.protected(approvals=1), s.asks())),
    Row(
        "review by ruleset", (Kind.REVIEW_REQUIRED,), lambda s: s.ruled(Rule(type="pull_request", reviews=ReviewRule()))
    ),
    Row("draft", (Kind.DRAFT,), lambda s: s.drafts()),
    Row("signatures", (Kind.BLOCKED_UNEXPLAINED,), lambda s: s.ruled(Rule(type="required_signatures"))),
    Row("locked", (Kind.BLOCKED_UNEXPLAINED,), _locked),
    Row(
        "failing and changes",
        (Kind.FAILING_CHECKS, Kind.CHANGES_REQUESTED),
        lambda s: (s.protected("ci", approvals=1), s.run("failure"), s.rejects()),
    ),
    Row(
        "pending and review",
        (Kind.PENDING_CHECKS, Kind.REVIEW_REQUIRED),
        lambda s: (s.protected("ci", approvals=1), s.run(None)),
    ),
    Row(
        "failing and pending",
        (Kind.FAILING_CHECKS, Kind.PENDING_CHECKS),
        lambda s: (s.protected("ci", "lint"), s.run("failure"), s.run(None, "lint")),
    ),
    Row(
        "failing and missing",
        (Kind.FAILING_CHECKS, Kind.CHECK_MISSING),
        lambda s: (s.protected("ci", "lint"), s.run("failure")),
    ),
    Row(
        "conflict and missing",
        (Kind.BEHIND_BASE, Kind.CHECK_MISSING),
        lambda s: (s.protected("ci"), s.base_moves(conflicts=True)),
    ),
    Row(
        "conflict and review",
        (Kind.BEHIND_BASE, Kind.REVIEW_REQUIRED),
        lambda s: (s.protected(approvals=1), s.base_moves(conflicts=True)),
    ),
    Row(
        "draft and failing",
        (Kind.FAILING_CHECKS, Kind.DRAFT),
        lambda s: (s.protected("ci"), s.run("failure"), s.drafts()),
    ),
    Row(
        "threads and review",
        (Kind.OPEN_THREADS, Kind.REVIEW_REQUIRED),
        lambda s: (s.ruled(THREADS), s.protected(approvals=1), s.remarks()),
    ),
    Row(
        "threads and draft",
        (Kind.OPEN_THREADS, Kind.DRAFT),
        lambda s: (s.remarks(), s.drafts()),
        frozenset({Kind.OPEN_THREADS}),
    ),
    Row(
        "auto-merge while pending",
        (Kind.PENDING_CHECKS,),
        _switched,
        outcome="decided",
    ),
)


REVIEWED: Final = Rule(type="pull_request", reviews=ReviewRule())


def _required(name: str) -> Rule:
    return Rule(type="required_status_checks", checks=(RequiredCheck(context=name),))


def _both(one: Callable[[Scene], object], other: Callable[[Scene], object]) -> Callable[[Scene], object]:
    return lambda scene: (one(scene), other(scene))


ALONE: Final[tuple[tuple[Kind, Callable[[Scene], object]], ...]] = (
    (Kind.BEHIND_BASE, lambda s: s.base_moves(conflicts=True)),
    (Kind.CI_AWAITING_APPROVAL, lambda s: s.held()),
    (Kind.FAILING_CHECKS, lambda s: s.ruled(_required("ci")).run("failure", "ci")),
    (Kind.CHECK_MISSING, lambda s: s.ruled(_required("docs"))),
    (Kind.PENDING_CHECKS, lambda s: s.ruled(_required("lint")).run(None, "lint")),
    (Kind.CHANGES_REQUESTED, lambda s: s.rejects()),
    (Kind.OPEN_THREADS, lambda s: s.ruled(THREADS).remarks()),
    (Kind.REVIEW_REQUIRED, lambda s: s.ruled(REVIEWED)),
    (Kind.DRAFT, lambda s: s.drafts()),
)
"""Reasons that can be set up beside each other, in their order. Rulesets add up."""
OURS_ALONE: Final = frozenset({Kind.CI_AWAITING_APPROVAL, Kind.CHANGES_REQUESTED})
PAIRS: Final = tuple(
    Row(f"{one} with {other}", (one, other), _both(a, b), OURS_ALONE)
    for (one, a), (other, b) in combinations(ALONE, 2)
    if (one, other) != (Kind.CHANGES_REQUESTED, Kind.REVIEW_REQUIRED)  # GitHub says one or the other
)
SHORT: Final = {
    "required status passed and approved",
    "behind",
    "failing status",
    "pending, no rule",
    "changes requested",
    "threads",
    "review required",
    "signatures",
}
"""Rows that every run of the tests takes: a row starts `gh` three times."""
TABLE: Final = (*ROWS, *PAIRS)


def _row(row: Row) -> ParameterSet:
    return pytest.param(row, id=row.name, marks=() if row.name in SHORT else (pytest.mark.slow,))


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("agree")
    double = GitHubDouble(folder / "repositories")
    with served(double, folder / "s.sock"):
        yield furnish(double.state)


def scene_of(stage: Stage, number: int) -> Scene:
    base, head = f"base-{number}", f"head-{number}"
    set_ref(stage.github, stage.olga, stage.shop, f"refs/heads/{base}", git_store.branches(stage.shop.path)["main"])
    propose(stage.github, stage.sam, stage.shop, head, "shop.py", f"PRICE = {number + 100}\nTAX = 2\n".encode())
    return Scene(stage, create_pull(stage.github, stage.sam, stage.shop, title=head, head=head, base=base, body=""))


def gh(scene: Scene, *arguments: str) -> subprocess.CompletedProcess[str]:
    """As sam, who may write and is no admin."""
    folder = scene.stage.github.root.parent
    assert scene.stage.sam.token is not None
    token, name = scene.stage.sam.token.value, scene.stage.shop.full_name
    environment = gh_environment(folder, folder / "s.sock", token, name)
    return subprocess.run([GH, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=60)


def judged(scene: Scene) -> tuple[PullFacts, Verdict]:
    """By the real client, an hour later, so that the set of checks has settled."""
    state, token = scene.stage.github, scene.stage.sam.token
    assert token is not None

    def later() -> datetime:
        return state.now() + timedelta(hours=1)

    async def at_once(_seconds: float) -> None:
        return None

    async def look() -> tuple[PullFacts, Verdict]:
        api = connect(GitHubAccess(api_url=state.api_url, token=token.value))
        shop = RemoteRepository(host=api.address.host, owner="olga", name="shop")
        return await look_and_judge(GitHubProbe(api), shop, scene.pull.number, clock=later, pause=at_once)

    return asyncio.run(look())


@pytest.mark.parametrize("row", [_row(row) for row in TABLE])
def test_gh_refuses_exactly_what_the_verdict_calls_not_ready(stage: Stage, row: Row) -> None:
    scene = scene_of(stage, TABLE.index(row))
    row.set_up(scene)
    facts, verdict = judged(scene)
    assert tuple(reason.kind for reason in verdict.reasons) == row.reasons
    assert verdict.outcome == (row.outcome or ("not_ready" if row.reasons else "ready"))
    number = str(scene.pull.number)
    seen = json.loads(gh(scene, "pr", "view", number, "--json", "mergeStateStatus,reviewDecision").stdout)
    assert seen["mergeStateStatus"] == (facts.mergeability.state or "").upper()
    assert seen["reviewDecision"] == (facts.reviews.decision or "").upper()
    assert gh(scene, "pr", "checks", number).returncode == checks_exit(facts)
    is_allowed = not set(row.reasons) - row.ours_alone
    merged = gh(scene, "pr", "merge", number, "--merge")
    assert (merged.returncode == 0) is is_allowed, merged.stdout + merged.stderr
    assert (scene.pull.merged is not None) is is_allowed


def test_a_queued_pull_request_is_decided_and_gh_leaves_it_to_the_queue(stage: Stage) -> None:
    scene = scene_of(stage, len(TABLE))
    scene.ruled(Rule(type="merge_queue"))
    enqueue(stage.github, stage.olga, scene.pull)
    facts, verdict = judged(scene)
    assert facts.decided is not None
    assert (verdict.outcome, facts.decided.how, facts.decided.by, facts.decided.position) == (
        "decided",
        "merge_queue",
        "olga",
        1,
    )
    told = gh(scene, "pr", "merge", str(scene.pull.number), "--merge")
    assert "already queued to merge" in told.stdout + told.stderr
    assert scene.pull.merged is None
