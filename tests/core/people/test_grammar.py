"""Which text is a command, and which is only words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caseworker.core.people.commands import (
    Answer,
    Close,
    CloseIncomplete,
    Command,
    HandBack,
    MessageKind,
    RaiseBudget,
    Reject,
    Resolution,
    Resume,
    Retry,
    Say,
    Takeover,
)
from caseworker.core.people.grammar import InBug, InIssue, InPull, asks_for_something, parse
from caseworker.core.people.messages import Standing
from tests.world.commands import command_of

K = MessageKind
R = Resolution
TEAM = (Standing.DEVELOPER, Standing.OWNER)


def in_bug(text: str, standing: Standing, *, asked: bool) -> Command:
    return parse(text, standing, InBug(asked=asked))


def in_words(command: Command, text: str) -> Command:
    """A command that the surface knows, completed from its text."""
    return parse(text, Standing.OWNER, InIssue(), command)


def in_issue(text: str, *, awaits: bool) -> MessageKind:
    return parse(text, Standing.OWNER, InIssue(awaits=awaits)).kind


NEVER_MIND = [
    "never mind",
    "Nevermind!",
    "Never mind, thanks",
    "  never   mind.  ",
    "sorry, never mind 🙏",
    "never mind :sweat_smile:",
    "actually, never mind this",
    "“Never mind”",
    "<@U02CW> never mind",
    "<@U02CW|caseworker>: never mind",
    "@caseworker never mind",
    "never\u200b mind",
    "forget it",
    "please ignore this",
    "False alarm!",
    "close",
    "Please close this",
    "please close this bug, thank you",
    "you can close this",
    "You can close the ticket now.",
    "can you close this?",
    "Could you please close it?",
    "it works now, please close",
    "It's fixed now. You can close this.",
    "everything is working again, thanks, please close the case",
    "close as not a bug: I had misread the page",
]
REPORTERS_WORDS = [
    "",
    " ",
    "?",
    "never mind the first error, look at the second",
    "never mind. The second error is the real one.",
    "never mind?",
    "never mind what grace says",
    "> never mind",
    "&gt; never mind",
    "~never mind~",
    "close this?",
    "don't close this",
    "please do not close this",
    "why did you close this",
    "please resolve this",
    "resolve it",
    "it works now",
    "it's fixed",
    "the dialog does not close",
    "close the dialog and the error appears",
    "please close the dialog",
    "I'll take it",
    "hand back",
    "it is a duplicate",
    "duplicate: bug-7F3K",
    "code_fix: done",
    "fermer",
    "close 这个",
]
TAKEOVERS = [
    "I'll take it",
    "I’ll take it!",
    "<@U02CW> I'll take this one, thanks",
    "I will take this",
    "i'll take over",
    "Taking over.",
    "taking this over",
    "I'm taking it from here",
    "takeover",
    "take over",
    "please let me take it",
    "I'll handle this",
]
HAND_BACKS = [
    "hand back",
    "Handing back!",
    "handback",
    "back to you",
    "over to you, thanks",
    "I'm handing it back to you",
]
TEAMS_WORDS = [
    "",
    "I'll take a look",
    "I take it that the cache is cold",
    "I take it",
    "mine",
    "I'll take it tomorrow if nobody else does",
    "taking over the world",
    "I'll take it. Where are the logs?",
    "should I take over?",
    "hand back the lock before you wait",
    "I hand this back to grace",
    "never mind",
    "close the connection in the pool first",
    "close it before you return",
    "close?",
    "close duplicate?",
    "close duplicate connections first",
    "close duplicate-connections",
    "close config fix PR",
    "closed",
    "resolve",
    "resolve this",
    "resolve the conflict",
    "not a bug",
    "duplicate",
    "duplicate: bug-7F3K",
    "code_fix: done",
    "this is not a bug, close it when ada agrees",
    "close as soon as the deploy is out",
    "close because of the time-out?",
    "close fixed connections first",
    "closing the socket twice is the cause",
    "closing sockets: look at the pool",
    "won't fix the cart today, please look at the coupon",
    "we won't fix it before Monday",
    "won't fix?",
    "should we close this?",
    "can this be closed?",
    "this can be closed?",
    "don't close it",
    "this can not be closed",
    "it can be closed before the pool is returned",
    "close it, then open it again",
    "close it, it leaks in the pool",
    "close it, it's a duplicated handle that leaks",
    "close it, fixed connections first",
    "close bug-7F3K?",
    "close bug-related sockets first",
    "we are not going to fix it before Monday",
    "not going to fix this?",
]
INCOMPLETE: list[tuple[str, Resolution | None]] = [
    ("close", None),
    ("Close it.", None),
    ("close this case", None),
    ("please close the bug", None),
    ("<@U02CW> close this", None),
    ("could you close this?", None),
    ("close duplicate", R.DUPLICATE),
    ("close as duplicate.", R.DUPLICATE),
    ("close it as a duplicate, please", R.DUPLICATE),
    ("close `not a bug`:", R.NOT_A_BUG),
    ("resolve as code-fix", R.CODE_FIX),
]
COMPLETE = [
    ("close duplicate of bug-7F3K", R.DUPLICATE, "of bug-7F3K"),
    ("close duplicate bug-7F3K", R.DUPLICATE, "bug-7F3K"),
    ("close duplicate, same as bug-7F3K", R.DUPLICATE, "same as bug-7F3K"),
    ("close as duplicate: bug-7F3K", R.DUPLICATE, "bug-7F3K"),
    ("Close as a duplicate (bug-7F3K)", R.DUPLICATE, "bug-7F3K"),
    ("close not_a_bug the page was misread", R.NOT_A_BUG, "the page was misread"),
    ("close not a bug the page was misread", R.NOT_A_BUG, "the page was misread"),
    ("CLOSE AS NOT-A-BUG — The page was misread.", R.NOT_A_BUG, "The page was misread."),
    ("please close this as code fix: released in 1.4.2\nand checked", R.CODE_FIX, "released in 1.4.2\nand checked"),
    ("resolve data_fix row 1182 was mended", R.DATA_FIX, "row 1182 was mended"),
    ("resolve config fix - the pool has 40 connections now", R.CONFIG_FIX, "the pool has 40 connections now"),
    ("close config fix because the pool was too small", R.CONFIG_FIX, "because the pool was too small"),
    ("close no response after two reminders", R.NO_RESPONSE, "after two reminders"),
    ("<@U02CW> close `code_fix`: why was it ever <b>?", R.CODE_FIX, "why was it ever <b>?"),
]
EXPLAINED: list[tuple[str, Resolution | None, str]] = [
    ("close because the pool was too small", None, "because the pool was too small"),
    ("Closing this because it was the coupon.", None, "because it was the coupon."),
    ("please close it: it was the coupon", None, "it was the coupon"),
    ("close - it was the coupon", None, "it was the coupon"),
    ("close wontfix because we drop coupons in May", None, "because we drop coupons in May"),
    ("close as won't fix: we drop coupons in May", None, "we drop coupons in May"),
    ("close as fixed, deployed an hour ago", None, "deployed an hour ago"),
    ("I'm closing this as invalid (misread)", None, "misread"),
    ("won't fix", None, ""),
    ("Wontfix!", None, ""),
    ("won\u2019t fix: we drop coupons in May", None, "we drop coupons in May"),
    ("We won't fix this because coupons go in May", None, "because coupons go in May"),
    ("close as wontfix", None, ""),
    ("close by design", R.NOT_A_BUG, ""),
    ("Close, because it is intended", None, "because it is intended"),
    ("close, we won't fix this", None, "we won't fix this"),
    ("close this bug, wontfix", None, ""),
    ("close this, wontfix: we drop coupons in May", None, "we drop coupons in May"),
    ("please close this, it's a duplicate of bug-7F3K", None, "it's a duplicate of bug-7F3K"),
    ("close it, this is intended", None, "this is intended"),
    ("close bug-7F3K", None, ""),
    ("close bug-7F3K because old", None, "because old"),
    ("please close bug-7F3K: it was the coupon", None, "it was the coupon"),
    ("close bug-7F3K as duplicate of bug-9QQQ", None, "of bug-9QQQ"),
    ("this can be closed", None, ""),
    ("This bug can be closed now, thanks", None, ""),
    ("it can be closed because the coupon is gone", None, "because the coupon is gone"),
    ("not going to fix this", None, ""),
    ("We're not going to fix this: coupons go in May", None, "coupons go in May"),
    ("this is not going to be fixed", None, ""),
]
FOREIGN = [
    ("close as works as designed: see the page on coupons", R.NOT_A_BUG, "see the page on coupons"),
    ("close dupe of bug-7F3K", R.DUPLICATE, "of bug-7F3K"),
    ("closing as duplicate of bug-7F3K", R.DUPLICATE, "of bug-7F3K"),
]
ANSWERS = [
    ("duplicate of bug-7F3K", R.DUPLICATE, "of bug-7F3K"),
    ("Not a bug, the page was misread", R.NOT_A_BUG, "the page was misread"),
    ("code_fix released in 1.4.2", R.CODE_FIX, "released in 1.4.2"),
    ("as a data fix: row 1182 was mended", R.DATA_FIX, "row 1182 was mended"),
    ("<@U02CW> config-fix - more connections", R.CONFIG_FIX, "more connections"),
]


@pytest.mark.parametrize("text", NEVER_MIND)
def test_a_reporter_can_withdraw_the_report_in_many_ways(text: str) -> None:
    assert in_bug(text, Standing.REPORTER, asked=False).kind is K.CLOSE


@pytest.mark.parametrize("text", REPORTERS_WORDS)
@pytest.mark.parametrize("asked", [True, False])
def test_other_text_of_a_reporter_is_plain_words(text: str, asked: bool) -> None:
    assert in_bug(text, Standing.REPORTER, asked=asked).kind is K.WORDS


@pytest.mark.parametrize("standing", TEAM)
@pytest.mark.parametrize("text", TAKEOVERS)
def test_the_team_takes_over(text: str, standing: Standing) -> None:
    assert in_bug(text, standing, asked=False) == Takeover()


@pytest.mark.parametrize("standing", TEAM)
@pytest.mark.parametrize("text", HAND_BACKS)
def test_the_team_hands_back(text: str, standing: Standing) -> None:
    assert in_bug(text, standing, asked=False) == HandBack()


@pytest.mark.parametrize("standing", TEAM)
@pytest.mark.parametrize("text", ["retry", "Retry, please", "retry this", "@caseworker retry!"])
def test_the_team_has_a_bug_tried_again(text: str, standing: Standing) -> None:
    assert in_bug(text, standing, asked=False) == Retry()


@pytest.mark.parametrize("standing", TEAM)
@pytest.mark.parametrize("text", ["try again", "retry with the old file", "did it retry?"])
def test_what_may_be_meant_for_the_investigator_is_plain_words(text: str, standing: Standing) -> None:
    assert in_bug(text, standing, asked=False).kind is K.WORDS


@pytest.mark.parametrize("standing", TEAM)
@pytest.mark.parametrize("text", TEAMS_WORDS)
def test_other_text_of_the_team_is_plain_words(text: str, standing: Standing) -> None:
    assert in_bug(text, standing, asked=False).kind is K.WORDS


@pytest.mark.parametrize("standing", TEAM)
@pytest.mark.parametrize(("text", "resolution"), INCOMPLETE)
def test_a_close_without_type_or_reason_is_incomplete(
    text: str, resolution: Resolution | None, standing: Standing
) -> None:
    assert in_bug(text, standing, asked=False) == CloseIncomplete(resolution=resolution)


@pytest.mark.parametrize("standing", TEAM)
@pytest.mark.parametrize(("text", "resolution", "reason"), EXPLAINED)
def test_a_close_in_other_words_is_asked_about_and_keeps_its_reason(
    text: str, resolution: Resolution | None, reason: str, standing: Standing
) -> None:
    assert in_bug(text, standing, asked=False) == CloseIncomplete(resolution=resolution, reason=reason)


def test_a_reporter_may_say_why_they_withdraw_the_report() -> None:
    assert in_bug("close because it works again", Standing.REPORTER, asked=False) == Close(resolution=None)
    assert in_bug("won't fix", Standing.REPORTER, asked=False).kind is K.WORDS


@pytest.mark.parametrize("standing", TEAM)
@pytest.mark.parametrize("asked", [True, False])
@pytest.mark.parametrize(("text", "resolution", "reason"), [*COMPLETE, *FOREIGN])
def test_a_close_has_a_type_and_a_reason(
    text: str, resolution: Resolution, reason: str, standing: Standing, asked: bool
) -> None:
    assert in_bug(text, standing, asked=asked) == Close(resolution=resolution, reason=reason)


@pytest.mark.parametrize(("text", "resolution", "reason"), ANSWERS)
def test_a_person_who_was_asked_need_not_write_close(text: str, resolution: Resolution, reason: str) -> None:
    closed = Close(resolution=resolution, reason=reason)
    assert in_bug(text, Standing.DEVELOPER, asked=True) == closed
    assert in_bug(text, Standing.DEVELOPER, asked=False).kind is K.WORDS


def test_an_asked_person_who_names_only_the_type_is_asked_for_a_reason() -> None:
    incomplete = CloseIncomplete(resolution=R.DUPLICATE)
    assert in_bug("duplicate", Standing.DEVELOPER, asked=True) == incomplete


@pytest.mark.parametrize(
    "text",
    [
        "duplicate rows are written by the importer",
        "no response from the pool while it starts",
        "duplicate of bug-7F3K?",
        "duplicate?",
        "I don't know yet",
    ],
)
def test_a_person_who_was_asked_may_still_write_plain_words(text: str) -> None:
    assert in_bug(text, Standing.DEVELOPER, asked=True).kind is K.WORDS


@pytest.mark.parametrize("written", ["code_fix", "code fix", "code-fix", "Code Fix", "CODE_FIX"])
def test_a_resolution_type_can_be_written_in_many_ways(written: str) -> None:
    expected = Close(resolution=R.CODE_FIX, reason="done")
    assert in_bug(f"close as {written}: done", Standing.OWNER, asked=False) == expected


@pytest.mark.parametrize("resolution", Resolution)
def test_every_resolution_type_can_be_written(resolution: Resolution) -> None:
    expected = Close(resolution=resolution, reason="we know")
    for name in (resolution.value, resolution.value.replace("_", " ")):
        assert in_bug(f"close {name}: we know", Standing.DEVELOPER, asked=False) == expected


@pytest.mark.parametrize("text", [*NEVER_MIND, *TAKEOVERS, *HAND_BACKS, *(text for text, *_ in [*COMPLETE, *ANSWERS])])
def test_text_of_outsiders_is_never_a_command(text: str) -> None:
    assert in_bug(text, Standing.OTHER, asked=True).kind is K.WORDS


@pytest.mark.parametrize(
    "text",
    [
        "thanks!",
        "Thank you so much",
        "Thanks a lot for the quick fix, great work!",
        "great",
        "ok",
        "OK, got it. Thanks everyone",
        "👍",
        ":+1: :tada:",
        "",
        "it works now, thanks",
        "<@U02CW> thank you",
        "Perfect, it's fixed now :pray:",
        "approve",
        "Approved, thanks",
        "This looks good to me",
    ],
)
def test_thanks_and_agreement_do_not_reopen_a_case(text: str) -> None:
    assert not asks_for_something(text)


@pytest.mark.parametrize(
    "text",
    [
        "it is back",
        "thanks, but it still fails",
        "not great",
        "it works?",
        "?",
        "thanks. Is it released?",
        "ok fix it now",
        "please go ahead",
        "still broken :sob:",
        "это снова сломано",
    ],
)
def test_all_other_words_reopen_a_case(text: str) -> None:
    assert asks_for_something(text)


@pytest.mark.parametrize("kind", K)
def test_only_the_commands_takeover_retry_and_start_reopen_a_case(kind: MessageKind) -> None:
    expected = kind in {K.WORDS, K.ANSWER, K.TAKEOVER, K.RETRY, K.START}
    assert command_of(kind, "it is back").reopens is expected


def test_thanks_ask_for_nothing_with_any_command() -> None:
    for command in (Say(), Answer(), HandBack(asks=True)):
        thanked = in_words(command, "thanks")
        assert not thanked.reopens
        assert not thanked.wants_something


SENTENCES = st.sampled_from(
    [
        "Look at the second error first.",
        "The pool was empty at 9:40.",
        "Order 1182 is still open",
        "grace knows more",
        "but only when the night is over",
        "und dann kam der Fehler wieder",
    ]
)


@given(
    st.sampled_from([text for text in NEVER_MIND if " as " not in text]), SENTENCES, st.sampled_from([". ", "\n", " "])
)
def test_a_reporters_command_with_text_after_it_is_plain_words(command: str, more: str, between: str) -> None:
    assert in_bug(f"{command}{between}{more}", Standing.REPORTER, asked=False).kind is K.WORDS
    assert in_bug(f"{more}{between}{command}", Standing.REPORTER, asked=False).kind is K.WORDS


@given(st.sampled_from([*TAKEOVERS, *HAND_BACKS, "close", "close this"]), SENTENCES, st.sampled_from([". ", "\n", " "]))
def test_a_developers_command_with_text_around_it_is_plain_words(command: str, more: str, between: str) -> None:
    assert in_bug(f"{command}{between}{more}", Standing.DEVELOPER, asked=False).kind is K.WORDS
    assert in_bug(f"{more}{between}{command}", Standing.DEVELOPER, asked=False).kind is K.WORDS


@given(st.text(), st.sampled_from(Standing), st.booleans())
def test_any_text_can_be_parsed(text: str, standing: Standing, asked: bool) -> None:
    command = in_bug(text, standing, asked=asked)
    if isinstance(command, Close) and standing in TEAM:
        assert command.resolution
        assert command.reason


@pytest.mark.parametrize("word", ["close ", "thanks ", "please ", "duplicate of ", "@caseworker ", "no "])
def test_the_longest_message_is_parsed(word: str) -> None:
    for standing in Standing:
        assert in_bug(f"{word * 4_000}so", standing, asked=False).kind is K.WORDS
    assert asks_for_something(word * 4_000) is not word.startswith(("thanks", "@"))


# --- in an issue case

APPROVALS = [
    "approve",
    "Approved!",
    "I approve",
    "I approve this",
    "approve the plan",
    "plan approved",
    "The plan looks good to me.",
    "go ahead",
    "Yes, go ahead!",
    "ok, please go ahead with the plan",
    "you can go ahead, thanks",
    "LGTM",
    "lgtm :+1:",
    "lgtm, go ahead",
    "@caseworker approved, thank you",
    "Looks good to me 👍",
]
NO_APPROVALS = [
    "",
    "yes",
    "ok",
    "👍",
    "approve?",
    "approve? go ahead",
    "approved by whom?",
    "can you approve this?",
    "can you approve this",
    "please approve",
    "please approve the plan",
    "who approves this",
    "not approved",
    "I don't approve",
    "I do not approve",
    "don't go ahead",
    "do not go ahead with the plan",
    "approve it when the tests are green",
    "approved, but rename the function",
    "go ahead and tell me why",
    "go ahead without the tests",
    "lgtm except for the name",
    "looks good to me but for one thing",
    "approve the merge request of grace",
    "> approve",
    "&gt; lgtm",
    "~approve~",
    "go ahead. The second part needs a test.",
    "genehmigt",
]
OTHER_COMMANDS = [
    ("reject: the API must stay as it is", K.REJECT),
    ("Rejected: too large.\nDo the cart first.", K.REJECT),
    ("reject because the API would change", K.REJECT),
    ("reject - too large", K.REJECT),
    ("reject \u2014 too large", K.REJECT),
    ("reject: why three files? One is enough.", K.REJECT),
    ("@caseworker reject: too large", K.REJECT),
    (f"reject: {'it is too large. ' * 200}", K.REJECT),
    ("retry", K.RETRY),
    ("please retry", K.RETRY),
    ("try again", K.RETRY),
    ("Try it again, please.", K.RETRY),
    ("give it another try", K.RETRY),
    ("I'll take it", K.TAKEOVER),
    ("taking over", K.TAKEOVER),
    ("I\u2019ll take it, thank you", K.TAKEOVER),
    ("hand back", K.HAND_BACK),
    ("over to you", K.HAND_BACK),
    ("budget +5", K.BUDGET),
    ("Budget + 2.50", K.BUDGET),
    ("budget +$5, please", K.BUDGET),
    ("raise the budget by 5 dollars", K.BUDGET),
    ("increase the budget by $10.", K.BUDGET),
    ("close", K.CLOSE),
    ("please close this issue", K.CLOSE),
    ("you can close this", K.CLOSE),
    ("never mind", K.CLOSE),
    ("Never mind this one, thanks", K.CLOSE),
    ("close because we drop coupons in May", K.CLOSE),
    ("close this: we drop coupons in May", K.CLOSE),
    ("won't fix", K.CLOSE),
    ("close wontfix because we drop coupons in May", K.CLOSE),
]
JUST_WORDS = [
    "",
    "reject",
    "reject invalid input",
    "reject invalid input: it crashes",
    "reject: really?",
    "the parser should reject: see RFC 1",
    "rejecting is fine",
    "retry?",
    "could you retry?",
    "retry the request three times",
    "try again with a larger timeout",
    "try the other branch",
    "try again? no, wait",
    "you can take over",
    "can you take over",
    "let's take over",
    "should I take over?",
    "I'll take a look",
    "hand back the lock before you wait",
    "budget",
    "budget 5",
    "budget: 5 hours of work",
    "the budget +5 is wrong in the report",
    "budget +lots",
    "raise the budget",
    "raise the budget by half",
    "budget +5?",
    "close the connection first",
    "close it before you return",
    "close?",
    "don't close",
    "never mind the first error",
    "never mind?",
    "forget it",
    "ignore this",
    "code_fix: done",
    "close duplicate connections",
    "> close",
]


@pytest.mark.parametrize("text", APPROVALS)
def test_agreement_approves_only_if_the_case_waits_for_it(text: str) -> None:
    assert in_issue(text, awaits=True) is K.APPROVE
    assert in_issue(text, awaits=False) is K.WORDS


@pytest.mark.parametrize("text", NO_APPROVALS)
@pytest.mark.parametrize("awaits", [True, False])
def test_text_that_is_not_clearly_an_approval_is_plain_words(text: str, awaits: bool) -> None:
    assert in_issue(text, awaits=awaits) is K.WORDS


@pytest.mark.parametrize(("text", "kind"), OTHER_COMMANDS)
@pytest.mark.parametrize("awaits", [True, False])
def test_the_other_commands_of_an_issue_case(text: str, kind: MessageKind, awaits: bool) -> None:
    assert in_issue(text, awaits=awaits) is kind


@pytest.mark.parametrize("text", JUST_WORDS)
def test_text_about_a_command_is_no_command(text: str) -> None:
    assert in_issue(text, awaits=False) is K.WORDS


def test_a_bare_reject_counts_if_the_case_waits_for_an_approval() -> None:
    """Without a reason it is then refused, instead of being read as words."""
    assert in_issue("Reject.", awaits=True) is K.REJECT


@given(
    st.sampled_from([*APPROVALS, "retry", "close", "hand back", "budget +5"]), SENTENCES, st.sampled_from([". ", "\n"])
)
def test_a_command_with_text_around_it_is_plain_words(command: str, more: str, between: str) -> None:
    assert in_issue(f"{command}{between}{more}", awaits=True) is K.WORDS
    assert in_issue(f"{more}{between}{command}", awaits=True) is K.WORDS


@given(st.text(), st.booleans())
def test_no_question_is_a_command(text: str, awaits: bool) -> None:
    assert in_issue(f"{text}?", awaits=awaits) is K.WORDS


@pytest.mark.parametrize("word", ["approve ", "reject ", "budget +", "please ", "yes ", "try again ", "@caseworker "])
def test_the_longest_message_is_parsed_quickly(word: str) -> None:
    assert in_issue(f"{word * 4_000}so", awaits=True) is K.WORDS


@pytest.mark.parametrize(
    ("text", "micros", "amount"),
    [
        ("budget +5", 5_000_000, "+5"),
        ("budget +2.50", 2_500_000, "+2.50"),
        ("please budget +$5, please", 5_000_000, "+$5"),
        ("raise the budget by 5 dollars.", 5_000_000, "5 dollars"),
        ("+5", 5_000_000, "+5"),
        ("lots", 0, "lots"),
    ],
)
def test_the_amount_of_a_budget_is_read_from_the_text(text: str, micros: int, amount: str) -> None:
    assert in_words(RaiseBudget(), text) == RaiseBudget(micros=micros, amount=amount)


def test_an_amount_and_a_reason_given_as_data_are_kept() -> None:
    for command in (RaiseBudget(micros=7), Reject(reason="keep the API")):
        assert in_words(command, "+5") == command


def test_a_budget_raised_in_words_has_the_amount() -> None:
    said = parse("raise the budget by 2.50 dollars.", Standing.OWNER, InIssue())
    assert said == RaiseBudget(micros=2_500_000, amount="2.50 dollars")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("reject: keep the API", "keep the API"),
        ("@caseworker rejected - too\nlarge", "too\nlarge"),
        ("keep the API", "keep the API"),
        ("Reject it.", ""),
        (" ", ""),
    ],
)
def test_a_rejection_has_what_should_be_different(text: str, reason: str) -> None:
    assert in_words(Reject(), text) == Reject(reason=reason)


# --- in a pull case

PULL_COMMANDS = [
    ("stop", K.STOP),
    ("@caseworker stop", K.STOP),
    ("Please pause this for now.", K.STOP),
    ("resume", K.RESUME),
    ("@caseworker carry on, please", K.RESUME),
    ("abort", K.ABORT),
    ("take over", K.TAKEOVER),
    ("hand back", K.HAND_BACK),
    ("budget +5", K.BUDGET),
    ("retry", K.RETRY),
    ("never mind", K.CLOSE),
]
PULL_WORDS = [
    "Should we stop?",
    "> stop",
    "stop using floats for prices",
    "the loop should abort on an error",
    "resume parsing is wrong",
    "approve",
    "ship it",
]


@pytest.mark.parametrize(("text", "kind"), PULL_COMMANDS)
@pytest.mark.parametrize("standing", TEAM)
def test_the_commands_of_a_pull_case(text: str, kind: MessageKind, standing: Standing) -> None:
    assert parse(text, standing, InPull()).kind is kind


@pytest.mark.parametrize(
    ("text", "in_passing"), [("Please resume this.", False), ("go on", True), ("ok, continue with it", True)]
)
def test_words_that_people_say_to_each_other_resume_in_passing(text: str, in_passing: bool) -> None:
    assert parse(text, Standing.OWNER, InPull()) == Resume(in_passing=in_passing)


@pytest.mark.parametrize("text", PULL_WORDS)
def test_other_text_below_a_pull_request_is_plain_words(text: str) -> None:
    assert parse(text, Standing.OWNER, InPull()).kind is K.WORDS


@pytest.mark.parametrize(
    ("text", "kind"), [("<!-- approve -->", MessageKind.WORDS), ("<!-- a note --> approve", MessageKind.APPROVE)]
)
def test_what_nobody_sees_is_no_command(text: str, kind: MessageKind) -> None:
    assert parse(text, Standing.OWNER, InIssue(awaits=True)).kind == kind
