"""REST of the GitHub double: what each path answers, judged by GitHub's own description."""

from pathlib import Path

import pytest

from caseworker.github_double.acts.check_acts import CheckReport
from caseworker.github_double.acts.workflow_acts import add_job, begin_run, report_job
from caseworker.github_double.entities.accounts import Actor
from caseworker.github_double.entities.check_records import JobStep
from caseworker.github_double.rest.route_table import ALL_ROUTES
from tests.world.github import GitHubWorld, Person
from tests.world.github_judge import described_paths
from tests.world.scripted_ci import ScriptedCi

HOME = "/repos/olga/shop"


@pytest.fixture
def world(tmp_path: Path) -> GitHubWorld:
    return GitHubWorld(tmp_path)


@pytest.fixture
def olga(world: GitHubWorld) -> Person:
    person = world.user("olga")
    world.repository(person, "shop", {"README.md": "# Shop\n", "src/cart.py": "a\nb\nc\n"})
    return person


async def test_an_issue_lives_from_opening_to_closing(olga: Person) -> None:
    async with olga.client() as client:
        made = await client.post(f"{HOME}/issues", json={"title": "Broken", "body": "Really", "labels": ["bug"]})
        assert (made.status_code, made.json()["number"], made.json()["labels"][0]["name"]) == (201, 1, "bug")
        assert made.json()["id"] > 2**31
        labelled = await client.post(f"{HOME}/issues/1/labels", json={"labels": ["bot:triage"]})
        assert [one["name"] for one in labelled.json()] == ["bug", "bot:triage"]
        assert (await client.delete(f"{HOME}/issues/1/labels/bot:triage")).status_code == 200
        await client.patch(f"{HOME}/issues/1", json={"title": "Broken cart"})
        closed = await client.patch(f"{HOME}/issues/1", json={"state": "closed", "state_reason": "not_planned"})
        assert (closed.json()["state"], closed.json()["state_reason"]) == ("closed", "not_planned")
        assert (await client.get(f"{HOME}/issues")).json() == []
        assert len((await client.get(f"{HOME}/issues", params={"state": "all"})).json()) == 1
        events = (await client.get(f"{HOME}/issues/1/events")).json()
        assert [one["event"] for one in events] == ["labeled", "labeled", "unlabeled", "renamed", "closed"]
        await client.put(f"{HOME}/issues/1/lock", json={"lock_reason": "resolved"})
        assert (await client.get(f"{HOME}/issues/1")).json()["active_lock_reason"] == "resolved"


async def test_a_comment_is_written_edited_reacted_to_and_deleted(olga: Person) -> None:
    olga.opens_issue("Broken", on=olga.world.state.repository("olga", "shop"))
    async with olga.client() as client:
        made = (await client.post(f"{HOME}/issues/1/comments", json={"body": "Looking"})).json()
        home = f"{HOME}/issues/comments/{made['id']}"
        assert (await client.patch(home, json={"body": "Found it"})).json()["body"] == "Found it"
        first = await client.post(f"{home}/reactions", json={"content": "eyes"})
        again = await client.post(f"{home}/reactions", json={"content": "eyes"})
        assert (first.status_code, again.status_code, first.json()["id"]) == (201, 200, again.json()["id"])
        assert (await client.get(home)).json()["reactions"]["eyes"] == 1
        assert (await client.delete(f"{home}/reactions/{first.json()['id']}")).status_code == 204
        assert len((await client.get(f"{HOME}/issues/1/timeline")).json()) == 1
        assert (await client.delete(home)).status_code == 204
        assert (await client.get(home)).status_code == 404


