"""What a pull request needs: seen red, seen green, approved, and no weakened test without a reason. Or a waiver."""

from caseworker.core.evidence.sensitive_paths import Touched
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.subjects import Subject
from caseworker.core.outcomes.pm import IssueType


def may_be_delivered(case: IssueCase) -> bool:
    """Whether the commit that would be pushed is green and approved, its tests were seen to fail without the change,
    and the review names every weakened test. A person may have waived all but the review."""
    commit = case.delivery.checkpoint
    is_a_change = commit is not None and commit != case.delivery.base
    reviewed = case.evidence.approved == commit and not unexplained(case)
    return is_a_change and is_green(case) and reviewed and tests_fail_on_base(case)


def is_green(case: IssueCase) -> bool:
    if case.evidence.green is not None and case.evidence.green == case.delivery.checkpoint:
        return True
    if case.evidence.unfit or case.evidence.waivable is None or case.evidence.built != case.delivery.checkpoint:
        return False
    return case.granted(case.evidence.waivable)


def needs_red(case: IssueCase) -> bool:
    """Whether a test has to be seen to fail without the change."""
    kind = case.requirements.issue_type
    return kind is IssueType.BUG_FIX or (kind is IssueType.NEW_FEATURE and case.requirements.test_required)


def was_red(case: IssueCase) -> bool:
    """Whether the new test was seen to fail before the change was written, or need not be."""
    return case.evidence.red or not needs_red(case) or case.granted(Subject.NO_RED_TEST) or runs_nothing(case)


def tests_fail_on_base(case: IssueCase) -> bool:
    """Whether the tests of the commit that would be pushed were seen to fail on the base's code, or need not be."""
    seen = case.proof.proved is not None and case.proof.proved == case.delivery.checkpoint
    return seen or not needs_red(case) or case.granted(Subject.NO_RED_TEST) or runs_nothing(case)


def runs_nothing(case: IssueCase) -> bool:
    """Whether its tests can't be run, and a person has waived that. It no longer counts once they can."""
    return case.evidence.obstacle is not None and case.granted(Subject.NOT_RUN)


def unexplained(case: IssueCase) -> tuple[str, ...]:
    """Weakened tests, and changes of what decides, that neither the review has named nor a person has waived."""
    waived = {grant.about for grant in case.people.grants if grant.subject is Subject.WEAKENED}
    left = tuple(one for one in case.proof.weakened if one not in case.proof.explained)
    return tuple(one for one in left if not any(one in about for about in waived))


def undecided(case: IssueCase) -> tuple[Touched, ...]:
    """Sensitive topics that the change touches and that no person has agreed to. An approval at triage only covers the
    topics that the triage named."""
    return tuple(one for one in case.evidence.touches if one.topic not in case.people.agreed)
