"""The text of every post of a bug case, compared whole; texts for reporters have no internals."""

import re
from datetime import UTC, datetime

import pytest

from caseworker.chats.button_words import ButtonPhrasing
from caseworker.chats.surface_phrasing import CommentPhrasing, ReplyPhrasing, TerminalPhrasing
from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Policy, Service, Severity
from caseworker.core.bug.case import About, BugCase, BugPost
from caseworker.core.bug.words import DEFAULT_QUESTION, PostContext, words_for
from caseworker.core.outcomes.bug import BugAction, BugOutcome, Culprit, Proof
from caseworker.core.people.commands import MessageKind, Resolution
from caseworker.core.people.messages import Audience
from caseworker.core.people.phrasing import Phrasing

K = MessageKind
ADA, GRACE, RITA = "U0ADA0000", "U0GRACE00", "U0RITA000"
BUG = BugCase(id=CaseId("bug-7F3K"), reason=f"closed by @{ADA}").updated(
    severity=Severity.P1,
    services=("shop",),
    taken_by=ADA,
    asked_to_close=ADA,
    fix=CaseId("local/shop#3"),
    resolution=Resolution.CODE_FIX,
    until=datetime(2026, 3, 4, tzinfo=UTC),
)
OUTCOME = BugOutcome(
    action=BugAction.POST_FINDINGS,
    summary="Orders with a coupon fail: KeyError in `apply`, reproduced.",
    for_reporter="Orders with a coupon fail because of a mistake of ours. Order without one until it is mended.",
    clarification_questions=["Which page shows the error?", "Since when?"],
    root_cause="shop/cart.py:12 reads `rate` of coupons that have none.",
    fix_type="code_fix",
    confidence=0.9,
    evidence=[Proof(source="python -m pytest tests/test_cart.py", shows="1 failed: KeyError")],
    recommended_actions=["Give every coupon a rate."],
    culprit_commit=Culprit(hash="4f1c2ab", author="ada", date="2026-03-02", message="Read the rate"),
)
CONTEXT = PostContext(
    case=BUG,
    title="pay ends in Error 500",
    reporter=RITA,
    policy=Policy(services={"shop": Service(owners=(GRACE,))}, contacts=((ADA,),)),
    outcome=OUTCOME,
    news="Branch `agent/issue-3` is ready, from local/shop#3.",
    news_kind=MessageKind.FIX_READY,
    said=((MessageKind.WORDS, "Order 1183, too.\nSee above."), (MessageKind.EDIT, "Order 1184.")),
    lost_files=(("core.dump", "it has 20,000,000 bytes; 10,000,000 are taken"), ("app.log", "it is gone")),
    closed_because="KeyError in shop/cart.py is gone since an hour ago",
)

