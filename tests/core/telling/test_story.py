"""The record as a story: a table with every kind of entry."""

from datetime import UTC, datetime
from typing import Literal, get_args

import pytest

from caseworker.core.base.ids import MessageId, RepositoryId, Sha
from caseworker.core.base.policy import Severity
from caseworker.core.base.roles import Role, Task
from caseworker.core.bug.case import BugState
from caseworker.core.casefile.model import BuildSection, CommitSection, ReviewSection, WriterSection
from caseworker.core.evidence.builds import Stage
from caseworker.core.issue.states import IssueState
from caseworker.core.outcomes.investigation import Hypothesis
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.messages import Audience, Standing
from caseworker.core.pull.case import PullState
from caseworker.core.pull.verdict import Verdict
from caseworker.core.record.claim_entries import ClaimsChecked, NotSeen
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
from caseworker.core.record.investigation import Bisected, CauseProven, InstrumentRan, MatrixRevised, Tied
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
from caseworker.core.telling.story import one_line, tell
from tests.core.examples import HEAD, a_run
from tests.core.pull.review_examples import a_finding


def said(kind: MessageKind = MessageKind.WORDS) -> MessageRecorded:
    return MessageRecorded(
        message=MessageId(1),
        surface="terminal",
        author="ann",
        standing=Standing.OWNER,
        message_kind=kind,
        text="It is\n  the cart.",
    )


def started(role: Role, task: Task, attempt: int = 1) -> TurnStarted:
    return TurnStarted(turn=3, attempt=attempt, role=role, task=task, model="a-model")


def built(stage: Stage, verdict: str) -> BuildRan:
    run = a_run("make\ntest", exit_code=0 if verdict == "green" else 1)
    runs = [] if verdict == "nothing_to_run" else [run]
    return BuildRan.model_validate(
        {"number": 2, "stage": stage, "commit": HEAD, "verdict": verdict, "reason": "seen", "runs": runs}
    )


def an_instrument(status: Literal["measured", "unavailable"]) -> InstrumentRan:
    about = {"turn": 3, "command": "make test", "commit": HEAD, "how": "runs", "summary": "3 of 50 runs failed."}
    return InstrumentRan.model_validate({"instrument": "stress", "number": 2, "status": status, **about})


def bisected(status: Literal["found", "not_found"]) -> Bisected:
    ends = {"good": "HEAD~9", "bad": "HEAD", "script": "make test", "runs": 20}
    culprit = {"culprit_hash": HEAD, "culprit_message": "Count in\nthreads"} if status == "found" else {}
    said = {"number": 1, "turn": 3, "status": status, "reason": "It was looked for."}
    return Bisected.model_validate({**ends, **said, **culprit})


