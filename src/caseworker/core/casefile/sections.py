"""How the case file is filled: each role's outcome goes into that role's own sections, builds and moves into theirs."""

from collections.abc import Sequence
from typing import Final, Literal, assert_never

from caseworker.core.base.roles import Role
from caseworker.core.casefile.model import (
    AnalysisSection,
    BuildSection,
    CaseFile,
    CommandReport,
    CommitSection,
    CommunicationSection,
    Escalation,
    Findings,
    Question,
    ReviewSection,
    RoleObservation,
    TriageSection,
    WriterSection,
)
from caseworker.core.casefile.ownership import SPEAKER, check_owned, is_open_to
from caseworker.core.evidence.builds import Build, Purpose, how_it_ended
from caseworker.core.issue.case import IssueCase, Subject, WaitingFor
from caseworker.core.issue.moves import BY_PEOPLE
from caseworker.core.issue.states import PARKED, ROWS, WAITING, IssueState
from caseworker.core.outcomes.analyst import AnalysisOutcome
from caseworker.core.outcomes.answers import AnswerOutcome, RoleQuestion
from caseworker.core.outcomes.developer import Change, ImplementationOutcome
from caseworker.core.outcomes.investigation import (
    CauseReviewOutcome,
    DiagnosticOutcome,
    InvestigationOutcome,
    UnblockingOutcome,
)
from caseworker.core.outcomes.outcome import IssueOutcome
from caseworker.core.outcomes.pm import InterpretOutcome, PlanOutcome, QuestionsOutcome, TriageOutcome
from caseworker.core.outcomes.tech_lead import ReviewOutcome
from caseworker.core.outcomes.tester import JudgeOutcome, TestsOutcome, ValidationOutcome

S = IssueState

_WRITTEN: Final = ("READY_FOR_QA", "READY_FOR_REVIEW", "NEEDS_TECH_LEAD_VALIDATION")
_MOST_ANSWERS: Final = 3
"""In one turn, as its outcome allows."""


# --- the outcome of a turn -------------------------------------------------------------------------------------------


def after_outcome(file: CaseFile, role: Role, outcome: IssueOutcome, attempt: int) -> CaseFile:
    """The file with what this outcome says in it, all of it in sections that are the role's own. A role that asks
    another one first has not done its work yet: only its questions are kept."""
    changes: dict[str, object] = {} if _questions(outcome) else _filled(file, outcome, attempt)
    changes["communication"] = _said(file.communication, role, outcome)
    seen = [RoleObservation(agent=SPEAKER[role], type=o.type, content=o.content) for o in outcome.observations]
    changes["learnings"] = file.learnings.model_copy(update={"observations": [*file.learnings.observations, *seen]})
    after = file.model_copy(update=changes)
    check_owned(file, after, role)
    return after


def _filled(file: CaseFile, outcome: IssueOutcome, attempt: int) -> dict[str, object]:
    match outcome:
        case TriageOutcome():
            return {"issue": file.issue.model_copy(update={"type": outcome.type}), "triage": _triage(outcome)}
        case InterpretOutcome(status="REJECT"):
            rejected = {"completed": True, "should_proceed": False, "rejection_reason": outcome.reply}
            return {"triage": file.triage.model_copy(update=rejected)}
        case AnalysisOutcome():
            return {"analysis": _analysis(outcome)}
        case TestsOutcome():
            written = {"test_written": outcome.status == "TESTS_READY", "test_file": outcome.test_file or None}
            return {"writer": file.writer.model_copy(update=written)}
        case ImplementationOutcome():
            return {
                "writer": _writer(file, outcome, attempt),
                "commit": file.commit.model_copy(update={"message": outcome.commit_message}),
            }
        case ReviewOutcome():
            return {"review": _review(outcome)}
        case PlanOutcome() | QuestionsOutcome() | InterpretOutcome() | AnswerOutcome() | JudgeOutcome():
            return {}
        case ValidationOutcome() | InvestigationOutcome() | DiagnosticOutcome():
            return {}
        case CauseReviewOutcome() | UnblockingOutcome():
            return {}
        case _:
            assert_never(outcome)


