"""Applies a fact to an issue case. A new commit invalidates what was proven about the old one."""

from collections.abc import Sequence
from typing import assert_never

from caseworker.core.base.failed_steps import Deferred, EffectRefused, TurnGaveUp
from caseworker.core.base.ids import MessageId
from caseworker.core.base.policy import Milestone, how_far
from caseworker.core.base.roles import Task
from caseworker.core.evidence.builds import Stage
from caseworker.core.evidence.forbidden_paths import listed
from caseworker.core.evidence.sensitive_paths import topic_words
from caseworker.core.issue import words
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.check_watch import CheckWatch
from caseworker.core.issue.facts import (
    Agreed,
    BranchMoved,
    BudgetRaised,
    BuildEnded,
    CloseAsked,
    Declined,
    Fact,
    HandedBack,
    Merged,
    PullRequestReady,
    RerunAsked,
    RetryAsked,
    Spoke,
    TakenOver,
    TimedOut,
    TurnEnded,
)
from caseworker.core.issue.investigation import (
    apply_cause_review,
    apply_diagnostic,
    count_invalid_iteration,
    count_iteration,
)
from caseworker.core.issue.moves import add_grant, milestone_reached
from caseworker.core.issue.proof import unexplained
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import Subject, WaitingFor
from caseworker.core.outcomes.analyst import AnalysisOutcome
from caseworker.core.outcomes.answers import AnswerOutcome
from caseworker.core.outcomes.developer import ImplementationOutcome
from caseworker.core.outcomes.investigation import (
    CauseReviewOutcome,
    DiagnosticOutcome,
    InvestigationOutcome,
    UnblockingOutcome,
)
from caseworker.core.outcomes.pm import (
    SECURITY,
    InterpretOutcome,
    IssueType,
    PlanOutcome,
    QuestionsOutcome,
    TriageOutcome,
)
from caseworker.core.outcomes.tech_lead import ReviewOutcome, named_weakenings
from caseworker.core.outcomes.tester import JudgeOutcome, TestsOutcome, ValidationOutcome

S = IssueState


def apply_fact(case: IssueCase, fact: Fact) -> IssueCase:
    """The case with the fact applied, before any move. A new commit invalidates what was proven about the old one."""
    if isinstance(fact, Agreed) and case.waiting.wait is not None:
        case = _set_limit(case, fact, at_milestone=case.waiting.wait.reason is WaitingFor.MILESTONE)
    match fact:
        case TurnEnded():
            return after_turn(case, fact).updated(**_changes_from(case, fact))
        case BuildEnded(stage=Stage.HEAD):
            return _after_head(case, fact)
        case BuildEnded(stage=Stage.RED):
            return _after_red(case, fact)
        case BuildEnded():
            return _after_base(case, fact)
        case PullRequestReady():
            answered = {"remarks": (), "late": fact.late}
            checks = CheckWatch(commit=fact.commit) if fact.checked else None
            return case.updated(pull_request=fact.number, pushed=fact.commit, checks=checks, **answered)
        case BranchMoved():
            theirs = words.conflicts(fact.conflict) if fact.conflict else case.evidence.feedback
            joined = "conflict" if fact.conflict else "clean"
            branch = {"checkpoint": fact.commit, "pushed": fact.theirs, "feedback": theirs}
            return case.updated(**branch, joined=joined)
        case Declined(messages=(message,)) if _asks_whether_to_begin(case):
            return add_remarks(case, (*case.people.late, message)).updated(closed_by=message)
        case Spoke() | Declined():
            return add_remarks(case, (*case.people.late, *fact.messages))
        case CloseAsked():
            return case.updated(closed_by=fact.message)
        case RetryAsked():
            return add_remarks(case.updated(handed_back=True), (*case.people.late, *fact.messages))
        case RerunAsked():  # the plan that follows is a new one, which nobody has approved
            grants = tuple(grant for grant in case.people.grants if grant.subject is not Subject.PLAN)
            return case.updated(until=fact.milestone, limited_by=fact.message, planned=False, grants=grants)
        case Agreed() if case.waiting.wait is not None and case.waiting.wait.subject is Subject.TOUCHES:
            agreed = tuple(dict.fromkeys([*case.people.agreed, *(one.topic for one in case.evidence.touches)]))
            known = add_grant(case, Subject.TOUCHES, fact, about=topic_words(case.evidence.touches))
            return known.updated(agreed=agreed)
        case Agreed() if _asks_whether_to_begin(case):
            agreed = tuple(dict.fromkeys([*case.people.agreed, *(case.requirements.topics)]))
            about = ", ".join(topic.value.replace("_", " ") for topic in case.requirements.topics)
            return add_grant(case, Subject.SENSITIVE, fact, about=about).updated(agreed=agreed)
        case Agreed() if case.waiting.wait is not None and case.waiting.wait.subject is Subject.FORBIDDEN:
            known = add_grant(case, Subject.FORBIDDEN, fact, about=listed(case.evidence.forbidden))
            return known.updated(may_change=_union(case.people.may_change, case.evidence.forbidden))
        case Agreed() if case.waiting.wait is not None and case.waiting.wait.subject is Subject.WEAKENED:
            return add_grant(case, Subject.WEAKENED, fact, about=" ".join(unexplained(case)))
        case Agreed() if case.waiting.wait is not None and case.waiting.wait.subject is not None:
            return add_grant(case, case.waiting.wait.subject, fact)
        case TakenOver():
            return case.updated(taken_by=fact.by)
        case HandedBack():
            return add_remarks(case.updated(taken_by="", handed_back=True), (*case.people.late, *fact.messages))
        case BudgetRaised():
            return case.updated(extra_micros=case.people.extra_micros + fact.micros)
        case TurnGaveUp(invalid=True) if case.state is S.INVESTIGATING and case.progress.task is None:
            return case.updated(investigation=count_invalid_iteration(case))
        case TurnGaveUp() | Deferred() | EffectRefused() | Merged() | Agreed() | TimedOut():
            return case
        case _:
            assert_never(fact)


