"""Summaries of cases for people who did not follow them, and for programs. All facts come from the record."""

import re
from collections.abc import Sequence
from typing import Any, Literal, assert_never

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Severity
from caseworker.core.bug.case import BugCase, BugState, BugStatus
from caseworker.core.casefile.model import CaseFile
from caseworker.core.casefile.pipeline import standing_in_file
from caseworker.core.evidence.builds import Build, CommandRun, Purpose, Stage
from caseworker.core.evidence.error_line import error_line, is_noise
from caseworker.core.evidence.test_report import count_words
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.options import options
from caseworker.core.issue.states import PARKED, WAITING, IssueState
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.issue.turns import at_work
from caseworker.core.outcomes.analyst import AnalysisOutcome
from caseworker.core.outcomes.bug import BugOutcome
from caseworker.core.outcomes.investigation import InvestigationOutcome
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.outcomes.tech_lead import ReviewOutcome
from caseworker.core.people.commands import MessageKind, Resolution
from caseworker.core.people.phrasing import Phrasing
from caseworker.core.telling.build_texts import latest
from caseworker.core.telling.evidence_lines import missing
from caseworker.core.telling.unseen import Unseen, unseen_words


class Seen(BaseModel):
    """A command that was run, and how it ended."""

    model_config = ConfigDict(frozen=True)
    command: str
    commit: str
    exit_code: int
    last_line: str

    @property
    def passed_words(self) -> str:
        """What to call a run of a green build. It may fail as the base does."""
        return "Seen to pass" if self.exit_code == 0 else "As before"


class Summary(BaseModel):
    model_config = ConfigDict(frozen=True)

    case: CaseId
    title: str
    state: IssueState
    stands: str
    result: Literal["pull_request", "merged", "milestone", "ended", "waits", "working"]
    asked: str = ""
    """What people are asked, word for word. At a milestone, its result."""
    moves_it: list[str] = []
    """What a person can do now, and how."""
    missing: list[str] = []
    """For a failed case: what was not proven."""
    feedback: str = ""
    """For a failed or stuck case: the last feedback, word for word."""
    kept_on: str = ""
    """For a failed case: the branch with its work. Empty: there is none."""
    wrong: str
    changed: str
    files: list[str]
    red: Seen | None
    green: Seen | None
    weakened: list[str] = []
    """Tests that check less, and changes of what decides."""
    not_seen: list[str] = []
    """Claims of agents that nothing confirms."""
    notes: list[str] = []
    """What the review remarks on although it approves."""
    branch: str
    not_proven: str = ""
    """That the branch is at another commit than the proven one. Empty: it is not, or nobody can tell."""
    into: str = ""
    """The branch that it is to be merged into. Empty: nothing was delivered yet."""
    pull_request: int | None
    turns: int
    model_calls: int
    cost_micros: int
    rehearsed: bool
    seconds: float


def summarise(
    case: IssueCase,
    file: CaseFile,
    phrasing: Phrasing,
    *,
    outcomes: Sequence[Outcome],
    builds: Sequence[Build],
    spent: tuple[int, int],
    rehearsed: bool,
    seconds: float,
    asked: str = "",
    into: str = "",
    not_proven: str = "",
    unseen: Sequence[Unseen] = (),
) -> Summary:
    """The summary of an issue case. `spent`: micro-dollars and model calls. `not_proven`: the sentence
    about a moved branch (`moved_words`). `unseen`: claims that nothing confirms."""
    analyses = [outcome for outcome in outcomes if isinstance(outcome, AnalysisOutcome | BugOutcome)]
    micros, calls = spent
    return Summary(
        case=case.id,
        title=file.issue.title,
        state=case.state,
        stands=standing_in_file(case, file),
        result=_result(case),
        asked=asked,
        moves_it=[option.words(phrasing) for option in options(case) if option.kind not in _ALWAYS],
        **_left_behind(case),
        wrong=_cause(case, outcomes) or (analyses[-1].root_cause if analyses else ""),
        changed=file.writer.summary,
        files=list(case.evidence.changed) or [change.file for change in file.writer.changes],
        red=_seen_red(case, builds),
        green=_seen(latest(builds, Stage.HEAD)) if case.evidence.green else None,
        weakened=list(case.proof.weakened),
        not_seen=unseen_words(unseen),
        notes=_notes(outcomes),
        branch=case.branch,
        not_proven=not_proven,
        into=into,
        pull_request=case.delivery.pull_request,
        turns=case.progress.turns,
        model_calls=calls,
        cost_micros=micros,
        rehearsed=rehearsed,
        seconds=seconds,
    )


def _notes(outcomes: Sequence[Outcome]) -> list[str]:
    """Remarks of the newest review, if it approves with some."""
    review = next((one for one in reversed(outcomes) if isinstance(one, ReviewOutcome)), None)
    if review is None or not review.approves:
        return []
    found = [f"{one.file}:{one.line}: {one.issue}" if one.line else f"{one.file}: {one.issue}" for one in review.issues]
    return [*found, *([review.feedback_for_writer.strip()] if review.feedback_for_writer else [])]


