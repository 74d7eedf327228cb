"""Commands that do not fit a case: refused before anything is sent, and before a host is started for it."""

import io
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from rich.console import Console

from caseworker.app.settings import Settings
from caseworker.app.terminal.give_command import approve, close, raise_budget, reject, to_any_case
from caseworker.app.terminal.send import exit_code_of, say_to
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId, MessageId
from caseworker.core.issue.case import Wait
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import Subject, WaitingFor
from caseworker.core.people.commands import Answer, HandBack, MessageKind, Retry, Takeover
from caseworker.core.people.messages import Message, Standing
from caseworker.store.store import open_store
from caseworker.views.receipt_watch import Receipts
from tests.app.issue_desk import IssueDesk
from tests.core.examples import MORNING
from tests.edges.store_examples import TRACE, open_bug, said
from tests.world.commands import command_of
from tests.world.terminal import Terminal

K = MessageKind
S = IssueState
Types = Callable[[Settings, Console], Awaitable[int]]
PAPER = Console(file=io.StringIO())


@pytest.fixture
def desk(tmp_path: Path) -> IssueDesk:
    return IssueDesk(tmp_path / "home")


def types(kind: MessageKind, text: str = "so", name: str = "#1") -> Types:
    async def work(settings: Settings, console: Console) -> int:
        match kind:
            case K.APPROVE:
                return await approve(settings, console, name, text, None, None, as_json=False)
            case K.REJECT:
                return await reject(settings, console, name, text, None, as_json=False)
            case K.RETRY:
                return await to_any_case(settings, console, name, Retry(), text, None, as_json=False)
            case _:
                return await raise_budget(settings, console, name, text, None, as_json=False)

    return work


def waits_for(reason: WaitingFor, subject: Subject | None = None) -> dict[str, object]:
    return {"wait": Wait(reason=reason, subject=subject), "waiting_for": reason}


REFUSALS: list[tuple[str, Types, dict[str, object], str]] = [
    ("approve", types(K.APPROVE), {"state": S.IMPLEMENTING}, "nothing waits for an approval"),
    ("reject", types(K.REJECT), {"state": S.BLOCKED}, "nothing waits for an approval"),
    ("retry", types(K.RETRY), {"state": S.IMPLEMENTING}, "it is not stuck"),
    (
        "budget above the largest",
        types(K.BUDGET, "+999999"),
        {"state": S.IMPLEMENTING, "extra_micros": 1_000_000},
        "That budget is too large: at most 1,000,000 dollars, and this case has $",
    ),
    ("budget", types(K.BUDGET, "much"), {"state": S.IMPLEMENTING}, "`much` is no amount"),
    (
        "takeover",
        lambda settings, console: to_any_case(settings, console, "#1", Takeover(), "", None, as_json=False),
        {"state": S.REQUIRES_HUMAN_INTERVENTION, "taken_by": "grace"},
        "grace has it already",
    ),
    (
        "handback",
        lambda settings, console: to_any_case(settings, console, "#1", HandBack(), "", None, as_json=False),
        {"state": S.IMPLEMENTING},
        "nobody has taken it over",
    ),
    (
        "close",
        lambda settings, console: close(settings, console, "#1", "", "", None, as_json=False),
        {"state": S.CLOSED},
        "it is closed already",
    ),
    (
        "close with a resolution",
        lambda settings, console: close(settings, console, "#1", "", "code_fix", None, as_json=False),
        {"state": S.IMPLEMENTING},
        "`--resolution` is for bug cases",
    ),
    (
        "answer",
        lambda settings, console: say_to(
            settings, console, "#1", "blue", "developer", None, command=Answer(), as_json=False
        ),
        {"state": S.IMPLEMENTING},
        "nothing was asked",
    ),
    (
        "words that are a command",
        lambda settings, console: say_to(settings, console, "#1", "try again", "developer", None, as_json=False),
        {"state": S.IMPLEMENTING},
        "it is not stuck",
    ),
    (
        "reject in words, without a reason",
        lambda settings, console: say_to(settings, console, "#1", "reject", "developer", None, as_json=False),
        {"state": S.WAITING_FOR_HUMAN_INPUT, **waits_for(WaitingFor.APPROVAL, Subject.PLAN)},
        "it does not say what should be different",
    ),
]


