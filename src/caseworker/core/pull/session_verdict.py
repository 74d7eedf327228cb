"""The verdict of a session: judged with what its record knows of the head, and with its own waiting times. Pure."""

from datetime import datetime, timedelta

from caseworker.core.base.ids import Sha
from caseworker.core.base.policy import Policy
from caseworker.core.pull.case import PullCase
from caseworker.core.pull.own_check import HeadWatch
from caseworker.core.pull.pull_facts import PullFacts
from caseworker.core.pull.verdict import Verdict, judge


def head_watch(case: PullCase, head: Sha, policy: Policy, *, us: str = "") -> HeadWatch:
    """What the case's record says about this head."""
    watch = case.watch.model_copy(update={"us": us})
    if head != case.sight.head:
        over = {"baseline": None} if case.is_over else {}  # no session looks after a head that was pushed after its end
        watch = watch.model_copy(update={"head_seen_at": None, **over})
    return HeadWatch(
        head=head,
        watch=watch,
        settle_seconds=policy.checks_begin_seconds,
        barrier_seconds=policy.review_barrier_seconds,
    )


def judge_head(facts: PullFacts, known: HeadWatch, *, now: datetime) -> Verdict:
    """The one way to a verdict, for the session, a preview and `caseworker ready`."""
    return judge(
        facts,
        now=now,
        watch=known.watch,
        settle=timedelta(seconds=known.settle_seconds),
        barrier=timedelta(seconds=known.barrier_seconds),
    )
