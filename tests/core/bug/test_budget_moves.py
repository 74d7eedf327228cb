"""The budget of a bug case: raised by developers, and warned of once."""

from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.budget import MICROS
from caseworker.core.base.case_kinds import CaseKind
from caseworker.core.base.ids import MessageId, SessionId
from caseworker.core.bug.case import About, BugCase, BugState, cap_of
from caseworker.core.bug.transitions import after_failed_turn, after_turn, look
from caseworker.core.bug.turns import InvestigatorAnswer, InvestigatorTurn
from caseworker.core.bug.words import PostContext, words_for
from caseworker.core.people.authority import refusal
from caseworker.core.people.commands import RaiseBudget
from caseworker.core.people.messages import Audience, Claimed, Standing
from tests.core.bug.test_decide import NOW, POLICY, abouts, bug

RAISED = Claimed(
    id=MessageId(4), command=RaiseBudget(micros=5 * MICROS).bare(), author="ada", standing=Standing.DEVELOPER
)


def out_of_money() -> BugCase:
    return after_failed_turn(bug(), "the budget of $5.00 is used up", POLICY, NOW, out_of_money=True)


def test_a_case_that_is_out_of_money_says_how_to_go_on() -> None:
    stopped = out_of_money()
    (post,) = [one for one in stopped.outbox if one.about is About.FAILED_TURN and one.audience is Audience.DEVELOPERS]
    context = PostContext(case=stopped, title="", reporter="", policy=POLICY)
    told = words_for(post, context, TerminalPhrasing())
    assert told.endswith("`caseworker budget bug-7F3K +5` lets it go on.")


def test_a_case_that_is_out_of_money_goes_on_when_it_gets_more() -> None:
    looked = look(out_of_money(), [RAISED], POLICY, NOW)
    assert (looked.after.state, looked.after.people.out_of_money) == (BugState.INVESTIGATING, False)
    assert cap_of(looked.after, POLICY) == 10 * MICROS
    (settled,) = looked.settled
    assert settled.outcome == "the budget was raised by $5.00, to $10.00; the investigation goes on"


def test_a_raised_budget_wakes_nobody_where_money_was_not_missing() -> None:
    waits = after_failed_turn(bug(), "the network is down", POLICY, NOW)
    looked = look(waits, [RAISED], POLICY, NOW)
    assert looked.after.state is BugState.AWAITING_DEV
    assert looked.settled[0].outcome == "the budget was raised by $5.00, to $10.00"


def test_developers_are_warned_once_for_each_budget() -> None:
    turn = InvestigatorTurn(
        answer=InvestigatorAnswer(action="post_findings"), session=SessionId("s"), spent_micros=4 * MICROS
    )
    warned = after_turn(bug(), turn, POLICY, NOW).after
    assert abouts(warned, Audience.DEVELOPERS).count(About.BUDGET_NEAR) == 1
    post = next(one for one in warned.outbox if one.about is About.BUDGET_NEAR)
    told = words_for(post, PostContext(case=warned, title="", reporter="", policy=POLICY), TerminalPhrasing())
    assert told == "80 % of the budget of $5.00 are used. `caseworker budget bug-7F3K +5` lets it spend more."
    again = after_turn(warned.updated(outbox=()), turn, POLICY, NOW).after
    assert About.BUDGET_NEAR not in abouts(again)
    cheap = turn.model_copy(update={"spent_micros": 4 * MICROS - 1})
    assert About.BUDGET_NEAR not in abouts(after_turn(bug(), cheap, POLICY, NOW).after)


def test_a_reporter_does_not_decide_about_money() -> None:
    assert refusal(CaseKind.BUG, Standing.DEVELOPER, RAISED.command) is None
    assert refusal(CaseKind.BUG, Standing.REPORTER, RAISED.command) == "not for a reporter to decide"