TABLE: list[tuple[Entry, list[str]]] = [
    (
        CaseOpened(repository=RepositoryId("local/shop"), number=7, title="The total is wrong", rehearsed=True),
        ["case: local/shop#7  The total is wrong"],
    ),
    (
        CaseOpened(
            repository=RepositoryId("acme/shop"), number=57, title="Wrap gifts", rehearsed=True, is_pull_request=True
        ),
        ["case: acme/shop!57  Wrap gifts"],
    ),
    (
        BugReported(
            repository=RepositoryId("local/shop"),
            title="Checkout is broken",
            reporter="rita",
            surface="slack",
            rehearsed=False,
        ),
        ["case: rita reports: Checkout is broken"],
    ),
    (
        BugRead(severity=Severity.P1, services=["checkout"], owners=["ada"], vague=True),
        ["quiet: read as P1, checkout; it names nothing to start from"],
    ),
    (
        BugMoved(
            number=1, from_state=BugState.INVESTIGATING, to_state=BugState.AWAITING_REPORTER, reason="It was asked."
        ),
        ["state: AWAITING REPORTER  It was asked."],
    ),
    (
        Posted(audience=Audience.REPORTER, about="question", text="Which\npage?"),
        ["agent: to the reporter: Which page?"],
    ),
    (
        SlaChecked(target="follow_up", result="reminded", severity=Severity.P0, due=datetime(2026, 1, 2, tzinfo=UTC)),
        ["bad: P0, follow up: reminded"],
    ),
    (
        SlaChecked(target="acknowledge", result="met", severity=Severity.P0, due=datetime(2026, 1, 2, tzinfo=UTC)),
        ["good: P0, acknowledge: met"],
    ),
    (said(), ["person: ann: It is the cart."]),
    (said(MessageKind.CLOSE), ["person: ann (close): It is the cart."]),
    (said(MessageKind.HAND_BACK).model_copy(update={"text": ""}), ["person: ann (hand back)"]),
    (MessagesClaimed(turn=1, messages=[MessageId(1)]), []),
    (
        Transitioned(
            number=1,
            from_state=IssueState.RECEIVED,
            to_state=IssueState.ANALYZING_REQUIREMENTS,
            reason="It is\nworth it.",
        ),
        ["state: ANALYZING REQUIREMENTS  It is worth it."],
    ),
    (started(Role.PM, Task.TRIAGE), ["turn: turn 3: the pm begins to weigh the issue"]),
    (started(Role.ANALYST, Task.ANALYZE), ["turn: turn 3: the analyst begins to analyze"]),
    (started(Role.TESTER, Task.CREATE_TESTS), ["turn: turn 3: the tester begins to write the test"]),
    (started(Role.DEVELOPER, Task.IMPLEMENT), ["turn: turn 3: the developer begins to make the change"]),
    (started(Role.SENIOR_DEVELOPER, Task.FIX, 2), ["turn: turn 3: the senior developer begins to fix, attempt 2"]),
    (started(Role.TECH_LEAD, Task.REVIEW), ["turn: turn 3: the tech lead begins to review"]),
    (AgentSaid(turn=3, text="I look\nat the cart."), ["agent: I look at the cart."]),
    (ToolCalled(turn=3, call="1", tool="Bash", summary="grep -n total"), ["tool: Bash  grep -n total"]),
    (ToolReturned(turn=3, call="1", ok=True, output="12: total"), []),
    (ToolReturned(turn=3, call="1", ok=False, output="no such\nfile"), ["failed: no such file"]),
    (
        TurnCompleted(
            turn=3,
            attempt=1,
            role=Role.TECH_LEAD,
            task=Task.REVIEW,
            status="APPROVED",
            summary="0 findings.",
            checkpoint=HEAD,
            calls=4,
            cost_micros=10,
        ),
        ["good: turn 3: the tech lead says APPROVED: 0 findings."],
    ),
    (
        TurnFailed(turn=3, attempt=2, role=Role.PM, task=Task.TRIAGE, reason="the process\ndied"),
        ["bad: turn 3, attempt 2 ended: the process died"],
    ),
    (
        built(Stage.BASE, "red"),
        ["tool: $ make test  ended with exit code 1 after 1.2 s", "quiet: build 2, before any change: red"],
    ),
    (
        built(Stage.RED, "red"),
        [
            "tool: $ make test  ended with exit code 1 after 1.2 s",
            "quiet: build 2, with the new test, without the fix: red",
        ],
    ),
    (
        built(Stage.RED, "green"),
        [
            "tool: $ make test  ended with exit code 0 after 1.2 s",
            "bad: build 2, with the new test, without the fix: green",
        ],
    ),
    (
        built(Stage.HEAD, "green"),
        ["tool: $ make test  ended with exit code 0 after 1.2 s", "good: build 2, with the fix: green"],
    ),
    (
        built(Stage.HEAD, "red"),
        ["tool: $ make test  ended with exit code 1 after 1.2 s", "bad: build 2, with the fix: red"],
    ),
    (built(Stage.HEAD, "nothing_to_run"), ["bad: build 2, with the fix: nothing to run"]),
    (
        MatrixRevised(
            investigation=1,
            version=2,
            iteration=1,
            turn=3,
            role=Role.INVESTIGATOR,
            hypotheses=[Hypothesis(id="H1", hypothesis="A race.")],
            changes=["H1: Medium 50 % -> High 80 %", "H2: pending -> eliminated"],
        ),
        ["quiet: matrix 2, iteration 1: H1: Medium 50 % -> High 80 %; H2: pending -> eliminated"],
    ),
    (bisected("found"), ["good: bisect 1: the first bad commit is cccccccccccc Count in threads"]),
    (bisected("not_found"), ["bad: bisect 1: It was looked for."]),
    (an_instrument("measured"), ["quiet: stress 2: 3 of 50 runs failed."]),
    (an_instrument("unavailable"), ["bad: stress 2: 3 of 50 runs failed."]),
    (
        CauseProven(
            iteration=2,
            hypothesis="H1",
            cause="Two threads\ncount at once.",
            evidence=[Tied(kind="run", source="bisect 1", shows="Since then.", event=7)],
        ),
        ["good: cause named, H1: Two threads count at once."],
    ),
    (BranchPushed(branch="agent/issue-7", commit=HEAD), ["good: pushed agent/issue-7 at cccccccccccc"]),
    (
        PullRequestOpened(number=1, title="Take it off", branch="agent/issue-7", base="main", url=""),
        ["good: opened pull request 1: Take it off"],
    ),
    (
        ModelAsked(purpose="classify", model="small", failed="", cost_micros=10),
        ["quiet: asked small: classify"],
    ),
    (
        ModelAsked(purpose="classify", model="small", failed="no JSON", cost_micros=10),
        ["bad: asked small, without an answer: classify: no JSON"],
    ),
    (
        AttemptEnded(
            round=1,
            attempt=1,
            writer=WriterSection(),
            build=BuildSection(),
            review=ReviewSection(),
            commit=CommitSection(),
        ),
        [],
    ),
    (WorkspaceRemoved(), []),
    (
        PullMoved(number=2, from_state=PullState.LOOKING, to_state=PullState.RESOLVING, reason="Checks have failed."),
        ["state: RESOLVING  Checks have failed."],
    ),
    (
        PullJudged(verdict=Verdict(outcome="ready", head=Sha("a" * 40), looked_at=datetime(2026, 1, 5, tzinfo=UTC))),
        ["good: Ready: a person can merge it."],
    ),
    (
        UnpushedKept(commit=Sha("c" * 40), branch="agent/pull-7-cccccccccc"),
        ["quiet: what was not pushed, cccccccccccc, is on agent/pull-7-cccccccccc"],
    ),
    (
        PullPublished(turn=2, commit=Sha("a" * 40), threads=["shop.py:3"], resolved=1, voided=["olga"]),
        ["good: pushed aaaaaaaaaaaa; wrote in 1 thread, resolved 1; the approval of olga may be void now"],
    ),
    (ChecksRerun(checks=["unit"], commit=Sha("a" * 40), flakes=["unit"]), ["quiet: started again: unit (flaky: unit)"]),
    (TurnGiven(turn=2), []),
    (
        FindingPublished(turn=2, finding=a_finding(), how="said_before"),
        ["quiet: minor at shop.py:3: The total ignores the tax (said before)"],
    ),
    (
        ThreadAnswered(turn=2, number="T1", place="shop.py:3", verdict="partly_valid"),
        ["quiet: thread T1 at shop.py:3: partly valid, stays open"],
    ),
    (
        ClaimsChecked(turn=2, role=Role.TECH_LEAD, not_seen=[NotSeen(claim="a.py:9", problem="it has 3 lines")]),
        ["bad: not seen: the tech lead names a.py:9, but it has 3 lines"],
    ),
    (
        TurnStalled(reason="the model can't be reached", next_try=datetime(2026, 1, 2, 9, 30, tzinfo=UTC)),
        ["quiet: the model can't be reached; the next try is at 09:30:00 UTC"],
    ),
    (Noted(text="The budget is 80 % spent."), ["quiet: The budget is 80 % spent."]),
]


