"""What a session does after a look at its pull request: fix, update, wait, or end. Pure."""

from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

from caseworker.core.base.policy import Policy
from caseworker.core.pull.case import Failure, PullCase, PullState, SessionEnd
from caseworker.core.pull.pull_events import FailuresRead, Seen
from caseworker.core.pull.pull_moves import act, end, enter, say
from caseworker.core.pull.pull_posts import PullAbout
from caseworker.core.pull.reasons import Reason, ReasonKind
from caseworker.core.pull.verdict import Verdict

R = ReasonKind
S = PullState

LEFT_TO_PEOPLE: Final = frozenset({R.REVIEW_REQUIRED, R.DRAFT})
"""If only these remain, Caseworker has done its part."""
_NOT_OF_RESOLVE: Final = frozenset({R.REVIEW_REQUIRED, R.DRAFT, R.REVIEW_BARRIER, R.MERGEABLE_PENDING})
"""Reasons that remain without keeping a resolve run open: it was not asked to change them."""
_TO_RESOLVE: Final = frozenset({R.CHANGES_REQUESTED, R.OPEN_THREADS})
_CHECKS_FAILED: Final = "Checks have failed."
_PEOPLE_WROTE: Final = "People wrote below the pull request."
_MOST_RERUNS: Final = 2
"""Most reruns of one check on one commit."""


def after_look(case: PullCase, seen: Seen, policy: Policy, now: datetime) -> PullCase:
    verdict = seen.verdict
    case = _note(case, seen, policy, now)
    over = _end_by_others(case, verdict, now) or _end_by_limits(case, policy, now)
    if over is not None:
        return over
    if case.reading is not None:
        reason = f"The {case.reading.role.words} reads the change."
        return act(case, S.REVIEWING, reason, now, started_from=verdict.head)
    if case.people.asked_update is not None:
        return act(case, S.UPDATING, "An owner asked for a rebase.", now)
    is_red = _is_ours(verdict, R.FAILING_CHECKS) and not _waits_for_more_checks(verdict, policy, now)
    if case.people.spoke:  # failed checks are read first: what people want and what is red go into one push
        return enter(case, S.READING_FAILURES, _CHECKS_FAILED, now) if is_red else _resolve(case, _PEOPLE_WROTE, now)
    if _is_ours(verdict, R.BEHIND_BASE):
        return act(case, S.UPDATING, "GitHub says that the branch is behind its base or in conflict with it.", now)
    if _of(verdict, R.BEHIND_BASE) is not None and not case.people.told_contributor:
        case = say(case.updated(told_contributor=True), PullAbout.ASK_CONTRIBUTOR, case.epoch)
    if is_red:
        return enter(case, S.READING_FAILURES, _CHECKS_FAILED, now)
    if _threads_for_us(verdict):
        return _resolve(case, "Review threads wait for an answer.", now)
    return _rest(case, verdict, policy, now)


def after_failures(case: PullCase, read: FailuresRead, policy: Policy, now: datetime) -> PullCase:
    """The case after its failed checks were read: a turn, a rerun, or the end. One turn answers threads and words of
    people, too, so that all is pushed together. Words that wait are answered before a failure ends the session."""
    case = case.updated(failures=read.failures)
    if case.people.spoke:
        return _resolve(case, _PEOPLE_WROTE, now)
    back = next((one for one in read.failures if _came_back(case, one)), None)
    if back is not None:
        reason = f"{back.check} failed, was green on {case.fixes.cleared[back.signature][:10]}, and fails again."
        return end(case, SessionEnd.BLOCKED, reason, now, block="came_back")
    ours = [one for one in read.failures if one.kind == "ours"]
    spent = next((one for one in ours if case.fixes.tries.get(one.signature, 0) >= policy.fixes_per_failure), None)
    if spent is not None:
        reason = f"{spent.check} still fails after {policy.fixes_per_failure} fixes."
        return end(case, SessionEnd.BLOCKED, reason, now, block="fixes")
    again = [one for one in read.failures if _is_rerun(case, one)]
    if again and not ours:
        return case  # the flow starts them again, and `after_rerun` follows
    verdict = case.sight.verdict
    if ours or (verdict is not None and _threads_for_us(verdict)):
        names = ", ".join(one.check for one in ours)
        return _resolve(case, f"Failed checks: {names}." if ours else "Review threads wait for an answer.", now)
    on_base = [one.check for one in read.failures if one.kind == "red_on_base"]
    if on_base:
        reason = f"Red on the base as well, and not fixed here: {', '.join(on_base)}."
        return end(case, SessionEnd.BLOCKED, reason, now, block="base_is_red")
    names = ", ".join(one.check for one in read.failures) or "checks"
    return end(case, SessionEnd.BLOCKED, f"{names} failed again after a rerun.", now, block="fixes")


