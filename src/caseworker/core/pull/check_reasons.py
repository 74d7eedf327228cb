"""The reasons that checks give: held back, failed, never reported, still running."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, assert_never

from caseworker.core.pull.pull_facts import CheckFact, DemandedCheck, PullFacts
from caseworker.core.pull.reasons import EXPLANATIONS, Act, Evidence, Mover, Reason, ReasonKind

_MOST: Final = 20
"""Pieces of evidence in one reason. The count is told."""


def check_reasons(facts: PullFacts, *, settles_at: datetime | None) -> list[Reason]:
    """The reasons for which checks hold up the merge. If a rule demands checks, only those count; otherwise all do.
    `settles_at`: until then further checks may begin. Null: that time is over."""
    newest = [one for one in facts.checks if not one.is_superseded and one.state != "expected"]
    counted = [one for one in newest if one.is_required] if demands_checks(facts) else newest
    absent = missing_checks(facts)
    failed = [one for one in counted if one.state == "failed"]
    if not failed and facts.mergeability.state == "blocked":
        failed = _superseded_failures(facts)
    pending = [one for one in counted if one.state == "pending"]
    never_comes = settles_at is None or bool(facts.held_runs) or _is_conflicting(facts)
    found = [*_held(facts), *_failing(facts, failed)]
    if absent and never_comes:
        found.append(_missing(facts, absent))
    waited = _late(
        absent, never_comes=never_comes, is_open=not demands_checks(facts) and settles_at is not None, seen=newest
    )
    if facts.held_runs:  # said already, with who must move
        waited = [one for one in waited if absent]
    if pending or waited:
        title = "" if pending or settles_at is None else _not_begun(absent, newest, failed, settles_at)
        found.append(_pending(pending, waited, title=title, until=settles_at if title else None))
    return found


def _not_begun(
    absent: Sequence[DemandedCheck], seen: Sequence[CheckFact], failed: Sequence[CheckFact], until: datetime
) -> str:
    """In a few words: nothing runs, but something may begin."""
    if absent:
        return f"required checks may still begin until {until:%H:%M} UTC"
    if not seen:
        return f"no check has reported yet; checks may begin until {until:%H:%M} UTC"
    ended = "" if failed else "all checks passed; "
    return f"{ended}further checks may still begin until {until:%H:%M} UTC"


def demands_checks(facts: PullFacts) -> bool:
    return bool(facts.demands.checks) or any(one.is_required for one in facts.checks)


def missing_checks(facts: PullFacts) -> list[DemandedCheck]:
    """The checks that a rule demands and that lack a result that counts on this head."""
    counted = [one for one in facts.checks if one.is_required and not one.is_superseded]
    reported = {one.name for one in counted if one.state != "expected"}
    expected = [DemandedCheck(name=one.name) for one in facts.checks if one.state == "expected" and one.is_required]
    wanted = {one.name: one for one in (*expected, *facts.demands.checks)}
    return [one for name, one in wanted.items() if name not in reported]


def explains_block(reason: Reason, facts: PullFacts) -> bool:
    """Whether GitHub blocks the merge for this reason, as opposed to one that is ours alone."""
    match reason.kind:
        case ReasonKind.FAILING_CHECKS | ReasonKind.CHECK_MISSING | ReasonKind.PENDING_CHECKS:
            return demands_checks(facts)
        case ReasonKind.CHANGES_REQUESTED:
            return facts.reviews.decision == "changes_requested"
        case ReasonKind.OPEN_THREADS:
            return facts.demands.threads_resolved
        case ReasonKind.REVIEW_REQUIRED | ReasonKind.DRAFT | ReasonKind.BLOCKED_UNEXPLAINED:
            return True
        case ReasonKind.BEHIND_BASE:
            return facts.mergeability.answer == "conflicting"
        case (
            ReasonKind.HUMAN_TOOK_OVER
            | ReasonKind.CI_AWAITING_APPROVAL
            | ReasonKind.MERGEABLE_PENDING
            | ReasonKind.REVIEW_BARRIER
        ):
            return False
    assert_never(reason.kind)


def _is_conflicting(facts: PullFacts) -> bool:
    return facts.mergeability.answer == "conflicting"


def _superseded_failures(facts: PullFacts) -> list[CheckFact]:
    """Some rulesets want every run of a name on the commit to pass: an old failure blocks until it is run again."""
    return [one for one in facts.checks if one.is_superseded and one.is_required and one.state == "failed"]


def _late(
    absent: Sequence[DemandedCheck], *, never_comes: bool, is_open: bool, seen: Sequence[CheckFact]
) -> list[Evidence]:
    """Evidence of checks that may still begin."""
    if absent and not never_comes:
        return [Evidence(what=f"{one.name}: required, not reported yet") for one in absent]
    if is_open:
        return [Evidence(what="further checks may begin" if seen else "no check has reported yet")]
    return []


def _held(facts: PullFacts) -> list[Reason]:
    if not facts.held_runs:
        return []
    kind = ReasonKind.CI_AWAITING_APPROVAL
    evidence = [Evidence(what=one.workflow or one.app) for one in facts.held_runs]
    since = _earliest([one.since for one in facts.held_runs])
    return [_reason(kind, "maintainer", evidence, since=since, act="ask_person")]


def _failing(facts: PullFacts, failed: Sequence[CheckFact]) -> list[Reason]:
    if not failed:
        return []
    evidence = [Evidence(what=_told(one), url=one.url, id=one.id) for one in failed]
    since = _earliest([one.since for one in failed])
    is_foreign = facts.subject.is_fork
    names = (facts.subject.author,) if is_foreign and facts.subject.author else ()
    mover: Mover = "author" if is_foreign else "us"
    return [_reason(ReasonKind.FAILING_CHECKS, mover, evidence, since=since, act="resolve", names=names)]


def _missing(facts: PullFacts, absent: Sequence[DemandedCheck]) -> Reason:
    kind = ReasonKind.CHECK_MISSING
    others = {one.name: one.app for one in facts.checks if not one.is_required and one.state != "expected"}
    if _is_conflicting(facts):
        evidence = [Evidence(what=f"{one.name}: no workflow starts while there is a conflict") for one in absent]
        return _reason(kind, "us", evidence, act="update_branch", help="Solve the conflict: then CI starts.")
    if facts.held_runs:
        evidence = [Evidence(what=f"{one.name}: its workflow may wait for approval") for one in absent]
        return _reason(kind, "maintainer", evidence, act="ask_person")
    evidence = [Evidence(what=_absence(one, others)) for one in absent]
    return _reason(kind, "maintainer", evidence, since=facts.subject.head_since, act="ask_person")


def _absence(check: DemandedCheck, others: dict[str, str]) -> str:
    if check.name in others:
        by = others[check.name] or "somebody else"
        return f"{check.name}: reported by {by}, and the rule wants it from another App"
    return f"{check.name}: never reported"


def _pending(pending: Sequence[CheckFact], waited: Sequence[Evidence], *, title: str, until: datetime | None) -> Reason:
    evidence = [Evidence(what=_told(one), url=one.url, id=one.id) for one in pending]
    since = _earliest([one.since for one in pending])
    names = tuple(dict.fromkeys(one.app for one in pending if one.app))
    found = _reason(
        ReasonKind.PENDING_CHECKS, "service", [*evidence, *waited], since=since, act="wait", names=names or ("CI",)
    )
    return found.model_copy(update={"title": title, "until": until})


def _reason(
    kind: ReasonKind,
    mover: Mover,
    evidence: Sequence[Evidence],
    *,
    since: datetime | None = None,
    act: Act,
    names: tuple[str, ...] = (),
    help: str = "",
) -> Reason:
    shown = tuple(evidence[:_MOST])
    if len(evidence) > _MOST:
        shown += (Evidence(what=f"and {len(evidence) - _MOST} more"),)
    return Reason(
        kind=kind,
        mover=mover,
        names=names,
        since=since,
        evidence=shown,
        act=act,
        help=help or EXPLANATIONS[kind].helps,
    )


def _told(check: CheckFact) -> str:
    old = ", an older run" if check.is_superseded else ""
    return f"{check.name}: {check.result or check.state}{old}".replace("_", " ")


def _earliest(times: Sequence[datetime | None]) -> datetime | None:
    return min((one for one in times if one is not None), default=None)
