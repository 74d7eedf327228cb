"""Every sentence said to a person, as functions. No surface writes its own."""

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Final, assert_never

from caseworker.core.budget import dollars
from caseworker.core.case import WAIVERS, Case, Subject, WaitingFor
from caseworker.core.casefile import CaseFile
from caseworker.core.evidence import Build, CommandRun, Purpose, Stage, code, how_it_ended
from caseworker.core.hypotheses import (
    CauseReviewOutcome,
    DiagnosticOutcome,
    InvestigationOutcome,
    UnblockingOutcome,
)
from caseworker.core.messages import MessageKind
from caseworker.core.outcomes import (
    AnalysisOutcome,
    AnswerOutcome,
    BugOutcome,
    ImplementationOutcome,
    InterpretOutcome,
    JudgeOutcome,
    Outcome,
    PlanOutcome,
    QuestionsOutcome,
    ReviewOutcome,
    TestsOutcome,
    TriageOutcome,
    ValidationOutcome,
)
from caseworker.core.states import PARKED, TERMINAL, WAITING, IssueState, Role
from caseworker.core.turn_taking import at_work

OVER: Final = "the case was over: kept on the record"
NOT_THE_REPORTER: Final = "not the reporter"
TURN_FAILED: Final = "given to a turn that failed"
OBEYED: Final = {
    MessageKind.CLOSE: "closed the case",
    MessageKind.PULL_CLOSED: "closed the case",
    MessageKind.MERGED: "completed the case",
    MessageKind.APPROVE: "approved",
    MessageKind.REJECT: "not approved",
    MessageKind.TAKEOVER: "taken over: the agents stand back",
    MessageKind.HAND_BACK: "handed back: the work goes on",
    MessageKind.BUDGET: "the budget is raised",
    MessageKind.RETRY: "tried again",
}


def obeyed(kind: MessageKind, case: Case) -> str:
    """What came of a command. Who takes a case over is told where its work is."""
    if kind is not MessageKind.TAKEOVER:
        return OBEYED[kind]
    if case.pull_request is None and case.checkpoint in (None, case.base):
        where = f"nothing is written yet, and what you commit to `{case.branch}` is taken in"
    elif case.pull_request is None:
        where = f"the work so far is on `{case.branch}`, and what you commit there is taken in"
    else:
        where = f"the branch is `{case.branch}`, and what you commit there is taken in"
    return f"{OBEYED[kind]}; {where} when you hand it back"


NEWS_KIND: Final = {
    IssueState.WAITING_FOR_HUMAN_INPUT: MessageKind.FIX_NEWS,
    IssueState.WAITING_FOR_REQUIREMENTS_CLARIFICATION: MessageKind.FIX_NEWS,
    IssueState.BLOCKED: MessageKind.FIX_NEWS,
    IssueState.REQUIRES_HUMAN_INTERVENTION: MessageKind.FIX_NEWS,
    IssueState.COMPLETED: MessageKind.FIX_MERGED,
    IssueState.FAILED: MessageKind.FIX_ENDED,
    IssueState.CLOSED: MessageKind.FIX_ENDED,
}
"""The states of a fix that its bug is told about."""


def fix_news(case: Case) -> str:
    """For the developers of the bug."""
    if case.state is IssueState.WAITING_FOR_HUMAN_INPUT and case.waiting_for is WaitingFor.MERGE:
        return (
            f"Pull request {case.pull_request} is ready: `{case.branch}`, from {case.id}. "
            f"`caseworker show {case.id} --pull-request` has its text and its proof. A person merges it."
        )
    if case.state is IssueState.COMPLETED:
        return f"Pull request {case.pull_request} (`{case.branch}`) was merged."
    return f"{case.id} {standing_of(case)}"


def read_by(role: Role) -> str:
    return f"read by the {role.value.replace('_', ' ')}"


def kept(case: Case) -> str:
    """What came of words that nobody is at work to hear."""
    if case.taken_by:
        return f"kept: {case.taken_by} has the case, and it is read when the case is handed back"
    if case.state is IssueState.WAITING_FOR_HUMAN_INPUT and case.waiting_for in (None, WaitingFor.MERGE):
        return f"kept on the record; `{case.branch}` waits for a merge"
    if case.state in WAITING and case.waiting_for is not None:
        moves_it = _MOVED_BY.get(case.waiting_for, "answer")
        return f"kept on the record; the case waits for {_AWAITED[case.waiting_for]}: `{moves_it}`"
    return "kept on the record; the case waits for a person, and `caseworker close` ends it"


def cost_words(micros: int, *, rehearsed: bool) -> str:
    if rehearsed:
        return f"$0.00 (rehearsed; about {dollars(micros)} at list prices)"
    return dollars(micros)


_MOST_FILES: Final = 100
"""Named in a pull request."""
_SIGNATURE: Final = re.compile(r"\s*(co-authored-by|signed-off-by|generated with|🤖)", re.IGNORECASE)


def _unsigned(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines() if not _SIGNATURE.match(line)).strip()


