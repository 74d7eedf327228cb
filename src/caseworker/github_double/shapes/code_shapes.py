"""Files and folders of a commit as JSON."""

import base64

from caseworker.github_double import git_store
from caseworker.github_double.entities.repository import Repository
from caseworker.github_double.shapes.repository_shapes import repository_page, repository_url
from caseworker.github_double.state import GitHub, Json


def file_content_json(github: GitHub, repository: Repository, sha: str, path: str) -> Json:
    content = git_store.read_blob(repository.path, f"{sha}:{path}") or b""
    blob = git_store.run_git(repository.path, "rev-parse", f"{sha}:{path}")
    encoded = base64.encodebytes(content).decode()
    return {
        **_entry(github, repository, sha, path, "file", blob, len(content)),
        "content": encoded,
        "encoding": "base64",
    }


def directory_json(github: GitHub, repository: Repository, sha: str, path: str) -> list[Json]:
    listed = git_store.run_git(repository.path, "ls-tree", "-l", "-z", f"{sha}:{path}")
    entries = []
    for line in filter(None, listed.split("\0")):
        described, name = line.split("\t", 1)
        _, kind, blob, size = described.split()
        full = f"{path}/{name}" if path else name
        entries.append(
            _entry(
                github,
                repository,
                sha,
                full,
                "dir" if kind == "tree" else "file",
                blob,
                int(size) if size.isdigit() else 0,
            )
        )
    return entries


def readme_path(repository: Repository, sha: str) -> str | None:
    names = git_store.run_git(repository.path, "ls-tree", "--name-only", sha).splitlines()
    return next((name for name in names if name.lower().partition(".")[0] == "readme"), None)


def _entry(github: GitHub, repository: Repository, sha: str, path: str, kind: str, blob: str, size: int) -> Json:
    url = f"{repository_url(github, repository)}/contents/{path}?ref={sha}"
    git_url = f"{repository_url(github, repository)}/git/{'trees' if kind == 'dir' else 'blobs'}/{blob}"
    page = repository_page(github, repository)
    html = f"{page}/{'tree' if kind == 'dir' else 'blob'}/{sha}/{path}"
    return {
        "name": path.rpartition("/")[2],
        "path": path,
        "sha": blob,
        "size": size,
        "url": url,
        "html_url": html,
        "git_url": git_url,
        "download_url": None if kind == "dir" else f"{page}/raw/{sha}/{path}",
        "type": kind,
        "_links": {"self": url, "git": git_url, "html": html},
    }
