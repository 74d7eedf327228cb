"""Tells the record as a story: lines per entry, with the same words in the terminal, the log and the dashboard."""

from typing import Final, assert_never

from caseworker.core.base.ids import CaseId, issue_case, pull_case
from caseworker.core.base.repositories import is_local_address
from caseworker.core.base.text import printable, words_of
from caseworker.core.evidence.builds import CommandRun, Stage, how_it_ended
from caseworker.core.issue.words import state_words
from caseworker.core.people.commands import MessageKind
from caseworker.core.record.claim_entries import ClaimsChecked
from caseworker.core.record.entries import (
    AgentSaid,
    AttemptEnded,
    BranchPushed,
    BugMoved,
    BugRead,
    BugReported,
    BuildRan,
    CaseOpened,
    Entry,
    MessageRecorded,
    MessagesClaimed,
    ModelAsked,
    Noted,
    Posted,
    PullMoved,
    PullRequestOpened,
    SlaChecked,
    ToolCalled,
    ToolReturned,
    Transitioned,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
    WorkspaceRemoved,
)
from caseworker.core.record.investigation import Bisected, CauseProven, InstrumentRan, MatrixRevised
from caseworker.core.record.pull_entries import (
    ChecksRerun,
    FindingPublished,
    PullJudged,
    PullPublished,
    ThreadAnswered,
    TurnGiven,
    UnpushedKept,
)
from caseworker.core.record.turn_stall import TurnStalled
from caseworker.core.telling.pull_story import pull_lines
from caseworker.core.telling.told import Mark, Told, told_move

_MAIN: Final = 1_000
"""Characters of a line's main text: a reason, a cause, a message. Other text is cut sooner."""

_STAGE_WORDS = {
    Stage.BASE: "before any change",
    Stage.RED: "with the new test, without the fix",
    Stage.HEAD: "with the fix",
}


def tell(entry: Entry) -> list[Told]:
    """The lines for an entry. None for entries that only programs need."""
    match entry:
        case CaseOpened():
            return [Told(mark="case", text=f"{_opened_case(entry)}  {one_line(entry.title)}")]
        case BugReported():
            return [Told(mark="case", text=f"{one_line(entry.reporter)} reports: {one_line(entry.title)}")]
        case BugRead():
            about = f", {', '.join(entry.services)}" if entry.services else ""
            vague = "; it names nothing to start from" if entry.vague else ""
            return [Told(mark="quiet", text=f"read as {entry.severity}{about}{vague}")]
        case BugMoved() | PullMoved():
            return [told_move(words_of(entry.to_state).upper(), one_line(entry.reason, _MAIN))]
        case PullJudged() | PullPublished() | UnpushedKept() | ChecksRerun():
            return pull_lines(entry)
        case FindingPublished() | ThreadAnswered() | TurnGiven():
            return pull_lines(entry)
        case Posted():
            return [Told(mark="agent", text=f"to the {entry.audience}: {one_line(entry.text, _MAIN)}")]
        case SlaChecked():
            mark: Mark = "good" if entry.result == "met" else "bad"
            about = entry.target.replace("_", " ")
            return [Told(mark=mark, text=f"{entry.severity}, {about}: {entry.result}  {one_line(entry.text)}".rstrip())]
        case MessageRecorded():
            kind = "" if entry.message_kind is MessageKind.WORDS else f" ({words_of(entry.message_kind)})"
            text = one_line(entry.text, _MAIN)
            return [Told(mark="person", text=f"{entry.author}{kind}{f': {text}' if text else ''}")]
        case Transitioned():
            return [told_move(state_words(entry.to_state).upper(), one_line(entry.reason, _MAIN))]
        case TurnStarted() | AgentSaid() | ToolCalled() | ToolReturned() | TurnCompleted() | TurnFailed():
            return _turn_lines(entry)
        case TurnStalled() | ModelAsked():
            return _turn_lines(entry)
        case BuildRan() | ClaimsChecked():
            return _check_lines(entry)
        case MatrixRevised():
            changes = one_line("; ".join(entry.changes))
            return [Told(mark="quiet", text=f"matrix {entry.version}, iteration {entry.iteration}: {changes}")]
        case Bisected(status="found"):
            subject = entry.culprit_message.strip().partition("\n\n")[0]
            commit = f"{entry.culprit_hash[:12]} {one_line(subject)}".strip()
            return [Told(mark="good", text=f"bisect {entry.number}: the first bad commit is {commit}")]
        case Bisected():
            return [Told(mark="bad", text=f"bisect {entry.number}: {one_line(entry.reason, _MAIN)}")]
        case InstrumentRan():
            mark = "quiet" if entry.status == "measured" else "bad"
            text = f"{entry.instrument} {entry.number}: {one_line(entry.summary, _MAIN)}"
            return [Told(mark=mark, text=text)]
        case CauseProven():
            return [Told(mark="good", text=f"cause named, {entry.hypothesis}: {one_line(entry.cause, _MAIN)}")]
        case BranchPushed():
            return [Told(mark="good", text=f"pushed {entry.branch} at {entry.commit[:12]}")]
        case PullRequestOpened():
            return [Told(mark="good", text=f"{_opened(entry)}: {one_line(entry.title)}")]
        case Noted():
            return [Told(mark="quiet", text=entry.text)]
        case MessagesClaimed() | WorkspaceRemoved() | AttemptEnded():
            return []
        case _:
            assert_never(entry)


