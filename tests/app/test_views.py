"""How a case is shown: plain lines, JSON lines, the live view, and the summary at the end. Compared whole."""

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from caseworker.app.cli.shared_options import make_console
from caseworker.app.terminal.live_view import JsonView, LiveView, PlainView, open_view, story_line
from caseworker.app.terminal.summary import print_summary
from caseworker.core.base.ids import TraceId
from caseworker.core.base.repositories import LocalRepository
from caseworker.core.base.roles import Role, Task
from caseworker.core.bug.case import BugState
from caseworker.core.issue.states import IssueState
from caseworker.core.record.entries import AgentSaid, BugMoved, Entry, Recorded, Transitioned, TurnStarted
from caseworker.core.telling.summaries import Seen, Summary
from caseworker.core.telling.told import Told
from tests.core.examples import BASE, CASE, HEAD, MORNING

MOVED = Transitioned(
    number=1, from_state=IssueState.RECEIVED, to_state=IssueState.ANALYZING_REQUIREMENTS, reason="It is worth it."
)


def recorded(entry: Entry) -> Recorded:
    return Recorded(sequence=3, at=MORNING, trace=TraceId("t-1"), version=1, entry=entry)


def paper(*, width: int = 200, terminal: bool = False) -> tuple[Console, io.StringIO]:
    file = io.StringIO()
    console = Console(
        file=file, width=width, force_terminal=terminal, color_system=None, highlight=False, soft_wrap=not terminal
    )
    return console, file


def a_summary(**known: object) -> Summary:
    return Summary.model_validate(
        {
            "case": CASE,
            "title": "The total [forgets] the discount",
            "state": IssueState.WAITING_FOR_HUMAN_INPUT,
            "stands": "waits for a person to merge `agent/issue-42`",
            "result": "pull_request",
            "wrong": "cart.py:12 adds [bold]before[/] it subtracts.",
            "changed": "Now it subtracts.",
            "files": ["cart.py", "tax.py"],
            "red": Seen(command="make t", commit=BASE, exit_code=1, last_line="1 failed"),
            "green": Seen(command="make t", commit=HEAD, exit_code=0, last_line="5 passed"),
            "branch": "agent/issue-42",
            "into": "main",
            "pull_request": 1,
            "turns": 5,
            "model_calls": 12,
            "cost_micros": 120_000,
            "rehearsed": True,
            "seconds": 61.4,
            **known,
        }
    )


def printed(summary: Summary) -> str:
    console, file = paper(width=100)
    print_summary(summary, LocalRepository(path=Path("/srv/shop")), console, as_json=False)
    return file.getvalue()


# --- during work


def test_a_log_line_has_the_time_a_sign_and_the_text() -> None:
    console, file = paper(width=20)
    view = PlainView(console)
    view.show(recorded(MOVED))
    view.show(recorded(AgentSaid(turn=1, text="[bold]I look[/] at\n[cart] " + "x" * 60)))
    assert file.getvalue() == (
        f"10:30:00 ▶ ANALYZING REQUIREMENTS  It is worth it.\n10:30:00 │  [bold]I look[/] at [cart] {'x' * 60}\n"
    )


def test_a_program_gets_a_line_of_json_for_each_entry(capsys: pytest.CaptureFixture[str]) -> None:
    JsonView().show(recorded(AgentSaid(turn=1, text="é\n")))
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    assert json.loads(out) == {
        "sequence": 3,
        "at": "2024-01-15T10:30:00Z",
        "trace": "t-1",
        "version": 1,
        "entry": {"kind": "agent_said", "turn": 1, "text": "é\n"},
    }


def test_a_json_line_is_read_back_as_the_same_entry(capsys: pytest.CaptureFixture[str]) -> None:
    JsonView().show(recorded(MOVED))
    assert Recorded.model_validate_json(capsys.readouterr().out) == recorded(MOVED)


def test_the_view_depends_on_the_output() -> None:
    for wanted, terminal, kind in [(True, True, JsonView), (False, False, PlainView), (False, True, LiveView)]:
        console, _ = paper(terminal=terminal)
        with open_view(console, as_json=wanted) as view:
            assert isinstance(view, kind)


def test_the_live_view_has_the_story_and_below_it_who_works_and_the_cost() -> None:
    console, file = paper(terminal=True)
    with LiveView(console).running() as view:
        view.show(recorded(MOVED))
        view.show(recorded(TurnStarted(turn=2, attempt=1, role=Role.TECH_LEAD, task=Task.REVIEW, model="m")))
        view.spent("$1.23 · 4 model calls")
        view._live.refresh()
    shown = file.getvalue()
    assert "▶ ANALYZING REQUIREMENTS  It is worth it." in shown
    assert "ANALYZING REQUIREMENTS the tech lead works · $1.23 · 4 model calls · 0 s" in shown


def test_the_live_view_knows_the_states_of_a_bug() -> None:
    console, file = paper(terminal=True)
    moved = BugMoved(
        number=1,
        from_state=BugState.INVESTIGATING,
        to_state=BugState.AWAITING_REPORTER,
        reason="the reporter was asked",
    )
    with LiveView(console).running() as view:
        view.show(recorded(moved))
        view._live.refresh()
    assert "▶ AWAITING REPORTER  the reporter was asked" in file.getvalue()
    assert "AWAITING REPORTER code works" in file.getvalue()


