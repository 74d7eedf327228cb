"""Runs git against GitHub over https, with a token that only that one git process has."""

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import Sha
from caseworker.core.base.repositories import RemoteRepository
from caseworker.forges.github.api import GitHubApi
from caseworker.ports import Git, GitAnswer, GitLogin

_REFUSALS: Final = ("Authentication failed", "could not read Username", "returned error: 401", "returned error: 403")
_ABSENT: Final = ("not found", "returned error: 404")
_SECRET: Final = "x-access-token"  # the user name that GitHub wants beside a token


class HttpsGit:
    def __init__(self, git: Git, api: GitHubApi) -> None:
        self.local = git
        """For commands that reach nothing but this disk."""
        self._api = api

    async def __call__(
        self,
        repository: RemoteRepository,
        verb: str,
        *arguments: str,
        git_dir: Path | None = None,
        options: Sequence[str] = (),
    ) -> GitAnswer:
        """`git VERB OPTIONS URL ARGUMENTS`."""
        url = self._api.address.git_url(repository)
        login = await self._api.credentials.of(repository)
        pair = base64.b64encode(f"{_SECRET}:{login.token}".encode()).decode()
        access = GitLogin(url=url, header=f"Authorization: Basic {pair}")
        inside = None if git_dir else Path("/")
        try:
            return await self.local(verb, *options, url, *arguments, git_dir=git_dir, inside=inside, login=access)
        except Refused as refused:
            told, name = str(refused), f"{repository.owner}/{repository.name}"
            if any(words in told for words in _ABSENT):
                raise Refused(
                    f"GitHub has no repository {name}, or does not show it to Caseworker.",
                    todo="Check the name, and that the App or token was given this repository.",
                ) from None
            if any(words in told for words in _REFUSALS):
                self._api.credentials.forget(login)
                raise Refused(
                    f"GitHub does not let Caseworker {'push to' if verb == 'push' else 'read'} {name}.",
                    todo="Check the App or token: it needs contents: write.",
                ) from None
            raise

    async def refs(self, repository: RemoteRepository, *patterns: str) -> dict[str, Sha]:
        """Where the matching refs are now. `HEAD` among the patterns adds `HEAD -> refs/heads/...` as a name."""
        answer = await self(repository, "ls-remote", *patterns, options=("--symref",))
        found: dict[str, Sha] = {}
        for line in answer.text.splitlines():
            commit, _, name = line.partition("\t")
            if commit.startswith("ref: "):
                found[f"{name} -> {commit.removeprefix('ref: ')}"] = Sha("")
            else:
                found[name] = Sha(commit)
        return found

    async def branch_head(self, repository: RemoteRepository, branch: str) -> Sha | None:
        name = f"refs/heads/{branch}"
        return (await self.refs(repository, name)).get(name)
