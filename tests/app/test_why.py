"""`caseworker why` in a terminal of 80 columns, in a log, and for programs."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from caseworker.app.desk import find_case, reading
from caseworker.app.terminal.explain import explain, print_why
from caseworker.app.terminal.view_of_kind import view_of
from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.roles import Role, Task
from caseworker.core.bug.moves import resolve
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import Subject, WaitingFor
from caseworker.core.people.commands import Close, MessageKind, Resolution
from caseworker.core.people.messages import Audience
from caseworker.core.record.entries import Noted, Posted, Transitioned
from caseworker.core.telling.why import why
from caseworker.ports import StoredCase
from caseworker.store.store import open_store
from caseworker.views.workflow_contexts import context_of
from tests.app.issue_desk import IssueDesk, move
from tests.core.examples import HEAD, OTHER, a_case, validated
from tests.core.telling.why_examples import ASKED, POLICY, QUESTION, a_wait
from tests.edges.store_examples import TRACE, begun, case_file, completed_entry, finished, open_bug, said

PLAN = a_case(
    IssueState.WAITING_FOR_HUMAN_INPUT,
    **a_wait(WaitingFor.APPROVAL, Subject.PLAN),
    checkpoint="b" * 40,
    planned=True,
    reason="The plan waits for a person's approval [bold]now[/].",
    transitions=3,
)
EXPECTED = """\
owner/repo#42  The total [forgets] the discount
WAITING FOR HUMAN INPUT  It waits for a person to agree before it goes on.

Because    The plan waits for a person's approval [bold]now[/].
Waits      For a person's approval: the plan. Until 2024-01-21 10:30 UTC.
By itself  People are reminded once, on 2024-01-16 10:30 UTC. After 2024-01-21
           10:30 UTC it is blocked; people can still move it then.
Evidence   Change: nothing is changed yet, so there is nothing to prove.
           Plan: it is made.
           Limits: attempt 1 of 3 in round 1; 3 of 60 moves.
           Money: $0.42 of $5.00 are spent.
You can
  `caseworker approve owner/repo/42` goes on with the plan.
  `caseworker reject owner/repo/42 "what should be different"` has it planned anew, with your words.
  `caseworker say owner/repo/42 "..."` asks or remarks, and decides nothing.
  `caseworker takeover owner/repo/42` stops the agents: you go on.
  `caseworker close owner/repo/42` ends it; the work so far stays where it is.
