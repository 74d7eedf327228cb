"""Webhooks of the GitHub double: bodies judged by GitHub's description, signatures, the log, and failures."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from githubkit import AppAuthStrategy, GitHub
from githubkit.webhooks import verify
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from caseworker.github_double.acts import comment_acts, issue_acts, label_acts, pull_acts, review_acts
from caseworker.github_double.acts.account_acts import suspend, uninstall, unsuspend
from caseworker.github_double.acts.check_acts import (
    CheckReport,
    add_check_run,
    create_status,
    open_suite,
    report_check_run,
)
from caseworker.github_double.acts.repository_acts import remove_collaborator, rename_repository
from caseworker.github_double.acts.workflow_acts import add_job, begin_run, report_job, rerun
from caseworker.github_double.double_server import listening
from caseworker.github_double.entities.accounts import App
from caseworker.github_double.entities.repository import Repository
from caseworker.github_double.state import Event
from tests.world.github import GitHubWorld, Person
from tests.world.github_judge import judge_webhook


@dataclass
class Receiver:
    """Somebody's webhook address. `answers` are statuses for the next deliveries; then 202."""

    heard: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    url: str = ""

    async def take(self, request: Request) -> Response:
        body = await request.body()
        name = request.headers["x-github-event"]
        self.heard.append((name, json.loads(body)))
        self.bodies.append(body)
        self.headers.append(dict(request.headers))
        return Response(status_code=self.answers.pop(0) if self.answers else 202)

    def names(self) -> list[str]:
        return [f"{name}.{body['action']}" if "action" in body else name for name, body in self.heard]


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    receiver = Receiver()
    async with listening(Starlette(routes=[Route("/hook", receiver.take, methods=["POST"])])) as url:
        receiver.url = f"{url}/hook"
        yield receiver


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[GitHubWorld]:
    world = GitHubWorld(tmp_path)
    async with world.double.serving():
        yield world


@pytest.fixture
def olga(world: GitHubWorld) -> Person:
    person = world.user("olga")
    world.repository(person, "shop", {"cart.py": "a\nb\nc\n"})
    return person


@pytest.fixture
def shop(world: GitHubWorld, olga: Person) -> Repository:
    return world.state.repository("olga", "shop")


@pytest.fixture
def app(world: GitHubWorld, olga: Person, shop: Repository, receiver: Receiver) -> tuple[App, str]:
    made = world.app(olga, url=receiver.url)
    world.installed(made[0], shop)
    return made


async def test_a_delivery_is_signed_and_named(
    world: GitHubWorld, olga: Person, shop: Repository, app: tuple[App, str], receiver: Receiver
) -> None:
    olga.opens_issue("Broken", on=shop)
    await world.double.webhooks.settled()
    assert receiver.names() == ["installation.created", "issues.opened"]
    assert verify("hush", receiver.bodies[1], receiver.headers[1]["x-hub-signature-256"])
    assert not verify("other", receiver.bodies[1], receiver.headers[1]["x-hub-signature-256"])
    assert len(receiver.headers[1]["x-github-delivery"]) == 36
    installation = next(iter(world.state.installations.values()))
    assert receiver.heard[1][1]["installation"]["id"] == installation.id


async def test_every_event_body_fits_githubs_description(world: GitHubWorld, olga: Person, shop: Repository) -> None:
    told: list[Event] = []
    world.state.listeners.append(told.append)
    _do_everything(world, olga, shop)
    told_names = {event.full_name for event in told}
    misfits = []
    for event in told:
        body = json.loads(json.dumps(event.body))
        try:
            judge_webhook(event.name, body)
        except AssertionError as misfit:
            misfits.append(str(misfit))
    assert misfits == []
    assert len(told_names) >= 40


