"""Pull requests: list, open, edit, files, commits, reviewers, update, merge."""

from uuid import NAMESPACE_URL, uuid5

from caseworker.github_double import git_store
from caseworker.github_double.access import EDIT_PULL, OPEN_PULL, PUSH, READ_PULLS
from caseworker.github_double.acts.merge_acts import merge_pull, update_branch
from caseworker.github_double.acts.pull_acts import (
    close_pull,
    create_pull,
    edit_pull,
    reopen_pull,
    request_reviewers,
    unrequest_reviewers,
)
from caseworker.github_double.entities.details import MergeMethod
from caseworker.github_double.entities.repository import PullRequest
from caseworker.github_double.front import Answer
from caseworker.github_double.git_diffs import changed_files, diff_text, patch_text
from caseworker.github_double.refusals import FieldError, NotFound, Unprocessable
from caseworker.github_double.rest.exchange import Call, RestRoute
from caseworker.github_double.shapes.commit_shapes import commit_json, file_json
from caseworker.github_double.shapes.pull_shapes import pull_json, pull_simple_json
from caseworker.github_double.shapes.review_shapes import requested_json
from caseworker.github_double.state import Json

_METHODS: tuple[MergeMethod, ...] = ("merge", "squash", "rebase")


def list_pulls(call: Call) -> Answer:
    repository = call.repository(READ_PULLS)
    state, head, base = call.query("state", "open"), call.query("head"), call.query("base")
    found = [
        pull
        for pull in repository.pulls.values()
        if state in ("all", pull.issue.state) and head in ("", _label(pull)) and base in ("", pull.base.ref)
    ]
    by_update = call.query("sort", "created") == "updated"
    found.sort(
        key=lambda pull: (pull.issue.times.updated_at if by_update else pull.issue.times.created_at, pull.number),
        reverse=call.query("direction", "asc" if by_update else "desc") == "desc",
    )
    return call.page(found, lambda pull: pull_simple_json(call.github, pull))


def post_pull(call: Call) -> Answer:
    fields = call.fields
    pull = create_pull(
        call.github,
        call.actor,
        call.repository(OPEN_PULL),
        title=fields.text("title") or "",
        head=fields.text("head") or "",
        base=fields.text("base") or "",
        body=fields.text("body"),
        is_draft=fields.flag("draft"),
        maintainer_can_modify=fields.flag("maintainer_can_modify", default=True),
    )
    body = pull_json(call.github, pull)
    return Answer(body, 201, {"location": str(body["url"])})


def get_pull(call: Call) -> Answer:
    """Also as a diff or a patch, by the media type."""
    pull = call.pull(READ_PULLS)
    for word, text in (("diff", diff_text), ("patch", patch_text)):
        if f".{word}" in call.accept:
            written = text(pull.repository.path, pull.base.sha, pull.head.sha).encode()
            return Answer(written, media_type=f"application/vnd.github.v3.{word}; charset=utf-8")
    return Answer(pull_json(call.github, pull))


def patch_pull(call: Call) -> Answer:
    pull, fields = call.pull(OPEN_PULL), call.fields
    edit_pull(
        call.github,
        call.actor,
        pull,
        title=fields.text("title"),
        body=fields.text("body"),
        base=fields.text("base"),
    )
    if fields.has("maintainer_can_modify"):
        pull.maintainer_can_modify = fields.flag("maintainer_can_modify")
    state = fields.text("state")
    if state == "closed":
        close_pull(call.github, call.actor, pull)
    elif state == "open" and not pull.is_open:
        reopen_pull(call.github, call.actor, pull)
    return Answer(pull_json(call.github, pull))


def list_files(call: Call) -> Answer:
    pull = call.pull(READ_PULLS)
    path = pull.repository.path
    start = git_store.merge_base(path, pull.base.sha, pull.head.sha) or pull.base.sha
    files = changed_files(path, start, pull.head.sha)
    return call.page(files, lambda one: file_json(call.github, pull.repository, pull.head.sha, one))


def list_commits(call: Call) -> Answer:
    pull = call.pull(READ_PULLS)
    span = f"{pull.base.sha}..{pull.head.sha}"
    commits = git_store.log(pull.repository.path, "--reverse", "--topo-order", span)
    return call.page(commits, lambda one: commit_json(call.github, pull.repository, one.sha))


