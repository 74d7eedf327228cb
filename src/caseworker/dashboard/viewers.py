"""Who looks at the dashboard: their name, what they may do, and which repositories they may see."""

from collections.abc import Iterable
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
    session: str = Field(default="", repr=False)
    """A name for this log-in that is no secret: part of the ids of what is sent from it."""

    @property
    def sees_all(self) -> bool:
        return "*" in self.repositories

    def sees(self, repository: str) -> bool:
        return any(fnmatchcase(repository, pattern) for pattern in self.repositories)

    def visible(self, known: Iterable[RepositoryId]) -> frozenset[RepositoryId] | None:
        """Those of the known repositories that this viewer may see. Null: all."""
        return None if self.sees_all else frozenset(one for one in known if self.sees(one))


def standing_of_viewer(viewer: Viewer, stored: StoredAny) -> Standing | None:
    """The standing of what this viewer sends to the case. Null: they may only look."""
    kind = KINDS[stored.kind]
    match viewer.rank:
        case Rank.OWNER:
            return kind.at_terminal[Audience.DEVELOPERS]
        case Rank.DEVELOPER:
            return kind.in_threads[Audience.DEVELOPERS]
        case Rank.READER:
            return None


SURFACE: Final = "web"
"""The surface of messages from the dashboard."""
