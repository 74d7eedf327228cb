"""Our check on the head of a pull request: a check run, or a status where the account may make none. It carries what a
reader without the session's record needs to judge the head as the session does. Pure."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final
from urllib.parse import parse_qs, urlencode, urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from caseworker.core.base.ids import Sha
from caseworker.core.base.repositories import COMMITTER
from caseworker.core.pull.pull_facts import PullFacts, Watch

CHECK_NAME: Final = "caseworker/ready"
BARRIER: Final = timedelta(minutes=20)
SETTLE: Final = timedelta(minutes=10)
_LONGEST: Final = timedelta(days=30).total_seconds()
_LINK: Final = "caseworker"
_SHORT: Final = 12
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

    def link(self, url: str) -> str:
        """The address of the pull request, with the same in its fragment: a status has a link and 140 characters, so
        that only what a verdict over this head needs is there."""
        watch = self.watch
        told = {
            _LINK: "watch",
            "us": watch.us,
            "settle": f"{self.settle_seconds:g}",
            "barrier": f"{self.barrier_seconds:g}",
        }
        if self.head in watch.pushed:
            told["pushed"] = _stamp(watch.pushed_at)
        elif watch.baseline == self.head:
            told["baseline"] = "head"
        elif watch.baseline is not None:
            told |= {"baseline": watch.baseline[:_SHORT], "last": "".join(watch.pushed[-1:])[:_SHORT]}
        told["seen"] = _stamp(watch.head_seen_at)
        return f"{url}#{urlencode({name: value for name, value in told.items() if value})}"


def watch_in(summary: str, head: Sha) -> HeadWatch | None:
    """What the check run on this head carries. Null: nothing that can be read."""
    found = _MARK.search(summary)
    try:
        told = HeadWatch.model_validate_json(found[1]) if found else None
    except ValidationError:
        return None
    return told if told is not None and told.head == head else None


def watch_in_link(link: str, head: Sha) -> HeadWatch | None:
    """What the link of our status on this head carries. Null: nothing that can be read."""
    told = {name: values[-1] for name, values in parse_qs(urlsplit(link).fragment).items()}
    if told.get(_LINK) != "watch":
        return None
    try:
        pushed, baseline = _moment(told.get("pushed")), told.get("baseline")
        last = head if pushed is not None else Sha(told.get("last", ""))
        watch = Watch(
            us=told.get("us", ""),
            baseline=head if baseline == "head" else Sha(baseline) if baseline else None,
            pushed=(last,) if last else (),
            pushed_at=pushed,
            head_seen_at=_moment(told.get("seen")),
        )
        return HeadWatch.model_validate(
            {"head": head, "watch": watch, "settle_seconds": told["settle"], "barrier_seconds": told["barrier"]}
        )
    except (KeyError, ValueError, OverflowError, OSError):  # anybody with write access can make such a status
        return None


def _stamp(at: datetime | None) -> str:
    return "" if at is None else str(int(at.timestamp()))


def _moment(stamp: str | None) -> datetime | None:
    return None if stamp is None else datetime.fromtimestamp(int(stamp), UTC)


def watch_by_address(facts: PullFacts) -> HeadWatch:
    """What to assume without a record and a check of ours: a head that carries our address was pushed by us."""
    subject = facts.subject
    if subject.committer != COMMITTER:
        return HeadWatch(head=subject.head)
    return HeadWatch(head=subject.head, watch=Watch(pushed=(subject.head,), pushed_at=subject.head_since))


def without_own_check(facts: PullFacts) -> PullFacts:
    """The facts without our own check and without rules that require it. It only shows the verdict, so it must not
    influence it."""
    others = tuple(check for check in facts.checks if check.name != CHECK_NAME)
    demanded = tuple(check for check in facts.demands.checks if check.name != CHECK_NAME)
    demands = facts.demands.model_copy(update={"checks": demanded})
    return facts.model_copy(update={"checks": others, "demands": demands})
