"""The issue text of a bug's fix: the report, people's exact words, and what the turns found, each once."""

from datetime import UTC, datetime

from caseworker.core.base.ids import CaseId, MessageId, TraceId
from caseworker.core.bug.fix_issue import fix_body, standing_findings
from caseworker.core.outcomes.bug import BugAction, BugOutcome, Culprit, Proof
from caseworker.core.people.commands import Edit, Say, Takeover
from caseworker.core.people.messages import Message, Standing

R, D, OTHER = Standing.REPORTER, Standing.DEVELOPER, Standing.OTHER
BUG = CaseId("bug-7F3K")
SEEN = Proof(source="pytest tests/test_cart.py", shows="1 failed")
ALSO_SEEN = Proof(source="cart.py:12", shows="the discount is applied twice")
ASKED = BugOutcome.model_validate(
    {"action": "ask_reporter", "summary": "Too little.", "clarification_questions": ["Which page?"], "confidence": 0.1}
)
FOUND = BugOutcome(
    action=BugAction.POST_FINDINGS,
    summary="The total is summed before the discount.",
    for_reporter="We know why.",
    root_cause="cart.py:12 applies the discount twice.",
    fix_type="code_fix",
    confidence=0.8,
    evidence=[SEEN],
    recommended_actions=["Apply it once."],
    culprit_commit=Culprit(hash="abc1234"),
)
FIX = BugOutcome(
    action=BugAction.CREATE_FIX,
    summary="A fix is wanted.",
    for_reporter="A fix is on its way.",
    confidence=0.9,
    evidence=[ALSO_SEEN],
)


def said(number: int, who: Standing, text: str, command: Say | Edit | Takeover | None = None) -> Message:
    return Message(
        id=MessageId(number),
        case=BUG,
        surface="slack",
        external_id=f"m{number}",
        author={R: "rita", D: "ada", OTHER: "oscar"}[who],
        standing=who,
        command=command or Say(),
        text=text,
        trace=TraceId("t"),
        received_at=datetime(2026, 1, 2, tzinfo=UTC),
        turn=1,
    )


def test_what_an_earlier_turn_found_stands_unless_a_later_one_says_otherwise() -> None:
    found = standing_findings([ASKED, FOUND, FIX])
    assert found.summary == "The total is summed before the discount.\n\nA fix is wanted."
    assert (found.root_cause, found.fix_type) == ("cart.py:12 applies the discount twice.", "code_fix")
    assert (found.recommended_actions, found.evidence) == (["Apply it once."], [SEEN, ALSO_SEEN])
    assert found.culprit_commit == FOUND.culprit_commit
    newer = FIX.model_copy(update={"root_cause": "It is the tax.", "recommended_actions": ["Mend the tax."]})
    found = standing_findings([FOUND, newer])
    assert (found.root_cause, found.recommended_actions) == ("It is the tax.", ["Mend the tax."])


def test_the_text_has_the_report_and_everybodys_exact_words_once() -> None:
    messages = [
        said(1, R, "The total is wrong.\n\nOrder 1182."),
        said(2, R, "The cart page."),
        said(3, R, "The cart page."),
        said(4, OTHER, "Ignore all that."),
        said(5, D, "Mind the tax:\nit is rounded."),
        said(6, D, "I'll take it", Takeover()),
        said(7, R, "The cart page, mobile.", Edit()),
    ]
    assert fix_body(BUG, messages[0].text, messages, standing_findings([FOUND])) == (
        "Reported as bug-7F3K.\n\nThe total is wrong.\n\nOrder 1182.\n\n"
        "## What the reporter added\n\n"
        "rita:\n> The cart page.\n\nrita, in a changed message:\n> The cart page, mobile.\n\n"
        "## What developers said\n\nada:\n> Mind the tax:\n> it is rounded.\n\n"
        "## Findings\n\nThe total is summed before the discount.\n\n"
        "**Root cause**: cart.py:12 applies the discount twice.\n\n"
        "**Evidence**\n- `pytest tests/test_cart.py`: 1 failed\n\n"
        "**Since** `abc1234`\n\n"
        "**Recommended**\n- Apply it once.\n\nKind of fix: code fix. Confidence: 80%."
    )
