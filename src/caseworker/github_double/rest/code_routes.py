"""Files, branches, refs, commits and comparisons."""

import base64
import binascii

from caseworker.github_double import git_store
from caseworker.github_double.access import PUSH, READ_CODE
from caseworker.github_double.acts.push_acts import set_ref, write_file
from caseworker.github_double.entities.repository import Repository
from caseworker.github_double.front import Answer
from caseworker.github_double.git_diffs import changed_files, diff_text
from caseworker.github_double.refusals import FieldError, NotFound, Unprocessable
from caseworker.github_double.rest.exchange import Call, RestRoute
from caseworker.github_double.shapes.code_shapes import directory_json, file_content_json, readme_path
from caseworker.github_double.shapes.commit_shapes import (
    commit_json,
    file_json,
    full_commit_json,
    protection_summary,
    ref_json,
    short_branch_json,
)
from caseworker.github_double.shapes.repository_shapes import repository_page, repository_url
from caseworker.github_double.state import Json


def get_contents(call: Call) -> Answer:
    repository = call.repository(READ_CODE)
    return _contents(call, repository, call.part("path").strip("/"))


def get_readme(call: Call) -> Answer:
    repository = call.repository(READ_CODE)
    found = readme_path(repository, _at(call, repository))
    if found is None:
        raise NotFound
    return _contents(call, repository, found)


def put_contents(call: Call) -> Answer:
    repository, fields, path = call.repository(PUSH), call.fields, call.part("path").strip("/")
    try:
        content = base64.b64decode(fields.required("content"))
    except binascii.Error:
        error = FieldError(resource="Content", field="content", code="invalid")
        raise Unprocessable("content is not valid Base64", error) from None
    is_new = git_store.read_blob(repository.path, f"{repository.default_branch}:{path}") is None
    commit = write_file(
        call.github,
        call.actor,
        repository,
        path,
        content,
        message=fields.required("message"),
        branch=fields.text("branch"),
        blob=fields.text("sha"),
    )
    shown = commit_json(call.github, repository, commit)
    inner = shown["commit"]
    assert isinstance(inner, dict)
    body: Json = {
        "content": file_content_json(call.github, repository, commit, path),
        "commit": {
            **inner,
            "sha": commit,
            "node_id": shown["node_id"],
            "html_url": shown["html_url"],
            "parents": shown["parents"],
        },
    }
    return Answer(body, 201 if is_new else 200)


def list_branches(call: Call) -> Answer:
    repository = call.repository(READ_CODE)
    branches = list(git_store.branches(repository.path).items())
    return call.page(branches, lambda one: short_branch_json(call.github, repository, *one))


def get_branch(call: Call) -> Answer:
    repository, name = call.repository(READ_CODE), call.part("branch")
    sha = git_store.branch_head(repository.path, name)
    if sha is None:
        raise NotFound("Branch not found")
    home, page = repository_url(call.github, repository), repository_page(call.github, repository)
    short = short_branch_json(call.github, repository, name, sha)
    links = {"self": f"{home}/branches/{name}", "html": f"{page}/tree/{name}"}
    more = protection_summary(call.github, repository, name)
    return Answer({**short, **more, "commit": commit_json(call.github, repository, sha), "_links": links})


def get_ref(call: Call) -> Answer:
    repository, name = call.repository(READ_CODE), f"refs/{call.part('ref')}"
    sha = git_store.refs(repository.path).get(name)
    if sha is None:
        raise NotFound
    return Answer(ref_json(call.github, repository, name, sha))


def list_matching_refs(call: Call) -> Answer:
    repository, prefix = call.repository(READ_CODE), f"refs/{call.part('ref')}"
    found = [(name, sha) for name, sha in git_store.refs(repository.path).items() if name.startswith(prefix)]
    return call.page(found, lambda one: ref_json(call.github, repository, *one))


def post_ref(call: Call) -> Answer:
    repository, name, sha = call.repository(PUSH), call.fields.required("ref"), call.fields.required("sha")
    if not name.startswith("refs/") or name.count("/") < 2:
        raise Unprocessable("Reference name must start with 'refs/' and contain at least two slashes.")
    if name in git_store.refs(repository.path):
        raise Unprocessable("Reference already exists")
    set_ref(call.github, call.actor, repository, name, sha)
    return Answer(ref_json(call.github, repository, name, sha), 201)


def patch_ref(call: Call) -> Answer:
    repository, name, sha = call.repository(PUSH), f"refs/{call.part('ref')}", call.fields.required("sha")
    if name not in git_store.refs(repository.path):
        raise Unprocessable("Reference does not exist")
    set_ref(call.github, call.actor, repository, name, sha, force=call.fields.flag("force"))
    return Answer(ref_json(call.github, repository, name, sha))