def to_rerun(case: PullCase) -> tuple[Failure, ...]:
    """The failed checks to start again: flakes, and failures of the service."""
    if any(one.kind == "ours" for one in case.fixes.failures):
        return ()
    return tuple(one for one in case.fixes.failures if _is_rerun(case, one))


def after_rerun(case: PullCase, rerun: tuple[Failure, ...], now: datetime) -> PullCase:
    reruns, flakes = dict(case.fixes.reruns), dict(case.fixes.flakes)
    for one in rerun:
        reruns[_place(one)] = reruns.get(_place(one), 0) + 1
        if one.kind == "flake":
            flakes[one.check] = flakes.get(one.check, 0) + 1
    names = ", ".join(one.check for one in rerun)
    return act(case, S.WAITING, f"Started again: {names}.", now, reruns=reruns, flakes=flakes, quiet_looks=0)


def wake_at(case: PullCase, policy: Policy) -> datetime | None:
    """The next time at which something follows from silence. Null: never."""
    if case.state is S.PAUSED:
        return case.session.resume_at
    if case.state is not S.WAITING or case.sight.looked_at is None:
        return None
    pause = min(policy.pull_look_seconds * 2**case.sight.quiet_looks, policy.pull_look_most_seconds)
    times = [case.sight.looked_at + timedelta(seconds=pause)]
    reasons = case.sight.verdict.reasons if case.sight.verdict is not None else ()
    known = [case.session.deadline, *(reason.until for reason in reasons)]
    return min([*times, *(time for time in known if time is not None and time > case.sight.looked_at)])


def verdict_shown(case: PullCase) -> str:
    """Names the verdict that our check run on the head shows. Empty: there is none yet."""
    verdict = case.sight.verdict
    if verdict is None or verdict.outcome in ("merged", "closed"):
        return ""
    over = ("over",) if case.is_over else ()
    return " ".join((verdict.head, verdict.outcome, *(reason.kind for reason in verdict.reasons), *over))


def after_silence(case: PullCase, policy: Policy, now: datetime) -> PullCase:
    """Resumes a paused session whose time has come. Otherwise the case stays as it is."""
    if case.state is S.PAUSED:
        return enter(case, S.LOOKING, "The time to go on has come.", now, pause=None, resume_at=None)
    return case


# --- what a look tells


def _note(case: PullCase, seen: Seen, policy: Policy, now: datetime) -> PullCase:
    verdict, before = seen.verdict, case.sight.verdict
    is_news = before is None or before.head != verdict.head or _kinds(before) != _kinds(verdict)
    watch = case.watch
    head_seen_at = watch.head_seen_at if case.sight.head == verdict.head else now
    cleared = dict(case.fixes.cleared)
    if _of(verdict, R.FAILING_CHECKS) is None and _of(verdict, R.PENDING_CHECKS) is None:
        gone = [one for one in case.fixes.failures if one.kind == "ours" and one.commit != verdict.head]
        cleared |= {one.signature: verdict.head for one in gone}
    return case.updated(
        head=verdict.head,
        head_branch=seen.head_branch,
        base_branch=seen.base_branch,
        is_fork=seen.is_fork,
        verdict=verdict,
        looked_at=verdict.looked_at,
        ci_minutes=case.sight.ci_minutes if seen.ci_minutes is None else seen.ci_minutes,
        quiet_looks=0 if is_news else case.sight.quiet_looks + 1,
        baseline=watch.baseline or verdict.head,
        head_seen_at=head_seen_at,
        cleared=cleared,
    )


def _end_by_others(case: PullCase, verdict: Verdict, now: datetime) -> PullCase | None:
    match verdict.outcome:
        case "merged":
            return end(case, SessionEnd.MERGED, "A person has merged it.", now)
        case "closed":
            return end(case, SessionEnd.CLOSED, "A person has closed it.", now)
        case "decided":
            assert verdict.decided is not None, "it is what makes it decided"
            how = "put it into the merge queue" if verdict.decided.how == "merge_queue" else "switched auto-merge on"
            return end(case, SessionEnd.TAKEN_OVER, f"{verdict.decided.by or 'A person'} has {how}.", now)
        case "ready" | "not_ready":
            pass
    if _of(verdict, R.HUMAN_TOOK_OVER) is not None:
        return end(case, SessionEnd.TAKEN_OVER, "A person has pushed to the branch.", now)
    return None


