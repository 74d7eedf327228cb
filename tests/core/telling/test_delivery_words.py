"""What people read about deliveries: every reason has its words, and replies say what to do next."""

import pytest

from caseworker.core.base.ids import CaseId
from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.runs.delivery_outcomes import (
    BecameMessage,
    Dispatched,
    Duplicate,
    Failed,
    Ignored,
    IgnoreReason,
    NotDone,
    Outcome,
    Received,
    RefusalReason,
    Unreadable,
    Woken,
)
from caseworker.core.telling.delivery_words import outcome_words, reply_words

R, W = RefusalReason, WorkflowName


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Received(), "not processed yet"),
        (Dispatched(workflow=W.PLAN, case=CaseId("acme/shop#7")), "plan on acme/shop#7"),
        (Dispatched(workflow=W.REMEMBER), "remember"),
        (BecameMessage(case=CaseId("acme/shop#7")), "a message of acme/shop#7"),
        (Woken(case=CaseId("acme/shop#7")), "acme/shop#7 was woken to look again"),
        (Duplicate(of="g-1"), "the same as g-1"),
        (Duplicate(workflow=W.PLAN), "plan is running already"),
        (Duplicate(), "it is there already"),
        (Ignored(reason=IgnoreReason.NOT_OUR_LABEL, detail="bug"), "not a label of Caseworker: bug"),
        (NotDone(reason=R.NOT_ALLOWED, detail="rita"), "not allowed to ask: rita"),
        (Unreadable(problem="The body is not JSON."), "The body is not JSON."),
        (Failed(error="GitHub is away."), "GitHub is away. (tried again)"),
        (Failed(error="GitHub is away.", gave_up=True), "GitHub is away. (given up)"),
    ],
)
def test_each_outcome_is_one_line(outcome: Outcome, words: str) -> None:
    assert outcome_words(outcome) == words


@pytest.mark.parametrize("reason", IgnoreReason)
def test_every_reason_to_ignore_an_event_has_its_words(reason: IgnoreReason) -> None:
    assert outcome_words(Ignored(reason=reason))


@pytest.mark.parametrize("reason", R)
def test_every_refusal_is_one_line_in_the_list(reason: RefusalReason) -> None:
    words = outcome_words(NotDone(reason=reason, workflow=W.PLAN, detail="issue"))
    assert words
    assert "\n" not in words


@pytest.mark.parametrize("reason", [R.NOT_ALLOWED, R.TARGET_GONE])
def test_people_who_may_not_ask_and_targets_that_are_gone_get_no_reply(reason: RefusalReason) -> None:
    assert reply_words(NotDone(reason=reason, workflow=W.PLAN)) == ""


@pytest.mark.parametrize(
    ("refused", "reply"),
    [
        (
            NotDone(reason=R.NEEDS_EARLIER, workflow=W.PLAN, detail="triage"),
            "`plan` needs a finished triage first: add the label `bot:triage`, when it is done `bot:plan`.",
        ),
        (
            NotDone(reason=R.NEEDS_EARLIER, workflow=W.IMPLEMENT, detail="triage plan"),
            "`implement` needs a finished triage and a finished plan first: add the label `bot:triage`, when it is "
            "done `bot:plan`, when it is done `bot:implement`.",
        ),
        (
            NotDone(reason=R.WRONG_TARGET, workflow=W.REVIEW, detail="issue"),
            "`review` works on pull requests, and this is an issue.",
        ),
        (
            NotDone(reason=R.TARGET_CLOSED, workflow=W.SHIP, detail="pull"),
            "`ship` needs an open pull request, and this one is closed. Reopen it, then ask again.",
        ),
        (
            NotDone(reason=R.BAD_DEADLINE, workflow=W.SHIP, detail="soon"),
            "`soon` is no deadline for `ship`. It is a number with `m`, `h` or `d`, at most 30 days: `90m`, `2h`, "
            "`1d`.",
        ),
        (
            NotDone(reason=R.CASE_AT_WORK, workflow=W.SHIP, detail="acme/shop#7"),
            "`ship` can't begin now: `acme/shop#7`, which opened this pull request, is working on it. Ask again when "
            "it waits for the merge.",
        ),
        (
            NotDone(reason=R.NOTHING_RUNS, detail="stop"),
            "There is nothing to stop: no session runs on this. `bot:ship` begins one on a pull request.",
        ),
        (NotDone(reason=R.BAD_OPTION, workflow=W.PLAN, detail="--fast"), "`plan` has no option `--fast`."),
    ],
)
def test_a_reply_says_what_why_and_what_to_do(refused: NotDone, reply: str) -> None:
    assert reply_words(refused) == reply
