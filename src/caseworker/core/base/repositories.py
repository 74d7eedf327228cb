"""References to repositories: where one is, and how our branches are named there. Does no I/O."""

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

OUR_BRANCHES = "agent/"
"""The prefix of every branch that we push first."""
COMMITTER = "caseworker@localhost"
"""The address on every commit that we make. Anybody can write it: it is ours only if it is on our record as well."""
_ISSUE_BRANCH = re.compile(rf"{OUR_BRANCHES}issue-([1-9][0-9]{{0,17}})(?:/.*)?")
"""Also matches branches below `agent/issue-7`: git can't create `agent/issue-7` while one exists."""


class _Repository(BaseModel):
    model_config = ConfigDict(frozen=True)

    def branch_of(self, issue: int) -> str:
        """The branch on which an issue of this repository is worked."""
        return f"{OUR_BRANCHES}issue-{issue}"

    def branch_beside(self, pull_request: int, commit: str) -> str:
        """The branch for work on a pull request that was not pushed to its own branch. Each commit has another."""
        return f"{OUR_BRANCHES}pull-{pull_request}-{commit[:10]}"

    def issue_of(self, branch: str) -> int | None:
        """The issue number whose branch name this branch takes or blocks. Null: none."""
        found = _ISSUE_BRANCH.fullmatch(branch)
        return int(found[1]) if found else None


class LocalRepository(_Repository):
    """A git repository in a folder of this machine."""

    kind: Literal["local"] = "local"
    path: Path
    """Its top folder, or the bare repository itself."""

    def __str__(self) -> str:
        return str(self.path)


class RemoteRepository(_Repository):
    """A repository on a forge that is reached over the network."""

    kind: Literal["remote"] = "remote"
    host: str
    """`github.com`, or the host of an Enterprise Server."""
    owner: str
    name: str

    def __str__(self) -> str:
        return f"{self.host}/{self.owner}/{self.name}"


def is_local_address(url: str) -> bool:
    """Whether a pull request with this address is only a branch in a folder of this machine."""
    return url.startswith("file://")


RepositoryRef = Annotated[LocalRepository | RemoteRepository, Field(discriminator="kind")]