@pytest.mark.parametrize(("entry", "lines"), TABLE)
def test_each_entry_has_its_lines(entry: Entry, lines: list[str]) -> None:
    assert [f"{told.mark}: {told.text}" for told in tell(entry)] == lines


def test_this_tests_table_has_every_kind_of_entry() -> None:
    union, _ = get_args(Entry)
    assert {type(entry) for entry, _ in TABLE} == set(get_args(union))


def test_a_long_text_is_cut_to_one_line() -> None:
    assert one_line("a  b\n\tc") == "a b c"
    assert one_line("x" * 160) == "x" * 160
    assert one_line("x" * 161) == "x" * 159 + "…"


LONG = f"It is {'very ' * 60}long."


@pytest.mark.parametrize(
    "entry",
    [
        Transitioned(number=1, from_state=IssueState.RECEIVED, to_state=IssueState.FAILED, reason=LONG),
        CauseProven(iteration=1, hypothesis="H1", cause=LONG, evidence=[]),
        Posted(audience=Audience.DEVELOPERS, about="pm", text=LONG),
        said().model_copy(update={"text": LONG}),
    ],
    ids=["a reason", "a cause", "a post", "words"],
)
def test_the_main_text_of_a_line_is_not_cut(entry: Entry) -> None:
    assert [told.text.endswith("very long.") for told in tell(entry)] == [True]


def test_a_move_tells_its_state_apart_from_its_reason() -> None:
    (told,) = tell(Transitioned(number=1, from_state=IssueState.RECEIVED, to_state=IssueState.CLOSED, reason="a  b"))
    assert (told.text, told.state, told.why) == ("CLOSED  a b", "CLOSED", "a b")
