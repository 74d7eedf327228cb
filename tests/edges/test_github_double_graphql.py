"""Our own GitHub's GraphQL, asked without a server in between."""

from dataclasses import replace
from pathlib import Path

import pytest

from caseworker.github_double.acts.account_acts import create_token
from caseworker.github_double.acts.check_acts import create_status
from caseworker.github_double.acts.comment_acts import create_comment
from caseworker.github_double.acts.repository_acts import add_ruleset, protect
from caseworker.github_double.acts.review_acts import create_review
from caseworker.github_double.acts.review_records import LineComment
from caseworker.github_double.entities.accounts import Actor
from caseworker.github_double.entities.protection import RequiredCheck, ReviewRule, Rule
from caseworker.github_double.graphql.ask import Budget
from caseworker.github_double.graphql.costs import Cost
from caseworker.github_double.graphql.execution import Answered, Question, answer
from caseworker.github_double.state import Json
from tests.edges.github_stage import Stage, set_up

PROBE = (Path(__file__).parent / "github_probe.graphql").read_text()


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return set_up(tmp_path)


def ask(stage: Stage, query: str, actor: Actor | None = None, **variables: object) -> Answered:
    def spend(cost: Cost) -> Budget:
        return Budget(limit=5000, remaining=5000 - cost.points, resets_at=stage.github.now())

    return answer(stage.github, actor or stage.olga, Question(query=query, variables=variables), spend)


def data(answered: Answered) -> Json:
    assert "errors" not in answered.body, answered.body["errors"]
    found = answered.body["data"]
    assert isinstance(found, dict)
    return found


def reach(found: object, path: str) -> object:
    """`repository.issue.0.title` of an answer."""
    for part in path.split("."):
        if isinstance(found, list):
            found = found[int(part)]
        else:
            assert isinstance(found, dict)
            found = found[part]
    return found


def test_a_probe_of_a_pull_request_gets_every_field(stage: Stage) -> None:
    protect(stage.github, stage.olga, stage.shop, "main", checks=["ci"], reviews=ReviewRule(approvals=1))
    create_status(stage.github, stage.sam, stage.shop, sha=stage.pull.head.sha, state="success", context="ci")
    draft = LineComment(path="shop.py", body="Why 3?", line=1)
    create_review(stage.github, stage.olga, stage.pull, verdict="REQUEST_CHANGES", body="Hm.", comments=[draft])
    ask(stage, PROBE, owner="olga", name="shop", number=2)  # the first look starts the trial merge
    pull = reach(data(ask(stage, PROBE, owner="olga", name="shop", number=2)), "repository.pullRequest")
    assert reach(pull, "mergeable") == "MERGEABLE"
    assert reach(pull, "mergeStateStatus") == "BLOCKED"
    assert reach(pull, "reviewDecision") == "CHANGES_REQUESTED"
    assert reach(pull, "rollup.contexts.nodes.0.isRequired") is True
    assert reach(pull, "reviewThreads.nodes.0.comments.nodes.0.body") == "Why 3?"
    assert reach(pull, "baseRef.refUpdateRule.requiredStatusCheckContexts") == ["ci"]
    assert reach(pull, "closingIssuesReferences.nodes.0.number") == 1


def test_mergeability_is_unknown_in_the_whole_first_answer(stage: Stage) -> None:
    query = (
        '{repository(owner: "olga", name: "shop") {pullRequest(number: 2) {mergeable mergeStateStatus canBeRebased}}}'
    )
    seen = [reach(data(ask(stage, query)), "repository.pullRequest") for _ in range(2)]
    assert seen == [
        {"mergeable": "UNKNOWN", "mergeStateStatus": "UNKNOWN", "canBeRebased": False},
        {"mergeable": "MERGEABLE", "mergeStateStatus": "CLEAN", "canBeRebased": True},
    ]


def test_rules_of_rulesets_are_given_with_their_parameters(stage: Stage) -> None:
    checks = Rule(type="required_status_checks", checks=(RequiredCheck(context="ci", app_id=15368),), is_strict=True)
    add_ruleset(stage.github, stage.olga, stage.shop, "main", [checks, Rule(type="deletion")])
    query = """{repository(owner: "olga", name: "shop") {defaultBranchRef {
        refUpdateRule {pattern} rules(first: 9) {nodes {type parameters {... on RequiredStatusChecksParameters {
            strictRequiredStatusChecksPolicy requiredStatusChecks {context integrationId}}}}}}}}"""
    ref = reach(data(ask(stage, query)), "repository.defaultBranchRef")
    wanted = {
        "strictRequiredStatusChecksPolicy": True,
        "requiredStatusChecks": [{"context": "ci", "integrationId": 15368}],
    }
    assert reach(ref, "refUpdateRule") is None
    assert reach(ref, "rules.nodes") == [
        {"type": "REQUIRED_STATUS_CHECKS", "parameters": wanted},
        {"type": "DELETION", "parameters": None},
    ]


def test_pages_have_cursors_that_lead_on(stage: Stage) -> None:
    for number in range(5):
        create_comment(stage.github, stage.olga, stage.issue, body=f"comment {number}")
    query = """query($after: String) {repository(owner: "olga", name: "shop") {issue(number: 1) {
        comments(first: 2, after: $after) {totalCount nodes {body} pageInfo {hasNextPage endCursor}}}}}"""
    bodies: list[object] = []
    after: object = None
    while True:
        found = reach(data(ask(stage, query, after=after)), "repository.issue.comments")
        nodes = reach(found, "nodes")
        assert isinstance(nodes, list)
        bodies += [reach(node, "body") for node in nodes]
        if not reach(found, "pageInfo.hasNextPage"):
            break
        after = reach(found, "pageInfo.endCursor")
    assert bodies == [f"comment {number}" for number in range(5)]
    assert reach(found, "totalCount") == 5


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [("", "MISSING_PAGINATION_BOUNDARIES"), ("(first: 101)", "EXCESSIVE_PAGINATION")],
)
def test_pages_without_or_beyond_bounds_are_refused(stage: Stage, arguments: str, kind: str) -> None:
    query = f'{{repository(owner: "olga", name: "shop") {{issues{arguments} {{nodes {{number}}}}}}}}'
    errors = ask(stage, query).body["errors"]
    assert reach(errors, "0.type") == kind