FOR_REPORTERS = {
    About.ACKNOWLEDGED: (
        "Thank you, this is recorded as **bug-7F3K**, and we are looking into it. You can add details here at any "
        "time. If the problem has gone away, just write: never mind."
    ),
    About.QUESTION: "To find the cause, we need to know:\n1. Which page shows the error?\n2. Since when?",
    About.FINDINGS: "Orders with a coupon fail because of a mistake of ours. Order without one until it is mended.",
    About.FAILED_TURN: "This needs a person to take a closer look. The team has been notified.",
    About.NO_ANSWER: "We have not heard back, so we are carrying on without your answer. You can still reply here.",
    About.NOTED: "Thank you, noted.",
    About.FIX_OPENED: "Work on a fix has started.",
    About.ANOTHER_FIX: "Work on another fix has started.",
    About.FIX_NEWS: "There is progress on the fix; the team is reviewing it now.",
    About.RESOLVED: "This is closed: it was fixed in the code. If it still happens, just write here.",
    About.REOPENED: "This is open again, and we are looking into it.",
    About.FILE_LOST: (
        "We could not open your files core.dump, app.log, so we are carrying on without them. You can attach them "
        "again (up to 10 MB), or paste the part that matters here."
    ),
}
FOR_DEVELOPERS = {
    About.SUMMARY: (
        "**bug-7F3K** (P1), reported by @U0RITA000: pay ends in Error 500\nServices: shop. Owners: @U0GRACE00."
    ),
    About.QUESTION: (
        "The reporter is being asked:\n"
        "To find the cause, we need to know:\n1. Which page shows the error?\n2. Since when?"
    ),
    About.OPEN_QUESTION: (
        "The reporter has not answered, and this is still open:\n"
        "1. Which page shows the error?\n2. Since when?\n\n"
        "Orders with a coupon fail: KeyError in `apply`, reproduced.\n\n"
        "If you know the answer, reply here; so can the reporter."
    ),
    About.NO_ANSWER: "The reporter has not answered; the investigation carries on without.",
    About.FINDINGS: """\
Orders with a coupon fail: KeyError in `apply`, reproduced.

**Root cause**: shop/cart.py:12 reads `rate` of coupons that have none.

**Evidence**
- `python -m pytest tests/test_cart.py`: 1 failed: KeyError

**Since** `4f1c2ab` Read the rate (ada, 2026-03-02)

**Recommended**
- Give every coupon a rate.

Kind of fix: code fix. Confidence: 90%.""",
    About.ESCALATION: "**Escalated**: @U0ADA0000, please look at bug-7F3K (P1).",
    About.FAILED_TURN: "Turn 2 failed: KeyError in the tool. Nothing is lost; `caseworker show bug-7F3K` has more. "
    "`caseworker retry bug-7F3K` tries again once that is put right.",
    About.BUDGET_NEAR: "KeyError in the tool. `caseworker budget bug-7F3K +5` lets it spend more.",
    About.NOTED: "Noted; the investigation will take it into account.",
    About.KEPT: "Noted, and kept for the hand-back.",
    About.NOT_TAKEN: "Nobody has taken over bug-7F3K, so there is nothing to hand back.",
    About.FOLLOW_UP: "A follow-up investigation has started.",
    About.REMINDER: (
        "bug-7F3K is waiting for a developer: pay ends in Error 500. If nobody replies, it will be closed as "
        "`no_response`; it can be reopened."
    ),
    About.TAKEN_OVER: (
        "@U0ADA0000 has taken over bug-7F3K. The agent has stopped; `caseworker handback bug-7F3K` lets it continue."
    ),
    About.HANDED_BACK: "Thank you. The investigation continues with everything said in the meantime.",
    About.ASKED_TO_CLOSE: (
        "@U0ADA0000, how was it resolved, and why? "
        '`caseworker close bug-7F3K --resolution KIND --reason "..."` closes it. '
        "KIND: code_fix, data_fix, config_fix, not_a_bug, duplicate, no_response."
    ),
    About.FIX_OPENED: (
        "The fix is being worked on as local/shop#3. Its branch will be announced here; merging is yours."
    ),
    About.ANOTHER_FIX: (
        "Another fix is being worked on as local/shop#3. Its branch will be announced here; merging is yours."
    ),
    About.FIX_INFORMED: "The new findings were passed on to local/shop#3.",
    About.FIX_REFUSED: "The fix could not be started: KeyError in the tool.",
    About.FIX_NEWS: "Branch `agent/issue-3` is ready, from local/shop#3.",
    About.RESOLVED: (
        "**bug-7F3K is resolved** (`code_fix`): closed by @U0ADA0000: KeyError in shop/cart.py is gone since an hour "
        "ago. Reply here to reopen it."
    ),
    About.REOPENED: "bug-7F3K is open again: somebody wrote after it was resolved.",
    About.REPORTER_SAID: (
        "The reporter wrote:\n> Order 1183, too.\n> See above.\n\n"
        "The reporter changed a message, which now says:\n> Order 1184."
    ),
    About.FILE_LOST: (
        "Files of the reporter could not be had: core.dump (it has 20,000,000 bytes; 10,000,000 are taken), app.log "
        "(it is gone). The investigation goes on without them."
    ),
    About.STOP_FIX: (
        "The reporter has withdrawn the report, but its fix local/shop#3 is still under way. Shall it stop? Answer "
        "`yes` or `no` here; `caseworker close shop/3` stops it at any time. Without an answer it goes on."
    ),
    About.FIX_GOES_ON: "Then the fix goes on.",
}

INTERNALS = re.compile(
    r"`|\w/\w|\w\.(?:py|js|go|rb|java)\b|\w(?:Error|Exception)\b|\b[0-9a-f]{7,40}\b|[UW]0[A-Z0-9]+|_"
)
"""Code spans, paths, exception names, commits, members' ids, names in the code."""


def told(
    about: About,
    audience: Audience,
    matter: PostContext = CONTEXT,
    *,
    note: str = "KeyError in the tool.",
    phrasing: Phrasing | None = None,
) -> str:
    """The text of a post. RESOLVED has the resolution from when the post was queued."""
    is_end = about is About.RESOLVED
    post = BugPost(
        about=about,
        audience=audience,
        epoch=1,
        number=2,
        note=matter.case.reason if is_end else note,
        resolution=matter.case.ending.resolution if is_end else None,
        closed_by_message=is_end and matter.case.ending.closed_by is not None,
    )
    return words_for(post, matter, phrasing or TerminalPhrasing())