def _do_everything(world: GitHubWorld, olga: Person, shop: Repository) -> None:
    state = world.state
    sam = world.user("sam", role="write", on=shop)
    issue = olga.opens_issue("Broken", "Really", on=shop, labels=["bug", "new label"])
    issue_acts.edit_issue(state, olga.actor, issue, title="Broken cart", body="More")
    issue_acts.add_assignees(state, olga.actor, issue, ["sam"])
    issue_acts.remove_assignees(state, olga.actor, issue, ["sam"])
    olga.unlabels(issue, "bug")
    comment = olga.comments(issue, "First")
    olga.edits(comment, "Second")
    comment_acts.delete_comment(state, olga.actor, comment)
    issue_acts.lock_issue(state, olga.actor, issue, reason="resolved")
    issue_acts.unlock_issue(state, olga.actor, issue)
    issue_acts.close_issue(state, olga.actor, issue)
    issue_acts.reopen_issue(state, olga.actor, issue)
    label_acts.delete_label(state, olga.actor, shop, "new label")
    _do_everything_with_pulls(world, olga, sam, shop)
    _report_everything(world, olga, shop)
    other = world.repository(olga, "other")
    moved = issue_acts.transfer_issue(state, olga.actor, issue, other)
    issue_acts.delete_issue(state, olga.actor, moved)
    remove_collaborator(state, shop, sam.user)
    rename_repository(state, olga.actor, shop, "market")
    installation = world.installed(world.app(olga)[0], shop)
    suspend(state, installation)
    unsuspend(state, installation)
    uninstall(state, installation)


def _do_everything_with_pulls(world: GitHubWorld, olga: Person, sam: Person, shop: Repository) -> None:
    state = world.state
    sam.commits(shop, "fix", {"cart.py": "a\nB\nc\n"})
    pull = sam.opens_pull(shop, "fix", body="Fixes #1")
    pull_acts.edit_pull(state, sam.actor, pull, title="Better", body="Fixes #1, really")
    pull_acts.set_draft(state, sam.actor, pull, is_draft=True)
    pull_acts.set_draft(state, sam.actor, pull, is_draft=False)
    pull_acts.request_reviewers(state, sam.actor, pull, ["olga"])
    pull_acts.unrequest_reviewers(state, sam.actor, pull, ["olga"])
    olga.labels(pull.issue, "bug")
    olga.unlabels(pull.issue, "bug")
    olga.comments(pull.issue, "Nice")
    olga.remarks(pull, "cart.py", 2, "Why?")
    thread = pull.threads[0]
    answer = review_acts.reply(state, sam.actor, thread, body="Because")
    review_acts.edit_review_comment(state, sam.actor, answer, body="Because!")
    review_acts.resolve_thread(state, olga.actor, thread)
    review_acts.unresolve_thread(state, olga.actor, thread)
    review_acts.delete_review_comment(state, sam.actor, answer)
    approval = olga.approves(pull)
    review_acts.dismiss_review(state, olga.actor, approval, message="Not yet")
    sam.commits(shop, "fix", {"more.py": "x\n"})
    pull_acts.set_auto_merge(state, olga.actor, pull, "squash")
    pull_acts.set_auto_merge(state, olga.actor, pull, None)
    pull_acts.close_pull(state, olga.actor, pull)
    pull_acts.reopen_pull(state, olga.actor, pull)
    olga.merges(pull)


def _report_everything(world: GitHubWorld, olga: Person, shop: Repository) -> None:
    state = world.state
    head = olga.commits(shop, "main", {"last.py": "x\n"})
    create_status(state, olga.actor, shop, sha=head, state="failure", context="old-ci", description="Broke")
    app, _ = world.app(olga, "Actions")
    suite = open_suite(state, shop, app, head)
    run = add_check_run(state, app.bot, shop, suite, "lint", CheckReport(status="in_progress"))
    report_check_run(state, app.bot, shop, run, CheckReport(conclusion="failure", title="Bad", summary="Two problems"))
    workflow = begin_run(
        state,
        app,
        shop,
        name="CI",
        path=".github/workflows/ci.yml",
        event="push",
        sha=head,
        branch="main",
        actor=olga.user,
    )
    job = add_job(state, shop, workflow, "test")
    report_job(state, shop, job, CheckReport(conclusion="success"), log="all well\n")
    rerun(state, olga.actor, shop, workflow)


