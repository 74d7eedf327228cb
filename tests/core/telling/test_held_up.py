"""A case of any kind that waits for a service says so, with the time of the next try and how to try at once."""

from datetime import UTC, datetime

import pytest

from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Policy
from caseworker.core.base.snapshot import Stalled
from caseworker.core.bug.case import BugCase
from caseworker.core.bug.transitions import after_failed_turn
from caseworker.core.pull.case import PauseCause, PullState
from caseworker.core.pull.pull_moves import pause
from caseworker.core.telling.bug_why import why_bug
from caseworker.core.telling.pull_why import standing_of_pull, why_pull
from caseworker.core.telling.summaries import standing_of_bug
from tests.core.pull.session_examples import begun

NOW = datetime(2026, 11, 2, 9, 40, tzinfo=UTC)
AWAY = Stalled(reason="The provider can't be reached", since=NOW, next_try=NOW)
TOLD = " It is held up: The provider can't be reached; the next try is at 09:40:00 UTC."


def a_bug() -> BugCase:
    return BugCase(id=CaseId("bug-7F3K"))


def test_why_of_a_bug_names_the_next_try() -> None:
    held_up = a_bug().updated(stalled=AWAY)
    told = why_bug(held_up, TerminalPhrasing())
    assert told.stands == f"The investigator reads, runs and looks for the cause.{TOLD}"
    assert told.moves_it[0] == "`caseworker retry bug-7F3K` tries again at once."
    assert standing_of_bug(held_up) == f"held up: {AWAY.words()}"


def test_a_bug_whose_turn_failed_waits_for_a_cure() -> None:
    told = why_bug(after_failed_turn(a_bug(), "The key is wrong.", Policy(), NOW), TerminalPhrasing())
    assert told.waits_for == "For what stopped it to be put right."
    assert told.because == "a turn failed, and people were called: The key is wrong."
    assert told.moves_it[0] == "`caseworker retry bug-7F3K` tries again at once."


def test_why_of_a_pull_request_names_the_next_try() -> None:
    held_up = begun().updated(state=PullState.RESOLVING, stalled=AWAY)
    assert standing_of_pull(held_up) == f"The developer works on threads, checks or conflicts.{TOLD}"
    assert why_pull(held_up, TerminalPhrasing()).moves_it[0].endswith("tries again at once.")


@pytest.mark.parametrize(
    ("cause", "waits_for"),
    [
        (PauseCause.STOPPED, "For a person to let it go on."),
        (PauseCause.TAKEN, "For olga to hand it back."),
        (PauseCause.BUDGET, "For more money."),
    ],
)
def test_why_of_a_paused_session_says_what_it_waits_for(cause: PauseCause, waits_for: str) -> None:
    paused = pause(begun(), cause, "It is paused.", NOW, by="olga")
    assert why_pull(paused, TerminalPhrasing()).waits_for == waits_for


def test_why_of_a_session_that_goes_on_by_itself_names_nobody() -> None:
    paused = pause(begun(), PauseCause.QUOTA, "The limit is reached.", NOW, resume_at=NOW)
    assert why_pull(paused, TerminalPhrasing()).waits_for == ""
