"""How the case file is filled: each role's outcome goes into that role's own sections, builds and moves into theirs."""

from typing import Final, assert_never

from caseworker.core.case import Case
from caseworker.core.casefile import (
    Agent,
    AnalysisSection,
    BuildSection,
    CaseFile,
    CommandReport,
    CommitSection,
    Findings,
    ReviewSection,
    RoleObservation,
    TriageSection,
    WriterSection,
)
from caseworker.core.evidence import Build, Purpose, how_it_ended
from caseworker.core.outcomes import (
    AnalysisOutcome,
    ImplementationOutcome,
    IssueOutcome,
    ReviewOutcome,
    TestsOutcome,
    TriageOutcome,
)
from caseworker.core.states import PARKED, WAITING, IssueState, Role

_AGENT: Final[dict[Role, Agent]] = {
    Role.PM: "triage",
    Role.ANALYST: "analyst",
    Role.TESTER: "writer",
    Role.DEVELOPER: "writer",
    Role.SENIOR_DEVELOPER: "writer",
    Role.TECH_LEAD: "reviewer",
    Role.INVESTIGATOR: "analyst",
}

_AT_WORK: Final[dict[IssueState, Agent]] = {
    IssueState.RECEIVED: "triage",
    IssueState.ANALYZING_REQUIREMENTS: "analyst",
    IssueState.CREATING_TESTS: "writer",
    IssueState.IMPLEMENTING: "writer",
    IssueState.FIXING_ISSUES: "writer",
    IssueState.RUNNING_TESTS: "build",
    IssueState.REVIEWING_CODE: "reviewer",
    IssueState.CREATING_PR: "committer",
}


def after_outcome(file: CaseFile, role: Role, outcome: IssueOutcome, attempt: int) -> CaseFile:
    """The file with the sections of this outcome's role replaced, and none else."""
    match outcome:
        case TriageOutcome():
            proceed = outcome.status != "REJECT"
            changes: dict[str, object] = {
                "issue": file.issue.model_copy(update={"type": outcome.type}),
                "triage": TriageSection(
                    completed=True,
                    scope=outcome.scope,
                    complexity=outcome.complexity,
                    should_proceed=proceed,
                    rejection_reason=None if proceed else outcome.reason,
                ),
            }
        case AnalysisOutcome():
            changes = {
                "analysis": AnalysisSection(
                    completed=True,
                    files=outcome.files,
                    patterns=outcome.patterns,
                    test_requirement=outcome.test_requirement,
                    must_do=outcome.must_do,
                    must_not_do=outcome.must_not_do,
                    brief=outcome.brief,
                )
            }
        case TestsOutcome():
            changes = {
                "writer": file.writer.model_copy(
                    update={"test_written": outcome.status == "TESTS_READY", "test_file": outcome.test_file}
                )
            }
        case ImplementationOutcome():
            changes = {
                "writer": WriterSection(
                    completed=outcome.status == "READY_FOR_QA",
                    attempt=attempt,
                    changes=outcome.changes,
                    test_written=file.writer.test_written,
                    test_file=file.writer.test_file,
                    summary=outcome.summary,
                    previous_feedback=file.review.feedback_for_writer,
                ),
                "commit": CommitSection(message=outcome.commit_message, branch=file.commit.branch),
            }
        case ReviewOutcome():
            changes = {
                "review": ReviewSection(
                    completed=True,
                    verdict="REJECTED" if outcome.status == "CHANGES_REQUESTED" else outcome.status,
                    findings=Findings(good=outcome.good, issues=outcome.issues),
                    feedback_for_writer=outcome.feedback_for_writer,
                )
            }
        case _:
            assert_never(outcome)
    seen = [RoleObservation(agent=_AGENT[role], type=o.type, content=o.content) for o in outcome.observations]
    learnings = file.learnings.model_copy(update={"observations": [*file.learnings.observations, *seen]})
    return file.model_copy(update={**changes, "learnings": learnings})


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


def after_move(file: CaseFile, case: Case) -> CaseFile:
    """The pipeline section says where the case stands, in the case file's own words."""
    pipeline = file.pipeline.model_copy(
        update={
            "current_agent": _AT_WORK.get(case.state),
            "attempt": case.attempt,
            "blocked_reason": case.reason if case.state in PARKED | WAITING else None,
            "failure_reason": _failure(case),
            "status": _status(case.state),
        }
    )
    outcome = case.state.value if case.state in _OVER else None
    return file.model_copy(
        update={
            "pipeline": pipeline,
            "commit": file.commit.model_copy(
                update={"branch": case.branch, "issue_closed": case.state is IssueState.COMPLETED}
            ),
            "learnings": file.learnings.model_copy(update={"outcome": outcome}),
        }
    )


_OVER: Final = {IssueState.COMPLETED, IssueState.FAILED, IssueState.CLOSED}


def _status(state: IssueState) -> str:
    if state is IssueState.COMPLETED:
        return "completed"
    if state in _OVER:
        return "failed"
    return "blocked" if state in PARKED | WAITING else "in_progress"


def _failure(case: Case) -> str | None:
    match case.state:
        case IssueState.FAILED:
            return case.reason
        case IssueState.CLOSED:
            return f"closed: {case.reason}"
        case _:
            return None
