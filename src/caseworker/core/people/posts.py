"""What is still to be said: typed posts. The words are made when a post is said, by the surface's own phrasing."""

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import CaseId, effect_key
from caseworker.core.people.messages import Audience


class Post(BaseModel):
    """Saved in the case's outbox with the move that gave rise to it, said once under its key."""

    model_config = ConfigDict(frozen=True)

    about: str
    """What it is about. Each kind of case has its own closed list."""
    audience: Audience
    epoch: int
    number: int
    """With `about` and `audience` it tells this post from every other of its epoch."""
    note: str = ""
    """A reason in words of ours, where there is one."""

    @property
    def is_told_by_the_record(self) -> bool:
        """Whoever reads the record sees it from the move itself: it is said on chat threads only."""
        return False

    def key(self, case: CaseId) -> str:
        return effect_key(case, self.epoch, f"{self.about}.{self.audience}", self.number)