def _end_by_limits(case: PullCase, policy: Policy, now: datetime) -> PullCase | None:
    session = case.session
    if session.deadline is not None and now >= session.deadline:
        return end(case, SessionEnd.DEADLINE, "The time for this session is over.", now)
    if session.iterations >= policy.ship_iterations:
        reason = f"It has acted {session.iterations} times, and the pull request is not ready."
        return end(case, SessionEnd.BLOCKED, reason, now, block="iterations")
    if policy.ci_minutes and case.sight.ci_minutes >= policy.ci_minutes:
        reason = f"Its pushes have started {case.sight.ci_minutes} minutes of CI; the limit is {policy.ci_minutes}."
        return end(case, SessionEnd.BLOCKED, reason, now, block="ci_minutes")
    return None


def _resolve(case: PullCase, reason: str, now: datetime) -> PullCase:
    asked = _asked_for(case)
    if asked == case.session.worked_on and not case.people.spoke:
        told = "The last turn changed nothing about it, and was asked for the same."
        return end(case, SessionEnd.BLOCKED, told, now, block="no_progress")
    case = case.updated(worked_on=asked)
    if case.work.started_from is not None:
        return act(case, S.RESOLVING, reason, now)
    return act(case, S.RESOLVING, reason, now, started_from=case.sight.head, checkpoint=None)


def _asked_for(case: PullCase) -> str:
    verdict = case.sight.verdict
    assert verdict is not None, "a turn follows a look"
    ours = [reason for reason in verdict.reasons if reason.mover == "us"]
    asked = [reason.model_dump_json(include={"kind", "since", "evidence"}) for reason in ours]
    tries = [f"{signature} {count}" for signature, count in sorted(case.fixes.tries.items())]
    digest = sha256("\n".join([*asked, *tries]).encode()).hexdigest()
    return f"{verdict.head[:10]} {digest[:20]}"


def _rest(case: PullCase, verdict: Verdict, policy: Policy, now: datetime) -> PullCase:
    """Nothing is left for Caseworker to do now: it waits, or has ended."""
    kinds = _kinds(verdict)
    if case.session.workflow == "resolve":
        left = kinds - _NOT_OF_RESOLVE
        if any(reason.mover == "service" for reason in verdict.reasons if reason.kind in left):
            return _wait(case, verdict, now)
        if left:
            names = ", ".join(sorted(left))
            return end(case, SessionEnd.INCOMPLETE, f"Outstanding: {names.replace('_', ' ')}.", now)
        return end(case, SessionEnd.DONE, "Checks are green, and no thread is open.", now)
    if kinds <= LEFT_TO_PEOPLE:
        rest = " and ".join(sorted(kinds)).replace("_", " ")
        reason = f"Only people are left: {rest}." if rest else "It is ready. A person can merge it."
        return end(case, SessionEnd.READY, reason, now)
    return _wait(case, verdict, now)


def _wait(case: PullCase, verdict: Verdict, now: datetime) -> PullCase:
    """Enters WAITING, unless the case already waits for the same reason: a pull request may be looked at hundreds of
    times, and nothing is recorded then."""
    leading = verdict.leading
    assert leading is not None, "a ready pull request is not waited for"
    if case.progress.waits_on is leading:
        return case
    return enter(case, S.WAITING, f"It waits: {leading.replace('_', ' ')}.", now, waits_on=leading)


def _waits_for_more_checks(verdict: Verdict, policy: Policy, now: datetime) -> bool:
    """Whether to wait for running checks before failed ones are fixed, so that one push fixes all. Limited in time; a
    check that has not begun is not waited for."""
    pending = _of(verdict, R.PENDING_CHECKS)
    if pending is None or pending.since is None:
        return False
    return now - pending.since < timedelta(seconds=policy.checks_begin_seconds)


def _came_back(case: PullCase, failure: Failure) -> bool:
    cleared = case.fixes.cleared.get(failure.signature)
    return failure.kind == "ours" and cleared is not None and cleared != failure.commit


def _is_rerun(case: PullCase, failure: Failure) -> bool:
    if failure.run is None or failure.kind not in ("flake", "infrastructure"):
        return False
    return case.fixes.reruns.get(_place(failure), 0) < _MOST_RERUNS


def _place(failure: Failure) -> str:
    return f"{failure.check}@{failure.commit}"


def _of(verdict: Verdict, kind: ReasonKind) -> Reason | None:
    return next((reason for reason in verdict.reasons if reason.kind is kind), None)


def _is_ours(verdict: Verdict, kind: ReasonKind) -> bool:
    reason = _of(verdict, kind)
    return reason is not None and reason.mover == "us"


def _threads_for_us(verdict: Verdict) -> bool:
    return any(reason.kind in _TO_RESOLVE and reason.mover == "us" for reason in verdict.reasons)


def _kinds(verdict: Verdict) -> frozenset[ReasonKind]:
    return frozenset(reason.kind for reason in verdict.reasons)
