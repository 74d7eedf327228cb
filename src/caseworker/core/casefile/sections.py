"""Fills the case file: each role's outcome goes into its own sections, builds and deliveries into theirs."""

from collections.abc import Sequence
from typing import Final, Literal, assert_never

from caseworker.core.base.roles import Role
from caseworker.core.casefile.model import (
    AnalysisSection,
    BuildSection,
    CaseFile,
    CommandReport,
    CommunicationSection,
    Escalation,
    FileEntry,
    Findings,
    Question,
    ReviewSection,
    RoleObservation,
    TestEntry,
    TriageSection,
    WriterSection,
)
from caseworker.core.casefile.ownership import SPEAKER, check_owned, is_open_to, take_up
from caseworker.core.evidence.builds import Build, Purpose, how_it_ended
from caseworker.core.issue.states import IssueState
from caseworker.core.outcomes.analyst import AnalysisOutcome, FileNote
from caseworker.core.outcomes.answers import AnswerOutcome
from caseworker.core.outcomes.developer import Change, ImplementationOutcome
from caseworker.core.outcomes.investigation import (
    CauseReviewOutcome,
    DiagnosticOutcome,
    InvestigationOutcome,
    UnblockingOutcome,
)
from caseworker.core.outcomes.outcome import IssueOutcome
from caseworker.core.outcomes.pm import (
    DefectPlace,
    InterpretOutcome,
    IssueType,
    PlanOutcome,
    QuestionsOutcome,
    TriageOutcome,
)
from caseworker.core.outcomes.tech_lead import ReviewOutcome
from caseworker.core.outcomes.tester import JudgeOutcome, TestsOutcome, ValidationOutcome

S = IssueState

_WRITTEN: Final = ("READY_FOR_QA", "READY_FOR_REVIEW", "NEEDS_TECH_LEAD_VALIDATION")
_MOST_ANSWERS: Final = 3
"""Per turn, as its outcome allows."""


# --- the outcome of a turn -------------------------------------------------------------------------------------------


def after_outcome(
    file: CaseFile, role: Role, outcome: IssueOutcome, attempt: int, given: str | None = None
) -> CaseFile:
    """The file with this outcome, in the role's own sections. If the role asks another one first, its work is not done
    yet: only its questions are kept. `given`: the feedback that the turn was given."""
    changes: dict[str, object] = {} if outcome.ask else _section_changes(file, outcome, attempt, given)
    changes["communication"] = _communication(file.communication, role, outcome)
    seen = [RoleObservation(agent=SPEAKER[role], type=o.type, content=o.content) for o in outcome.observations]
    changes["learnings"] = file.learnings.model_copy(update={"observations": [*file.learnings.observations, *seen]})
    after = file.model_copy(update=changes)
    check_owned(file, after, role)
    return after


def _section_changes(file: CaseFile, outcome: IssueOutcome, attempt: int, given: str | None) -> dict[str, object]:
    match outcome:
        case TriageOutcome():
            named = {"analysis": _analysis_by_triage(outcome)} if outcome.defect or outcome.analysis else {}
            issue = file.issue.model_copy(update={"type": outcome.type})
            return {"issue": issue, "triage": _triage(outcome), **named}
        case InterpretOutcome(status="REJECT"):
            rejected = {"completed": True, "should_proceed": False, "rejection_reason": outcome.reply}
            return {"triage": file.triage.model_copy(update=rejected)}
        case AnalysisOutcome():
            return {"analysis": _analysis(outcome)}
        case TestsOutcome():
            written = {"test_written": outcome.status == "TESTS_READY", "test_file": outcome.test_file or None}
            return {"writer": file.writer.model_copy(update=written)}
        case ImplementationOutcome():
            return {"writer": _writer(file, outcome, attempt, given)}
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


def analysis_of(outcome: AnalysisOutcome | TriageOutcome) -> AnalysisSection | None:
    """The analysis that it brings. Null: it leaves the analysis as it was."""
    if outcome.ask:
        return None
    if isinstance(outcome, AnalysisOutcome):
        return _analysis(outcome)
    return _analysis_by_triage(outcome) if outcome.defect or outcome.analysis else None


def _analysis_by_triage(outcome: TriageOutcome) -> AnalysisSection:
    """The analysis that a triage brings along. If it is not enough, the analyst begins with it."""
    found, defect, completed = outcome.analysis, outcome.defect, outcome.brings_analysis
    if found is None:
        assert defect is not None
        return _analysis_of_defect(defect, completed=completed)
    expected = [defect.expected] if defect else []
    place = [_place_words(defect, completed=completed)] if defect else []
    return AnalysisSection(
        completed=completed,
        files=_with_defect(_file_entries(found.files), defect),
        patterns=found.patterns,
        test_requirement=TestEntry(
            required=True,
            type="regression" if outcome.type is IssueType.BUG_FIX else "feature",
            location=found.test_location,
            description=found.test_description or "".join(expected),
        ),
        must_do=list(dict.fromkeys([*expected, *found.must_do])),
        must_not_do=found.must_not_do,
        brief="\n\n".join([*place, found.whole_brief]),
    )


def _analysis_of_defect(defect: DefectPlace, *, completed: bool) -> AnalysisSection:
    """The least that is known of a plain small bug."""
    return AnalysisSection(
        completed=completed,
        files=[FileEntry(path=defect.path, purpose=defect.problem, action="modify")],
        test_requirement=TestEntry(required=True, type="regression", description=defect.expected),
        must_do=[defect.expected],
        brief=_place_words(defect, completed=completed),
    )


