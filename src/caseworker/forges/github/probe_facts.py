"""Makes facts of the probe's answer. Pure; GitHub's own words end here."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, Literal

from caseworker.core.base.ids import Sha
from caseworker.core.pull.pull_facts import (
    CheckFact,
    Decided,
    Demands,
    HeldRun,
    Mergeability,
    PullFacts,
    ReviewFact,
    Reviews,
    Subject,
    ThreadFact,
)
from caseworker.forges.github.probe_payloads import (
    ContextData,
    HeadCommit,
    PullNode,
    ReviewNode,
    SuiteData,
    ThreadNode,
)

_PASSED: Final = {"SUCCESS", "NEUTRAL", "SKIPPED"}


def facts_of(pull: PullNode, demands: Demands) -> PullFacts:
    """`pull`: with the nodes of all pages."""
    head = pull.talk.commits.nodes[-1].commit
    suites = head.checkSuites.nodes if head.checkSuites else []
    return PullFacts(
        subject=_subject(pull, head, suites),
        mergeability=_mergeability(pull),
        decided=_decided(pull),
        checks=checks_of(pull.merge.rollup.contexts.nodes if pull.merge.rollup else ()),
        held_runs=tuple(_held(one) for one in suites if _is_held(one)),
        demands=demands,
        threads=tuple(_thread(one) for one in pull.talk.reviewThreads.nodes if not one.isResolved),
        reviews=_reviews(pull),
    )


def _subject(pull: PullNode, head: HeadCommit, suites: Sequence[SuiteData]) -> Subject:
    """GitHub does not tell when the head was pushed: not before these. A commit's own date may lie in the future."""
    times = [
        pull.subject.createdAt,
        min(head.committedDate, pull.subject.updatedAt),
        *(one.createdAt for one in pull.talk.timelineItems.nodes),
    ]
    if suites:
        times.append(min(one.createdAt for one in suites))
    return Subject.model_validate(
        {
            "number": pull.subject.number,
            "url": pull.subject.url,
            "title": pull.subject.title,
            "state": pull.subject.state.lower(),
            "author": pull.subject.author.login if pull.subject.author else "",
            "is_draft": pull.subject.isDraft,
            "is_fork": pull.subject.isCrossRepository,
            "head": pull.subject.headRefOid,
            "branch": pull.subject.headRefName,
            "base": pull.subject.baseRefName,
            "head_since": max(times),
            "updated_at": pull.subject.updatedAt,
            "committer": (head.committer and head.committer.email) or "",
        }
    )


def _mergeability(pull: PullNode) -> Mergeability:
    newest = pull.subject.baseRef.target.oid if pull.subject.baseRef and pull.subject.baseRef.target else None
    trial = pull.merge.potentialMergeCommit
    is_stale = trial is not None and {one.oid for one in trial.parents.nodes} != {newest, pull.subject.headRefOid}
    state = pull.merge.mergeStateStatus.lower() if pull.merge.mergeStateStatus else None
    return Mergeability.model_validate({"answer": pull.merge.mergeable.lower(), "state": state, "is_stale": is_stale})


def _decided(pull: PullNode) -> Decided | None:
    entry, switched = pull.merge.mergeQueueEntry, pull.merge.autoMergeRequest
    if pull.merge.isInMergeQueue or entry is not None:
        by = entry.enqueuer.login if entry and entry.enqueuer else ""
        since = entry.enqueuedAt if entry else None
        return Decided(how="merge_queue", by=by, since=since, position=entry.position if entry else None)
    if switched is not None:
        by = switched.enabledBy.login if switched.enabledBy else ""
        return Decided(how="auto_merge", by=by, since=switched.enabledAt)
    return None


def checks_of(contexts: Sequence[ContextData]) -> tuple[CheckFact, ...]:
    """All results. Of the runs of one check only the newest is not marked as superseded."""
    newest: dict[tuple[str, str, str, str], ContextData] = {}
    for one in contexts:
        key = _same_check(one)
        if key not in newest or _age(one) >= _age(newest[key]):
            newest[key] = one
    return tuple(_check(one, is_superseded=newest[_same_check(one)] is not one) for one in contexts)


