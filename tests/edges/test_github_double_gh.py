"""GitHub's own command line tool against our own GitHub, over a Unix socket: a judge that nobody here wrote."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from caseworker.github_double import git_store
from caseworker.github_double.acts.check_acts import CheckReport, create_status
from caseworker.github_double.acts.pull_acts import create_pull
from caseworker.github_double.acts.repository_acts import protect
from caseworker.github_double.acts.workflow_acts import add_job, begin_run, report_job
from caseworker.github_double.ci.listener import actions_app
from caseworker.github_double.double_server import GitHubDouble
from caseworker.github_double.entities.accounts import Actor
from caseworker.github_double.entities.protection import ReviewRule
from tests.edges.github_stage import Stage, furnish, propose
from tests.edges.github_thread import served
from tests.world.scripted_ci import ScriptedCi

GH = Path(sys.executable).parent / "gh"


@dataclass
class Gh:
    """`gh` with a home of its own, as one person."""

    home: Path
    stage: Stage
    actor: Actor

    def __call__(self, *arguments: str, fails: bool = False) -> str:
        assert self.actor.token is not None
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "GH_CONFIG_DIR": str(self.home),
            "GH_TOKEN": self.actor.token.value,
            "GH_REPO": self.stage.shop.full_name,
            "GH_PROMPT_DISABLED": "1",
            "GH_NO_UPDATE_NOTIFIER": "1",
            "NO_COLOR": "1",
        }
        done = subprocess.run(
            [GH, *arguments], cwd=self.home, env=environment, capture_output=True, text=True, timeout=60
        )
        assert (done.returncode != 0) is fails, done.stdout + done.stderr
        return done.stdout + done.stderr if fails else done.stdout

    def json(self, *arguments: str) -> object:
        return json.loads(self(*arguments))


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("gh")
    double = GitHubDouble(folder / "repositories")
    with served(double, folder / "s.sock"):
        yield furnish(double.state)


@pytest.fixture(scope="module")
def gh(stage: Stage, tmp_path_factory: pytest.TempPathFactory) -> Gh:
    return _gh(stage, stage.olga, tmp_path_factory.mktemp("olga"))


@pytest.fixture(scope="module")
def sams_gh(stage: Stage, tmp_path_factory: pytest.TempPathFactory) -> Gh:
    return _gh(stage, stage.sam, tmp_path_factory.mktemp("sam"))


def _gh(stage: Stage, actor: Actor, home: Path) -> Gh:
    socket = stage.github.root.parent / "s.sock"
    (home / "config.yml").write_text(f"http_unix_socket: {socket}\nversion: 1\n")
    return Gh(home, stage, actor)


@pytest.mark.slow
def test_gh_creates_labels_comments_and_closes_an_issue(stage: Stage, gh: Gh) -> None:
    gh("label", "create", "triage", "--color", "ff0000", "--description", "Look at it")
    assert "triage\tLook at it\t#ff0000" in gh("label", "list")
    page = gh("issue", "create", "--title", "It is slow", "--body", "Very.", "--label", "bug").strip()
    number = page.rpartition("/")[2]
    gh("issue", "edit", number, "--add-label", "triage", "--remove-label", "bug", "--add-assignee", "olga")
    gh("issue", "comment", number, "--body", "Since Monday.")
    gh("issue", "close", number, "--reason", "not planned")
    found = gh.json("issue", "view", number, "--json", "title,body,state,stateReason,labels,comments,assignees")
    assert isinstance(found, dict)
    assert (found["title"], found["body"]) == ("It is slow", "Very.")
    assert (found["state"], found["stateReason"]) == ("CLOSED", "NOT_PLANNED")
    assert [one["name"] for one in found["labels"]] == ["triage"]
    assert [one["body"] for one in found["comments"]] == ["Since Monday."]
    assert [one["login"] for one in found["assignees"]] == ["olga"]
    assert "It is slow" not in gh("issue", "list")
    assert "It is slow" in gh("issue", "list", "--state", "all", "--label", "triage")
    assert "Since Monday." in gh("issue", "view", number, "--comments")


def test_gh_opens_reviews_and_shows_a_pull_request(stage: Stage, gh: Gh, sams_gh: Gh) -> None:
    propose(stage.github, stage.sam, stage.shop, "tax", "shop.py", b"PRICE = 1\nTAX = 3\n")
    page = sams_gh(
        *("pr", "create", "--head", "tax", "--base", "main", "--title", "Raise the tax", "--body", "Closes #1"),
        *("--draft", "--label", "bug", "--reviewer", "olga"),
    ).strip()
    number = page.rpartition("/")[2]
    sams_gh("pr", "ready", number)
    gh("pr", "comment", number, "--body", "Thank you.")
    gh("pr", "review", number, "--request-changes", "--body", "Why 3?")
    gh("pr", "view", number, "--json", "mergeable")  # the first look starts the trial merge
    fields = "mergeable,mergeStateStatus,reviewDecision,latestReviews,reviewRequests,comments,files,isDraft,labels"
    found = gh.json("pr", "view", number, "--json", f"{fields},closingIssuesReferences,statusCheckRollup")
    assert isinstance(found, dict)
    assert (found["mergeable"], found["mergeStateStatus"]) == ("MERGEABLE", "CLEAN")
    assert found["reviewDecision"] == "CHANGES_REQUESTED"
    assert [(one["author"]["login"], one["state"]) for one in found["latestReviews"]] == [("olga", "CHANGES_REQUESTED")]
    assert (found["reviewRequests"], found["isDraft"], found["statusCheckRollup"]) == ([], False, [])
    assert [one["number"] for one in found["closingIssuesReferences"]] == [1]
    assert [one["path"] for one in found["files"]] == ["shop.py"]
    assert "Raise the tax" in gh("pr", "list", "--author", "sam")
    assert "+TAX = 3" in gh("pr", "diff", number)
    assert f"#{number}" in sams_gh("pr", "status", "--repo", "olga/shop")


def test_gh_shows_checks_and_is_refused_a_blocked_merge(stage: Stage, gh: Gh, sams_gh: Gh) -> None:
    github, shop, number = stage.github, stage.shop, str(stage.pull.number)
    rule = protect(github, stage.olga, shop, "main", checks=["ci"], reviews=ReviewRule(approvals=1))
    rule.binds_admins = True
    create_status(github, stage.sam, shop, sha=stage.pull.head.sha, state="pending", context="ci")
    assert "pending" in gh("pr", "checks", number, fails=True)
    gh("pr", "view", number, "--json", "mergeable")
    found = gh.json("pr", "view", number, "--json", "mergeStateStatus,reviewDecision,statusCheckRollup")
    assert isinstance(found, dict)
    assert (found["mergeStateStatus"], found["reviewDecision"]) == ("BLOCKED", "REVIEW_REQUIRED")
    assert [one["state"] for one in found["statusCheckRollup"]] == ["PENDING"]
    refused = sams_gh("pr", "merge", number, "--merge", fails=True)
    assert "the base branch policy prohibits the merge" in refused
    create_status(github, stage.sam, shop, sha=stage.pull.head.sha, state="success", context="ci")
    gh("pr", "review", number, "--approve")
    assert "ci\tpass" in gh("pr", "checks", number, "--required")
    sams_gh("pr", "merge", number, "--squash")
    assert gh("pr", "view", number, "--json", "state", "--jq", ".state").strip() == "MERGED"


def test_gh_shows_workflow_runs_and_the_repository(stage: Stage, gh: Gh) -> None:
    github, shop = stage.github, stage.shop
    sha = git_store.branches(shop.path)["main"]
    run = begin_run(
        github,
        actions_app(github),
        shop,
        name="CI",
        path=".github/workflows/ci.yml",
        event="push",
        sha=sha,
        branch="main",
        actor=stage.sam.user or shop.owner,
    )
    report_job(github, shop, add_job(github, shop, run, "test"), CheckReport(conclusion="failure"), log="no price\n")
    listed = gh.json("run", "list", "--branch", "main", "--json", "databaseId,conclusion,headSha,workflowName")
    assert listed == [{"databaseId": run.id, "conclusion": "failure", "headSha": sha, "workflowName": "CI"}]
    seen = gh.json("repo", "view", "olga/shop", "--json", "name,description,defaultBranchRef,viewerPermission")
    assert seen == {
        "name": "shop",
        "description": "A small shop",
        "defaultBranchRef": {"name": "main"},
        "viewerPermission": "ADMIN",
    }


@pytest.mark.slow
def test_gh_shows_attempts_logs_and_annotations_and_runs_again(stage: Stage, gh: Gh) -> None:
    github, shop = stage.github, stage.shop
    propose(github, stage.olga, shop, "calm", "calm.md", b"a base without rules\n")
    head = propose(github, stage.sam, shop, "flaky", "notes.md", b"notes\n")
    pull = create_pull(github, stage.sam, shop, title="Notes", head="flaky", base="calm")
    ci = ScriptedCi(github, shop, stage.sam)
    run = ci.runs(head, {"unit": "failure", "lint": "success"})
    number = str(run.id)
    checks = gh("pr", "checks", str(pull.number), fails=True)
    assert sorted(line.split("\t")[:2] for line in checks.splitlines()) == [["lint", "pass"], ["unit", "fail"]]
    assert "Process completed with exit code 1." in gh("run", "view", number)
    assert "FAILED tests/test_unit.py" in gh("run", "view", number, "--log-failed")
    assert "all well" in gh("run", "view", "--log", "--job", str(run.jobs[1].id))
    gh("run", "rerun", number, "--failed")
    assert "cannot be rerun" in gh("run", "rerun", number, "--failed", fails=True)
    ci.finishes(run, {"unit": "success"})
    seen = gh.json("run", "view", number, "--json", "attempt,conclusion,jobs")
    assert isinstance(seen, dict)
    assert (seen["attempt"], seen["conclusion"], [one["name"] for one in seen["jobs"]]) == (2, "success", ["unit"])
    first = gh.json("run", "view", number, "--attempt", "1", "--json", "attempt,conclusion")
    assert first == {"attempt": 1, "conclusion": "failure"}
    assert "unit\tpass" in gh("pr", "checks", str(pull.number))


def test_gh_follows_pages_of_rest_and_graphql(stage: Stage, gh: Gh) -> None:
    numbers = gh("api", "repos/olga/shop/issues?state=all&per_page=1", "--paginate", "--jq", ".[].number").split()
    assert sorted(int(one) for one in numbers) == sorted(stage.shop.issues)
    query = """query($endCursor: String) {repository(owner: "olga", name: "shop") {
        labels(first: 2, after: $endCursor) {nodes {name} pageInfo {hasNextPage endCursor}}}}"""
    names = gh("api", "graphql", "--paginate", "-f", f"query={query}", "--jq", ".data.repository.labels.nodes[].name")
    assert sorted(names.splitlines()) == sorted(label.name for label in stage.shop.labels.values())