def delete_ref(call: Call) -> Answer:
    set_ref(call.github, call.actor, call.repository(PUSH), f"refs/{call.part('ref')}", None)
    return Answer(None, 204)


def list_commits(call: Call) -> Answer:
    repository = call.repository(READ_CODE)
    limits = [f"--since={call.query('since')}"] if call.query("since") else []
    path = ["--", call.query("path")] if call.query("path") else []
    commits = git_store.log(repository.path, *limits, _at(call, repository, "sha"), *path)
    return call.page(commits, lambda one: commit_json(call.github, repository, one.sha))


def get_commit(call: Call) -> Answer:
    repository = call.repository(READ_CODE)
    return Answer(full_commit_json(call.github, repository, call.commit(repository)))


def compare(call: Call) -> Answer:
    """Three dots: from the merge base to the head."""
    repository = call.repository(READ_CODE)
    base_name, _, head_name = call.part("span").partition("...")
    base = git_store.resolve(repository.path, base_name.rpartition(":")[2])
    head = git_store.resolve(repository.path, head_name.rpartition(":")[2])
    if base is None or head is None:
        raise NotFound
    path = repository.path
    if ".diff" in call.accept:
        return Answer(diff_text(path, base, head).encode(), media_type="application/vnd.github.v3.diff; charset=utf-8")
    start = git_store.merge_base(path, base, head)
    if start is None:
        raise NotFound(f"No common ancestor between {base_name} and {head_name}.")
    ahead, behind = git_store.count(path, base, head), git_store.count(path, head, base)
    words = {(False, False): "identical", (True, False): "ahead", (False, True): "behind", (True, True): "diverged"}
    url = f"{repository_url(call.github, repository)}/compare/{base_name}...{head_name}"
    page = f"{repository_page(call.github, repository)}/compare/{base_name}...{head_name}"
    commits = git_store.log(path, "--reverse", f"{base}..{head}")
    body: Json = {
        "url": url,
        "html_url": page,
        "permalink_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "base_commit": commit_json(call.github, repository, base),
        "merge_base_commit": commit_json(call.github, repository, start),
        "status": words[(ahead > 0, behind > 0)],
        "ahead_by": ahead,
        "behind_by": behind,
        "total_commits": ahead,
        "commits": [commit_json(call.github, repository, one.sha) for one in commits],
        "files": [file_json(call.github, repository, head, one) for one in changed_files(path, start, head)],
    }
    return Answer(body)


def _contents(call: Call, repository: Repository, path: str) -> Answer:
    sha = _at(call, repository)
    kind = git_store.kind_of(repository.path, f"{sha}:{path}")
    if kind is None:
        raise NotFound
    if kind == "tree":
        return Answer(directory_json(call.github, repository, sha, path))
    if ".raw" in call.accept:
        raw = git_store.read_blob(repository.path, f"{sha}:{path}")
        return Answer(raw, media_type="application/vnd.github.v3.raw; charset=utf-8")
    return Answer(file_content_json(call.github, repository, sha, path))


def _at(call: Call, repository: Repository, parameter: str = "ref") -> str:
    found = git_store.resolve(repository.path, call.query(parameter) or repository.default_branch)
    if found is None:
        raise NotFound(f"No commit found for the ref {call.query(parameter)}")
    return found


_HOME = "/repos/{owner}/{repo}"

ROUTES = (
    RestRoute("GET", f"{_HOME}/contents", lambda call: _contents(call, call.repository(READ_CODE), "")),
    RestRoute("GET", f"{_HOME}/contents/{{path:path}}", get_contents),
    RestRoute("PUT", f"{_HOME}/contents/{{path:path}}", put_contents),
    RestRoute("GET", f"{_HOME}/readme", get_readme),
    RestRoute("GET", f"{_HOME}/branches", list_branches),
    RestRoute("GET", f"{_HOME}/git/ref/{{ref:path}}", get_ref),
    RestRoute("GET", f"{_HOME}/git/matching-refs/{{ref:path}}", list_matching_refs),
    RestRoute("POST", f"{_HOME}/git/refs", post_ref),
    RestRoute("PATCH", f"{_HOME}/git/refs/{{ref:path}}", patch_ref),
    RestRoute("DELETE", f"{_HOME}/git/refs/{{ref:path}}", delete_ref),
    RestRoute("GET", f"{_HOME}/commits", list_commits),
    RestRoute("GET", f"{_HOME}/compare/{{span:path}}", compare),
)

LAST_ROUTES = (
    # Names with slashes: these would also match the longer paths of checks and protection.
    RestRoute("GET", f"{_HOME}/branches/{{branch:path}}", get_branch),
    RestRoute("GET", f"{_HOME}/commits/{{ref:path}}", get_commit),
)
