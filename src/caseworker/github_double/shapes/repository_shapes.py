"""Repositories as JSON: the short form inside other bodies, and the full one."""

from caseworker.github_double.access import role_of
from caseworker.github_double.entities.accounts import Role, User
from caseworker.github_double.entities.repository import Repository
from caseworker.github_double.moments import wire_time
from caseworker.github_double.shapes.account_shapes import user_json
from caseworker.github_double.state import GitHub, Json

_LINKS = (
    ("archive_url", "/{archive_format}{/ref}"),
    ("assignees_url", "/assignees{/user}"),
    ("blobs_url", "/git/blobs{/sha}"),
    ("branches_url", "/branches{/branch}"),
    ("collaborators_url", "/collaborators{/collaborator}"),
    ("comments_url", "/comments{/number}"),
    ("commits_url", "/commits{/sha}"),
    ("compare_url", "/compare/{base}...{head}"),
    ("contents_url", "/contents/{+path}"),
    ("contributors_url", "/contributors"),
    ("deployments_url", "/deployments"),
    ("downloads_url", "/downloads"),
    ("events_url", "/events"),
    ("forks_url", "/forks"),
    ("git_commits_url", "/git/commits{/sha}"),
    ("git_refs_url", "/git/refs{/sha}"),
    ("git_tags_url", "/git/tags{/sha}"),
    ("hooks_url", "/hooks"),
    ("issue_comment_url", "/issues/comments{/number}"),
    ("issue_events_url", "/issues/events{/number}"),
    ("issues_url", "/issues{/number}"),
    ("keys_url", "/keys{/key_id}"),
    ("labels_url", "/labels{/name}"),
    ("languages_url", "/languages"),
    ("merges_url", "/merges"),
    ("milestones_url", "/milestones{/number}"),
    ("notifications_url", "/notifications{?since,all,participating}"),
    ("pulls_url", "/pulls{/number}"),
    ("releases_url", "/releases{/id}"),
    ("stargazers_url", "/stargazers"),
    ("statuses_url", "/statuses/{sha}"),
    ("subscribers_url", "/subscribers"),
    ("subscription_url", "/subscription"),
    ("tags_url", "/tags"),
    ("teams_url", "/teams"),
    ("trees_url", "/git/trees{/sha}"),
)


def repository_url(github: GitHub, repository: Repository) -> str:
    return f"{github.api_url}/repos/{repository.full_name}"


def repository_page(github: GitHub, repository: Repository) -> str:
    return f"{github.url}/{repository.full_name}"


def minimal_repository_json(github: GitHub, repository: Repository) -> Json:
    home = repository_url(github, repository)
    return {
        "id": repository.id,
        "node_id": repository.node_id,
        "name": repository.name,
        "full_name": repository.full_name,
        "private": repository.is_private,
        "owner": user_json(github, repository.owner),
        "html_url": repository_page(github, repository),
        "description": repository.description,
        "fork": repository.parent is not None,
        "url": home,
        **{name: home + path for name, path in _LINKS},
    }


def repository_json(github: GitHub, repository: Repository) -> Json:
    """As webhooks and pull requests have it."""
    page = repository_page(github, repository)
    open_issues = sum(issue.state == "open" for issue in repository.issues.values())
    forks = sum(one.parent is repository for one in github.repositories.values())
    return {
        **minimal_repository_json(github, repository),
        "git_url": page.replace("http", "git", 1) + ".git",
        "ssh_url": f"git@github.com:{repository.full_name}.git",
        "clone_url": f"{page}.git",
        "svn_url": page,
        "homepage": None,
        "size": 1,
        "stargazers_count": 0,
        "watchers_count": 0,
        "watchers": 0,
        "language": None,
        "has_issues": True,
        "has_projects": False,
        "has_downloads": False,
        "has_wiki": False,
        "has_pages": False,
        "has_discussions": False,
        "forks_count": forks,
        "forks": forks,
        "mirror_url": None,
        "archived": repository.is_archived,
        "disabled": False,
        "open_issues_count": open_issues,
        "open_issues": open_issues,
        "license": None,
        "allow_forking": True,
        "is_template": False,
        "web_commit_signoff_required": False,
        "topics": [],
        "visibility": "private" if repository.is_private else "public",
        "default_branch": repository.default_branch,
        "created_at": wire_time(repository.created_at),
        "updated_at": wire_time(repository.pushed_at),
        "pushed_at": wire_time(repository.pushed_at),
    }


def full_repository_json(github: GitHub, repository: Repository, viewer: User | None) -> Json:
    """The answer of `GET /repos/{owner}/{repo}`."""
    parent = repository.parent
    ancestry: Json = {}
    if parent is not None:
        ancestry = {"parent": repository_json(github, parent), "source": repository_json(github, parent)}
    return {
        **repository_json(github, repository),
        "permissions": permission_flags(role_of(viewer, repository)),
        "temp_clone_token": "",
        "allow_squash_merge": True,
        "allow_merge_commit": True,
        "allow_rebase_merge": True,
        "allow_auto_merge": True,
        "delete_branch_on_merge": False,
        "allow_update_branch": True,
        "network_count": 0,
        "subscribers_count": 0,
        **ancestry,
    }


def permission_flags(role: Role) -> dict[str, bool]:
    return {
        "admin": role >= Role.ADMIN,
        "maintain": role >= Role.MAINTAIN,
        "push": role >= Role.WRITE,
        "triage": role >= Role.TRIAGE,
        "pull": role >= Role.READ,
    }
