"""Terminal output: nothing is told twice, lines are wrapped between words, and every case has its title."""

import pytest
from typer.testing import CliRunner

from caseworker.app.cli.main import app, wrapped
from caseworker.app.load_settings import load_settings
from caseworker.app.terminal.case_filter import CaseFilter
from caseworker.app.terminal.list_cases import show_cases
from caseworker.app.terminal.live_view import PlainView, RailedLine, story_line
from caseworker.app.terminal.send import own_voice, what_decides
from caseworker.core.base.roles import Role, Task
from caseworker.core.issue.case import Wait
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import Subject, WaitingFor
from caseworker.core.people.messages import Audience
from caseworker.core.record.entries import Posted, TurnCompleted
from caseworker.core.telling.told import Told
from caseworker.store.store import Store
from tests.app.issue_desk import move
from tests.app.test_views import MOVED, paper, recorded
from tests.core.examples import HEAD
from tests.edges.store_examples import open_bug, open_case, stored_bug

S, W = IssueState, WaitingFor
REPLY = "Thank you, that is what was missing."


@pytest.mark.parametrize(("reason", "told"), [(REPLY, 1), (f"Not to be done: {REPLY}", 1), ("ada has spoken.", 1)])
def test_the_pms_reply_is_shown_once(reason: str, told: int) -> None:
    console, file = paper()
    view = PlainView(console)
    view.show(recorded(completed(Task.INTERPRET, REPLY)))
    view.show(recorded(MOVED.model_copy(update={"reason": reason})))
    view.show(recorded(Posted(audience=Audience.DEVELOPERS, about="pm", text=f"{REPLY}\n")))
    assert file.getvalue().count(REPLY) == told
    assert "✔ turn 4: the pm says CONTINUE\n" in file.getvalue()


def test_summaries_of_other_tasks_are_shown_with_their_turn() -> None:
    console, file = paper()
    PlainView(console).show(recorded(completed(Task.TRIAGE, REPLY)))
    assert file.getvalue() == f"10:30:00 ✔ turn 4: the pm says CONTINUE: {REPLY}\n"


def completed(task: Task, summary: str) -> TurnCompleted:
    return TurnCompleted(
        turn=4,
        attempt=1,
        role=Role.PM,
        task=task,
        status="CONTINUE",
        summary=summary,
        checkpoint=HEAD,
        calls=1,
        cost_micros=1,
    )


def test_the_rail_of_a_turn_continues_beside_wrapped_lines() -> None:
    console, file = paper(width=30, terminal=True)
    console.print(RailedLine(story_line(Told(mark="agent", text="The seed takes chance out of it, so one is enough."))))
    assert [line.rstrip() for line in file.getvalue().splitlines()] == [
        "│  The seed takes chance out",
        "│  of it, so one is enough.",
    ]


def test_an_error_is_wrapped_between_words_and_a_command_in_it_stays_whole() -> None:
    text = "caseworker: nothing waits for an approval.\n  caseworker answer shop/1"
    assert wrapped(text, 22) == "caseworker: nothing\nwaits for an approval.\n  caseworker answer shop/1"


# --- all of them


async def test_a_list_of_cases_shows_each_title(store: Store) -> None:
    case = await open_case(store, "The total [forgets] the discount")
    await move(store, case, MOVED, state=IssueState.CLOSED, reason="Closed by ada. " + "So be it. " * 8)
    for terminal in (False, True):
        console, file = paper(width=80, terminal=terminal)
        await show_cases(store, load_settings({}), console, CaseFilter(), as_json=False)
        lines = [line.rstrip() for line in file.getvalue().splitlines()]
        assert lines[0].startswith("shop/1  The total [forgets] the discount")
        assert "  closed: Closed by ada. So be it." in "\n".join(lines)
        assert len(lines) == (3 if terminal else 1)
        assert not terminal or max(map(len, lines)) <= 80


@pytest.mark.parametrize("command", ["say", "report", "show", "run", "close"])
def test_the_help_shows_a_flag_without_a_value_and_one_spelling_of_a_name(command: str) -> None:
    page = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "160", "TERM": "dumb"}).output
    assert "--json" in page
    assert "bool" not in page
    assert (command != "report") or ("--name" in page and "--as" not in page)


@pytest.mark.parametrize("arguments", [["issue", "list"], ["host", "restart"], ["demo"], []])
def test_the_help_of_groups_says_no_type_beside_help(arguments: list[str]) -> None:
    page = CliRunner().invoke(app, [*arguments, "--help"], env={"COLUMNS": "160", "TERM": "dumb"}).output
    assert "--help" in page
    assert "bool" not in page


async def test_whoever_reported_a_bug_answers_as_its_reporter(store: Store) -> None:
    stored = await stored_bug(store, await open_bug(store))
    assert own_voice(stored, stored.reporter) == "reporter"
    assert own_voice(stored, "somebody else") == "developer"


@pytest.mark.parametrize(
    ("state", "reason", "subject", "told"),
    [
        (S.WAITING_FOR_HUMAN_INPUT, W.APPROVAL, Subject.PLAN, "`caseworker approve shop/1` goes on with the plan."),
        (S.WAITING_FOR_HUMAN_INPUT, W.BUDGET, None, "`caseworker budget shop/1 +5` goes on with 5 dollars more."),
        (S.WAITING_FOR_HUMAN_INPUT, W.CURE, None, "`caseworker retry shop/1` goes on where it was left."),
        (S.WAITING_FOR_REQUIREMENTS_CLARIFICATION, W.ANSWER, None, ""),
        (S.WAITING_FOR_HUMAN_INPUT, W.MERGE, None, ""),
        (S.IMPLEMENTING, None, None, ""),
    ],
)
async def test_words_that_decide_nothing_are_followed_by_the_command_that_does(
    store: Store, state: IssueState, reason: WaitingFor | None, subject: Subject | None, told: str
) -> None:
    case = await open_case(store)
    await move(store, case, state=state, wait=Wait(reason=reason, subject=subject) if reason else None)
    assert await what_decides(store, case) == told
