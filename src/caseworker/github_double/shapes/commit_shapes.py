"""Commits, files of a diff, branches and refs as JSON."""

from caseworker.github_double import git_store
from caseworker.github_double.derive.effective_rules import is_protected, protection_of
from caseworker.github_double.entities.accounts import User
from caseworker.github_double.entities.repository import Repository
from caseworker.github_double.git_diffs import changed_files
from caseworker.github_double.git_store import CommitData, FileChange
from caseworker.github_double.shapes.account_shapes import user_or_none
from caseworker.github_double.shapes.repository_shapes import repository_page, repository_url
from caseworker.github_double.state import GitHub, Json

_EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def simple_commit_json(repository: Repository, sha: str) -> Json:
    """The short form inside check suites, workflow runs and pushes."""
    commit = git_store.commit(repository.path, sha)
    return {
        "id": commit.sha,
        "tree_id": commit.tree,
        "message": commit.message,
        "timestamp": commit.committed_at,
        "author": {"name": commit.author_name, "email": commit.author_email},
        "committer": {"name": commit.committer_name, "email": commit.committer_email},
    }


def commit_json(github: GitHub, repository: Repository, sha: str) -> Json:
    """One entry of a list of commits."""
    commit = git_store.commit(repository.path, sha)
    home, page = repository_url(github, repository), repository_page(github, repository)
    url = f"{home}/commits/{sha}"
    return {
        "sha": sha,
        "node_id": f"C_{sha}",
        "commit": git_commit_json(github, repository, commit),
        "url": url,
        "html_url": f"{page}/commit/{sha}",
        "comments_url": f"{url}/comments",
        "author": user_or_none(github, account_of(github, commit.author_email)),
        "committer": user_or_none(github, account_of(github, commit.committer_email)),
        "parents": [
            {"sha": one, "url": f"{home}/commits/{one}", "html_url": f"{page}/commit/{one}"} for one in commit.parents
        ],
    }


def full_commit_json(github: GitHub, repository: Repository, sha: str) -> Json:
    """With the files it changes."""
    commit = git_store.commit(repository.path, sha)
    files = changed_files(repository.path, commit.parents[0] if commit.parents else _EMPTY_TREE, sha)
    added, deleted = sum(one.additions for one in files), sum(one.deletions for one in files)
    return {
        **commit_json(github, repository, sha),
        "stats": {"total": added + deleted, "additions": added, "deletions": deleted},
        "files": [file_json(github, repository, sha, one) for one in files],
    }


def git_commit_json(github: GitHub, repository: Repository, commit: CommitData) -> Json:
    home = repository_url(github, repository)
    unsigned = {"verified": False, "reason": "unsigned", "signature": None, "payload": None, "verified_at": None}
    return {
        "author": {"name": commit.author_name, "email": commit.author_email, "date": commit.authored_at},
        "committer": {"name": commit.committer_name, "email": commit.committer_email, "date": commit.committed_at},
        "message": commit.message,
        "tree": {"sha": commit.tree, "url": f"{home}/git/trees/{commit.tree}"},
        "url": f"{home}/git/commits/{commit.sha}",
        "comment_count": 0,
        "verification": unsigned,
    }


def account_of(github: GitHub, email: str) -> User | None:
    """The account behind a commit's address, as GitHub links it."""
    return next((one for one in github.users.values() if email in (one.email, git_store.email_of(one))), None)


def file_json(github: GitHub, repository: Repository, sha: str, change: FileChange) -> Json:
    page = repository_page(github, repository)
    more: Json = {}
    if change.patch is not None:
        more["patch"] = change.patch
    if change.previous_path is not None:
        more["previous_filename"] = change.previous_path
    return {
        "sha": change.blob,
        "filename": change.path,
        "status": change.status,
        "additions": change.additions,
        "deletions": change.deletions,
        "changes": change.additions + change.deletions,
        "blob_url": f"{page}/blob/{sha}/{change.path}",
        "raw_url": f"{page}/raw/{sha}/{change.path}",
        "contents_url": f"{repository_url(github, repository)}/contents/{change.path}?ref={sha}",
        **more,
    }


def short_branch_json(github: GitHub, repository: Repository, name: str, sha: str) -> Json:
    home = repository_url(github, repository)
    return {
        "name": name,
        "commit": {"sha": sha, "url": f"{home}/commits/{sha}"},
        "protected": is_protected(repository, name),
        **protection_summary(github, repository, name),
    }


def protection_summary(github: GitHub, repository: Repository, name: str) -> Json:
    """The part of a branch that also people without admin rights see."""
    protection = protection_of(repository, name)
    contexts = [check.context for check in protection.checks or ()] if protection else []
    checks = [{"context": one.context, "app_id": one.app_id} for one in protection.checks or ()] if protection else []
    level = "off" if not contexts else "everyone" if protection and protection.binds_admins else "non_admins"
    url = f"{repository_url(github, repository)}/branches/{name}/protection"
    required = {"enforcement_level": level, "contexts": contexts, "checks": checks}
    return {
        "protection": {"enabled": protection is not None, "required_status_checks": required},
        "protection_url": url,
    }


def ref_json(github: GitHub, repository: Repository, name: str, sha: str) -> Json:
    home = repository_url(github, repository)
    return {
        "ref": name,
        "node_id": f"REF_{repository.id}_{name}",
        "url": f"{home}/git/{name}",
        "object": {"sha": sha, "type": "commit", "url": f"{home}/git/commits/{sha}"},
    }
