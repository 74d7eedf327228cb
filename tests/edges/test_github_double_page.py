"""The web page of our own GitHub, asked as a browser would."""

from collections.abc import AsyncIterator
from html.parser import HTMLParser
from pathlib import Path

import httpx
import pytest

from caseworker.github_double.acts.check_acts import CheckReport
from caseworker.github_double.acts.comment_acts import create_comment
from caseworker.github_double.acts.issue_acts import create_issue
from caseworker.github_double.acts.repository_acts import protect
from caseworker.github_double.acts.review_acts import create_review
from caseworker.github_double.acts.review_records import LineComment
from caseworker.github_double.acts.workflow_acts import add_job, begin_run, report_job
from caseworker.github_double.ci.listener import actions_app
from caseworker.github_double.double_server import GitHubDouble
from caseworker.github_double.page.markup import markdown
from caseworker.github_double.page.page_routes import page_routes
from tests.edges.github_stage import Stage, furnish

HOSTILE = """<script>alert(1)</script><img src=x onerror=alert(1)> [x](javascript:alert(1)) "><b onclick='alert(1)'>
<details open ontoggle=alert(1)> ![](https://evil.example/steal) <svg/onload=alert(1)> [a](@b) <!-- hidden words -->"""


class Elements(HTMLParser):
    """Names of elements and attributes of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: dict[str, set[str]] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        for name, value in attrs:
            self.attributes.setdefault(name, set()).add(value or "")


@pytest.fixture
def double(tmp_path: Path) -> GitHubDouble:
    return GitHubDouble(tmp_path)


@pytest.fixture
def stage(double: GitHubDouble) -> Stage:
    return furnish(double.state)


@pytest.fixture
async def browser(double: GitHubDouble, stage: Stage) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(double.application(page_routes(double.front)))
    headers = {"accept": "text/html"}
    async with httpx.AsyncClient(
        transport=transport, base_url="http://github.test", headers=headers, follow_redirects=True
    ) as client:
        yield client


async def test_a_person_comments_and_labels_an_issue(stage: Stage, browser: httpx.AsyncClient) -> None:
    await browser.post("/page/person", data={"login": "sam"})
    page = "/olga/shop/issues/1"
    await browser.post(page, data={"deed": "comment", "body": "I saw **that** too."})
    shown = await browser.post(page, data={"deed": "label", "label": "question"})
    assert shown.status_code == 200
    assert [(one.author.login, one.body) for one in stage.issue.comments] == [("sam", "I saw **that** too.")]
    assert [label.name for label in stage.issue.labels] == ["bug", "question"]
    assert "I saw <strong>that</strong> too." in shown.text
    assert "added the label" in shown.text


async def test_what_a_person_may_not_do_is_told(stage: Stage, browser: httpx.AsyncClient) -> None:
    stage.shop.collaborators.clear()
    await browser.post("/page/person", data={"login": "sam"})
    shown = await browser.post("/olga/shop/issues/1", data={"deed": "label", "label": "question"})
    assert shown.status_code == 403
    assert "Must have triage access to Repository." in shown.text
    assert [label.name for label in stage.issue.labels] == ["bug"]


async def test_a_pull_request_shows_changes_checks_and_threads(stage: Stage, browser: httpx.AsyncClient) -> None:
    github, shop, pull = stage.github, stage.shop, stage.pull
    path, name = ".github/workflows/ci.yml", "CI"
    app, sha, user = actions_app(github), pull.head.sha, shop.owner
    run = begin_run(github, app, shop, name=name, path=path, event="push", sha=sha, branch="fix-price", actor=user)
    job = add_job(github, shop, run, "test")
    report_job(github, shop, job, CheckReport(conclusion="failure"), log="the price is missing\n")
    create_review(
        github, stage.olga, pull, verdict="COMMENT", comments=[LineComment(path="shop.py", body="Why?", line=1)]
    )
    shown = (await browser.get("/olga/shop/pull/2")).text
    for part in ("+PRICE = 3", "Why?", "shop.py:1", "Correct the price", f"/olga/shop/runs/{job.check_run.id}"):
        assert part in shown
    assert "the price is missing" in (await browser.get(f"/olga/shop/runs/{job.check_run.id}")).text
    assert "the price is missing" in (await browser.get(f"/olga/shop/actions/runs/{run.id}/job/{job.id}")).text


async def test_a_person_resolves_approves_and_merges(stage: Stage, browser: httpx.AsyncClient) -> None:
    draft = LineComment(path="shop.py", body="Why?", line=1)
    create_review(stage.github, stage.olga, stage.pull, verdict="COMMENT", comments=[draft])
    [thread] = stage.pull.threads
    await browser.post("/page/person", data={"login": "olga"})
    page = "/olga/shop/pull/2"
    await browser.post(page, data={"deed": "reply", "thread": thread.node_id, "body": "I see."})
    await browser.post(page, data={"deed": "resolve", "thread": thread.node_id})
    await browser.post(page, data={"deed": "approve"})
    assert "Merge</button>" in (await browser.get(page)).text
    shown = await browser.post(page, data={"deed": "merge"})
    assert thread.resolved_by is stage.olga.user
    assert stage.pull.merged is not None
    assert "Merge</button>" not in shown.text
    assert "merged this" in shown.text


async def test_a_blocked_merge_says_why_and_has_no_button(stage: Stage, browser: httpx.AsyncClient) -> None:
    protect(stage.github, stage.olga, stage.shop, "main", checks=["ci"])
    shown = (await browser.get("/olga/shop/pull/2")).text
    assert "Required status check &quot;ci&quot; is expected." in shown
    assert "Merge</button>" not in shown


async def test_hostile_text_stays_text_everywhere(stage: Stage, browser: httpx.AsyncClient) -> None:
    issue = create_issue(stage.github, stage.olga, stage.shop, title=HOSTILE[:200], body=HOSTILE)
    create_comment(stage.github, stage.sam, issue, body=HOSTILE)
    stage.shop.description = HOSTILE
    for address in ("/", "/olga/shop", f"/olga/shop/issues/{issue.number}"):
        shown = await browser.get(address)
        found = Elements(shown.text)
        assert not found.names & {"b", "iframe", "object", "embed"}
        assert found.attributes.get("src", set()) <= {"/page/live.js", "https://evil.example/steal"}
        assert not [name for name in found.attributes if name.startswith("on")]
        assert not [link for link in found.attributes["href"] if link.startswith("javascript")]
        assert "alert(1)</script>" not in shown.text
        # Images of others are not loaded, whatever the text says.
        assert "default-src 'none'" in shown.headers["content-security-policy"]
    assert "hidden words" not in markdown(HOSTILE)


async def test_forms_of_other_sites_do_nothing(stage: Stage, browser: httpx.AsyncClient) -> None:
    sent = {"deed": "comment", "body": "Hello"}
    refused = await browser.post("/olga/shop/issues/1", data=sent, headers={"origin": "http://evil.example"})
    assert refused.status_code == 403
    assert stage.issue.comments == []
    await browser.post("/olga/shop/issues/1", data=sent, headers={"origin": "http://github.test"})
    assert len(stage.issue.comments) == 1


async def test_the_root_is_a_page_for_browsers_and_the_api_for_clients(browser: httpx.AsyncClient) -> None:
    assert "olga/shop" in (await browser.get("/")).text
    assert "current_user_url" in (await browser.get("/", headers={"accept": "application/json"})).json()


async def test_the_page_has_its_script_and_style(browser: httpx.AsyncClient) -> None:
    assert (await browser.get("/page/live.js")).headers["content-type"].startswith("text/javascript")
    assert (await browser.get("/page/style.css")).headers["content-type"].startswith("text/css")
    assert (await browser.get("/page/other.css")).status_code == 404
