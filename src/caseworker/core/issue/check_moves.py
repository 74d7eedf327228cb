"""The moves of an issue case after a look at the checks of its pull request."""

from datetime import timedelta
from typing import Final

from caseworker.core.base.policy import Policy
from caseworker.core.evidence.check_verdict import judge_checks
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.check_watch import CheckWatch, check_words
from caseworker.core.issue.facts import ChecksSeen
from caseworker.core.issue.moves import Move
from caseworker.core.issue.posts import Draft, IssueAbout
from caseworker.core.issue.states import IssueState

S = IssueState

MOST_FIXES: Final = 3
"""Fixes of one kind of failure before people are asked."""


def apply_checks(case: IssueCase, fact: ChecksSeen, policy: Policy) -> IssueCase:
    """The case with what was seen of its checks. A new red result is the developer's feedback, and is counted."""
    before = case.delivery.checks
    if before is None or fact.commit != before.commit:
        return case  # another commit was delivered meanwhile
    if fact.left_to is not None:
        left = CheckWatch(commit=fact.commit, since=fact.at, looked_at=fact.at, left_to=fact.left_to)
        return case.updated(checks=left)
    if fact.pushed_since is not None:  # what a session of ours has pushed is this case's work from here on
        case = case.updated(checkpoint=fact.pushed_since, pushed=fact.pushed_since)
    since = fact.at if fact.pushed_since is not None or before.since is None else before.since
    settle = timedelta(seconds=policy.checks_settle_seconds)
    verdict = judge_checks(fact.results, waited=fact.at - since, settle=settle)
    stands = "moved" if fact.moved else verdict.stands
    red = [one for one in fact.results if one.name in verdict.names] if stands == "red" else []
    signatures = tuple(dict.fromkeys(one.signature for one in red))
    watch = CheckWatch(
        commit=fact.pushed_since or fact.commit,
        since=since,
        looked_at=fact.at,
        stands=stands,
        names=() if fact.moved else verdict.names,
        signatures=signatures,
    )
    if stands != "red":
        return case.updated(checks=watch)
    fixes = {one: case.limits.check_fixes.get(one, 0) + 1 for one in signatures}
    return case.updated(checks=watch, feedback=fact.feedback, check_fixes={**case.limits.check_fixes, **fixes})


def after_checks(case: IssueCase, policy: Policy) -> Move:
    """The move after the checks have come to stand otherwise than before."""
    watch = case.delivery.checks
    assert watch is not None
    seen = f"Pull request {case.delivery.pull_request} {check_words(watch)}."
    if watch.stands == "red":
        return _repair(case, watch, seen, policy)
    if watch.stands == "pending":
        return Move(to=case.state, reason=seen)
    told = seen if watch.stands in ("missing", "moved") else f"{seen} A person merges it."
    return Move(to=case.state, reason=told, say=Draft(about=IssueAbout.PULL_REQUEST))


def _repair(case: IssueCase, watch: CheckWatch, seen: str, policy: Policy) -> Move:
    if case.limits.attempt >= policy.attempts:
        why = f"All {policy.attempts} attempts are used."
    elif max((case.limits.check_fixes.get(one, 0) for one in watch.signatures), default=0) > MOST_FIXES:
        why = f"The same failure came back after {MOST_FIXES} fixes."
    else:
        number = case.limits.attempt + 1
        return Move(to=S.FIXING_ISSUES, reason=f"{seen} Attempt {number} of {policy.attempts}.", attempt=True)
    return Move(to=S.BLOCKED, reason=f"{seen} {why} Another try or a word on how to go on moves it.")