def commit_message(subject_and_why: str, number: int) -> str:
    """The developer's words, with the issue it fixes; signatures of tools are left out."""
    text = _unsigned(subject_and_why)
    if re.search(rf"\b(fix(es|ed)?|close[sd]?|resolve[sd]?):? #{number}\b", text, re.IGNORECASE):
        return text
    return f"{text}\n\nFixes #{number}".strip()


def pull_request_title(file: CaseFile) -> str:
    return (_unsigned(file.commit.message or "") or file.issue.title.strip()).splitlines()[0]


def merge_message(branch: str) -> str:
    return f"Merge what a person has pushed to {branch}"


def taken_in(branch: str, theirs: str, conflict: Sequence[str]) -> str:
    """For the record: a person's work on the branch and the case's are one now."""
    told = f"A person has pushed {theirs[:12]} to {branch}; it was merged with the work of the case."
    if not conflict:
        return told
    return (
        f"{told} They contradict each other in {', '.join(code(file) for file in conflict)}; the developer resolves it."
    )


def pull_request_updated(number: int) -> str:
    return f"pull request {number} was updated"


def pull_request_body(
    file: CaseFile,
    case: Case,
    builds: Sequence[Build],
    *,
    cost: str,
    changed: Sequence[str],
    test_was_changed: bool = False,
    weakened: Sequence[str] = (),
    investigated: str = "",
) -> str:
    """What, why, evidence, cost, and the issue that the merge will close. What is missing is said as plainly as what is
    there, with who has waived it. `changed`: by the commit, whatever its author says of it."""
    evidence = [*_red_words(case, builds), *_changed_test(case, test_was_changed), *_head_words(case, builds)]
    parts = [
        f"## What\n\n{file.writer.summary}\n\n{_changes(file, changed)}",
        f"## Why\n\nIssue #{file.issue.number}: {file.issue.title}\n\n{_must_do(file)}".rstrip(),
        "\n\n".join(["## Evidence", *evidence, *_weakened(weakened)]),
        *([investigated] if investigated else []),
        f"## Review\n\n{_review(file)}",
        *_decided(case),
        f"## Cost\n\n{cost}, {case.turns} agent turns, attempt {case.attempt}.",
        f"Fixes #{file.issue.number}",
    ]
    return "\n\n".join(parts) + "\n"


def _changes(file: CaseFile, changed: Sequence[str]) -> str:
    """Every file that git names, and what its author says of it, if anything."""
    said = {change.file: change.description for change in file.writer.changes}
    if file.writer.test_file:
        said[file.writer.test_file] = "the test"
    told = [path for path in said if path in changed]
    lines = [f"- {code(path)}: {said[path]}" for path in told]
    lines += [f"- {code(path)}: changed as well; its author says nothing of it" for path in changed if path not in said]
    more = len(lines) - _MOST_FILES
    return "\n".join([*lines[:_MOST_FILES], *([f"- and {more} more files"] if more > 0 else [])])


def _must_do(file: CaseFile) -> str:
    return _bullets(file.analysis.must_do)


def _red_words(case: Case, builds: Sequence[Build]) -> list[str]:
    red = latest(builds, Stage.RED)
    if case.red and red is not None:
        return [f"**Red first**: on `{red.commit[:12]}`, with the new test and without the change.\n\n{_red_run(red)}"]
    if not case.test_required:
        return ["No new test was asked for: the change alters no behaviour."]
    if case.red:
        return []
    return [f"**No red test**: no test was seen to fail without the change.{_waived(case, Subject.NO_RED_TEST)}"]


def _changed_test(case: Case, test_was_changed: bool) -> list[str]:
    if not test_was_changed:
        return []
    return [
        f"**The test was changed after it was seen to fail**: compare {code(case.test_file)} "
        f"in `{(case.tests or '')[:12]}` and in this pull request."
    ]


def _head_words(case: Case, builds: Sequence[Build]) -> list[str]:
    head = latest(builds, Stage.HEAD)
    if head is None:
        return []
    where = f"on `{head.commit[:12]}`, the commit of this pull request"
    if not head.tested and not head.set_up_failed:
        told = f"**No command proves this**: no test command was found.{_waived(case, Subject.NO_COMMAND)}"
    elif case.green != head.commit:
        told = (
            f"**Red, as before the change**: {where}. What fails here fails without the change as well, and nothing "
            f"tells whether it fails for the same reasons.{_waived(case, Subject.RED_BASE)}"
        )
    elif all(run.passed for run in head.runs):
        told = f"**Green after**: {where}."
    else:
        told = f"**Green after**: {where}. What fails here fails without the change as well, and nothing more fails."
    return [told, *(run_words(run) for run in head.runs)]


def _weakened(findings: Sequence[str]) -> list[str]:
    if not findings:
        return []
    return [f"**Tests removed, skipped or weakened**, found by comparing them with the base:\n\n{_bullets(findings)}"]


def _waived(case: Case, subject: Subject) -> str:
    who = dict.fromkeys(code(grant.by) for grant in case.grants if grant.subject is subject)
    return f" Waived by {', '.join(who)}." if who else ""