async def test_failed_deliveries_are_found_by_the_api_and_sent_again(
    world: GitHubWorld, olga: Person, shop: Repository, app: tuple[App, str], receiver: Receiver
) -> None:
    await world.double.webhooks.settled()
    receiver.answers = [500]
    world.double.faults.delivery("dropped", "issues.labeled")
    olga.opens_issue("Broken", on=shop, labels=["bug"])
    await world.double.webhooks.settled()
    assert receiver.names() == ["installation.created", "issues.opened"]
    async with GitHub(
        AppAuthStrategy(str(app[0].id), app[1]), base_url=f"{world.double.url}/", auto_retry=False
    ) as kit:
        failed = (await kit.arequest("GET", "/app/hook/deliveries", params={"status": "failure"})).json()
        assert [(one["event"], one["action"], one["status_code"]) for one in failed] == [
            ("issues", "labeled", 502),
            ("issues", "opened", 500),
        ]
        for one in failed:
            again = await kit.arequest("POST", f"/app/hook/deliveries/{one['id']}/attempts")
            assert again.status_code == 202
        await world.double.webhooks.settled()
        page = await kit.arequest("GET", "/app/hook/deliveries", params={"per_page": 2})
        assert [(one["redelivery"], one["status"]) for one in page.json()] == [(True, "OK"), (True, "OK")]
        assert "cursor=" in page.headers["link"]
    assert receiver.names()[2:] == ["issues.labeled", "issues.opened"]
    assert {one["guid"] for one in failed} == {one["x-github-delivery"] for one in receiver.headers[2:]}


async def test_deliveries_are_repeated_and_swapped_on_demand(
    world: GitHubWorld, olga: Person, shop: Repository, app: tuple[App, str], receiver: Receiver
) -> None:
    world.double.faults.delivery("duplicated", "issues.opened")
    issue = olga.opens_issue("Broken", on=shop)
    world.double.faults.delivery("swapped", "issue_comment")
    olga.comments(issue, "One")
    olga.closes(issue)
    world.double.faults.delivery("delayed", "issues.labeled", seconds=0.05)
    olga.labels(issue, "bug")
    olga.comments(issue, "Two")
    await world.double.webhooks.settled()
    assert receiver.names()[1:] == [
        "issues.opened",
        "issues.opened",
        "issues.closed",
        "issue_comment.created",
        "issue_comment.created",
        "issues.labeled",
    ]
    assert receiver.headers[1]["x-github-delivery"] == receiver.headers[2]["x-github-delivery"]


async def test_a_repository_hook_is_pinged_and_gets_what_it_asked_for(
    world: GitHubWorld, olga: Person, shop: Repository, receiver: Receiver
) -> None:
    hook = {"config": {"url": receiver.url, "secret": "s", "content_type": "json"}, "events": ["issues"]}
    async with olga.client() as client:
        made = await client.post("/repos/olga/shop/hooks", json=hook)
        assert made.status_code == 201
        issue = olga.opens_issue("Broken", on=shop)
        olga.comments(issue, "Not told")
        await world.double.webhooks.settled()
        home = f"/repos/olga/shop/hooks/{made.json()['id']}/deliveries"
        listed = (await client.get(home)).json()
        assert [one["event"] for one in listed] == ["issues", "ping"]
        full = (await client.get(f"{home}/{listed[0]['id']}")).json()
        assert full["request"]["payload"]["action"] == "opened"
    assert receiver.names() == ["ping", "issues.opened"]
    judge_webhook("ping", receiver.heard[0][1])


async def test_an_unreachable_address_is_a_failed_delivery(world: GitHubWorld, olga: Person, shop: Repository) -> None:
    app, _ = world.app(olga, url="http://127.0.0.1:9/hook")
    world.installed(app, shop)
    await world.double.webhooks.settled()
    assert app.hook is not None
    assert [(one.status, one.status_code) for one in app.hook.deliveries] == [("failed to connect to host", 502)]
