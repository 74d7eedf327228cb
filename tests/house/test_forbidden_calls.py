"""The check that nothing merges, on planted calls: each way of writing one is found, and what is harmless is not."""

import ast
from pathlib import Path

import pytest
from scripts.house import forbidden_calls
from scripts.house.forbidden_calls import forbidden

from tests.house.small_tree import measured, plant

PLANTED = {
    "a path": 'api.put("/repos/o/r/pulls/7/merge")',
    "an f-string": 'api.put(f"repos/{owner}/{name}/pulls/{number}/merge")',
    "the asynchronous route": 'api.put(f"repos/{owner}/{name}/pulls/{number}/merge-async")',
    "a path in parts": 'api.write(repository_path(repository, "pulls", number, "merge"))',
    "joined parts": '"/".join(["repos", owner, name, "pulls", str(number), "merge"])',
    "a split string": 'api.put(f"repos/o/r/pulls/{number}/mer" + "ge")',
    "a joined word": 'getattr(github.rest.pulls, "".join(("async_", "mer", "ge")))(owner, name, 7)',
    "a constant": 'WORD = "merge"\napi.put(f"repos/o/r/pulls/{number}/{WORD}")',
    "an old format": 'api.put("repos/%s/%s/pulls/%d/merge" % (owner, name, number))',
    "a format": 'api.put("repos/{}/{}/pulls/{}/merge".format(owner, name, number))',
    "branches": 'api.post(f"repos/{owner}/{name}/merges")',
    "an upstream": 'api.post(repository_path(repository, "merge-upstream"))',
    "the base into the head": 'api.put(f"repos/o/r/pulls/{number}/update-branch")',
    "a dismissal": 'api.put(f"repos/o/r/pulls/{number}/reviews/{review}/dismissals")',
    "a review": 'api.post(f"repos/o/r/pulls/{number}/reviews", body)',
    "an approval": 'body = {"event": "APPROVE"}',
    "a request for changes": 'body = {"event": "REQUEST_CHANGES"}',
    "a fork's CI": 'api.post(f"repos/o/r/actions/runs/{run}/approve")',
    "a mutation": 'query = "mutation { mergePullRequest(input: {}) { clientMutationId } }"',
    "auto-merge": 'query = """mutation($id: ID!) { enablePullRequestAutoMerge(input: {pullRequestId: $id}) { x } }"""',
    "a queue": 'query = "mutation { enqueuePullRequest(input: {}) { x } }"',
    "a commit on the base": 'query = f"mutation {{ createCommitOnBranch(input: {value}) {{ x }} }}"',
    "a method": "await github.rest.pulls.async_merge(owner, name, 7)",
    "another method": "github.rest.pulls.create_review(owner, name, 7, event=event)",
    "a method of repositories": "github.rest.repos.merge(owner, name)",
    "a versioned method": 'github.rest("2022-11-28").pulls.merge(owner, name, 7)',
    "getattr": 'getattr(github.rest.pulls, "merge")(owner, name, 7)',
    "getattr of a part": 'getattr(github.rest, "pulls").merge(owner, name, 7)',
    "the gh command": 'run("gh pr merge 7 --squash")',
}

HARMLESS = {
    "git's merge": 'await git("merge", "--no-ff", commit)',
    "a merge base": 'await git("merge-base", one, other)',
    "a workspace's merge": "await self._workspaces.merge(workspace, ours, theirs)",
    "a read of reviews": 'await api.pages(repository, repository_path(repository, "pulls", number, "reviews"), Review)',
    "a state": 'if review.state == "APPROVED" or pull.merged_at: ...',
    "resolving a thread": 'query = "mutation { resolveReviewThread(input: {}) { x } }"',
    "a docstring": 'def f():\n    """PUT /repos/o/r/pulls/7/merge does not exist here."""',
    "words": 'text = "Merge it, or close it: caseworker never merges."',
}


@pytest.mark.parametrize("how", PLANTED)
def test_a_planted_call_is_found(how: str) -> None:
    assert forbidden(ast.parse(PLANTED[how]))


@pytest.mark.parametrize("how", HARMLESS)
def test_what_is_harmless_is_not_found(how: str) -> None:
    assert forbidden(ast.parse(HARMLESS[how])) == set()


def test_only_the_double_may_merge_and_the_finding_names_the_line(tmp_path: Path) -> None:
    planted = "import x\napi.put(f'repos/o/r/pulls/{number}/merge')\n"
    tree = plant(tmp_path, {"forges/github/writes.py": planted, "github_double/rest/merge_routes.py": planted})
    found = measured(forbidden_calls.measures, tree, "calls that merge")
    assert found.findings == ("forges/github/writes.py:2 pulls/{}/merge",)
    assert not found.met
