"""`caseworker matrix`: the hypotheses over time in a terminal, for programs, and as a page."""

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from caseworker.app.settings import Settings
from caseworker.app.terminal.show_matrix import show_matrix
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId
from caseworker.core.base.roles import Role, Task
from caseworker.core.issue.case import InvestigationProgress
from caseworker.core.outcomes.outcome import Outcome
from caseworker.ports import Store
from caseworker.store.store import open_store
from tests.core.examples import reviewed, triaged
from tests.core.investigation_examples import (
    Turn,
    a_hypothesis,
    a_request,
    began_in,
    cause_reviewed,
    diagnosed,
    iterated,
    turns,
    unblocked,
)
from tests.edges.store_examples import begun, case_file, completed_entry, failed_entry, finished, open_bug, open_case

ROUNDING = "The discount is rounded differently the second time, as the [bold]currency[/] comes from a cache."
FOUND: list[Outcome] = [
    triaged(),
    reviewed("SPAWN_INVESTIGATOR").model_copy(
        update={"investigation": a_request(matrix=[a_hypothesis(), a_hypothesis("H2", hypothesis=ROUNDING)])}
    ),
    iterated(
        "NEED_DEVELOPER_DIAGNOSTIC",
        a_hypothesis("H1", "testing", 70, evidence_for=["`make test` fails more often with two threads"]),
        a_hypothesis("H2", percent=10, hypothesis=ROUNDING, evidence_against=["It is wrong without a discount."]),
        summary="It fails only with two threads.",
    ),
    diagnosed(),
    iterated(
        "ROOT_CAUSE_FOUND",
        a_hypothesis("H1", "confirmed", 95, evidence_for=["`make test` fails more often with two threads"]),
        a_hypothesis("H2", "eliminated", 0, hypothesis=ROUNDING),
        summary="The read is outside the lock.",
    ),
    cause_reviewed(),
]
EXPECTED = """\
local/shop#1  Checkout is broken

Investigation  2 of 5 iterations done. The tech lead has accepted H1 as the cause.

hypothesis                                                        entered     1           2

H1 Two requests change the cart at once.                          50 %        70 %        95 %
                                                                  pending     testing     confirmed

H2 The discount is rounded differently the second time, as the    50 %        10 %        0 %
[bold]currency[/] comes from a cache.                             pending     pending     eliminated

Asked for     The total is wrong now and then.
              Why it takes an investigation: intermittent, cause unclear.
              H1 new, Medium 50 %, pending
              H2 new, Medium 50 %, pending

Iteration 1   It fails only with two threads.  (wants something measured)
              H1 Medium 50 % -> High 70 %
                 pending -> testing
                 for: `make test` fails more often with two threads
              H2 Medium 50 % -> Low 10 %
                 against: It is wrong without a discount.

Diagnostic 4  Both threads read before one writes.  (in turn 4, as expected if it is true)
              to learn about H1: log every read and write of the total with the thread's name, at
              cart.py, total
              expected then: two reads before one write
              observed: read a, read b, write a, write b

Iteration 2   The read is outside the lock.  (names the cause)
              H1 High 70 % -> High 95 %
                 testing -> confirmed
              H2 Low 10 % -> Low 0 %
                 pending -> eliminated
                 no longer holds: It is wrong without a discount.

Tech lead     accepts H1 as the cause: What of a cart without a discount?

Root cause    H1  cart.py:12 reads the total before it holds the lock.
              1. command `python -m unittest test_cart`: 1 of 5 runs fails
              2. file `cart.py:12`: the read before the lock
              3. run `diagnostic 3`: two reads before one write
              Fix: Read the total after the lock is held.
              To validate it: 200 runs of `python -m unittest test_cart` pass.
"""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.model_validate({"home": tmp_path / "home"})


INVALID = "ROOT_CAUSE_FOUND, but its evidence does not hold"


async def a_case(settings: Settings, *outcomes: Outcome, invalid: bool = False) -> CaseId:
    """A case with these outcomes. `invalid`: then an iteration without a valid outcome."""
    store = await open_store(settings.database)
    try:
        case = await open_case(store)
        history = turns(*outcomes)
        for turn in history:
            attempt = await begun(store, case, turn.turn)
            done = finished(attempt).model_copy(update={"role": turn.role, "outcome": turn.outcome})
            assert await store.turns.complete(attempt, done, await case_file(store, case), completed_entry(attempt))
        if invalid:
            attempt = await begun(store, case, len(history) + 1)
            said = {"role": Role.INVESTIGATOR, "task": Task.ITERATE, "reason": INVALID, "invalid": True}
            await store.turns.fail(attempt, INVALID, failed_entry(attempt).model_copy(update=said))
        await _enter(store, case, history)
        return case
    finally:
        await store.close()