def _opened(entry: PullRequestOpened) -> str:
    """A folder of this machine has no pull requests: there it is a branch, with the same text."""
    if is_local_address(entry.url):
        return f"{entry.branch} is ready to merge into {entry.base}"
    return f"opened pull request {entry.number}"


def _opened_case(entry: CaseOpened) -> CaseId:
    return (pull_case if entry.is_pull_request else issue_case)(entry.repository, entry.number)


def _turn_lines(
    entry: TurnStarted | AgentSaid | ToolCalled | ToolReturned | TurnCompleted | TurnFailed | TurnStalled | ModelAsked,
) -> list[Told]:
    """The lines of an agent's turn, or of a single call to a model."""
    match entry:
        case TurnStarted():
            again = f", attempt {entry.attempt}" if entry.attempt > 1 else ""
            who = entry.role.words
            return [Told(mark="turn", text=f"turn {entry.turn}: the {who} begins to {_verb(entry.task.value)}{again}")]
        case AgentSaid():
            return [Told(mark="agent", text=one_line(entry.text))]
        case ToolCalled():
            return [Told(mark="tool", text=f"{entry.tool}  {one_line(entry.summary)}")]
        case ToolReturned():
            if entry.ok:
                return []
            return [Told(mark="failed", text=one_line(entry.output))]
        case TurnCompleted():
            who = entry.role.words
            how: Mark = "bad" if entry.status == "CHANGES_REQUESTED" else "good"
            why = f": {one_line(entry.summary, _MAIN)}" if entry.summary.strip() else ""
            return [Told(mark=how, text=f"turn {entry.turn}: the {who} says {entry.status}{why}")]
        case TurnFailed():
            why = one_line(entry.reason, _MAIN)
            return [Told(mark="bad", text=f"turn {entry.turn}, attempt {entry.attempt} ended: {why}")]
        case TurnStalled():
            told = f"{one_line(entry.reason, _MAIN)}; the next try is at {entry.next_try:%H:%M:%S} UTC"
            return [Told(mark="quiet", text=told)]
        case ModelAsked(failed=""):
            return [Told(mark="quiet", text=f"asked {entry.model}: {one_line(entry.purpose, _MAIN)}")]
        case ModelAsked():
            what = f"{one_line(entry.purpose, _MAIN)}: {one_line(entry.failed, _MAIN)}"
            return [Told(mark="bad", text=f"asked {entry.model}, without an answer: {what}")]
        case _:
            assert_never(entry)


def _check_lines(entry: BuildRan | ClaimsChecked) -> list[Told]:
    """The lines of what code has looked at."""
    if isinstance(entry, BuildRan):
        return _build_lines(entry)
    who = words_of(entry.role)
    lines = [f"not seen: the {who} names {one.claim}, but {one.problem}" for one in entry.not_seen]
    return [Told(mark="bad", text=one_line(line, _MAIN)) for line in lines]


def _build_lines(entry: BuildRan) -> list[Told]:
    """The lines of a build."""
    wanted = "red" if entry.stage is Stage.RED else "green"
    mark: Mark = "good" if entry.verdict == wanted else "bad"
    if entry.verdict != "green" and (mark == "good" or entry.stage is Stage.BASE):
        mark = "quiet"  # meant, or nobody's fault; but a red build gets no tick
    stopped = entry.verdict == "could_not_run"
    mark = "bad" if stopped else mark
    lines = [_run_line(run) for run in entry.runs]
    verdict = f"could not run: {entry.reason}" if stopped else entry.verdict.replace("_", " ")
    told = [*lines, Told(mark=mark, text=f"build {entry.number}, {_STAGE_WORDS[entry.stage]}: {verdict}")]
    return told if entry.proves is None else [*told, *_proof_lines(entry)]


def _proof_lines(entry: BuildRan) -> list[Told]:
    """The head's tests on the base's code, where one has to fail."""
    lines = [_run_line(run) for run in entry.on_base]
    failed = entry.proves == "red"
    how = "fail there, as they have to" if failed else "prove nothing"
    return [*lines, Told(mark="good" if failed else "bad", text=f"its tests on the base's code: they {how}")]


def _run_line(run: CommandRun) -> Told:
    return Told(mark="tool", text=f"$ {one_line(run.command)}  {how_it_ended(run)} after {run.seconds:.1f} s")


def one_line(text: str, limit: int = 160) -> str:
    flat = printable(" ".join(text.split()))
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


_VERBS = {
    "create_tests": "write the test",
    "triage": "weigh the issue",
    "implement": "make the change",
    "bug": "investigate",
    "questions": "ask people",
    "interpret": "read what people said",
    "iterate": "investigate",
    "diagnostic": "measure",
    "validate_root_cause": "judge the cause",
    "unblock": "find a way on",
}


def _verb(task: str) -> str:
    return _VERBS.get(task, task.replace("_", " "))
