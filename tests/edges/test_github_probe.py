"""The probe against our own GitHub by the real client, and its query against GitHub's published schema."""

import json
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from graphql import build_schema, parse, validate
from graphql.validation import NoDeprecatedCustomRule
from pydantic import JsonValue
from scripts.graphql_names import PUBLISHED

from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.ids import Sha
from caseworker.core.pull.own_check import CHECK_NAME, HeadWatch, watch_in_link
from caseworker.core.pull.pull_facts import PullFacts, Watch
from caseworker.core.pull.verdict import judge
from caseworker.core.telling.verdict_words import ready_check
from caseworker.forges.github.connect import connect
from caseworker.forges.github.issue_links import parse_pull_link
from caseworker.forges.github.probe import GitHubProbe
from caseworker.forges.github.probe_query import PROBE, PROBE_WITHOUT_STATE
from caseworker.forges.github.ready_writes import ready_write
from caseworker.github_double.acts.check_acts import create_status
from caseworker.github_double.acts.pull_acts import create_pull
from caseworker.github_double.acts.repository_acts import add_ruleset, protect
from caseworker.github_double.acts.review_acts import create_review
from caseworker.github_double.acts.review_records import LineComment
from caseworker.github_double.entities.protection import RequiredCheck, ReviewRule, Rule
from caseworker.github_double.entities.repository import PullRequest
from tests.edges.github_shop import Shop, opened_shop
from tests.edges.github_stage import propose


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[Shop]:
    async with opened_shop(tmp_path) as opened:
        yield opened


def proposed(shop: Shop, branch: str = "fix") -> PullRequest:
    rita = shop.people["rita"]
    propose(shop.state, rita, shop.repository, branch, "calc.py", f"x = '{branch}'\n".encode())
    return create_pull(shop.state, rita, shop.repository, title="Fix", head=branch, base="main", body="")


async def looked(shop: Shop, pull: PullRequest) -> PullFacts:
    """The second look: the first starts GitHub's trial merge."""
    probe = GitHubProbe(shop.api)
    await probe.look(shop.ref, pull.number)
    return await probe.look(shop.ref, pull.number)


def test_the_queries_fit_githubs_schema_and_use_nothing_deprecated() -> None:
    schema = build_schema(PUBLISHED.read_text(), assume_valid=True, assume_valid_sdl=True)  # takes more than a second
    for query in (PROBE, PROBE_WITHOUT_STATE):
        document = parse(query)
        assert validate(schema, document) == [], query
        assert validate(schema, document, [NoDeprecatedCustomRule]) == [], query


async def test_a_look_costs_at_most_two_points(shop: Shop) -> None:
    pull = proposed(shop)
    names: dict[str, JsonValue] = {"owner": "acme", "name": "shop", "number": pull.number}
    answer = await shop.api.graphql(shop.ref, PROBE, names)
    assert isinstance(answer.data, dict)
    limit = answer.data["rateLimit"]
    assert isinstance(limit, dict)
    assert limit["cost"] in (1, 2)


async def test_a_look_reads_rules_reviews_threads_and_checks(shop: Shop) -> None:
    pull, olga = proposed(shop), shop.people["olga"]
    protect(shop.state, olga, shop.repository, "main", checks=["ci"], reviews=ReviewRule(approvals=2), is_strict=True)
    pinned = Rule(type="required_status_checks", checks=(RequiredCheck(context="scan", app_id=7),))
    add_ruleset(shop.state, olga, shop.repository, "rules", [pinned, Rule(type="required_signatures")])
    create_status(shop.state, shop.people["rita"], shop.repository, sha=pull.head.sha, state="success", context="ci")
    remark = LineComment(path="calc.py", body="Why?", line=1)
    create_review(shop.state, olga, pull, verdict="REQUEST_CHANGES", body="No.", comments=[remark])
    facts = await looked(shop, pull)
    assert {(one.name, one.app) for one in facts.demands.checks} == {("ci", None), ("scan", 7)}
    assert (facts.demands.approvals, facts.demands.up_to_date, facts.demands.others) == (
        2,
        True,
        ("required_signatures",),
    )
    assert [(one.name, one.state, one.is_required) for one in facts.checks] == [("ci", "passed", True)]
    assert [(one.path, one.opened_by, one.last_by) for one in facts.threads] == [("calc.py", "olga", "olga")]
    assert [(one.by, one.verdict, one.counts) for one in facts.reviews.latest] == [("olga", "changes_requested", True)]
    assert (facts.mergeability.answer, facts.mergeability.state) == ("mergeable", "blocked")
    assert (facts.subject.author, facts.subject.head, facts.demands.unread) == ("rita", pull.head.sha, ())