def _cause(case: IssueCase, outcomes: Sequence[Outcome]) -> str:
    """The cause that an investigation has proven, which replaces the analyst's. Empty: none."""
    if case.investigation is None or case.investigation.stands != "approved":
        return ""
    last = next((one for one in reversed(outcomes) if isinstance(one, InvestigationOutcome)), None)
    cause = last.root_cause if last is not None and last.status == "ROOT_CAUSE_FOUND" else None
    return cause.cause if cause is not None and cause.hypothesis == case.investigation.hypothesis else ""


def _left_behind(case: IssueCase) -> dict[str, Any]:
    """Fields for a person who continues a failed or stuck case."""
    feedback = (
        case.evidence.feedback if case.state in (IssueState.FAILED, IssueState.REQUIRES_HUMAN_INTERVENTION) else ""
    )
    if case.state is not IssueState.FAILED:
        return {"feedback": feedback}
    written = case.delivery.checkpoint is not None and case.delivery.checkpoint != case.delivery.base
    return {"feedback": feedback, "missing": missing(case), "kept_on": case.branch if written else ""}


_ALWAYS = (MessageKind.TAKEOVER, MessageKind.CLOSE)
"""Commands that are nearly always possible, so they are not listed."""


def _result(case: IssueCase) -> Literal["pull_request", "merged", "milestone", "ended", "waits", "working"]:
    if case.state is IssueState.COMPLETED:
        return "merged"
    if case.is_over:
        return "ended"
    if case.state is IssueState.WAITING_FOR_HUMAN_INPUT and case.waits_for is WaitingFor.MERGE:
        return "pull_request"
    if case.state is IssueState.WAITING_FOR_HUMAN_INPUT and case.waits_for is WaitingFor.MILESTONE:
        return "milestone"
    return "waits" if case.state in PARKED | WAITING and not at_work(case) else "working"


def _seen_red(case: IssueCase, builds: Sequence[Build]) -> Seen | None:
    """The head's tests on the base's code, if they were run there; before that, the new test when it was written."""
    head = latest(builds, Stage.HEAD)
    if head is not None and head.proof is not None and head.commit == case.proof.proved:
        return _seen(head.model_copy(update={"runs": head.proof.runs, "commit": case.delivery.base or head.commit}))
    red = latest(builds, Stage.RED)
    if case.proof.unproved and head is not None and red is not None and head.number > red.number:
        return None  # the test was changed since, and as it is now it was not seen to fail
    return _seen(red) if case.evidence.red else None


def _seen(build: Build | None) -> Seen | None:
    run = (build.run_of(Purpose.NEW_TEST) or build.run_of(Purpose.TEST)) if build is not None else None
    if build is None or run is None:
        return None
    return Seen(command=run.command, commit=build.commit, exit_code=run.exit_code, last_line=_result_line(run))


_RESULT_WORDS = re.compile(r"\b(ok|pass|passed|passing|fail|failed|failing|failures?|errors?)\b", re.IGNORECASE)


def _result_line(run: CommandRun) -> str:
    """Of a failed run: how many tests failed, and why the first one did. Else the last line with a result: many test
    runners end with a time instead, or with a stack."""
    if not run.passed and run.report is not None and run.report.failed:
        first = run.report.failed[0]
        return ": ".join(part for part in (count_words(run.report), first.name, error_line(first.detail)) if part)
    lines = [line.strip() for line in run.output.splitlines() if line.strip()]
    told = [line for line in lines if not is_noise(line)] or lines
    return next((line for line in reversed(told) if _RESULT_WORDS.search(line)), told[-1] if told else "")


class BugSummary(BaseModel):
    """The summary of a bug case."""

    model_config = ConfigDict(frozen=True)

    case: CaseId
    title: str
    reporter: str
    status: BugStatus
    severity: Severity | None
    services: tuple[str, ...]
    stands: str
    resolution: Resolution | None
    fix: str | None
    turns: int
    model_calls: int
    cost_micros: int
    rehearsed: bool
    seconds: float


def standing_of_bug(bug: BugCase) -> str:
    """One line: the status of the case, and what would move it."""
    fix = f"; its fix is {bug.repair.fix}" if bug.repair.fix is not None else ""
    match bug.state:
        case BugState.INVESTIGATING if bug.stalled is not None:
            return f"held up: {bug.stalled.words()}"
        case BugState.INVESTIGATING:
            return f"the investigator works: {bug.reason}"
        case BugState.AWAITING_REPORTER:
            return f"waits for the reporter{_until(bug)}"
        case BugState.AWAITING_DEV:
            return f"waits for a developer{_until(bug)}: {bug.reason}{fix}"
        case BugState.DEV_TAKEOVER:
            return f"{bug.people.taken_by or 'a developer'} has it; the agent goes on when it is handed back{fix}"
        case BugState.RESOLVED:
            kind = f"{bug.ending.resolution}: " if bug.ending.resolution is not None else ""
            return f"{kind}{bug.reason}{fix}"
        case _:
            assert_never(bug.state)


def _until(bug: BugCase) -> str:
    return f" until {bug.waiting.until:%Y-%m-%d %H:%M} UTC" if bug.waiting.until is not None else ""
