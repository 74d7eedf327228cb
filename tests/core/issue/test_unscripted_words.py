"""Words to a rehearsed case whose script has no answer to them: people are told, and the case is not stuck."""

import pytest

from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.failed_steps import TurnGaveUp
from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Role
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.post_words import PostContext, words_for
from caseworker.core.issue.posts import IssueAbout
from caseworker.core.issue.states import TERMINAL, IssueState
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.issue.transitions import after
from caseworker.core.issue.words import not_read
from tests.core.examples import MORNING
from tests.core.telling.why_examples import ISSUES

S = IssueState
NO_ANSWER = TurnGaveUp(role=Role.PM, reason="the rehearsal has no turn for pm/interpret (nth 1)", unscripted=True)
READY = ISSUES["waiting_for_human_input, merge"]


def unread(case: IssueCase) -> IssueCase:
    """The case after the interpret turn of what was said had no script."""
    reading = case.updated(state=S.HUMAN_INPUT_RECEIVED)
    return after(reading, NO_ANSWER, Policy(), MORNING)


def test_a_case_that_waits_for_its_merge_waits_for_it_again() -> None:
    case = unread(READY)
    assert (case.state, case.waits_for) == (S.WAITING_FOR_HUMAN_INPUT, WaitingFor.MERGE)
    assert case.reason == (
        "What was said can't be read: the case is rehearsed, and its script has no answer to it (pm/interpret)."
    )


def test_people_are_told_what_happened_why_and_what_moves_it() -> None:
    case = unread(READY)
    (post,) = [one for one in case.outbox if one.about is IssueAbout.NOT_REHEARSED]
    assert words_for(post, PostContext(case=case, policy=Policy()), TerminalPhrasing()) == (
        "That was kept and not read: this case is rehearsed, and its script has no answer to what people say "
        "(pm/interpret). It stands where it stood. Merging `agent/issue-42` completes the case: it sees that by "
        'itself. `caseworker reject owner/repo/42 "what should be different"` has it changed, in the same pull '
        "request. `caseworker takeover owner/repo/42` stops the agents: you go on."
    )
    assert not_read(NO_ANSWER) == (
        "not read: it is rehearsed, and its script has no answer to words; only commands move it"
    )


@pytest.mark.parametrize("name", [name for name, case in ISSUES.items() if case.waits_for is not None])
def test_a_case_is_never_over_because_its_script_ends(name: str) -> None:
    case = unread(ISSUES[name])
    assert case.state not in TERMINAL
    assert any(post.about is IssueAbout.NOT_REHEARSED for post in case.outbox)


def test_a_parked_case_stays_parked() -> None:
    case = unread(ISSUES["requires_human_intervention"])
    assert case.state is S.REQUIRES_HUMAN_INTERVENTION