async def _enter(store: Store, case: CaseId, history: Sequence[Turn]) -> None:
    began = began_in(history)
    stored = await store.cases.load(case)
    assert stored is not None
    if began:
        await store.cases.keep(stored.case.updated(investigation=InvestigationProgress(began=began)))


async def shown(
    settings: Settings, case: str, *, width: int = 100, terminal: bool = False, markdown: bool = False
) -> str:
    paper = io.StringIO()
    console = Console(
        file=paper, width=width, force_terminal=terminal, color_system=None, highlight=False, soft_wrap=not terminal
    )
    await show_matrix(settings, console, case, as_json=False, as_markdown=markdown)
    return "\n".join(line.rstrip() for line in paper.getvalue().splitlines()) + "\n"


@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize("width", [100, 180])
async def test_the_matrix_over_time_fits_100_columns(settings: Settings, terminal: bool, width: int) -> None:
    case = await a_case(settings, *FOUND)
    assert await shown(settings, case, terminal=terminal, width=width) == EXPECTED


async def test_five_iterations_fit_100_columns_and_80(settings: Settings) -> None:
    several = [iterated("SHRUG", a_hypothesis("H1", percent=10 * number)) for number in range(1, 6)]
    case = await a_case(settings, *FOUND[:2], *several)
    wide, narrow = await shown(settings, case), await shown(settings, case, width=80)
    assert "hypothesis                    entered     1           2           3           4           5" in wide
    assert max(len(line) for line in wide.splitlines()) <= 100
    assert max(len(line) for line in narrow.splitlines()) <= 80
    assert "    entered     1           2           3           4           5\n" in narrow
    assert "H1  50 %        10 %        20 %        30 %        40 %        50 %\n" in narrow


async def test_unmeasured_requests_missing_things_and_help_are_shown(settings: Settings) -> None:
    case = await a_case(
        settings,
        iterated("NEED_DEVELOPER_DIAGNOSTIC"),
        iterated("SHRUG"),
        iterated("BLOCKED"),
        unblocked("CONTINUE"),
    )
    page = await shown(settings, case)
    assert "Asked for    Nobody has put the problem into words: see the issue.\n" in page
    assert "Not measured: log every read and write of the total with the thread's name (H1)\n" in page
    assert "Looked.  (ends with SHRUG, which nobody knows)\n" in page
    assert "Needs: access to the staging log\n" in page
    assert "From the pm  The staging log is in logs/.\n" in page
    assert "3 of 5 iterations done. No cause is proven." in page


async def test_an_observation_is_shown_with_up_to_twenty_more_lines(settings: Settings) -> None:
    seen = diagnosed().model_copy(update={"observed": "\n".join(f"read {number}" for number in range(30))})
    page = await shown(settings, await a_case(settings, *FOUND[:3], seen))
    assert "observed: read 0\n                read 1\n" in page
    assert "read 20\n                (9 more lines: --markdown has them)\n" in page


async def test_several_investigations_have_a_heading_each(settings: Settings) -> None:
    another = reviewed("SPAWN_INVESTIGATOR").model_copy(
        update={"investigation": a_request("Now it is slow.", new_problem=True)}
    )
    page = await shown(settings, await a_case(settings, *FOUND, another))
    assert "\nInvestigation 1  2 of 5 iterations done." in page
    assert "\nInvestigation 2  0 of 5 iterations done. No cause is proven.\n\nAsked for  Now it is slow.\n" in page


async def test_a_case_without_an_investigation_says_when_there_would_be_one(settings: Settings) -> None:
    case = await a_case(settings, triaged())
    assert await shown(settings, case, width=400) == (
        f"Nothing is investigated in {case}. An investigation begins when the pm or the tech lead asks for one, or "
        f"when a developer is blocked. `caseworker why shop/1` says where the case stands.\n"
    )