def _triage(outcome: TriageOutcome) -> TriageSection:
    proceed = outcome.status != "REJECT"
    return TriageSection(
        completed=True,
        scope=outcome.scope,
        complexity=outcome.complexity,
        should_proceed=proceed,
        rejection_reason=None if proceed else outcome.reason,
    )


def _analysis(outcome: AnalysisOutcome) -> AnalysisSection:
    return AnalysisSection(
        completed=outcome.status == "READY",
        files=outcome.files,
        patterns=outcome.patterns,
        test_requirement=outcome.test_requirement,
        must_do=outcome.must_do,
        must_not_do=outcome.must_not_do,
        brief=outcome.brief,
    )


def _writer(file: CaseFile, outcome: ImplementationOutcome, attempt: int) -> WriterSection:
    return WriterSection(
        completed=outcome.status in _WRITTEN,
        attempt=attempt,
        changes=_together(file.writer.changes, outcome.changes),
        test_written=file.writer.test_written,
        test_file=file.writer.test_file,
        summary=outcome.summary,
        previous_feedback=file.review.feedback_for_writer,
    )


def _together(before: Sequence[Change], now: Sequence[Change]) -> list[Change]:
    """A later turn builds on what earlier ones wrote: of each file the newest word."""
    return list({change.file: change for change in (*before, *now)}.values())


def _review(outcome: ReviewOutcome) -> ReviewSection:
    return ReviewSection(
        completed=True,
        verdict=_verdict(outcome),
        findings=Findings(good=outcome.good, issues=outcome.issues),
        feedback_for_writer=outcome.feedback_for_writer,
    )


def _verdict(outcome: ReviewOutcome) -> Literal["APPROVED", "REJECTED", "NEEDS_INFO"]:
    if outcome.approves:
        return "APPROVED"
    return "NEEDS_INFO" if outcome.status == "NEEDS_INFO" else "REJECTED"


# --- what roles say to each other ------------------------------------------------------------------------------------


def asked_of(file: CaseFile, role: Role) -> list[Question]:
    """The open questions to a role, in the order in which it is to answer them; of many, the newest."""
    open_ones = [question for question in file.communication.questions if is_open_to(question, role)]
    return open_ones[-_MOST_ANSWERS:]


def _said(before: CommunicationSection, role: Role, outcome: IssueOutcome) -> CommunicationSection:
    """What is open already, word for word, is not said a second time."""
    if isinstance(outcome, AnswerOutcome):
        return before.model_copy(update={"questions": _answered(before.questions, role, outcome)})
    name, questions, escalations = SPEAKER[role], list(before.questions), list(before.escalations)
    open_ones = {(question.from_, question.to, question.question) for question in questions if not question.answered}
    for asked in _questions(outcome):
        said = (name, SPEAKER[Role(asked.to)], asked.question)
        if said not in open_ones:
            open_ones.add(said)
            questions.append(Question(from_=name, to=said[1], question=asked.question))
    escalation = Escalation(agent=name, reason=getattr(outcome, "escalation", ""))
    if escalation.reason and escalation not in escalations:
        escalations.append(escalation)
    return CommunicationSection(questions=questions, escalations=escalations)


def _questions(outcome: IssueOutcome) -> list[RoleQuestion]:
    asked: list[RoleQuestion] = getattr(outcome, "ask", [])
    return asked


def _answered(questions: Sequence[Question], role: Role, outcome: AnswerOutcome) -> list[Question]:
    """In order. Who can't answer may say why: the question stays open."""
    places = [place for place, question in enumerate(questions) if is_open_to(question, role)][-_MOST_ANSWERS:]
    after = list(questions)
    for place, answer in zip(places, outcome.answers, strict=False):
        if answer.strip():
            given = {"answered": outcome.status == "READY", "answer": answer}
            after[place] = after[place].model_copy(update=given)
    return after