def _place_words(defect: DefectPlace, *, completed: bool) -> str:
    """The place and the problem. The expected result is added only if the analysis is not completed; otherwise it is in
    `must_do`."""
    place = f"`{defect.path}:{defect.line}`: {defect.problem}"
    return place if completed else f"{place}\n\nInstead: {defect.expected}"


def _with_defect(files: list[FileEntry], defect: DefectPlace | None) -> list[FileEntry]:
    if defect is None or any(one.path == defect.path for one in files):
        return files
    return [FileEntry(path=defect.path, purpose="has the defect", action="modify"), *files]


def _file_entries(notes: Sequence[FileNote]) -> list[FileEntry]:
    return [FileEntry(path=note.path, purpose=note.purpose, action=note.action) for note in notes]


def _analysis(outcome: AnalysisOutcome) -> AnalysisSection:
    return AnalysisSection(
        completed=outcome.status == "READY",
        files=_file_entries(outcome.files),
        patterns=outcome.patterns,
        test_requirement=TestEntry.model_validate(outcome.test_requirement.model_dump()),
        must_do=outcome.must_do,
        must_not_do=outcome.must_not_do,
        brief=outcome.whole_brief,
    )


def _writer(file: CaseFile, outcome: ImplementationOutcome, attempt: int, given: str | None) -> WriterSection:
    return WriterSection(
        completed=outcome.status in _WRITTEN,
        attempt=attempt,
        changes=_merged_changes(file.writer.changes, outcome.changes),
        test_written=file.writer.test_written,
        test_file=file.writer.test_file,
        summary=outcome.summary,
        previous_feedback=given,
    )


def _merged_changes(before: Sequence[Change], now: Sequence[Change]) -> list[Change]:
    """The changes of all turns of the attempt, the newest description per file: later turns build on earlier ones."""
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
    """The open questions to a role, in the order to answer them. If there are many, the newest."""
    open_ones = [question for question in file.communication.questions if is_open_to(question, role)]
    return open_ones[-_MOST_ANSWERS:]


def _communication(before: CommunicationSection, role: Role, outcome: IssueOutcome) -> CommunicationSection:
    """Adds questions, answers and escalations. One that is already open, word for word, is not repeated."""
    name, questions, escalations = SPEAKER[role], list(before.questions), list(before.escalations)
    if not isinstance(outcome, AnswerOutcome):
        escalations = take_up(escalations, role)
    elif not outcome.ask:
        questions = _fill_answers(questions, role, outcome)
    open_ones = {(question.from_, question.to, question.question) for question in questions if not question.answered}
    for asked in outcome.ask:
        said = (name, SPEAKER[Role(asked.to)], asked.question)
        if said not in open_ones:
            open_ones.add(said)
            questions.append(Question(from_=name, to=said[1], question=asked.question))
    to_people = Escalation(agent=name, reason=outcome.escalation)
    to_a_role = Escalation(agent=name, reason=_passed_on(role, outcome), requires_human=False)
    for escalation in (to_people, to_a_role):
        if escalation.reason and escalation not in escalations:
            escalations.append(escalation)
    return CommunicationSection(questions=questions, escalations=escalations)


def _passed_on(role: Role, outcome: IssueOutcome) -> str:
    """Why the outcome passes the work on to a more experienced role. Empty: it does not."""
    match outcome:
        case ImplementationOutcome(status="ESCALATE_SENIOR") if role is Role.DEVELOPER:
            return outcome.summary
        case JudgeOutcome(status="FAIL_ESCALATE"):
            return outcome.summary
        case ReviewOutcome(status="ESCALATE"):
            return outcome.feedback_for_writer or ""
        case _:
            return ""


def _fill_answers(questions: Sequence[Question], role: Role, outcome: AnswerOutcome) -> list[Question]:
    """Fills in answers in order. A role that can't answer may say why: the question stays open."""
    places = [place for place, question in enumerate(questions) if is_open_to(question, role)][-_MOST_ANSWERS:]
    after = list(questions)
    for place, answer in zip(places, outcome.answers, strict=False):
        if answer.strip():
            given = {"answered": outcome.status == "READY", "answer": answer}
            after[place] = after[place].model_copy(update=given)
    return after


# --- builds, deliveries, moves: filled by code -----------------------------------------------------------------------


def after_build(file: CaseFile, build: Build, feedback: str) -> CaseFile:
    """The file after a build. A failed one gives feedback to the writer, as a rejected review does."""
    section = BuildSection(
        completed=True,
        tests_passed=build.result_of(Purpose.TEST, Purpose.NEW_TEST),
        lint_passed=build.result_of(Purpose.LINT),
        type_check_passed=build.result_of(Purpose.TYPES),
        errors=[
            *(f"{run.command} {how_it_ended(run)}" for run in build.runs if not run.passed),
            *(f"{command.command} was not run" for command in build.not_run),
        ],
        commands_run=[
            CommandReport(command=run.command, exit_code=run.exit_code, output=run.output) for run in build.runs
        ],
    )
    review = file.review.model_copy(update={"feedback_for_writer": feedback}) if feedback else file.review
    return file.model_copy(update={"build": section, "review": review})


def after_push(file: CaseFile, *, commit: str, branch: str, message: str) -> CaseFile:
    """The file after a push, also of a parked or failed case. `message`: the commit's own."""
    pushed = {"hash": commit, "message": message, "branch": branch, "pushed": True}
    return file.model_copy(update={"commit": file.commit.model_copy(update=pushed)})


def after_pull_request(file: CaseFile, *, url: str) -> CaseFile:
    opened = {"completed": True, "pr_created": True, "pr_url": url}
    return file.model_copy(update={"commit": file.commit.model_copy(update=opened)})