@pytest.mark.slow
async def test_all_pages_are_read(shop: Shop) -> None:
    pull, olga = proposed(shop), shop.people["olga"]
    for number in range(120):
        remark = LineComment(path="calc.py", body=f"remark {number}", line=1)
        create_review(shop.state, olga, pull, verdict="COMMENT", comments=[remark])
        create_status(shop.state, olga, shop.repository, sha=pull.head.sha, state="success", context=f"ci {number}")
    facts = await looked(shop, pull)
    assert len({one.id for one in facts.threads}) == len(facts.threads) == 120
    assert len({one.name for one in facts.checks}) == len(facts.checks) == 120


@pytest.mark.slow
async def test_a_base_that_moved_makes_the_trial_merge_stale_for_one_look(shop: Shop) -> None:
    pull = proposed(shop)
    assert not (await looked(shop, pull)).mergeability.is_stale
    propose(shop.state, shop.people["olga"], shop.repository, "main", "new.py", b"y = 1\n")
    probe = GitHubProbe(shop.api)
    assert [(await probe.look(shop.ref, pull.number)).mergeability.is_stale for _ in range(2)] == [True, False]


async def test_hidden_protection_is_named_with_the_permission_that_helps(shop: Shop) -> None:
    pull = proposed(shop)
    protect(shop.state, shop.people["olga"], shop.repository, "main", checks=["ci"])
    token = shop.token_of("olga")
    token.permissions = {name: level for name, level in token.permissions.items() if name != "administration"}
    facts = await looked(shop, pull)
    assert [(one.what, one.permission) for one in facts.demands.unread] == [
        ("branch protection", "administration: read")
    ]
    assert [one.name for one in facts.demands.checks] == ["ci"]


class Wrapped(httpx.AsyncBaseTransport):
    """Another server's ways on top of the double's answers."""

    def __init__(self, *, lacks: str = "", breaks: str = "") -> None:
        self._inner = httpx.AsyncHTTPTransport()
        self._lacks, self._breaks = lacks, breaks

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self._lacks and self._lacks in request.content.decode():
            error = {"message": f"Field '{self._lacks}' doesn't exist on type 'PullRequest'", "path": ["query"]}
            return httpx.Response(200, json={"errors": [error]}, request=request)
        response = await self._inner.handle_async_request(request)
        if not self._breaks or not request.url.path.endswith("graphql"):
            return response
        body = json.loads(await response.aread())
        body["data"]["repository"]["pullRequest"][self._breaks] = None
        body["errors"] = [{"type": "FORBIDDEN", "path": ["repository", "pullRequest", self._breaks], "message": "No."}]
        return httpx.Response(200, json=body, request=request)


async def test_a_server_without_merge_states_is_asked_without_them(shop: Shop) -> None:
    pull = proposed(shop)
    shop.api = connect(shop.access, inner=Wrapped(lacks="mergeStateStatus"))
    facts = await looked(shop, pull)
    assert (facts.mergeability.answer, facts.mergeability.state) == ("mergeable", None)


