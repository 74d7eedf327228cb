"""Our check run on the head of a pull request. It carries what a reader without the session's record needs to judge the
head as the session does. Pure."""

import re
from datetime import timedelta
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from caseworker.core.base.ids import Sha
from caseworker.core.base.repositories import COMMITTER
from caseworker.core.pull.pull_facts import PullFacts, Watch

CHECK_NAME: Final = "caseworker/ready"
BARRIER: Final = timedelta(minutes=20)
SETTLE: Final = timedelta(minutes=10)
_LONGEST: Final = timedelta(days=30).total_seconds()
_MARK: Final = re.compile(r"<!-- caseworker:watch (\{[^<>]*\}) -->")


class HeadWatch(BaseModel):
    """What a session knows about one head beyond what GitHub shows, and how long it waits."""

    model_config = ConfigDict(frozen=True)

    head: Sha
    watch: Watch = Watch()
    settle_seconds: float = Field(default=SETTLE.total_seconds(), ge=0, le=_LONGEST)
    barrier_seconds: float = Field(default=BARRIER.total_seconds(), ge=0, le=_LONGEST)

    @property
    def mark(self) -> str:
        """The hidden end of the check run's summary."""
        pushed = self.watch.pushed
        kept = tuple(one for one in pushed if one in (self.head, pushed[-1]))
        short = self.model_copy(update={"watch": self.watch.model_copy(update={"pushed": kept})})
        return f"<!-- caseworker:watch {short.model_dump_json()} -->"


def watch_in(summary: str, head: Sha) -> HeadWatch | None:
    """What the check run on this head carries. Null: nothing that can be read."""
    found = _MARK.search(summary)
    try:
        told = HeadWatch.model_validate_json(found[1]) if found else None
    except ValidationError:
        return None
    return told if told is not None and told.head == head else None


def watch_by_address(facts: PullFacts) -> HeadWatch:
    """Without a record and without a check run: a head that carries our address is taken for a push of ours."""
    subject = facts.subject
    if subject.committer != COMMITTER:
        return HeadWatch(head=subject.head)
    return HeadWatch(head=subject.head, watch=Watch(pushed=(subject.head,), pushed_at=subject.head_since))


def without_own_check(facts: PullFacts) -> PullFacts:
    """Our own check run tells the verdict, and so is no reason of it; neither is a rule that demands it."""
    others = tuple(check for check in facts.checks if check.name != CHECK_NAME)
    demanded = tuple(check for check in facts.demands.checks if check.name != CHECK_NAME)
    demands = facts.demands.model_copy(update={"checks": demanded})
    return facts.model_copy(update={"checks": others, "demands": demands})