@given(text=st.text(alphabet=r"[]/\ab:=# ", max_size=30))
def test_no_text_is_taken_for_markup(text: str) -> None:
    console, file = paper()
    console.print(story_line(Told(mark="good", text=text)))
    assert file.getvalue() == f"✔ {text}\n"


def test_no_text_is_taken_for_an_emoji(capsys: pytest.CaptureFixture[str]) -> None:
    PlainView(make_console()).show(recorded(AgentSaid(turn=1, text="see a:bug: and :key:")))
    assert capsys.readouterr().out == "10:30:00 │  see a:bug: and :key:\n"


# --- at the end


PULL_REQUEST = """
╭───────────────────────────── owner/repo#42: waiting for human input ─────────────────────────────╮
│                                                                                                  │
│  The total [forgets] the discount                                                                │
│                                                                                                  │
│  Cause, it says  cart.py:12 adds [bold]before[/] it subtracts.                                   │
│  Fix, it says    Now it subtracts. (cart.py, tax.py)                                             │
│  Seen to fail    `make t` on bbbbbbbbbbbb: exit code 1, 1 failed                                 │
│  Seen to pass    `make t` on cccccccccccc: exit code 0, 5 passed                                 │
│  Cost            $0.00 (rehearsed; about $0.12 at list prices), 12 model calls, 5 turns, 61 s    │
│  Ready to merge  branch agent/issue-42 into main, in /srv/shop                                   │
│                                                                                                  │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
  Read it       caseworker show owner/repo/42 --pull-request
  See the diff  git -C /srv/shop diff main...agent/issue-42
  Merge it      git -C /srv/shop switch main && git -C /srv/shop merge agent/issue-42
"""
WAITS = """
╭─────────────────────────── owner/repo#42: requires human intervention ───────────────────────────╮
│                                                                                                  │
│  The total [forgets] the discount                                                                │
│                                                                                                  │
│  Cost           $0.12, 12 model calls, 5 turns, 61 s                                             │
│  How it stands  waits for a person: Which page?                                                  │
│                                                                                                  │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
"""
ASKS = """
╭───────────────────────────── owner/repo#42: waiting for human input ─────────────────────────────╮
│                                                                                                  │
│  The total [forgets] the discount                                                                │
│                                                                                                  │
│  Cost           $0.12, 12 model calls, 5 turns, 61 s                                             │
│  How it stands  waits for an approval: The plan waits.                                           │
│  It asks        This is the plan.                                                                │
│                                                                                                  │
│                 1. Subtract [first]�.                                                            │
│                                                                                                  │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
  You can  `caseworker approve owner/repo/42` goes on with the plan.
           `caseworker reject owner/repo/42 "what should be different"` has it planned anew, with your words.
"""
NO_RESULT: dict[str, object] = {
    "wrong": "",
    "changed": "",
    "files": [],
    "red": None,
    "green": None,
    "pull_request": None,
}


def test_the_summary_of_a_pull_request_has_the_proof_and_how_to_merge() -> None:
    assert printed(a_summary()) == PULL_REQUEST


def test_one_turn_and_one_call_are_written_in_the_singular() -> None:
    assert "at list prices), 1 model call, 1 turn, 61 s" in printed(a_summary(turns=1, model_calls=1))


def test_the_summary_of_a_waiting_case_says_how_it_stands() -> None:
    summary = a_summary(
        state=IssueState.REQUIRES_HUMAN_INTERVENTION,
        result="waits",
        stands="waits for a person: Which page?",
        wrong="",
        changed="",
        files=[],
        red=None,
        green=None,
        pull_request=None,
        rehearsed=False,
    )
    assert printed(summary) == WAITS


def test_the_summary_of_a_failed_case_has_what_is_missing_feedback_and_branch() -> None:
    told = printed(
        a_summary(
            state=IssueState.FAILED,
            result="ended",
            stands="All 3 attempts are used.",
            missing=["Reviewed: not approved yet."],
            feedback="The sum [is]\x1b wrong.",
            kept_on="agent/issue-42",
        )
    )
    lines = [line.strip("│ ") for line in told.splitlines()]
    assert "Missing         Reviewed: not approved yet." in lines
    assert "Last feedback   The sum [is]\N{REPLACEMENT CHARACTER} wrong." in lines
    assert "Work so far     branch agent/issue-42 in /srv/shop" in lines


def asking(result: str) -> Summary:
    return a_summary(
        result=result,
        stands="waits for an approval: The plan waits.",
        asked="This is the plan.\n\n1. Subtract [first]\x1b.",
        moves_it=[
            "`caseworker approve owner/repo/42` goes on with the plan.",
            '`caseworker reject owner/repo/42 "what should be different"` has it planned anew, with your words.',
        ],
        rehearsed=False,
        **NO_RESULT,
    )


def test_the_summary_of_a_case_that_asks_has_the_question_and_the_commands() -> None:
    assert printed(asking("waits")) == ASKS


def test_the_summary_at_a_milestone_has_its_result() -> None:
    assert printed(asking("milestone")) == ASKS.replace("It asks     ", "What it says")


def test_the_summary_for_programs_is_json(capsys: pytest.CaptureFixture[str]) -> None:
    console, file = paper()
    print_summary(a_summary(), LocalRepository(path=Path("/srv/shop")), console, as_json=True)
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    document = json.loads(out)
    assert document.pop("kind") == "summary"
    assert Summary.model_validate(document) == a_summary()
    assert file.getvalue() == ""
