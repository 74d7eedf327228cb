"""Words of people without a role in the repository: on the record, and of no consequence."""

import pytest

from caseworker.core.base.ids import MessageId
from caseworker.core.base.policy import Policy
from caseworker.core.issue.case import IssueCase, Wait
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.issue.transitions import after_end, look
from caseworker.core.people.commands import Answer, Command, Say
from caseworker.core.people.messages import Claimed, Standing
from caseworker.core.people.receipts import STRANGERS
from tests.core.examples import MORNING, a_case

S = IssueState


def said(number: int, standing: Standing, command: Command | None = None) -> Claimed:
    return Claimed(id=MessageId(number), command=command or Say(), author="sam", standing=standing)


def waiting(reason: WaitingFor) -> IssueCase:
    return a_case(S.WAITING_FOR_HUMAN_INPUT, wait=Wait(reason=reason))


@pytest.mark.parametrize("reason", list(WaitingFor))
@pytest.mark.parametrize("command", [Say(), Answer()])
def test_a_stranger_wakes_no_waiting_case(reason: WaitingFor, command: Command) -> None:
    case = waiting(reason)
    seen = look(case, [said(1, Standing.OTHER, command)], Policy(), MORNING)
    assert (seen.after, seen.moved, seen.in_hand) == (case, False, ())
    assert [(one.messages, one.outcome) for one in seen.settled] == [((1,), STRANGERS)]


def test_the_person_who_opened_the_issue_is_no_stranger() -> None:
    seen = look(waiting(WaitingFor.ANSWER), [said(1, Standing.REPORTER)], Policy(), MORNING)
    assert seen.after.state is S.HUMAN_INPUT_RECEIVED


def test_a_strangers_words_are_shown_to_the_turn_that_an_owner_wakes() -> None:
    both = [said(1, Standing.OTHER), said(2, Standing.OWNER)]
    woken = look(waiting(WaitingFor.MERGE), both, Policy(), MORNING)
    assert (woken.moved, woken.settled) == (True, ())
    assert look(woken.after, both, Policy(), MORNING).in_hand == tuple(both)


@pytest.mark.parametrize("state", [S.CLOSED, S.FAILED, S.COMPLETED])
def test_a_stranger_reopens_no_case(state: IssueState) -> None:
    late = after_end(a_case(state), [said(1, Standing.OTHER)])
    assert (late.reopened, late.follow_up, late.after.state) == (False, (), state)
