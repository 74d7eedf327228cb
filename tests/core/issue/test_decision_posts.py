"""Posts that ask a person to decide, compared whole, in the words of each surface."""

import pytest

from caseworker.chats.button_words import ButtonPhrasing
from caseworker.chats.surface_phrasing import CommentPhrasing, ReplyPhrasing, TerminalPhrasing
from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Role
from caseworker.core.issue.post_words import PostContext, words_for
from caseworker.core.issue.posts import IssueAbout, IssuePost
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import SUBJECTS, WAIVERS, Subject, WaitingFor
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.people.messages import Audience
from caseworker.core.people.phrasing import Phrasing
from tests.core.examples import a_case, interpreted, planned, reviewed, triaged
from tests.core.telling.why_examples import a_wait

A, S = IssueAbout, IssueState
NOTES = {
    A.ESCALATION: "Keep the old price or the new one?",
    A.TOUCHES: "access rights",
    A.WAIVER: "There is no test that fails without the fix.",
}
OUTCOMES: dict[IssueAbout, Outcome] = {
    A.REJECTED: triaged(),
    A.SENSITIVE: triaged(),
    A.PLAN: planned(),
    A.ARCHITECTURE: reviewed("CHANGES_REQUESTED"),
    A.COMMAND_NEEDED: interpreted(),
}
TERMINAL = {
    "approve": "`caseworker approve owner/repo/42`",
    "reject": '`caseworker reject owner/repo/42 "what should be different"`',
    "retry": "`caseworker retry owner/repo/42`",
    "answer": '`caseworker answer owner/repo/42 "..."`',
}
REPLY = {
    "approve": "The reply `approve`",
    "reject": "The reply `reject: what should be different`",
    "retry": "The reply `retry`",
    "answer": "A plain reply",
}
COMMENT = {
    "approve": "The comment `approve`",
    "reject": "The comment `reject: what should be different`",
    "retry": "The comment `retry`",
    "answer": "A comment",
}
BUTTON = {"approve": "“Approve”", "reject": "“Reject”", "retry": "“Try again”", "answer": "“Answer”"}
SURFACES: list[tuple[Phrasing, dict[str, str]]] = [
    (TerminalPhrasing(), TERMINAL),
    (ReplyPhrasing(), REPLY),
    (CommentPhrasing(), COMMENT),
    (ButtonPhrasing(), BUTTON),
]
TEXTS: list[tuple[IssueAbout, Subject | None, str]] = [
    (
        A.REJECTED,
        None,
        "This will not be worked on. The pm says: “A clear bug.” If that is wrong, say why. {retry} opens it again.",
    ),
    (
        A.SENSITIVE,
        Subject.SENSITIVE,
        "A person has to agree before this is worked on. The pm says: “A clear bug.” {approve} agrees that it is "
        "worked on. {reject} closes the case.",
    ),
    (
        A.PLAN,
        Subject.PLAN,
        "This is the plan. {approve} goes on with the plan. {reject} has it planned anew, with your words.\n\n"
        "# Plan\n\n1. Subtract the discount.",
    ),
    (
        A.ESCALATION,
        Subject.ESCALATION,
        "The developer does not want to decide this alone: “Keep the old price or the new one?” {answer} decides it in "
        "your own words. {approve} goes on as proposed. {reject} says what to do instead.",
    ),
    (
        A.ARCHITECTURE,
        Subject.ARCHITECTURE,
        "The tech lead wants to change the architecture: “What of a discount over 100 %?” {approve} lets the "
        "architecture be changed. {reject} says what to do instead.",
    ),
    (
        A.TOUCHES,
        Subject.TOUCHES,
        "The change is built, tested and reviewed. Before it is delivered a person has to agree: it touches access "
        "rights. {approve} lets it be delivered; whoever merges is told so, with your name. {reject} says what to do "
        "instead.",
    ),
    (
        A.WAIVER,
        Subject.NO_RED_TEST,
        "There is no test that fails without the fix. {approve} lets it go on, and whoever merges is told that no test "
        "was seen to fail without the fix. {reject} says what to do instead.",
    ),
    (
        A.COMMAND_NEEDED,
        Subject.PLAN,
        "Understood. Plain words do not decide this. {approve} goes on with the plan. {reject} has it planned anew, "
        "with your words.",
    ),
]


@pytest.mark.parametrize(("phrasing", "phrases"), SURFACES, ids=["terminal", "reply", "comment", "button"])
@pytest.mark.parametrize(("about", "subject", "text"), TEXTS, ids=[about for about, _, _ in TEXTS])
def test_a_post_that_asks_for_a_decision_says_how_to_give_it_here(
    about: IssueAbout, subject: Subject | None, text: str, phrasing: Phrasing, phrases: dict[str, str]
) -> None:
    assert said(about, subject, phrasing).rstrip() == text.format(**phrases)


@pytest.mark.parametrize("subject", sorted(WAIVERS - {Subject.NOT_RUN}))
def test_a_waiver_tells_what_those_who_merge_will_read(subject: Subject) -> None:
    told = f"“Approve” lets it go on, and whoever merges is told {SUBJECTS[subject].waiver}."
    assert told in said(A.WAIVER, subject, ButtonPhrasing())


def said(about: IssueAbout, subject: Subject | None, phrasing: Phrasing) -> str:
    waits = a_wait(WaitingFor.APPROVAL, subject) if subject is not None else {}
    case = a_case(S.WAITING_FOR_HUMAN_INPUT if subject is not None else S.CLOSED, **waits)
    post = IssuePost(
        about=about,
        audience=Audience.DEVELOPERS,
        epoch=1,
        number=1,
        role=Role.DEVELOPER,
        subject=subject,
        note=NOTES.get(about, ""),
    )
    return words_for(post, PostContext(case=case, policy=Policy(), outcome=OUTCOMES.get(about)), phrasing)