def get_requested(call: Call) -> Answer:
    return Answer(requested_json(call.github, call.pull(READ_PULLS)))


def post_requested(call: Call) -> Answer:
    pull = call.pull(EDIT_PULL)
    request_reviewers(call.github, call.actor, pull, call.fields.texts("reviewers"))
    return Answer(pull_simple_json(call.github, pull), 201)


def delete_requested(call: Call) -> Answer:
    pull = call.pull(EDIT_PULL)
    unrequest_reviewers(call.github, call.actor, pull, call.fields.texts("reviewers"))
    return Answer(pull_simple_json(call.github, pull))


def get_merged(call: Call) -> Answer:
    if call.pull(READ_PULLS).merged is None:
        raise NotFound
    return Answer(None, 204)


def put_merge(call: Call) -> Answer:
    pull, asked = call.pull(PUSH), call.fields.text("merge_method") or "merge"
    method = next((one for one in _METHODS if one == asked), None)
    if method is None:
        error = FieldError(resource="PullRequest", field="merge_method", code="invalid")
        raise Unprocessable("Validation Failed", error)
    commit = merge_pull(
        call.github,
        call.actor,
        pull,
        method=method,
        expected_head=call.fields.text("sha"),
        title=call.fields.text("commit_title"),
    )
    return Answer({"sha": commit, "merged": True, "message": "Pull Request successfully merged"})


def put_merge_async(call: Call) -> Answer:
    """Here the merge has been tried when the answer comes; GitHub does it in the background."""
    pull = call.pull(PUSH)
    if pull.merged is not None:
        return Answer({"status": "merged", "details": _merged_details(pull)})
    if pull.is_draft or not pull.is_open:
        return Answer({"status": "failed", "details": {"message": "Pull Request is not mergeable"}}, 400)
    head = pull.head.sha
    merge_pull(call.github, call.actor, pull, expected_head=call.fields.text("sha"))
    details = {"message": "Merge request is in progress.", "uuid": str(uuid5(NAMESPACE_URL, pull.node_id))}
    told = details | {"merge_method": "merge", "merge_action": "default", "expected_head_sha": head}
    return Answer({"status": "pending", "details": told}, 202)


def get_merge_async(call: Call) -> Answer:
    pull = call.pull(READ_PULLS)
    if pull.merged is None:
        raise NotFound
    return Answer({"status": "merged", "details": _merged_details(pull)})


def _merged_details(pull: PullRequest) -> Json:
    return {"message": "Pull request was merged.", "sha": pull.merged.commit if pull.merged else None}


def put_update_branch(call: Call) -> Answer:
    pull = call.pull(OPEN_PULL)
    update_branch(call.github, call.actor, pull, expected_head=call.fields.text("expected_head_sha"))
    return Answer({"message": "Updating pull request branch.", "url": pull_json(call.github, pull)["url"]}, 202)


def _label(pull: PullRequest) -> str:
    owner = pull.head.repository.owner.login if pull.head.repository else ""
    return f"{owner}:{pull.head.ref}"


_ONE = "/repos/{owner}/{repo}/pulls/{number:int}"

ROUTES = (
    RestRoute("GET", "/repos/{owner}/{repo}/pulls", list_pulls),
    RestRoute("POST", "/repos/{owner}/{repo}/pulls", post_pull),
    RestRoute("GET", _ONE, get_pull),
    RestRoute("PATCH", _ONE, patch_pull),
    RestRoute("GET", f"{_ONE}/files", list_files),
    RestRoute("GET", f"{_ONE}/commits", list_commits),
    RestRoute("GET", f"{_ONE}/requested_reviewers", get_requested),
    RestRoute("POST", f"{_ONE}/requested_reviewers", post_requested),
    RestRoute("DELETE", f"{_ONE}/requested_reviewers", delete_requested),
    RestRoute("GET", f"{_ONE}/merge", get_merged),
    RestRoute("PUT", f"{_ONE}/merge", put_merge),
    RestRoute("PUT", f"{_ONE}/merge-async", put_merge_async),
    RestRoute("GET", f"{_ONE}/merge-async/{{uuid}}", get_merge_async),
    RestRoute("PUT", f"{_ONE}/update-branch", put_update_branch),
)