@pytest.mark.parametrize("part", ["reviewThreads", "statusCheckRollup", "rollup", "latestReviews"])
async def test_a_partial_answer_is_no_answer(shop: Shop, part: str) -> None:
    pull = proposed(shop)
    shop.api = connect(shop.access, inner=Wrapped(breaks=part))
    with pytest.raises((Transient, Refused), match=r"only be read in part|could not be read|may not read check runs"):
        await GitHubProbe(shop.api).look(shop.ref, pull.number)


async def test_an_issue_is_not_a_pull_request(shop: Shop) -> None:
    with pytest.raises(Refused, match="has no pull request 1 there"):
        await GitHubProbe(shop.api).look(shop.ref, shop.issue().number)


async def test_the_verdict_is_one_check_run_on_the_head_and_neutral_until_ready(shop: Shop) -> None:
    pull = proposed(shop)
    facts = await looked(shop, pull)
    now = shop.state.now()
    for minutes, conclusion in ((0, "neutral"), (60, "success")):
        verdict = judge(facts, now=now + timedelta(minutes=minutes))
        check = ready_check(verdict, HeadWatch(head=verdict.head), url="https://github.com/acme/shop/pull/2")
        await shop.broker.do(shop.ref, ready_write(check, key=f"acme/shop!2/0/ready/{pull.head.sha}"))
        [run] = [run for suite in shop.repository.records.suites for run in suite.runs]
        assert (run.name, run.status, run.conclusion) == (CHECK_NAME, "completed", conclusion)
        assert run.head_sha == pull.head.sha


async def test_with_a_token_the_verdict_is_a_status_and_pending_until_ready(shop: Shop) -> None:
    """Only Apps may make check runs."""
    pull = proposed(shop)
    shop.token_of("olga")
    facts, now, made = await looked(shop, pull), shop.state.now(), shop.repository.records.statuses
    for minutes, state in ((0, "pending"), (60, "success"), (60, "success")):
        verdict = judge(facts, now=now + timedelta(minutes=minutes))
        known = HeadWatch(head=verdict.head, watch=Watch(us="olga", pushed=(verdict.head,), pushed_at=now))
        check = ready_check(verdict, known, url="https://github.com/acme/shop/pull/2")
        assert await shop.forge.verdicts.report(shop.ref, check, key="unused")
        assert (made[-1].context, made[-1].state, made[-1].sha) == (CHECK_NAME, state, pull.head.sha)
    assert len(made) == 2  # the same is not said again
    again = await looked(shop, pull)
    [ours] = [one for one in again.checks if one.name == CHECK_NAME]
    assert watch_in_link(ours.url, Sha(pull.head.sha)) == known.model_copy(
        update={"watch": known.watch.model_copy(update={"pushed_at": now.replace(microsecond=0)})}
    )
    assert judge(again, now=now + timedelta(minutes=60)).outcome == "ready"


async def test_a_token_that_may_not_read_check_runs_is_refused_with_what_helps(shop: Shop) -> None:
    """GitHub offers fine-grained tokens no permission for them: only in public repositories can they read them."""
    pull = proposed(shop)
    facts = await looked(shop, pull)
    check = ready_check(judge(facts, now=shop.state.now()), HeadWatch(head=facts.subject.head), url="")
    assert await shop.forge.verdicts.report(shop.ref, check, key="ours")
    shop.token_of("olga")
    with pytest.raises(Refused, match="may not read check runs") as refused:
        await GitHubProbe(shop.api).look(shop.ref, pull.number)
    assert "GitHub App" in refused.value.todo


@pytest.mark.parametrize(
    "text", ["acme/shop#7", "acme/shop!7", "acme/shop/pull/7", "https://github.com/acme/shop/pull/7/files"]
)
def test_a_pull_request_is_named_in_several_ways(text: str) -> None:
    link = parse_pull_link(text)
    assert (link.owner, link.name, link.number) == ("acme", "shop", 7)


@pytest.mark.parametrize("text", ["shop", "https://github.com/acme/shop/issues/7", "acme/shop"])
def test_what_names_no_pull_request_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="names no pull request"):
        parse_pull_link(text)