def test_a_total_needs_no_bounds(stage: Stage) -> None:
    found = data(ask(stage, '{repository(owner: "olga", name: "shop") {issues {totalCount}}}'))
    assert reach(found, "repository.issues.totalCount") == 1


def test_a_forbidden_part_leaves_the_rest_of_the_answer(stage: Stage) -> None:
    protect(stage.github, stage.olga, stage.shop, "main", checks=["ci"])
    query = """{repository(owner: "olga", name: "shop") {
        defaultBranchRef {name branchProtectionRule {pattern} refUpdateRule {requiredStatusCheckContexts}}}}"""
    assert stage.olga.user is not None
    narrow = create_token(stage.github, stage.olga.user, permissions={"contents": "read"}, repositories=[stage.shop])
    answered = ask(stage, query, replace(stage.olga, token=narrow))
    ref = reach(answered.body, "data.repository.defaultBranchRef")
    assert ref == {
        "name": "main",
        "branchProtectionRule": None,
        "refUpdateRule": {"requiredStatusCheckContexts": ["ci"]},
    }
    assert reach(answered.body, "errors.0.type") == "FORBIDDEN"
    assert reach(answered.body, "errors.0.path") == ["repository", "defaultBranchRef", "branchProtectionRule"]


def test_a_private_repository_does_not_exist_for_strangers(stage: Stage) -> None:
    stage.shop.is_private = True
    stage.shop.collaborators.clear()
    answered = ask(stage, '{repository(owner: "olga", name: "shop") {name}}', stage.sam)
    assert reach(answered.body, "data.repository") is None
    assert reach(answered.body, "errors.0.type") == "NOT_FOUND"
    node = ask(stage, "query($id: ID!) {node(id: $id) {id}}", stage.sam, id=stage.issue.node_id)
    assert reach(node.body, "data.node") is None


def test_a_field_that_is_not_there_yet_is_named(stage: Stage) -> None:
    answered = ask(stage, "{marketplaceCategories {name}}")
    assert reach(answered.body, "errors.0.message") == (
        "This GitHub has no Query.marketplaceCategories yet: add it to caseworker.github_double.graphql."
    )


def test_a_field_that_github_lacks_is_refused_before_anything_is_done(stage: Stage) -> None:
    answered = ask(stage, "mutation {addComment(input: {subjectId: 1, body: 2, wrong: 3}) {clientMutationId}}")
    assert "data" not in answered.body
    assert stage.issue.comments == []


def test_mutations_act_as_the_asker_within_their_rights(stage: Stage) -> None:
    comment = 'mutation($id: ID!) {addComment(input: {subjectId: $id, body: "Hello"}) {commentEdge {node {id body}}}}'
    edge = reach(data(ask(stage, comment, stage.sam, id=stage.issue.node_id)), "addComment.commentEdge.node")
    assert reach(edge, "body") == "Hello"
    assert [one.author.login for one in stage.issue.comments] == ["sam"]
    assert stage.olga.user is not None
    weak = create_token(stage.github, stage.olga.user, permissions={"issues": "read"}, repositories=[stage.shop])
    answered = ask(stage, comment, replace(stage.olga, token=weak), id=stage.issue.node_id)
    assert reach(answered.body, "errors.0.type") == "FORBIDDEN"
    assert len(stage.issue.comments) == 1


def test_threads_are_answered_and_resolved(stage: Stage) -> None:
    draft = LineComment(path="shop.py", body="Why 3?", line=1)
    create_review(stage.github, stage.olga, stage.pull, verdict="COMMENT", comments=[draft])
    [thread] = stage.pull.threads
    query = """mutation($id: ID!) {
        addPullRequestReviewThreadReply(input: {pullRequestReviewThreadId: $id, body: "See #1"}) {comment {body}}
        resolveReviewThread(input: {threadId: $id}) {thread {isResolved resolvedBy {login}}}}"""
    found = data(ask(stage, query, stage.sam, id=thread.node_id))
    assert reach(found, "resolveReviewThread.thread") == {"isResolved": True, "resolvedBy": {"login": "sam"}}
    assert [one.body for one in thread.comments] == ["Why 3?", "See #1"]


def test_the_cost_of_the_probe_is_that_of_the_published_formula(stage: Stage) -> None:
    answered = ask(stage, PROBE, owner="olga", name="shop", number=2)
    assert answered.cost.points == reach(answered.body, "data.rateLimit.cost")
    query = "{viewer {repositories(first: 100) {nodes {issues(first: 50) {nodes {labels(first: 60) {nodes {name}}}}}}}}"
    assert ask(stage, query).cost == Cost(points=51, nodes=305_100)


def test_a_query_for_too_many_nodes_is_refused(stage: Stage) -> None:
    query = (
        "{viewer {repositories(first: 100) {nodes {issues(first: 100) {nodes {labels(first: 100) {nodes {name}}}}}}}}"
    )
    assert reach(ask(stage, query).body, "errors.0.type") == "MAX_NODE_LIMIT_EXCEEDED"