def _decided(case: Case) -> list[str]:
    """What people have agreed to, and who."""
    told = dict.fromkeys(
        f"{'Waived' if grant.subject in WAIVERS else 'Approved'} by {code(grant.by)}: {grant.what}"
        for grant in case.grants
    )
    return [f"## Decided by people\n\n{_bullets(list(told))}"] if told else []


def _bullets(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _red_run(red: Build) -> str:
    failing = red.run_of(Purpose.NEW_TEST) or red.run_of(Purpose.TEST)
    return run_words(failing) if failing is not None else ""


def run_words(run: CommandRun, *, lines: int = 25) -> str:
    """A command, how it ended, and the end of what it printed, fenced so that no output can break out."""
    tail = "\n".join(run.output.strip().splitlines()[-lines:])
    longest = max((len(ticks) for ticks in re.findall(r"`+", tail)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{code(run.command)} {how_it_ended(run)} after {run.seconds:.1f} s\n\n{fence}\n{tail}\n{fence}"


def _review(file: CaseFile) -> str:
    good = [f"- {line}" for line in file.review.findings.good]
    minor = [f"- minor, {code(f'{f.file}:{f.line}')}: {f.issue}" for f in file.review.findings.issues]
    return "\n".join([f"{file.review.verdict}.", *good, *minor])


def build_words(build: Build) -> str:
    """For an agent: on which commit which commands were run, and how each ended."""
    title = {
        Stage.BASE: "On the base",
        Stage.RED: "With the new test and without the change",
        Stage.HEAD: "On the head",
    }
    runs = "\n\n".join(run_words(run) for run in build.runs)
    return f"{title[build.stage]} ({build.commit[:12]}):\n\n{runs}"


def build_feedback(build: Build) -> str:
    """For the developer: what failed and the end of its output."""
    return "\n\n".join(run_words(run, lines=60) for run in build.runs if not run.passed)


def forbidden_feedback(sentences: Sequence[str], instruments: Sequence[str] = ()) -> str:
    """For the developer: which paths were to be left alone, and what a measurement has left behind."""
    kept = " If the issue can't be solved without it, leave it and say why: a person is asked then."
    return f"{_bullets([*sentences, *instruments])}\n\nTake that back.{'' if instruments else kept}"


def latest(builds: Sequence[Build], stage: Stage) -> Build | None:
    return next((build for build in reversed(builds) if build.stage is stage), None)


_AWAITED: Final = {
    WaitingFor.ANSWER: "an answer",
    WaitingFor.APPROVAL: "an approval",
    WaitingFor.BUDGET: "more money",
    WaitingFor.MILESTONE: "a word to go on",
}
_MOVED_BY: Final = {WaitingFor.APPROVAL: "approve", WaitingFor.BUDGET: "budget +5", WaitingFor.MILESTONE: "approve"}


def standing_of(case: Case) -> str:
    """One line: where the case stands and what would move it."""
    if case.state is IssueState.WAITING_FOR_HUMAN_INPUT and case.waiting_for is WaitingFor.MERGE:
        return f"waits for a person to merge `{case.branch}`"
    if case.state in WAITING and case.waiting_for is not None:
        return f"waits for {_AWAITED.get(case.waiting_for, 'a person')}: {case.reason}"
    if at_work(case) and case.state in PARKED:
        return f"the pm sees to it: {case.reason}"
    if case.state in PARKED:
        return f"waits for a person: {case.reason}"
    if case.state in TERMINAL:
        return case.reason
    return state_words(case.state)


def state_words(state: IssueState) -> str:
    return words_of(state)


def words_of(name: StrEnum) -> str:
    return name.value.replace("_", " ")


def outcome_words(outcome: Outcome) -> str:
    """What a turn came to, in a line."""
    match outcome:
        case TriageOutcome():
            return outcome.reason
        case AnalysisOutcome():
            return outcome.root_cause or "; ".join(outcome.must_do)
        case TestsOutcome() | ImplementationOutcome() | JudgeOutcome() | ValidationOutcome():
            return outcome.summary
        case InvestigationOutcome() | DiagnosticOutcome():
            return outcome.summary
        case CauseReviewOutcome():
            return outcome.feedback
        case UnblockingOutcome():
            return outcome.reason
        case PlanOutcome():
            return outcome.reason or first_line(outcome.plan)
        case QuestionsOutcome():
            return " ".join(outcome.questions) or outcome.reason
        case InterpretOutcome():
            return outcome.reply
        case AnswerOutcome():
            return " ".join(outcome.answers)
        case ReviewOutcome():
            first = outcome.feedback_for_writer or " ".join(outcome.good)
            if not outcome.issues and not outcome.approves:
                return first
            findings = "1 finding" if len(outcome.issues) == 1 else f"{len(outcome.issues)} findings"
            return f"{findings}. {first}".strip()
        case BugOutcome():
            return outcome.root_cause or outcome.summary or " ".join(outcome.clarification_questions)
        case _:
            assert_never(outcome)


def first_line(text: str) -> str:
    return next((line.strip("# ") for line in text.splitlines() if line.strip("# ")), "")


def printable(text: str) -> str:
    """For a terminal: no control characters but line ends and tabs, so that no text can move the cursor or lie."""
    return "".join(character if character.isprintable() or character in "\n\t" else "�" for character in text)