async def test_a_bug_says_where_its_findings_are(settings: Settings) -> None:
    store = await open_store(settings.database)
    try:
        bug = await open_bug(store)
    finally:
        await store.close()
    assert (await shown(settings, bug)).startswith(
        f"{bug} is a bug, and keeps no matrix of hypotheses: `caseworker show"
    )


async def test_an_unknown_case_is_refused_as_by_every_command(settings: Settings) -> None:
    await a_case(settings)
    with pytest.raises(Refused, match="There is no case `shop#9`"):
        await shown(settings, "shop#9")


async def as_document(settings: Settings, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    await show_matrix(settings, Console(), "#1", as_json=True, as_markdown=False)
    told = json.loads(capsys.readouterr().out)
    assert isinstance(told, dict)
    return told


async def test_a_program_gets_every_revision(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    case = await a_case(settings, *FOUND)
    told = await as_document(settings, capsys)
    (investigation,) = told["investigations"]
    assert (told["case"], told["title"]) == (case, "Checkout is broken")
    assert [one["iteration"] for one in investigation["matrix_revisions"]] == [0, 1, 2]
    assert investigation["matrix_revisions"][1]["hypotheses"][1]["percent"] == 10


async def test_a_program_gets_the_state_under_the_documents_names(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    case = await a_case(settings, *FOUND)
    state = (await as_document(settings, capsys))["investigation_state"]
    names = ("session_id", "group_id", "status", "current_iteration", "max_iterations", "problem_summary")
    assert [state[name] for name in names] == [case, "A", "approved", 2, 5, "The total is wrong now and then."]
    log = [(one["iteration"], one["turn"], one["status"], one["summary"]) for one in state["iterations_log"]]
    assert log == [
        (1, 3, "NEED_DEVELOPER_DIAGNOSTIC", "It fails only with two threads."),
        (2, 5, "ROOT_CAUSE_FOUND", "The read is outside the lock."),
    ]
    (measured,) = state["developer_diagnostic_results"]
    assert (measured["diagnostic"], measured["hypothesis"], measured["agrees"]) == (4, "H1", "if_true")
    assert [(one["id"], one["status"]) for one in state["hypothesis_matrix"]] == [
        ("H1", "confirmed"),
        ("H2", "eliminated"),
    ]
    assert state["root_cause"]["hypothesis"] == "H1"
    assert state["tech_lead_feedback"][0]["status"] == "APPROVED"


async def test_a_program_gets_the_newest_investigation_first_and_then_all(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    slow = a_request("Now it is slow.", new_problem=True)
    await a_case(settings, *FOUND, reviewed("SPAWN_INVESTIGATOR").model_copy(update={"investigation": slow}))
    told = await as_document(settings, capsys)
    assert told["investigation_state"]["problem_summary"] == "Now it is slow."
    assert [one["investigation"] for one in told["investigations"]] == [1, 2]


async def test_an_iteration_without_a_valid_outcome_is_shown_and_counted(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    case = await a_case(settings, *FOUND[:2], invalid=True)
    page = await shown(settings, case)
    assert "1 of 5 iterations done. No cause is proven." in page
    assert f"Iteration 1  Without a valid outcome: {INVALID}  (counts)\n" in page
    state = (await as_document(settings, capsys))["investigation_state"]
    assert (state["status"], state["current_iteration"]) == ("in_progress", 1)
    (logged,) = state["iterations_log"]
    assert (logged["iteration"], logged["turn"], logged["status"], logged["said"]) == (1, 3, "NEED_MORE_ANALYSIS", "")


async def test_a_program_gets_an_empty_list_where_nothing_is_investigated(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    await a_case(settings, triaged())
    await show_matrix(settings, Console(), "#1", as_json=True, as_markdown=False)
    told = json.loads(capsys.readouterr().out)
    assert (told["investigation_state"], told["investigations"]) == (None, [])


async def test_the_page_that_agents_get_is_printed_unchanged(settings: Settings) -> None:
    page = await shown(settings, await a_case(settings, *FOUND), width=40, markdown=True)
    assert page.startswith("# Investigation: Checkout is broken\n")
    assert ROUNDING in page


async def test_text_of_an_agent_can_not_control_the_terminal(settings: Settings) -> None:
    case = await a_case(settings, iterated("SHRUG", a_hypothesis(hypothesis="a\x1b[2Jb"), summary="x\x07y"))
    page = await shown(settings, case)
    assert "\x1b" not in page
    assert "\x07" not in page
