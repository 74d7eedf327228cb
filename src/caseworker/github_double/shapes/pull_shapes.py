"""Pull requests as JSON: the short form of lists and webhooks, and the long one that asks for mergeability."""

from caseworker.github_double import git_store
from caseworker.github_double.derive.merge_state import Mergeable, known_mergeable, look_mergeable, merge_state
from caseworker.github_double.entities.repository import PullRequest, Repository
from caseworker.github_double.git_diffs import changed_files
from caseworker.github_double.moments import wire_time, wire_time_or_none
from caseworker.github_double.shapes.account_shapes import user_json, user_or_none
from caseworker.github_double.shapes.issue_shapes import association, issue_page, issue_url, label_json
from caseworker.github_double.shapes.repository_shapes import repository_json, repository_url
from caseworker.github_double.state import GitHub, Json


def pull_url(github: GitHub, pull: PullRequest) -> str:
    return f"{repository_url(github, pull.repository)}/pulls/{pull.number}"


def pull_simple_json(github: GitHub, pull: PullRequest) -> Json:
    """As in lists. It starts no trial merge."""
    issue, url, page = pull.issue, pull_url(github, pull), issue_page(github, pull.issue)
    home = repository_url(github, pull.repository)
    statuses = f"{home}/statuses/{pull.head.sha}"
    merge_commit = pull.merged.commit if pull.merged else pull.trial_merge and pull.trial_merge.commit
    links = {
        "self": url,
        "html": page,
        "issue": issue_url(github, issue),
        "comments": f"{issue_url(github, issue)}/comments",
        "review_comments": f"{url}/comments",
        "review_comment": f"{home}/pulls/comments{{/number}}",
        "commits": f"{url}/commits",
        "statuses": statuses,
    }
    return {
        "url": url,
        "id": pull.id,
        "node_id": pull.node_id,
        "html_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "issue_url": issue_url(github, issue),
        "number": pull.number,
        "state": issue.state,
        "locked": issue.discussion.is_locked,
        "title": issue.title,
        "user": user_json(github, issue.author),
        "body": issue.body,
        "created_at": wire_time(issue.times.created_at),
        "updated_at": wire_time(issue.times.updated_at),
        "closed_at": wire_time_or_none(issue.times.closed_at),
        "merged_at": wire_time_or_none(pull.merged.at if pull.merged else None),
        "merge_commit_sha": merge_commit,
        "assignee": user_or_none(github, issue.assignees[0] if issue.assignees else None),
        "assignees": [user_json(github, one) for one in issue.assignees],
        "requested_reviewers": [user_json(github, one) for one in pull.requested_reviewers],
        "requested_teams": [],
        "labels": [label_json(github, pull.repository, label) for label in issue.labels],
        "milestone": None,
        "draft": pull.is_draft,
        "commits_url": f"{url}/commits",
        "review_comments_url": f"{url}/comments",
        "review_comment_url": links["review_comment"],
        "comments_url": links["comments"],
        "statuses_url": statuses,
        "head": _end_json(github, pull.head.repository, pull.head.ref, pull.head.sha),
        "base": _end_json(github, pull.repository, pull.base.ref, pull.base.sha),
        "_links": {name: {"href": link} for name, link in links.items()},
        "author_association": association(issue.author, pull.repository),
        "auto_merge": _auto_merge(github, pull),
        "active_lock_reason": issue.discussion.lock_reason,
    }


def pull_json(github: GitHub, pull: PullRequest) -> Json:
    """The answer of `GET /pulls/{n}`, which starts the trial merge like GitHub's."""
    return _long(github, pull, look_mergeable(pull))


def pull_event_json(github: GitHub, pull: PullRequest) -> Json:
    """As webhooks of `pull_request` have it: long, but with what is known of mergeability only."""
    return _long(github, pull, known_mergeable(pull))


def _long(github: GitHub, pull: PullRequest, mergeable: Mergeable) -> Json:
    changes, commits = _size(pull)
    state = merge_state(pull, mergeable)
    return {
        **pull_simple_json(github, pull),
        "merged": pull.merged is not None,
        "mergeable": {"UNKNOWN": None, "MERGEABLE": True, "CONFLICTING": False}[mergeable],
        "rebaseable": {"UNKNOWN": None, "MERGEABLE": True, "CONFLICTING": False}[mergeable],
        "mergeable_state": state.lower(),
        "merged_by": user_or_none(github, pull.merged.by if pull.merged else None),
        "comments": len(pull.issue.comments),
        "review_comments": sum(len(thread.comments) for thread in pull.threads),
        "maintainer_can_modify": pull.is_cross_repository and pull.maintainer_can_modify,
        "commits": commits,
        "additions": sum(one.additions for one in changes),
        "deletions": sum(one.deletions for one in changes),
        "changed_files": len(changes),
    }


def _size(pull: PullRequest) -> tuple[list[git_store.FileChange], int]:
    path = pull.repository.path
    fork_point = git_store.merge_base(path, pull.base.sha, pull.head.sha)
    if fork_point is None:
        return [], 0
    return changed_files(path, fork_point, pull.head.sha), git_store.count(path, fork_point, pull.head.sha)


def _end_json(github: GitHub, repository: Repository | None, ref: str, sha: str) -> Json:
    owner = repository.owner if repository is not None else None
    return {
        "label": f"{owner.login}:{ref}" if owner is not None else ref,
        "ref": ref,
        "sha": sha,
        "user": user_or_none(github, owner),
        "repo": repository_json(github, repository) if repository is not None else None,
    }


def _auto_merge(github: GitHub, pull: PullRequest) -> Json | None:
    if pull.auto_merge is None:
        return None
    return {
        "enabled_by": user_json(github, pull.auto_merge.enabled_by),
        "merge_method": pull.auto_merge.method,
        "commit_title": f"Merge pull request #{pull.number} from {pull.head.ref}",
        "commit_message": pull.issue.title,
    }