"""


@pytest.mark.parametrize("terminal", [True, False])
def test_why_is_readable_at_80_columns(terminal: bool) -> None:
    file = io.StringIO()
    console = Console(file=file, width=80, force_terminal=terminal, color_system=None, soft_wrap=not terminal)
    print_why(why(PLAN, POLICY, TerminalPhrasing(), spent=420_000), "The total [forgets] the discount", console)
    assert "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n" == EXPECTED


async def test_a_program_gets_the_same_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    desk = IssueDesk(tmp_path / "home")
    case = await desk.begin(state=IssueState.BLOCKED, reason="No key.")
    await explain(desk.settings, Console(file=io.StringIO()), "#1", as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert (told["case"], told["title"], told["state"]) == (case, "Checkout is broken", "blocked")
    assert told["because"] == "No key."
    assert told["evidence"][-1] == {"text": "Money: $0.00 of $5.00 are spent.", "entry": None}
    assert told["bound_to"][-1]["entry"] == 1
    assert told["bound_to"][-1]["text"].startswith("Settings that it keeps: at most $5.00, ")
    assert set(told) == {
        "title",
        "case",
        "state",
        "stands",
        "because",
        "evidence",
        "waits_for",
        "asked",
        "until",
        "moves_it",
        "next",
        "bound_to",
        "context",
    }
    assert (told["context"]["current_state"], told["context"]["blocking_issues"]) == ("blocked", ["No key."])
    async with reading(desk.settings) as store:
        view = view_of(await find_case(store, "#1"))
        await view.show(store, Console(file=io.StringIO()), as_json=True, everything=True)
    assert json.loads(capsys.readouterr().out)["context"] == told["context"]
    assert not desk.host_was_started


async def test_a_program_gets_the_history_and_the_validation_of_the_newest_commit(tmp_path: Path) -> None:
    desk = IssueDesk(tmp_path / "home")
    moved = Transitioned(
        number=1, from_state=IssueState.RECEIVED, to_state=IssueState.VALIDATING_SOLUTION, reason="It is green."
    )
    case = await desk.begin(moved, state=IssueState.VALIDATING_SOLUTION)
    store = await open_store(desk.settings.database)
    try:
        attempt = await begun(store, case)
        what = {"role": Role.TESTER, "task": Task.VALIDATE, "outcome": validated(), "checkpoint": HEAD}
        done = finished(attempt).model_copy(update=what)
        assert await store.turns.complete(attempt, done, await case_file(store, case), completed_entry(attempt))
        gates = []
        for checkpoint in (HEAD, OTHER):
            after = await move(store, case, Noted(text="moved by a test"), checkpoint=checkpoint)
            stored = await store.cases.load(after.id)
            assert stored is not None
            told = await context_of(store, stored)
            gates.append(told.quality_gates_passed)
    finally:
        await store.close()
    assert gates == [["validated"], []]
    assert [(one.to_state, one.reason) for one in told.state_history_with_timestamps] == [
        (IssueState.VALIDATING_SOLUTION, "It is green.")
    ]


async def test_numbered_questions_are_shown_with_the_command_that_answers(tmp_path: Path) -> None:
    desk = IssueDesk(tmp_path / "home")
    state = IssueState.WAITING_FOR_REQUIREMENTS_CLARIFICATION
    posted = Posted(audience=Audience.DEVELOPERS, about=QUESTION.about, number=QUESTION.number, text=ASKED)
    await desk.begin(posted, state=state, **a_wait(WaitingFor.ANSWER, asked=QUESTION), reason="It waits on.")
    file = io.StringIO()
    await explain(desk.settings, Console(file=file, width=80, color_system=None), "#1", as_json=False)
    told = [line.strip() for line in file.getvalue().splitlines()]
    asks = told.index("It asks    Before the work can go on, please tell us:")
    assert told[asks + 1 : asks + 3] == ["1. Which page?", "2. Since when?"]
    assert told[told.index("You can") + 1].startswith("`caseworker answer ")


async def test_a_bug_is_explained_too(tmp_path: Path) -> None:
    desk = IssueDesk(tmp_path / "home")
    store = await open_store(desk.settings.database)
    bug = await open_bug(store)
    await store.close()
    file = io.StringIO()
    await explain(desk.settings, Console(file=file, width=80, color_system=None), bug, as_json=False)
    assert file.getvalue().startswith(f"{bug}  Checkout says 500\nNEW  The investigator reads, runs and looks for")


@pytest.mark.parametrize(
    ("kind", "moved", "told"),
    [
        (MessageKind.CLOSE, "Closed by ann.", "Closed by ann: it is obsolete"),
        (
            MessageKind.REJECT,
            "ann does not agree. It was not to be done.",
            "ann does not agree. It was not to be done: it is obsolete",
        ),
    ],
)
async def test_why_a_closed_case_was_closed_is_told_in_the_words_of_whoever_closed_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: MessageKind, moved: str, told: str
) -> None:
    desk = IssueDesk(tmp_path / "home")
    case = await desk.begin(state=IssueState.CLOSED, reason=moved)
    store = await open_store(desk.settings.database)
    closing = await store.inbox.put(said(case, "it is obsolete", kind=kind))
    stored = await store.cases.find(case)
    assert isinstance(stored, StoredCase)
    assert closing is not None
    await store.cases.keep(stored.case.updated(closed_by=closing.id))
    await store.close()
    file = io.StringIO()
    await explain(desk.settings, Console(file=file, width=120, color_system=None), "#1", as_json=False)
    assert f"Because    {told}\n" in "\n".join(line.rstrip() for line in file.getvalue().splitlines())
    await explain(desk.settings, Console(file=file), "#1", as_json=True)
    assert json.loads(capsys.readouterr().out)["because"] == told


async def test_why_a_bug_was_closed_is_told_in_the_words_of_whoever_closed_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = IssueDesk(tmp_path / "home")
    store = await open_store(desk.settings.database)
    case = await open_bug(store)
    closing = said(case, "close duplicate because of bug-1").model_copy(
        update={"command": Close(resolution=Resolution.DUPLICATE, reason="of bug-1")}
    )
    message = await store.inbox.put(closing)
    stored = await store.bugs.load(case)
    assert stored is not None
    assert message is not None
    over = resolve(stored.case, Resolution.DUPLICATE, "closed by @ann", closed_by=message.id)
    await store.bugs.save(over, trace=TRACE)
    await store.close()
    await explain(desk.settings, Console(file=io.StringIO()), case, as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert (told["stands"], told["because"]) == ("It is resolved as duplicate.", "closed by @ann: of bug-1")