def _same_check(one: ContextData) -> tuple[str, str, str, str]:
    if one.context:
        return (one.context, "", "", "")
    suite = one.checkSuite
    app = str(suite.app.databaseId) if suite and suite.app else ""
    run = suite.workflowRun if suite else None
    return (one.name, app, run.workflow.name if run else "", run.event if run else "")


def _age(one: ContextData) -> tuple[float, int]:
    return (one.startedAt.timestamp() if one.startedAt else 0.0, one.databaseId or 0)


def _check(one: ContextData, *, is_superseded: bool) -> CheckFact:
    if one.context:
        return CheckFact(
            name=one.context,
            state=_status_state(one.state),
            result=one.state.lower(),
            is_required=one.isRequired,
            url=one.targetUrl or "",
            since=one.createdAt,
        )
    return CheckFact(
        name=one.name,
        state=_run_state(one),
        result=(one.conclusion or one.status).lower(),
        is_required=one.isRequired,
        is_superseded=is_superseded,
        app=one.checkSuite.app.slug if one.checkSuite and one.checkSuite.app else "",
        url=one.detailsUrl or "",
        id=str(one.databaseId or ""),
        since=one.completedAt or one.startedAt,
    )


def _run_state(run: ContextData) -> Literal["passed", "failed", "pending"]:
    if run.status != "COMPLETED":
        return "pending"
    return "passed" if run.conclusion in _PASSED else "failed"


def _status_state(state: str) -> Literal["passed", "failed", "pending", "expected"]:
    if state == "SUCCESS":
        return "passed"
    if state == "EXPECTED":
        return "expected"
    return "pending" if state == "PENDING" else "failed"


def _is_held(suite: SuiteData) -> bool:
    return suite.conclusion == "ACTION_REQUIRED" and suite.checkRuns.totalCount == 0


def _held(suite: SuiteData) -> HeldRun:
    workflow = suite.workflowRun.workflow.name if suite.workflowRun else ""
    return HeldRun(app=suite.app.slug if suite.app else "", workflow=workflow, since=suite.createdAt)


def _thread(thread: ThreadNode) -> ThreadFact:
    first = thread.opening.nodes[0] if thread.opening.nodes else None
    heard = [one for one in thread.latest.nodes if not one.is_of_a_stranger] or thread.latest.nodes
    last = heard[-1] if heard else None
    return ThreadFact(
        id=thread.id,
        path=thread.path,
        line=thread.line,
        is_outdated=thread.isOutdated,
        opened_by=first.author.login if first and first.author else "",
        last_by=last.author.login if last and last.author else "",
        last_at=last.createdAt if last else None,
        url=first.url if first else "",
        by_stranger=first is not None and first.is_of_a_stranger,
    )


def _reviews(pull: PullNode) -> Reviews:
    """Opinions of people with write access count; the newest of everybody else is kept beside them."""
    counted = pull.talk.latestOpinionatedReviews.nodes if pull.talk.latestOpinionatedReviews else []
    others = [one for one in (pull.talk.latestReviews.nodes if pull.talk.latestReviews else []) if one not in counted]
    asked = [one.requestedReviewer for one in (pull.talk.reviewRequests.nodes if pull.talk.reviewRequests else [])]
    requested = [one.login or one.combinedSlug for one in asked if one is not None]
    return Reviews.model_validate(
        {
            "decision": pull.talk.reviewDecision.lower() if pull.talk.reviewDecision else None,
            "latest": [_review(one, counts=True) for one in counted] + [_review(one) for one in others],
            "requested": [name for name in requested if name],
        }
    )


def _review(review: ReviewNode, *, counts: bool = False) -> ReviewFact:
    at: datetime | None = review.submittedAt
    return ReviewFact.model_validate(
        {
            "by": review.author.login if review.author else "",
            "verdict": review.state.lower(),
            "commit": Sha(review.commit.oid) if review.commit else None,
            "at": at,
            "is_person": review.author is None or review.author.kind == "User",
            "counts": counts,
            "may_write": review.authorCanPushToRepository,
        }
    )
