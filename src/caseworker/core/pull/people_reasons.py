"""The reasons that people give: requested changes, open threads, missing reviews, drafts."""

from datetime import datetime
from typing import Final

from caseworker.core.pull.pull_facts import PullFacts, ReviewFact, ThreadFact, Watch
from caseworker.core.pull.reasons import EXPLANATIONS, Evidence, Mover, Reason, ReasonKind

_MOST: Final = 20


def people_reasons(facts: PullFacts, watch: Watch) -> list[Reason]:
    return [*_changes(facts), *_threads(facts, watch), *_review(facts), *_draft(facts)]


def _changes(facts: PullFacts) -> list[Reason]:
    against = [one for one in facts.reviews.latest if one.verdict == "changes_requested" and one.counts]
    if not against and facts.reviews.decision != "changes_requested":
        return []
    kind = ReasonKind.CHANGES_REQUESTED
    head = facts.subject.head
    is_answered = bool(against) and all(one.commit is not None and one.commit != head for one in against)
    evidence = [Evidence(what=_requested(one, head)) for one in against]
    return [
        Reason(
            kind=kind,
            mover="reviewer" if is_answered else "us",
            names=tuple(one.by for one in against) if is_answered else (),
            since=_earliest([one.at for one in against]),
            evidence=tuple(evidence) or (Evidence(what="GitHub says that changes are requested"),),
            act="ask_person" if is_answered else "resolve",
            help="Review the newer commit." if is_answered else EXPLANATIONS[kind].helps,
        )
    ]


def _requested(review: ReviewFact, head: str) -> str:
    if review.commit is None or review.commit == head:
        return f"{review.by} requests changes"
    return f"{review.by} requested changes on {review.commit[:10]}; the head is newer"


def _threads(facts: PullFacts, watch: Watch) -> list[Reason]:
    if not facts.threads:
        return []
    kind = ReasonKind.OPEN_THREADS
    ours = {account(facts.subject.author), account(watch.us)} - {""}
    heard = [one for one in facts.threads if not one.by_stranger]
    for_us = [one for one in heard if not _waits_for_reviewer(one, ours)]
    told = for_us or heard or list(facts.threads)
    mover: Mover = "us" if for_us else "reviewer" if heard else "maintainer"
    reviewers = tuple(dict.fromkeys(one.opened_by for one in told if one.opened_by))
    evidence = [Evidence(what=_thread(one, ours), url=one.url, id=one.id) for one in facts.threads]
    shown = tuple(evidence[:_MOST])
    if len(evidence) > _MOST:
        shown += (Evidence(what=f"and {len(evidence) - _MOST} more"),)
    return [
        Reason(
            kind=kind,
            mover=mover,
            names=reviewers if mover == "reviewer" else (),
            since=_earliest([one.last_at for one in told]),
            evidence=shown,
            act="resolve" if for_us else "ask_person",
            help=EXPLANATIONS[kind].helps if for_us else "Resolve the thread, or answer in it.",
        )
    ]


def _waits_for_reviewer(thread: ThreadFact, ours: set[str]) -> bool:
    return account(thread.last_by) in ours and account(thread.opened_by) not in ours


def account(login: str) -> str:
    """GitHub's two APIs name the account of an App differently: with `[bot]` at the end, and without."""
    return login.casefold().removesuffix("[bot]")


def _thread(thread: ThreadFact, ours: set[str]) -> str:
    place = thread.path + (f":{thread.line}" if thread.line else "")
    old = ", on code that has changed since" if thread.is_outdated else ""
    waits = thread.opened_by if _waits_for_reviewer(thread, ours) else "an answer"
    if thread.by_stranger:
        waits = "a maintainer: its author has no write access, so it is not worked on"
    return f"{place or 'a thread'} by {thread.opened_by or 'somebody'}{old}: waits for {waits or 'its reviewer'}"


def _review(facts: PullFacts) -> list[Reason]:
    reviews, demands = facts.reviews, facts.demands
    approved = [one for one in reviews.latest if one.verdict == "approved" and one.counts]
    is_short = reviews.decision is None and len(approved) < demands.approvals
    if reviews.decision != "review_required" and not is_short:
        return []
    kind = ReasonKind.REVIEW_REQUIRED
    needed = max(demands.approvals, 1)
    seen = f"{len(approved)} of {needed} approvals"
    if demands.approval_after_last_push:
        seen += ", and the last push must be approved by somebody else"
    return [
        Reason(
            kind=kind,
            mover="reviewer",
            names=reviews.requested,
            evidence=(Evidence(what=seen),),
            act="ask_person",
            help=EXPLANATIONS[kind].helps,
        )
    ]


def _draft(facts: PullFacts) -> list[Reason]:
    if not facts.subject.is_draft:
        return []
    kind = ReasonKind.DRAFT
    names = (facts.subject.author,) if facts.subject.author else ()
    return [
        Reason(
            kind=kind,
            mover="author",
            names=names,
            evidence=(Evidence(what="marked as a draft"),),
            act="ask_person",
            help=EXPLANATIONS[kind].helps,
        )
    ]


def _earliest(times: list[datetime | None]) -> datetime | None:
    return min((one for one in times if one is not None), default=None)