@pytest.mark.parametrize("about", About)
def test_the_texts_for_the_reporter(about: About) -> None:
    assert told(about, Audience.REPORTER) == FOR_REPORTERS.get(about, "")


@pytest.mark.parametrize("about", About)
def test_the_texts_for_developers(about: About) -> None:
    assert told(about, Audience.DEVELOPERS) == FOR_DEVELOPERS.get(about, "")


@pytest.mark.parametrize(
    ("phrasing", "failed", "broke"),
    [
        (
            TerminalPhrasing(),
            "`caseworker show bug-7F3K` has more. `caseworker retry bug-7F3K` tries again once that is put right.",
            "`caseworker show bug-7F3K` has more. `caseworker budget bug-7F3K +5` lets it go on.",
        ),
        (
            ReplyPhrasing(),
            "`caseworker show bug-7F3K` has more. The reply `retry` tries again once that is put right.",
            "`caseworker show bug-7F3K` has more. The reply `budget +5` lets it go on.",
        ),
        (
            CommentPhrasing(),
            "the tracking comment has more. The comment `retry` tries again once that is put right.",
            "the tracking comment has more. The comment `budget +5` lets it go on.",
        ),
        (
            ButtonPhrasing(),
            "the page of bug-7F3K has more. “Try again” tries again once that is put right.",
            "the page of bug-7F3K has more. “Raise budget” lets it go on.",
        ),
    ],
    ids=["terminal", "reply", "comment", "button"],
)
def test_a_failed_turn_is_told_in_the_words_of_each_surface(phrasing: Phrasing, failed: str, broke: str) -> None:
    poor = CONTEXT.model_copy(update={"case": BUG.updated(out_of_money=True)})
    begins = "Turn 2 failed: KeyError in the tool. Nothing is lost; "
    assert told(About.FAILED_TURN, Audience.DEVELOPERS, phrasing=phrasing) == f"{begins}{failed}"
    assert told(About.FAILED_TURN, Audience.DEVELOPERS, poor, phrasing=phrasing) == f"{begins}{broke}"


@pytest.mark.parametrize(
    ("phrasing", "back", "close", "reply"),
    [
        (ReplyPhrasing(), "the reply `hand back`", "The reply `close KIND: reason`", "a plain reply"),
        (CommentPhrasing(), "the comment `hand back`", "The comment `close KIND: reason`", "a comment"),
        (ButtonPhrasing(), "“Hand back”", "“Close case” with a KIND and a reason", "a message"),
    ],
    ids=["reply", "comment", "button"],
)
def test_a_takeover_and_a_close_say_how_to_go_on_on_each_surface(
    phrasing: Phrasing, back: str, close: str, reply: str
) -> None:
    kinds = "KIND: code_fix, data_fix, config_fix, not_a_bug, duplicate, no_response."
    half = CONTEXT.model_copy(update={"case": BUG.updated(close_reason=2)})
    assert told(About.TAKEN_OVER, Audience.DEVELOPERS, phrasing=phrasing) == (
        f"@U0ADA0000 has taken over bug-7F3K. The agent has stopped; {back} lets it continue."
    )
    assert told(About.ASKED_TO_CLOSE, Audience.DEVELOPERS, phrasing=phrasing) == (
        f"@U0ADA0000, how was it resolved, and why? {close} closes it. {kinds}"
    )
    assert told(About.ASKED_TO_CLOSE, Audience.DEVELOPERS, half, phrasing=phrasing) == (
        f"@U0ADA0000, how was it resolved? Your reason is noted: {reply} with the KIND alone closes it. {kinds} For "
        "what you decided not to fix, `not_a_bug` is the nearest."
    )


def _turned(resolution: Resolution | None, news: MessageKind | None) -> PostContext:
    return CONTEXT.model_copy(update={"case": BUG.updated(resolution=resolution), "news_kind": news})


@pytest.mark.parametrize("about", About)
def test_texts_for_the_reporter_have_no_internals(about: About) -> None:
    """With every resolution and every kind of news."""
    for resolution in (None, *Resolution):
        for news in (K.FIX_READY, K.FIX_WAITING, K.FIX_ENDED, K.FIX_MERGED):
            words = told(about, Audience.REPORTER, _turned(resolution, news))
            assert INTERNALS.findall(words) == []


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("the coupon service had the old key", 'The team says: "the coupon service had the old key". '),
        ("because coupons end in May.", 'The team says: "coupons end in May". '),
        ("of bug-7F3K", ""),
        ("The key was old. See config/prod.toml:3. It is new now", 'The team says: "The key was old. It is new now". '),
        ("fixed in 4f1c2ab", ""),
        ("ask <@U0ADA0000>", ""),
        ("`retry()` was missing", ""),
        ("https://ci.example.com/42", ""),
        ("on db-7.internal.example", ""),
        ("", ""),
        ("x" * 400, f'The team says: "{"x" * 299}\u2026". '),
    ],
)
def test_the_reporter_is_told_a_closing_reason_without_its_internals(reason: str, words: str) -> None:
    context = CONTEXT.model_copy(update={"closed_because": reason})
    expected = f"This is closed: it was fixed in the code. {words}If it still happens, just write here."
    assert told(About.RESOLVED, Audience.REPORTER, context) == expected