async def test_a_pull_request_is_opened_reviewed_and_merged(world: GitHubWorld, olga: Person) -> None:
    shop = world.state.repository("olga", "shop")
    sam = world.user("sam", role="write", on=shop)
    sam.commits(shop, "fix", {"src/cart.py": "a\nB\nc\n"}, "Fix the cart")
    olga.opens_issue("Broken", on=shop)
    async with sam.client() as client:
        body = {"title": "Fix", "head": "fix", "base": "main", "body": "Fixes #1"}
        made = (await client.post(f"{HOME}/pulls", json=body)).json()
        assert (made["number"], made["mergeable"], made["mergeable_state"]) == (2, None, "unknown")
        again = (await client.get(f"{HOME}/pulls/2")).json()
        assert (again["mergeable"], again["mergeable_state"], again["changed_files"]) == (True, "clean", 1)
        files = (await client.get(f"{HOME}/pulls/2/files")).json()
        assert (files[0]["filename"], files[0]["patch"]) == ("src/cart.py", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c")
        diff = await client.get(f"{HOME}/pulls/2", headers={"accept": "application/vnd.github.v3.diff"})
        assert diff.text.startswith("diff --git a/src/cart.py b/src/cart.py")
        commits = (await client.get(f"{HOME}/pulls/2/commits")).json()
        assert [one["commit"]["message"] for one in commits] == ["Fix the cart"]
        refused = await client.post(f"{HOME}/pulls/2/reviews", json={"event": "APPROVE"})
        assert (refused.status_code, refused.json()["errors"]) == (422, ["Can not approve your own pull request"])
        assert (await client.post(f"{HOME}/pulls", json=body)).status_code == 422
    async with olga.client() as client:
        asked = await client.post(f"{HOME}/pulls/2/requested_reviewers", json={"reviewers": ["olga"]})
        assert asked.status_code == 201
        line = {"path": "src/cart.py", "line": 2, "side": "RIGHT", "body": "Why upper case?"}
        review = await client.post(f"{HOME}/pulls/2/reviews", json={"event": "COMMENT", "body": "", "comments": [line]})
        assert review.json()["state"] == "COMMENTED"
        comment = (await client.get(f"{HOME}/pulls/2/comments")).json()[0]
        reply = await client.post(f"{HOME}/pulls/2/comments/{comment['id']}/replies", json={"body": "Still?"})
        assert reply.json()["in_reply_to_id"] == comment["id"]
        elsewhere = {**line, "line": 40, "commit_id": commits[0]["sha"]}
        assert (await client.post(f"{HOME}/pulls/2/comments", json=elsewhere)).status_code == 422
        stale = await client.put(f"{HOME}/pulls/2/merge", json={"sha": "0" * 40})
        assert stale.status_code == 409
        merged = await client.put(f"{HOME}/pulls/2/merge", json={})
        assert merged.json()["merged"] is True
        assert (await client.get(f"{HOME}/issues/1")).json()["state"] == "closed"
        assert (await client.get(f"{HOME}/pulls/2")).json()["merged_by"]["login"] == "olga"


async def test_code_is_read_by_path_branch_commit_and_comparison(world: GitHubWorld, olga: Person) -> None:
    shop = world.state.repository("olga", "shop")
    head = olga.commits(shop, "feature/one", {"src/cart.py": "a\n"}, "Shorten")
    async with olga.client() as client:
        assert (await client.get(f"{HOME}/readme")).json()["name"] == "README.md"
        listed = (await client.get(f"{HOME}/contents/src")).json()
        assert [one["path"] for one in listed] == ["src/cart.py"]
        content = {"message": "Add", "content": "aGk=", "branch": "feature/one"}
        assert (await client.put(f"{HOME}/contents/new.txt", json=content)).status_code == 201
        branches = (await client.get(f"{HOME}/branches")).json()
        assert [one["name"] for one in branches] == ["feature/one", "main"]
        assert (await client.get(f"{HOME}/branches/feature/one")).json()["name"] == "feature/one"
        assert (await client.get(f"{HOME}/commits/{head}")).json()["files"][0]["status"] == "modified"
        compared = (await client.get(f"{HOME}/compare/main...feature/one")).json()
        assert (compared["status"], compared["ahead_by"], len(compared["files"])) == ("ahead", 2, 2)
        made = await client.post(f"{HOME}/git/refs", json={"ref": "refs/heads/two", "sha": head})
        assert made.status_code == 201
        assert (await client.get(f"{HOME}/git/ref/heads/two")).json()["object"]["sha"] == head
        main = (await client.get(f"{HOME}/git/ref/heads/main")).json()["object"]["sha"]
        backwards = await client.patch(f"{HOME}/git/refs/heads/two", json={"sha": main})
        assert (backwards.status_code, backwards.json()["message"]) == (422, "Update is not a fast forward")
        assert (await client.delete(f"{HOME}/git/refs/heads/two")).status_code == 204


async def test_rules_and_people_are_told(world: GitHubWorld, olga: Person) -> None:
    world.user("tim", role="triage", on=world.state.repository("olga", "shop"))
    rule = {
        "required_status_checks": {"strict": True, "contexts": ["ci"]},
        "required_pull_request_reviews": {"required_approving_review_count": 1},
        "enforce_admins": True,
        "restrictions": None,
    }
    async with olga.client() as client:
        assert (await client.get(f"{HOME}/branches/main/protection")).status_code == 404
        assert (await client.put(f"{HOME}/branches/main/protection", json=rule)).status_code == 200
        read = (await client.get(f"{HOME}/branches/main/protection")).json()
        assert read["required_status_checks"]["contexts"] == ["ci"]
        assert (await client.get(f"{HOME}/rules/branches/main")).json() == []
        permission = (await client.get(f"{HOME}/collaborators/tim/permission")).json()
        assert (permission["permission"], permission["role_name"]) == ("read", "triage")
        for path in ("", "/collaborators", "/labels", "/rulesets", "/hooks", "/assignees", "/commits", "/branches"):
            assert (await client.get(f"{HOME}{path}")).status_code == 200
        for path in ("/user", "/users/tim", "/user/repos", "/rate_limit", "/meta", "/versions", "/api/v3/user"):
            assert (await client.get(path)).status_code == 200


async def test_search_finds_issues_by_words_label_and_state(world: GitHubWorld, olga: Person) -> None:
    shop = world.state.repository("olga", "shop")
    olga.opens_issue("Cart is empty", on=shop, labels=["bug"])
    olga.opens_issue("Cart is slow", on=shop)
    async with olga.client() as client:
        found = await client.get("/search/issues", params={"q": "repo:olga/shop is:issue is:open label:bug cart"})
        assert [one["title"] for one in found.json()["items"]] == ["Cart is empty"]


def test_every_route_is_one_that_github_describes() -> None:
    """Our parameters have other names; the number of parts and the words must agree."""

    def form(path: str) -> str:
        parts = [part for part in path.split("/") if part]
        return "/".join("*" if part.startswith("{") else part for part in parts)

    known = {form(path) for path in described_paths()}
    unknown = {route.path for route in ALL_ROUTES if form(route.path) not in known}
    assert unknown == {
        "/_logs/{repository:int}/jobs/{id:int}",  # where the redirect of a job's log leads
        "/_logs/{repository:int}/runs/{id:int}/{attempt:int}",  # and of the logs of a whole run
        "/repos/{owner}/{repo}/contents",  # GitHub: `/contents/{path}` with an empty path
        "/repositories/{id:int}",  # where the redirect of a renamed repository leads
    }


async def test_checks_statuses_and_workflow_runs_are_read(world: GitHubWorld, olga: Person) -> None:
    shop = world.state.repository("olga", "shop")
    head = olga.commits(shop, "main", {"last.py": "x\n"})
    actions, _ = world.app(olga, "Actions")
    run = begin_run(
        world.state,
        actions,
        shop,
        name="CI",
        path=".github/workflows/ci.yml",
        event="push",
        sha=head,
        branch="main",
        actor=olga.user,
    )
    job = add_job(world.state, shop, run, "test")
    step = JobStep(number=1, name="Run tests", status="completed", conclusion="failure")
    report_job(world.state, shop, job, CheckReport(conclusion="failure"), steps=(step,), log="1 failed\n")
    async with olga.client() as client:
        status = {"state": "success", "context": "old-ci", "description": "Fine"}
        assert (await client.post(f"{HOME}/statuses/{head}", json=status)).status_code == 201
        assert (await client.get(f"{HOME}/commits/main/status")).json()["state"] == "success"
        assert len((await client.get(f"{HOME}/commits/{head}/statuses")).json()) == 1
        runs = (await client.get(f"{HOME}/commits/{head}/check-runs")).json()
        assert [(one["name"], one["conclusion"]) for one in runs["check_runs"]] == [("test", "failure")]
        suites = (await client.get(f"{HOME}/commits/{head}/check-suites")).json()["check_suites"]
        assert [one["conclusion"] for one in suites] == ["failure"]
        assert (await client.get(f"{HOME}/check-suites/{suites[0]['id']}/check-runs")).json()["total_count"] == 1
        listed = (await client.get(f"{HOME}/actions/runs", params={"head_sha": head})).json()["workflow_runs"]
        assert [(one["id"], one["conclusion"], one["run_attempt"]) for one in listed] == [(run.id, "failure", 1)]
        jobs = (await client.get(f"{HOME}/actions/runs/{run.id}/jobs")).json()["jobs"]
        assert (jobs[0]["name"], jobs[0]["steps"][0]["conclusion"]) == ("test", "failure")
        log = await client.get(f"{HOME}/actions/jobs/{job.id}/logs")
        assert (log.status_code, log.headers["location"].endswith(f"/_logs/{shop.id}/jobs/{job.id}")) == (302, True)
        assert (await client.post(f"{HOME}/actions/runs/{run.id}/rerun-failed-jobs")).status_code == 201
        again = (await client.get(f"{HOME}/actions/runs/{run.id}")).json()
        assert (again["run_attempt"], again["status"], again["conclusion"]) == (2, "queued", None)
        refused = await client.post(f"{HOME}/check-runs", json={"name": "mine", "head_sha": head})
        assert (refused.status_code, refused.json()["message"]) == (403, "You must authenticate via a GitHub App.")


async def test_attempts_of_a_run_are_read_with_their_jobs_logs_and_annotations(
    world: GitHubWorld, olga: Person
) -> None:
    shop = world.state.repository("olga", "shop")
    head = olga.commits(shop, "main", {"last.py": "x\n"})
    ci = ScriptedCi(world.state, shop, Actor(user=olga.user))
    run = ci.runs(head, {"unit": "failure", "lint": "success"}, event="push")
    ci.again(run, {"unit": "success"})
    home = f"{HOME}/actions/runs/{run.id}"
    async with olga.client() as client:
        newest = (await client.get(home)).json()
        assert (newest["run_attempt"], newest["conclusion"]) == (2, "success")
        assert newest["previous_attempt_url"].endswith("/attempts/1")
        first = (await client.get(f"{home}/attempts/1")).json()
        assert (first["run_attempt"], first["conclusion"], first["previous_attempt_url"]) == (1, "failure", None)
        assert newest["run_started_at"] > first["run_started_at"]
        jobs = (await client.get(f"{home}/attempts/1/jobs")).json()["jobs"]
        assert [(one["name"], one["run_attempt"]) for one in jobs] == [("unit", 1), ("lint", 1)]
        assert jobs[0]["completed_at"] > jobs[0]["started_at"] >= jobs[0]["created_at"]
        every = (await client.get(f"{home}/jobs", params={"filter": "all"})).json()["jobs"]
        assert [one["run_attempt"] for one in every] == [1, 1, 2]
        remarks = (await client.get(f"{HOME}/check-runs/{jobs[0]['id']}/annotations")).json()
        assert [one["annotation_level"] for one in remarks] == ["failure"]
        assert (await client.get(f"{home}/attempts/1/logs")).status_code == 302
        assert (await client.get(f"{home}/artifacts")).json()["total_count"] == 0
        assert (await client.get(f"{HOME}/actions/workflows/{run.workflow_id}")).json()["name"] == "CI"
        assert (await client.get(f"{home}/attempts/3")).status_code == 404
        assert (await client.post(f"{home}/rerun-failed-jobs")).status_code == 403
        assert (await client.post(f"{HOME}/actions/jobs/{jobs[1]['id']}/rerun")).status_code == 201
        assert run.attempts[-1].kept == {"unit"}


@pytest.mark.parametrize(
    ("asked", "status", "place"),
    [
        ({}, 200, None),
        ({"Range": "bytes=4-"}, 206, "bytes 4-10/11"),
        ({"Range": "bytes=-4"}, 200, None),
        ({"Range": "bytes=99-"}, 416, "bytes */11"),
    ],
)
async def test_a_log_is_sent_from_a_byte_on(
    world: GitHubWorld, olga: Person, asked: dict[str, str], status: int, place: str | None
) -> None:
    shop = world.state.repository("olga", "shop")
    head = olga.commits(shop, "main", {"last.py": "x\n"})
    run = ScriptedCi(world.state, shop, Actor(user=olga.user)).runs(head, {"unit": "failure"}, log="no\nnot now\n")
    async with world.client() as client:  # without a token, as the redirect has it
        client.event_hooks = {}  # GitHub does not describe its storage
        answer = await client.get(f"/_logs/{shop.id}/jobs/{run.jobs[0].id}", headers=asked)
    assert (answer.status_code, answer.headers.get("content-range")) == (status, place)
