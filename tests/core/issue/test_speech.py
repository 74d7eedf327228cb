"""Posts of an issue case that belong to no move: the warning that its budget is nearly used."""

from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Policy
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.post_words import PostContext, words_for
from caseworker.core.issue.posts import IssueAbout
from caseworker.core.issue.speech import warn_of_budget

CASE = IssueCase(id=CaseId("acme/shop#1"))
TEN_DOLLARS = Policy(budget_micros=10_000_000)


def test_people_are_told_when_four_fifths_of_the_budget_are_spent() -> None:
    assert warn_of_budget(CASE, 7_999_999, TEN_DOLLARS) == CASE
    (post,) = warn_of_budget(CASE, 8_250_000, TEN_DOLLARS).outbox
    assert post.about is IssueAbout.BUDGET_NEAR
    text = words_for(post, PostContext(case=CASE, policy=TEN_DOLLARS), TerminalPhrasing())
    assert text == "82 % of the budget of $10.00 are used."


def test_people_are_told_once_for_each_budget() -> None:
    warned = warn_of_budget(CASE, 9_000_000, TEN_DOLLARS)
    assert warn_of_budget(warned, 9_500_000, TEN_DOLLARS) == warned
    raised = warned.updated(extra_micros=5_000_000)
    assert warn_of_budget(raised, 11_000_000, TEN_DOLLARS) == raised
    assert len(warn_of_budget(raised, 12_000_000, TEN_DOLLARS).outbox) == 2


def test_a_case_without_a_budget_warns_of_nothing() -> None:
    assert warn_of_budget(CASE, 9_000_000, Policy(budget_micros=0)) == CASE