def test_a_developer_who_gave_a_reason_is_asked_for_the_type_only() -> None:
    context = CONTEXT.model_copy(update={"case": BUG.updated(close_reason=2)})
    assert told(About.ASKED_TO_CLOSE, Audience.DEVELOPERS, context) == (
        '@U0ADA0000, how was it resolved? Your reason is noted: `caseworker say bug-7F3K "..."` with the KIND alone '
        "closes it. KIND: code_fix, data_fix, config_fix, not_a_bug, duplicate, no_response. For what you decided not "
        "to fix, `not_a_bug` is the nearest."
    )


def test_findings_for_developers_have_their_evidence() -> None:
    words = told(About.FINDINGS, Audience.DEVELOPERS)
    for inside in (OUTCOME.root_cause, OUTCOME.evidence[0].source, OUTCOME.evidence[0].shows, "4f1c2ab"):
        assert inside in words


@pytest.mark.parametrize(
    ("resolution", "words"),
    [
        (Resolution.CODE_FIX, ": it was fixed in the code. If it still happens"),
        (Resolution.DATA_FIX, ": it was fixed in the data. If it still happens"),
        (Resolution.CONFIG_FIX, ": it was fixed in the configuration. If it still happens"),
        (Resolution.NOT_A_BUG, ": this works as intended. If it still happens"),
        (Resolution.DUPLICATE, ": this was reported before. If it still happens"),
        (Resolution.NO_RESPONSE, ": we heard nothing more. If it still happens"),
        (None, ": it is confirmed that nothing is left to do. If it still happens"),
    ],
)
def test_each_resolution_has_its_words(resolution: Resolution | None, words: str) -> None:
    ended = told(About.RESOLVED, Audience.REPORTER, _turned(resolution, None))
    assert ended == f"This is closed{words}, just write here."


def test_a_reporter_who_closed_the_report_is_told_so() -> None:
    withdrawn = CONTEXT.model_copy(update={"case": BUG.updated(resolution=None, closed_by=2)})
    words = told(About.RESOLVED, Audience.REPORTER, withdrawn)
    assert words == "This is closed, as you asked. If it comes back, just write here."


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (MessageKind.FIX_READY, "There is progress on the fix; the team is reviewing it now."),
        (MessageKind.FIX_WAITING, "The fix can't go on by itself at the moment; it is in the hands of the team."),
        (MessageKind.FIX_MERGED, "The team has accepted the fix."),
        (MessageKind.FIX_ENDED, "Work on the fix has ended without a result. The team knows."),
    ],
)
def test_news_of_a_fix_has_its_words(kind: MessageKind, words: str) -> None:
    assert told(About.FIX_NEWS, Audience.REPORTER, _turned(None, kind)) == words


def test_an_escalation_without_contacts_calls_the_owners_or_everybody() -> None:
    nobody = CONTEXT.model_copy(update={"policy": Policy()})
    owners = CONTEXT.model_copy(update={"policy": CONTEXT.policy.model_copy(update={"contacts": ()})})
    assert told(About.ESCALATION, Audience.DEVELOPERS, nobody).startswith("**Escalated**: everybody who reads this,")
    assert told(About.ESCALATION, Audience.DEVELOPERS, owners).startswith("**Escalated**: @U0GRACE00,")


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("complex", "**Escalated** (too complex to settle here): @U0ADA0000,"),
        ("security", "**Escalated** (a matter of security): @U0ADA0000,"),
        ("infrastructure", "**Escalated** (a matter of infrastructure): @U0ADA0000,"),
        ("urgent", "**Escalated** (people must act now): @U0ADA0000,"),
    ],
)
def test_an_escalation_says_why_people_are_called(reason: str, words: str) -> None:
    fields = {**OUTCOME.model_dump(), "action": "escalate", "escalate_because": reason}
    escalated = CONTEXT.model_copy(update={"outcome": BugOutcome.model_validate(fields)})
    assert told(About.ESCALATION, Audience.DEVELOPERS, escalated).startswith(words)


def test_without_a_question_the_default_one_is_asked() -> None:
    assert told(About.QUESTION, Audience.REPORTER, CONTEXT.model_copy(update={"outcome": None})) == DEFAULT_QUESTION
