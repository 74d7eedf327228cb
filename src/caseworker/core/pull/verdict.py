"""The verdict: from what was seen of a pull request, whether a person can merge it, and all reasons why not. Pure."""

from datetime import datetime, timedelta
from typing import Final, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict

from caseworker.core.base.ids import Sha
from caseworker.core.pull.check_reasons import check_reasons, explains_block
from caseworker.core.pull.own_check import BARRIER, SETTLE, without_own_check
from caseworker.core.pull.people_reasons import account, people_reasons
from caseworker.core.pull.pull_facts import Decided, PullFacts, Watch
from caseworker.core.pull.reasons import EXPLANATIONS, Evidence, Reason, ReasonKind

LOOKS: Final = (0.5, 1.5, 4.5)
"""Seconds before further looks while GitHub has not computed the merge. The caller waits, with timers where it can."""
_ORDER: Final = tuple(ReasonKind)


class Verdict(BaseModel):
    model_config = ConfigDict(frozen=True)

    outcome: Literal["ready", "not_ready", "decided", "merged", "closed"]
    """`decided`: a person has put it into the merge queue or switched auto-merge on."""
    head: Sha
    reasons: tuple[Reason, ...] = ()
    """All that hold, the leading one first. Empty if and only if nothing is in the way."""
    decided: Decided | None = None
    looked_at: AwareDatetime

    @property
    def leading(self) -> ReasonKind | None:
        return self.reasons[0].kind if self.reasons else None


def judge(
    facts: PullFacts,
    *,
    now: datetime,
    watch: Watch | None = None,
    settle: timedelta = SETTLE,
    barrier: timedelta = BARRIER,
) -> Verdict:
    """`now`: when the facts were read. A failed or partial look has no facts and gets no verdict."""
    facts = without_own_check(facts)
    seen = watch or Watch()
    subject = facts.subject
    if subject.state != "open":
        return Verdict(outcome=subject.state, head=subject.head, looked_at=now)
    settles_at = _settles_at(facts, seen, settle=settle)
    found = [
        *_taken_over(facts, seen),
        *_behind(facts),
        *check_reasons(facts, settles_at=settles_at if now < settles_at else None),
        *_merge_unknown(facts),
        *people_reasons(facts, seen),
        *_barrier(facts, seen, now=now, barrier=barrier),
    ]
    found += _unexplained(facts, found)
    found.sort(key=lambda reason: _ORDER.index(reason.kind))
    outcome: Literal["ready", "not_ready", "decided"] = "not_ready" if found else "ready"
    if facts.decided is not None:
        outcome = "decided"
    return Verdict(outcome=outcome, head=subject.head, reasons=tuple(found), decided=facts.decided, looked_at=now)


def wants_another_look(facts: PullFacts) -> bool:
    """Whether GitHub is still computing, so that a look after one of `LOOKS` may know more."""
    return facts.subject.state == "open" and bool(_merge_unknown(facts))


def _settles_at(facts: PullFacts, watch: Watch, *, settle: timedelta) -> datetime:
    """When the checks have had time to begin. With none at all, any news of the pull request may be a push of an old
    commit, whose date says nothing."""
    since = max(filter(None, (facts.subject.head_since, watch.head_seen_at)))
    if not facts.checks and watch.head_seen_at is None:
        since = max(since, facts.subject.updated_at)
    return since + settle


def _taken_over(facts: PullFacts, watch: Watch) -> list[Reason]:
    head = facts.subject.head
    if watch.baseline is None or head == watch.baseline or head in watch.pushed:
        return []
    kind = ReasonKind.HUMAN_TOOK_OVER
    seen = Evidence(what=f"the head is {head[:10]}, and the newest that we know is {(watch.pushed or ('',))[-1][:10]}")
    if not watch.pushed:
        seen = Evidence(what=f"the head is {head[:10]}, and was {watch.baseline[:10]} when we began")
    since = watch.head_seen_at or facts.subject.head_since
    return [Reason(kind=kind, mover="author", since=since, evidence=(seen,), act="stop", help=EXPLANATIONS[kind].helps)]


def _behind(facts: PullFacts) -> list[Reason]:
    merge = facts.mergeability
    is_conflict = merge.answer == "conflicting" or merge.state == "dirty"
    if not is_conflict and merge.state != "behind":
        return []
    base = facts.subject.base
    what = f"conflicts with {base}" if is_conflict else f"{base} has commits that the branch lacks"
    kind = ReasonKind.BEHIND_BASE
    return [
        Reason(
            kind=kind,
            mover="author" if facts.subject.is_fork else "us",
            names=_author(facts) if facts.subject.is_fork else (),
            evidence=(Evidence(what=what),),
            act="update_branch",
            help=EXPLANATIONS[kind].helps,
        )
    ]


def _merge_unknown(facts: PullFacts) -> list[Reason]:
    merge = facts.mergeability
    if merge.answer == "unknown" or merge.state == "unknown":
        what = "GitHub has not computed whether it can be merged"
    elif merge.is_stale and merge.answer == "mergeable":
        what = f"GitHub's trial merge is not of this head and the newest {facts.subject.base}"
    else:
        return []
    kind = ReasonKind.MERGEABLE_PENDING
    evidence = (Evidence(what=what),)
    return [
        Reason(
            kind=kind, mover="service", names=("GitHub",), evidence=evidence, act="wait", help=EXPLANATIONS[kind].helps
        )
    ]


def _barrier(facts: PullFacts, watch: Watch, *, now: datetime, barrier: timedelta) -> list[Reason]:
    head, pushed_at = facts.subject.head, watch.pushed_at
    if pushed_at is None or head not in watch.pushed or now - pushed_at >= barrier:
        return []
    others = [review for review in facts.reviews.latest if account(review.by) != account(watch.us)]
    if any(review.is_person and (review.may_write or review.counts) and review.commit == head for review in others):
        return []
    until = pushed_at + barrier
    kind = ReasonKind.REVIEW_BARRIER
    return [
        Reason(
            kind=kind,
            mover="nobody",
            since=pushed_at,
            until=until,
            evidence=(Evidence(what=f"ends at {until:%H:%M} UTC"),),
            act="wait",
            help=EXPLANATIONS[kind].helps,
        )
    ]


def _unexplained(facts: PullFacts, found: list[Reason]) -> list[Reason]:
    """GitHub's merge state is explained by what we found, or we say that it is not."""
    state, demands = facts.mergeability.state, facts.demands
    if state == "blocked":
        if any(explains_block(reason, facts) for reason in found):
            return []
        seen = [Evidence(what="GitHub says blocked, and every rule that we can check is met")]
    elif state is None and demands.up_to_date and facts.mergeability.answer == "mergeable":
        seen = [Evidence(what="this server does not say whether the branch is up to date, which a rule demands")]
    elif state is None and demands.others:
        seen = [Evidence(what="this server does not say whether all rules are met")]
    else:
        return []
    seen += [Evidence(what=f"the rule {name} is in force and can't be checked from outside") for name in demands.others]
    seen += [
        Evidence(what=f"could not read {one.what}" + (f": needs {one.permission}" if one.permission else ""))
        for one in demands.unread
    ]
    kind = ReasonKind.BLOCKED_UNEXPLAINED
    return [
        Reason(kind=kind, mover="maintainer", evidence=tuple(seen), act="ask_person", help=EXPLANATIONS[kind].helps)
    ]


def _author(facts: PullFacts) -> tuple[str, ...]:
    return (facts.subject.author,) if facts.subject.author else ()
