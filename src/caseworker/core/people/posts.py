"""Typed posts: what a case has to say. The text is made when a post is sent, in the surface's own phrasing."""

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import CaseId, MessageId, effect_key
from caseworker.core.people.messages import Audience


class Post(BaseModel):
    """A post in the case's outbox. Saved with the move that caused it, and sent once under its key."""

    model_config = ConfigDict(frozen=True)

    about: str
    """Its topic. Each kind of case has its own closed list."""
    audience: Audience
    epoch: int
    number: int
    """Unique within the epoch together with `about` and `audience`."""
    note: str = ""
    """A reason in Caseworker's words, if there is one."""
    acknowledges: tuple[MessageId, ...] = ()
    """Messages that get a reaction instead of this post, on surfaces that have reactions."""
    obeys: tuple[MessageId, ...] = ()
    """Messages whose command was carried out with what this post tells: they get a reaction that says so."""

    @property
    def is_told_by_the_record(self) -> bool:
        """The record shows the move itself, so this post is only sent to chat threads."""
        return False

    def key(self, case: CaseId) -> str:
        return effect_key(case, self.epoch, f"{self.about}.{self.audience}", self.number)
