"""The commits of a pull request's branch, and what came of an update from its base. These values cross activities."""

from typing import Annotated, Literal

from pydantic import Field

from caseworker.core.base.ids import Sha
from caseworker.core.pull.pull_facts import Fact


class BranchCommit(Fact):
    """One commit that the branch has and its base has not."""

    sha: Sha
    author: str
    """Name and address, as `Ada <ada@example.org>`. Anybody can write any."""
    committer: str
    subject: str = ""
    is_merge: bool = False
    is_ours: bool = False
    """Author and committer carry our address, and it is on our record of commits that we made."""


class UpToDate(Fact):
    """The branch has all of its base already."""

    kind: Literal["up_to_date"] = "up_to_date"
    head: Sha


class Updated(Fact):
    """A commit that can be pushed once it was built and tested."""

    kind: Literal["updated"] = "updated"
    commit: Sha
    base: Sha
    """The commit of the base branch that it contains."""


class AlreadyInBase(Fact):
    """The base has every change of the branch: nothing would be left of the pull request."""

    kind: Literal["already_in_base"] = "already_in_base"
    base: Sha


class Conflict(Fact):
    """Git could not do it alone. An agent works from `prepared`, whose files hold both versions between markers."""

    kind: Literal["conflict"] = "conflict"
    how: Literal["rebase", "merge"]
    prepared: Sha
    """A commit of its own, never to be pushed. The worktree has it checked out."""
    tip: Sha
    """What the solved commit is put on: the branch's head in a merge, else the part that is rebased already."""
    other: Sha
    """The base in a merge, else the commit that is being put on `tip`."""
    head: Sha
    """The branch's head before the update."""
    base: Sha
    files: tuple[str, ...]
    one_sided: tuple[str, ...] = ()
    """Those of them that can't hold both versions (a picture, a link, changed here and deleted there). They are as on
    the branch, without markers: the one who solves it is told."""


class MarkersLeft(Fact):
    """Files that still hold conflict markers: the conflict is not solved."""

    kind: Literal["markers_left"] = "markers_left"
    files: tuple[str, ...]


UpdateResult = Annotated[UpToDate | Updated | AlreadyInBase | Conflict, Field(discriminator="kind")]
FinishResult = Annotated[Updated | AlreadyInBase | Conflict | MarkersLeft, Field(discriminator="kind")]
"""A rebase may meet a further conflict in a later commit."""