# --- builds, deliveries, moves: filled by code -----------------------------------------------------------------------


def after_build(file: CaseFile, build: Build, feedback: str) -> CaseFile:
    """A failed build tells the writer what to repair, as a rejected review does."""
    section = BuildSection(
        completed=True,
        tests_passed=build.passed(Purpose.TEST) and build.passed(Purpose.NEW_TEST),
        lint_passed=build.passed(Purpose.LINT),
        type_check_passed=build.passed(Purpose.TYPES),
        errors=[f"{run.command} {how_it_ended(run)}" for run in build.runs if not run.passed],
        commands_run=[
            CommandReport(command=run.command, exit_code=run.exit_code, output=run.output) for run in build.runs
        ],
    )
    review = file.review.model_copy(update={"feedback_for_writer": feedback}) if feedback else file.review
    return file.model_copy(update={"build": section, "review": review})


def after_pull_request(file: CaseFile, *, commit: str, branch: str, url: str) -> CaseFile:
    section = CommitSection(
        completed=True,
        hash=commit,
        message=file.commit.message,
        branch=branch,
        pushed=True,
        pr_created=True,
        pr_url=url,
    )
    return file.model_copy(update={"commit": section})


def after_move(file: CaseFile, case: IssueCase, before: IssueCase | None = None) -> CaseFile:
    """The pipeline section says where the case stands, in the case file's own words. `before`: the case that moved."""
    pipeline = file.pipeline.model_copy(
        update={
            "current_agent": ROWS[case.state].agent,
            "attempt": case.limits.attempt,
            "blocked_reason": case.reason if case.state in PARKED | WAITING else None,
            "failure_reason": _failure(case),
            "status": _status(case.state),
        }
    )
    outcome = case.state.value if case.state in _OVER else None
    return file.model_copy(
        update={
            "pipeline": pipeline,
            "triage": _overruled(file.triage) if case.state in BY_PEOPLE else file.triage,
            "commit": file.commit.model_copy(update={"branch": case.branch, "issue_closed": case.state is S.COMPLETED}),
            "communication": file.communication.model_copy(update={"escalations": _escalations(file, case, before)}),
            "learnings": file.learnings.model_copy(update={"outcome": outcome}),
        }
    )


def _overruled(triage: TriageSection) -> TriageSection:
    """A person wants it worked on after all."""
    if triage.should_proceed is not False:
        return triage
    return triage.model_copy(update={"should_proceed": True, "rejection_reason": None})


def _escalations(file: CaseFile, case: IssueCase, before: IssueCase | None) -> list[Escalation]:
    """Resolved when a person answers; not, if the case goes back to wait for an answer after mere thanks, or if it was
    only given money or leave to go on."""
    raised = file.communication.escalations
    wait = before.waiting.wait if before is not None else None
    if case.state in BY_PEOPLE and (wait is None or wait.reason not in (WaitingFor.BUDGET, WaitingFor.MILESTONE)):
        return [escalation.model_copy(update={"resolved": True}) for escalation in raised]
    waits = case.state in WAITING and case.waiting.wait is not None and case.waiting.wait.subject is Subject.ESCALATION
    if waits and raised:
        return [*raised[:-1], raised[-1].model_copy(update={"resolved": False})]
    return raised


_OVER: Final = {S.COMPLETED, S.FAILED, S.CLOSED}


def _status(state: IssueState) -> str:
    if state is S.COMPLETED:
        return "completed"
    if state in _OVER:
        return "failed"
    return "blocked" if state in PARKED | WAITING else "in_progress"


def _failure(case: IssueCase) -> str | None:
    match case.state:
        case S.FAILED:
            return case.reason
        case S.CLOSED:
            return f"closed: {case.reason}"
        case _:
            return None