def _asks_whether_to_begin(case: IssueCase) -> bool:
    """Whether the case is closed if a person says no."""
    return case.waiting.wait is not None and case.waiting.wait.subject is Subject.SENSITIVE


def _after_base(case: IssueCase, fact: BuildEnded) -> IssueCase:
    """A base that could not run is built again once a person has put that right, from the newest commit if nothing is
    written yet: the cure may be there."""
    if fact.verdict != "could_not_run" or case.granted(Subject.NOT_RUN):
        return case.updated(base_built=True, obstacle=fact.obstacle)
    untouched = case.delivery.checkpoint == case.delivery.base and case.progress.turns == 0
    again = {"base": None, "checkpoint": None} if untouched else {}
    return case.updated(base_built=False, obstacle=fact.obstacle, **again)


def _after_head(case: IssueCase, fact: BuildEnded) -> IssueCase:
    green = fact.commit if fact.verdict == "green" else None
    seen = {"green": green, "built": fact.commit, "feedback": fact.feedback, "obstacle": fact.obstacle}
    judged = {"unfit": fact.unfit, "waivable": _waivable(fact), "forbidden": fact.forbidden}
    looked = {"touches": fact.touches, "changed": fact.change.files, "joined": ""}
    proof = {"proved": fact.commit if fact.unproved == "" else None, "unproved": fact.unproved or ""}
    tries = case.limits.test_tries + (fact.verdict == "green" and bool(fact.unproved))
    return case.updated(**seen, **judged, **looked).updated(**proof, weakened=fact.change.weakened, test_tries=tries)


def _after_red(case: IssueCase, fact: BuildEnded) -> IssueCase:
    is_red = fact.verdict == "red"
    feedback = "" if is_red else f"{words.not_red(fact.verdict, fact.reason)}."
    tries = case.limits.test_tries + (not is_red)
    seen = {"red_tests": fact.red_tests, "weakened": fact.change.weakened}
    return case.updated(**seen).updated(red=is_red, feedback=feedback, test_tries=tries)


def _union(known: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*known, *more]))


def _waivable(head: BuildEnded) -> Subject | None:
    """The waiver that would let this build pass. It does not cover a later build that fails in another way."""
    if head.verdict == "nothing_to_run":
        return Subject.NO_COMMAND
    if head.verdict == "could_not_run":
        return Subject.NOT_RUN
    return Subject.RED_BASE if head.verdict == "red" and head.base_fails_too else None


