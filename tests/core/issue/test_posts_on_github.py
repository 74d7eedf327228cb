"""Every kind of post of an issue case, as GitHub shows it: whole texts, and no command line in them."""

import re

import pytest

from caseworker.chats.surface_phrasing import CommentPhrasing
from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Role
from caseworker.core.issue.post_words import PostContext, Remark, news, words_for
from caseworker.core.issue.posts import IssueAbout, IssuePost
from caseworker.core.people.messages import Audience
from tests.core.telling.why_examples import ISSUES

COMMAND_LINE = re.compile(r"`caseworker |--until")
NEWS = [
    (
        "waiting_for_human_input, milestone triage",
        "The issue is triaged: as far as asked. The comment `approve` goes on, all the way to a pull request; with the "
        "label `bot:plan` instead, to the plan.",
    ),
    (
        "waiting_for_human_input, milestone plan",
        "The plan is made. The comment `approve` goes on, all the way to a pull request.",
    ),
    (
        "waiting_for_human_input, merge",
        "Pull request #1 is ready: `agent/issue-42`, from owner/repo#42. Its page has its text and its proof. A person "
        "merges it.",
    ),
    ("completed", "Pull request #1 (`agent/issue-42`) was merged."),
    ("requires_human_intervention", "owner/repo#42 waits for a person: No progress."),
]


@pytest.mark.parametrize(("case", "words"), NEWS)
def test_news_on_github_name_comments_labels_and_linked_pull_requests(case: str, words: str) -> None:
    assert news(ISSUES[case], CommentPhrasing()) == words


def test_a_used_budget_and_remarks_left_open_are_answered_by_comments() -> None:
    assert _said(IssueAbout.BUDGET_USED, "waiting_for_human_input, budget") == (
        "The budget of $5.00 does not cover the next model call. The work so far is kept. The comment `budget +5` goes "
        "on with 5 dollars more."
    )
    assert _said(IssueAbout.LEFT_OPEN, "completed") == (
        "Pull request #1 was merged before this was done, and nothing more is done about it here:\n"
        "> olga: Rename it.\n\n"
        "If it is still wanted, say so once more (a comment): a new case then follows up on this one."
    )


@pytest.mark.parametrize("about", list(IssueAbout))
@pytest.mark.parametrize("case", ["waiting_for_human_input, merge", "waiting_for_human_input, budget", "completed"])
def test_no_post_on_github_names_the_command_line(about: IssueAbout, case: str) -> None:
    assert COMMAND_LINE.search(_said(about, case)) is None


def _said(about: IssueAbout, case: str) -> str:
    known = ISSUES[case]
    post = IssuePost(about=about, audience=Audience.DEVELOPERS, epoch=known.epoch, number=1, role=Role.PM, note="That.")
    remarks = (Remark(author="olga", text="Rename it.", answer="It is renamed."),)
    matter = PostContext(case=known, policy=Policy(), asked="Which page?", remarks=remarks)
    return words_for(post, matter, CommentPhrasing())