@pytest.mark.parametrize(("does", "known", "words"), [row[1:] for row in REFUSALS], ids=[row[0] for row in REFUSALS])
async def test_a_command_that_does_not_fit_is_refused_before_anything_is_sent(
    desk: IssueDesk, does: Types, known: dict[str, object], words: str
) -> None:
    await desk.begin(**known)
    with pytest.raises(Refused) as refused:
        await does(desk.settings, PAPER)
    assert words in str(refused.value)
    assert await desk.messages() == []
    assert not desk.host_was_started


def pipe(monkeypatch: pytest.MonkeyPatch, words: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(words)))


async def test_a_dash_reads_the_text_from_standard_input(desk: IssueDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    await desk.begin(state=S.IMPLEMENTING)
    pipe(monkeypatch, b"try again\n")
    with pytest.raises(Refused, match="`retry` does not fit"):
        await say_to(desk.settings, PAPER, "#1", "-", "developer", None, as_json=False)
    pipe(monkeypatch, b"+much\n")
    with pytest.raises(Refused, match=r"`\+much` is no amount"):
        await types(K.BUDGET, "-")(desk.settings, PAPER)
    pipe(monkeypatch, b" \n")
    with pytest.raises(Refused, match="from standard input, and there are none"):
        await say_to(desk.settings, PAPER, "#1", "-", "developer", None, as_json=False)
    assert await desk.messages() == []


@pytest.mark.slow
async def test_a_person_asked_for_a_resolution_may_leave_and_a_program_is_not_asked(desk: IssueDesk) -> None:
    store = await open_store(desk.settings.database)
    bug = await open_bug(store)
    await store.close()
    terminal = Terminal(desk.settings.home)
    with terminal.opens("close", bug) as window:
        window.shows("How was it resolved (code_fix, ")
        window.process.send_signal(signal.SIGINT)
        assert window.ends() == 130
        window.shows("Nothing was sent: the case stays as it is.")
    with terminal.opens("close", bug, "--json") as window:
        assert window.ends() == 2
        window.shows("--reason says why.")
        assert "How was it" not in window.text()
    assert not desk.host_was_started


@pytest.mark.parametrize(("outcome", "refused"), [("approved", False), ("not done: nothing waits for it", True)])
async def test_receipts_remember_that_the_case_refused_a_command(desk: IssueDesk, outcome: str, refused: bool) -> None:
    case = await desk.begin(state=S.IMPLEMENTING)
    store, receipts = await open_store(desk.settings.database), Receipts()
    try:
        sent = await store.inbox.put(said(case, "go ahead", kind=K.APPROVE))
        assert sent is not None
        receipts.expect(sent.id)
        await store.inbox.settle([sent.id], outcome, refused=refused)
        await receipts.changes(store, case)
    finally:
        await store.close()
    assert (receipts.all_known, receipts.refused) == (True, refused)


@pytest.mark.parametrize("kind", [K.APPROVE, K.REJECT])
async def test_a_bug_case_refuses_commands_for_issue_cases(desk: IssueDesk, kind: MessageKind) -> None:
    store = await open_store(desk.settings.database)
    bug = await open_bug(store)
    await store.close()
    with pytest.raises(Refused, match=rf"{bug} is a bug case.*caseworker why {bug}"):
        await types(kind, "+5", bug)(desk.settings, PAPER)
    assert not desk.host_was_started


@pytest.mark.parametrize(
    ("kind", "outcome", "refused", "code"),
    [
        (K.WORDS, None, False, 0),
        (K.ANSWER, "read by the pm", False, 0),
        (K.APPROVE, "approved", False, 0),
        (K.APPROVE, "not done: nothing waits for an approval", True, 2),
        (K.APPROVE, "not done: is only how it begins", False, 0),
        (K.CLOSE, None, False, 3),
    ],
)
def test_the_exit_code_says_whether_a_command_was_done(
    kind: MessageKind, outcome: str | None, refused: bool, code: int
) -> None:
    message = Message(
        case=CaseId("local/shop#1"),
        surface="terminal",
        external_id="1",
        author="ada",
        standing=Standing.OWNER,
        command=command_of(kind),
        trace=TRACE,
        outcome=outcome,
        refused=refused,
        id=MessageId(1),
        received_at=MORNING,
    )
    assert exit_code_of(message) == code
