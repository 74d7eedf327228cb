"""Who looks at the dashboard: their name, what they may do, and which repositories they may see."""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from caseworker.core.base.ids import RepositoryId
from caseworker.core.kinds import KINDS
from caseworker.core.people.messages import Audience, Standing
from caseworker.dashboard.access_tokens import Rank
from caseworker.ports import StoredAny


class Viewer(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: str
    rank: Rank
    repositories: tuple[str, ...] = ("*",)
    """Patterns such as `acme/*`."""
    by_forge: bool = False
    """Logged in with GitHub: `ranks` is asked for there, and is empty in what is kept of the log-in."""
    ranks: Mapping[RepositoryId, Rank] = Field(default_factory=dict)
    """By repository, where it is not the same everywhere."""
    session: str = Field(default="", repr=False)
    """A name for this log-in that is no secret: part of the ids of what is sent from it."""

    @property
    def sees_all(self) -> bool:
        return "*" in self.repositories

    def sees(self, repository: str) -> bool:
        return repository in self.ranks or any(fnmatchcase(repository, pattern) for pattern in self.repositories)

    def rank_on(self, repository: RepositoryId) -> Rank:
        return self.ranks.get(repository, self.rank)

    @property
    def speaks_for_reporters(self) -> bool:
        """Only the operator does: what is said so is kept under the reporter's name."""
        return self.rank is Rank.OWNER and not self.by_forge

    def visible(self, known: Iterable[RepositoryId]) -> frozenset[RepositoryId] | None:
        """Those of the known repositories that this viewer may see. Null: all."""
        return None if self.sees_all else frozenset(one for one in known if self.sees(one))


def standing_of_viewer(viewer: Viewer, stored: StoredAny) -> Standing | None:
    """The standing of what this viewer sends to the case. Null: they may only look."""
    kind = KINDS[stored.kind]
    match viewer.rank_on(stored.repository):
        case Rank.OWNER:
            return kind.at_terminal[Audience.DEVELOPERS]
        case Rank.DEVELOPER:
            return kind.in_threads[Audience.DEVELOPERS]
        case Rank.READER:
            return None


SURFACE: Final = "web"
"""The surface of messages from the dashboard."""