def _set_limit(case: IssueCase, fact: Agreed, *, at_milestone: bool) -> IssueCase:
    """Sets how far the approval lets the case go. At a milestone, an approval without a limit goes all the way."""
    further = fact.until is not None and how_far(fact.until) > how_far(milestone_reached(case))
    if not further and not at_milestone:
        return case
    return case.updated(until=fact.until if further else Milestone.PR, limited_by=fact.message)


def add_remarks(case: IssueCase, messages: Sequence[MessageId]) -> IssueCase:
    """Adds messages about an open pull request as remarks, also during a turn. Each has to be answered."""
    if case.delivery.pull_request is None:
        return case
    return case.updated(remarks=tuple(dict.fromkeys([*case.people.remarks, *messages])))


def after_turn(case: IssueCase, fact: TurnEnded) -> IssueCase:
    """Stores the turn's checkpoint and session, not its outcome: a role that asks another role has none yet."""
    sessions = {**case.progress.sessions, fact.role.value: fact.session}
    if isinstance(fact.outcome, DiagnosticOutcome):  # diagnostic code is in a worktree of its own and is discarded
        return case
    return case.updated(checkpoint=fact.checkpoint, sessions=sessions)


def _changes_from(case: IssueCase, fact: TurnEnded) -> dict[str, object]:
    match fact.outcome:
        case TriageOutcome() as triage:
            return {
                "issue_type": triage.type,
                "topics": tuple(triage.topics),
                "weighty": triage.scope != "SMALL" or triage.complexity == "complex",
                "senior": case.limits.senior or not SECURITY.isdisjoint(triage.topics),
                "analysed": case.requirements.analysed or triage.brings_analysis,
            }
        case AnalysisOutcome() as analysis:
            # A bug needs a regression test, even if the analyst disagrees: only a person may waive it.
            is_bug = case.requirements.issue_type is IssueType.BUG_FIX
            return {"test_required": analysis.test_requirement.required or is_bug}
        case PlanOutcome(status="PLANNING_COMPLETE"):
            return {"planned": True}
        case TestsOutcome() as tests:
            written = {"tests": fact.checkpoint, "test_file": tests.test_file, "new_test": tests.test_command}
            return {
                **written,
                "red_tests": (),  # what is seen of the test as it is now counts
                "testless": case.limits.testless + (tests.status in ("TESTS_NEED_WORK", "REQUIREMENT_GAP")),
            }
        case ReviewOutcome() as review:
            return {
                "approved": fact.checkpoint if review.approves else None,
                "explained": named_weakenings(case.proof.weakened, review) if review.approves else (),
                "feedback": review.feedback_for_writer or "",
                "guided": case.limits.guided or case.progress.task is Task.UNBLOCK,
                "senior": case.limits.senior or review.status == "CHANGES_REQUESTED",
            }
        case JudgeOutcome() as judged:
            flaky = case.limits.flaky + (judged.status == "FLAKY")
            return {"feedback": f"{case.evidence.feedback}\n\nThe tester: {judged.summary}".strip(), "flaky": flaky}
        case ValidationOutcome() as validated:
            unmet = [f"- {check.requirement}: {check.evidence}" for check in validated.checks if not check.met]
            return {"feedback": "\n".join([validated.summary, *unmet]) if validated.status != "PASS" else ""}
        case ImplementationOutcome():
            return {
                "feedback": "",
                "senior": case.limits.senior or fact.outcome.status == "ESCALATE_SENIOR",
                "warned_of": _union(case.people.warned_of, case.evidence.forbidden),
            }
        case InvestigationOutcome() as found:
            return {"investigation": count_iteration(case, found), "feedback": ""}
        case DiagnosticOutcome() as measured:
            return {"investigation": apply_diagnostic(case, measured)}
        case CauseReviewOutcome() as review:
            return {
                "investigation": apply_cause_review(case, review),
                "feedback": "" if review.status == "APPROVED" else review.feedback,
            }
        case InterpretOutcome():
            return {"late": ()}
        case QuestionsOutcome(status="NEEDS_CLARIFICATION"):
            return {"asked": case.people.asked + 1}
        case PlanOutcome() | QuestionsOutcome() | AnswerOutcome() | UnblockingOutcome():
            return {}
        case _:
            assert_never(fact.outcome)
