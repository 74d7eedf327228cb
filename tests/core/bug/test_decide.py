"""The rules of a bug case, as tables: what wakes it, permitted actions, silence, and posts."""

from datetime import UTC, datetime, timedelta

import pytest

from caseworker.core.base.ids import CaseId, MessageId, SessionId
from caseworker.core.base.policy import Policy, Severity
from caseworker.core.base.snapshot import Stalled
from caseworker.core.bug.acknowledge import acknowledge_during_turn
from caseworker.core.bug.case import About, BugCase, BugState, status_of
from caseworker.core.bug.fix_moves import fix_opened, fix_refused
from caseworker.core.bug.moves import resolve, without_post
from caseworker.core.bug.receipts import (
    KEPT_FOR_LATER,
    NOT_FOR_BUGS,
    NOTHING_TO_TRY,
    RESOLUTION_ASKED,
    SETTLED_BY,
    TRIED_AGAIN,
)
from caseworker.core.bug.relays import files_lost, summarise
from caseworker.core.bug.transitions import (
    after_failed_turn,
    after_silence,
    after_turn,
    look,
    permitted_step,
    wake_at,
)
from caseworker.core.bug.turns import InvestigatorAnswer, InvestigatorTurn, Step, answer_of
from caseworker.core.outcomes.bug import BugAction, BugOutcome, Culprit, Proof
from caseworker.core.people.commands import CloseIncomplete, MessageKind, Resolution, Say
from caseworker.core.people.messages import Audience, Claimed, Standing
from caseworker.core.people.receipts import OVER
from tests.world.commands import command_of

S = BugState
NOW = datetime(2026, 11, 2, 9, 40, tzinfo=UTC)
POLICY = Policy()


def bug(**changes: object) -> BugCase:
    return (
        BugCase(id=CaseId("bug-7F3K")).updated(severity=Severity.P2, turns=1, answered=MessageId(1)).updated(**changes)
    )


def said(
    number: int = 2,
    standing: Standing = Standing.REPORTER,
    kind: MessageKind = MessageKind.WORDS,
    resolution: Resolution | None = None,
) -> Claimed:
    command = command_of(kind, "it is back", resolution).bare()
    return Claimed(id=MessageId(number), command=command, author="ada", standing=standing)


def turn(action: BugAction, *heard: Claimed) -> InvestigatorTurn:
    return InvestigatorTurn(answer=InvestigatorAnswer(action=action), session=SessionId("s"), heard=heard)


def abouts(after: BugCase, audience: Audience | None = None) -> list[About]:
    return [post.about for post in after.outbox if audience in (None, post.audience)]


@pytest.mark.parametrize(
    ("state", "standing", "to"),
    [
        (S.AWAITING_REPORTER, Standing.REPORTER, S.INVESTIGATING),
        (S.AWAITING_REPORTER, Standing.DEVELOPER, S.AWAITING_REPORTER),
        (S.AWAITING_REPORTER, Standing.OWNER, S.AWAITING_REPORTER),
        (S.AWAITING_DEV, Standing.REPORTER, S.INVESTIGATING),
        (S.AWAITING_DEV, Standing.DEVELOPER, S.INVESTIGATING),
        (S.DEV_TAKEOVER, Standing.DEVELOPER, S.DEV_TAKEOVER),
        (S.DEV_TAKEOVER, Standing.REPORTER, S.DEV_TAKEOVER),
        (S.INVESTIGATING, Standing.REPORTER, S.INVESTIGATING),
        (S.RESOLVED, Standing.REPORTER, S.INVESTIGATING),
        (S.RESOLVED, Standing.DEVELOPER, S.INVESTIGATING),
    ],
)
def test_which_message_wakes_the_case_in_which_state(state: BugState, standing: Standing, to: BugState) -> None:
    assert look(bug(state=state), [said(standing=standing)], POLICY, NOW).after.state is to


def test_words_go_to_the_next_turn_unless_a_developer_has_the_case() -> None:
    assert look(bug(state=S.AWAITING_REPORTER), [said(standing=Standing.DEVELOPER)], POLICY, NOW).settled == ()
    kept = look(bug(state=S.DEV_TAKEOVER), [said(2), said(3)], POLICY, NOW).settled
    assert [(one.messages, one.outcome) for one in kept] == [((2, 3), KEPT_FOR_LATER)]


def test_a_burst_of_messages_is_acknowledged_once_per_thread() -> None:
    burst = [said(2), said(3), said(4, Standing.DEVELOPER), said(5, Standing.DEVELOPER)]
    after = look(bug(state=S.AWAITING_REPORTER), burst, POLICY, NOW).after
    assert abouts(after, Audience.REPORTER) == [About.NOTED]
    assert abouts(after, Audience.DEVELOPERS) == [About.REPORTER_SAID, About.NOTED]
    again = look(after.model_copy(update={"outbox": ()}), burst, POLICY, NOW).after
    assert again.outbox == ()


def test_everybodys_messages_in_a_takeover_are_acknowledged() -> None:
    burst = [said(2, Standing.DEVELOPER), said(3), said(4, Standing.OWNER)]
    after = look(bug(state=S.DEV_TAKEOVER), burst, POLICY, NOW).after
    assert [(post.about, post.audience, post.acknowledges) for post in after.outbox] == [
        (About.REPORTER_SAID, Audience.DEVELOPERS, ()),
        (About.NOTED, Audience.REPORTER, (3,)),
        (About.KEPT, Audience.DEVELOPERS, (2, 4)),
    ]
    assert look(after.updated(outbox=()), burst, POLICY, NOW).after.outbox == ()


def test_a_hand_back_of_a_case_that_nobody_took_is_answered() -> None:
    found = look(bug(), [said(2, Standing.DEVELOPER, MessageKind.HAND_BACK)], POLICY, NOW)
    assert abouts(found.after) == [About.NOT_TAKEN]


@pytest.mark.parametrize("kind", [MessageKind.APPROVE, MessageKind.STOP, MessageKind.STOP_FIX])
def test_a_command_that_is_not_for_a_bug_is_refused(kind: MessageKind) -> None:
    found = look(bug(), [said(2, Standing.DEVELOPER, kind)], POLICY, NOW)
    assert [(one.outcome, one.refused) for one in found.settled] == [(NOT_FOR_BUGS, True)]


def test_a_follow_up_is_announced_instead_of_an_acknowledgement() -> None:
    after = look(bug(state=S.AWAITING_DEV), [said(2, Standing.DEVELOPER)], POLICY, NOW).after
    assert abouts(after) == [About.FOLLOW_UP]


def test_the_report_itself_gets_its_own_acknowledgement_only() -> None:
    after = look(bug(severity=None, answered=MessageId(0), turns=0), [said(1)], POLICY, NOW).after
    assert after.outbox == ()
    assert after.people.answered == 1


def test_a_message_during_a_turn_is_acknowledged_once() -> None:
    working = acknowledge_during_turn(bug(), [said(2, Standing.DEVELOPER)])
    assert abouts(working) == [About.NOTED]
    assert abouts(look(working, [said(2, Standing.DEVELOPER)], POLICY, NOW).after) == [About.NOTED]


def test_words_before_a_close_and_thanks_after_it_are_settled_as_over() -> None:
    close = said(3, Standing.DEVELOPER, MessageKind.CLOSE, Resolution.DUPLICATE)
    thanks = said(4).model_copy(update={"command": Say(asks=False)})
    found = look(bug(state=S.AWAITING_DEV), [said(2), close, thanks], POLICY, NOW)
    assert found.after.is_over
    assert found.after.ending.resolution is Resolution.DUPLICATE
    assert {number for one in found.settled for number in one.messages} == {2, 3, 4}
    assert abouts(found.after) == [About.RESOLVED, About.RESOLVED]


def test_a_request_right_after_a_close_reopens_the_case() -> None:
    found = look(bug(), [said(2), said(3, kind=MessageKind.CLOSE), said(4)], POLICY, NOW)
    assert (found.after.state, found.after.epoch) == (S.INVESTIGATING, 2)
    assert {number for one in found.settled for number in one.messages} == {2, 3}


def test_commands_after_words_that_reopen_are_carried_out() -> None:
    over = resolve(bug(), Resolution.CODE_FIX, "done").model_copy(update={"outbox": ()})
    taken = look(over, [said(8), said(9, Standing.DEVELOPER, MessageKind.TAKEOVER)], POLICY, NOW)
    assert taken.after.state is S.DEV_TAKEOVER
    closed = look(over, [said(8), said(9, kind=MessageKind.CLOSE)], POLICY, NOW)
    assert (closed.after.state, closed.after.epoch) == (S.RESOLVED, 2)
    assert {number for one in closed.settled for number in one.messages} == {8, 9}


def test_the_post_of_a_resolution_keeps_it_after_reopening() -> None:
    closing = said(3, Standing.DEVELOPER, MessageKind.CLOSE, Resolution.NOT_A_BUG)
    after = look(bug(), [closing, said(4)], POLICY, NOW).after
    told = next(post for post in after.outbox if post.about is About.RESOLVED)
    assert (after.epoch, told.resolution, told.note) == (2, Resolution.NOT_A_BUG, "closed by @ada")


def test_a_wait_begins_when_the_post_is_sent() -> None:
    asking = after_turn(bug(), turn(BugAction.ASK_REPORTER), POLICY, NOW).after
    later = NOW + timedelta(hours=5)
    asked = without_post(asking, asking.outbox[0], POLICY, later)
    assert asked.waiting.until == later + timedelta(hours=2)
    found = after_turn(bug(), turn(BugAction.POST_FINDINGS), POLICY, NOW).after
    told = without_post(found, found.outbox[0], POLICY, later)
    assert (told.waiting.remind_at, told.waiting.until) == (later + timedelta(hours=24), later + timedelta(hours=48))


def test_a_refused_fix_does_not_undo_a_takeover() -> None:
    taken = bug(state=S.DEV_TAKEOVER, taken_by="ada", fix_wanted=True, fix_open=True)
    after = fix_refused(taken, "no repository", POLICY, NOW)
    assert (after.state, after.people.taken_by, after.repair.fix_open) == (S.DEV_TAKEOVER, "ada", False)
    assert abouts(after) == [About.FIX_REFUSED]


def test_a_fix_that_was_never_opened_does_not_hold_the_case_open() -> None:
    assert not resolve(bug(fix_wanted=True, fix_open=True), None, "closed by ada").repair.fix_open
    assert resolve(bug(fix_open=True, fix=CaseId("local/shop#1")), None, "closed by ada").repair.fix_open


def test_a_close_without_a_type_is_asked_about_and_changes_no_state() -> None:
    found = look(bug(), [said(2, Standing.DEVELOPER, MessageKind.CLOSE_INCOMPLETE)], POLICY, NOW)
    assert found.after.state is S.INVESTIGATING
    assert found.after.people.asked_to_close == "ada"
    assert [one.outcome for one in found.settled] == [RESOLUTION_ASKED]
    assert abouts(found.after) == [About.ASKED_TO_CLOSE]


@pytest.mark.parametrize("state", [S.INVESTIGATING, S.AWAITING_REPORTER, S.AWAITING_DEV, S.DEV_TAKEOVER])
def test_what_the_reporter_says_is_shown_to_developers_in_every_state_once(state: BugState) -> None:
    after = look(bug(state=state, relayed=MessageId(1)), [said(2), said(3)], POLICY, NOW).after
    shown = [(post.since, post.number) for post in after.outbox if post.about is About.REPORTER_SAID]
    assert (shown, after.people.relayed) == ([(1, 3)], 3)
    again = look(after.model_copy(update={"outbox": ()}), [said(3)], POLICY, NOW).after
    assert About.REPORTER_SAID not in abouts(again)


def test_words_after_the_report_are_shown_after_the_summary() -> None:
    first = look(bug(severity=None, answered=MessageId(0)), [said(1), said(2)], POLICY, NOW).after
    assert (abouts(first), first.people.relayed) == ([], 1)
    assert abouts(summarise(first)) == [About.SUMMARY, About.REPORTER_SAID]


def test_lost_files_are_told_once_and_the_reporter_hears_only_of_their_own() -> None:
    reporter, developer = said(3), said(5, Standing.DEVELOPER)
    told = files_lost(bug(), [reporter, developer])
    assert [(post.about, post.audience, post.number) for post in told.outbox] == [
        (About.FILE_LOST, Audience.REPORTER, 3),
        (About.FILE_LOST, Audience.DEVELOPERS, 3),
        (About.FILE_LOST, Audience.DEVELOPERS, 5),
    ]
    assert files_lost(told, [reporter, developer]) == told


def close_incomplete(number: int, author: str = "ada", **fields: object) -> Claimed:
    command = CloseIncomplete.model_validate(fields).bare()
    return Claimed(id=MessageId(number), command=command, author=author, standing=Standing.DEVELOPER)


def test_a_reason_given_before_is_kept_until_its_author_names_the_type() -> None:
    asked = look(bug(), [close_incomplete(2, reason="because coupons go in May")], POLICY, NOW).after
    assert asked.people.close_reason == 2
    other = look(asked, [close_incomplete(3, "grace", resolution=Resolution.NOT_A_BUG)], POLICY, NOW).after
    assert (other.is_over, other.people.asked_to_close, other.people.close_reason) == (False, "grace", None)
    closed = look(asked, [close_incomplete(3, resolution=Resolution.NOT_A_BUG)], POLICY, NOW).after
    assert (closed.state, closed.ending.resolution, closed.ending.closed_by) == (S.RESOLVED, Resolution.NOT_A_BUG, 2)


@pytest.mark.parametrize(
    ("standing", "changes", "asked"),
    [
        (Standing.REPORTER, {"fix": CaseId("local/shop#1"), "fix_open": True}, True),
        (Standing.REPORTER, {"fix": CaseId("local/shop#1"), "fix_open": False}, False),
        (Standing.REPORTER, {"fix_wanted": True, "fix_open": True}, False),
        (Standing.DEVELOPER, {"fix": CaseId("local/shop#1"), "fix_open": True}, False),
    ],
)
def test_a_withdrawn_report_asks_developers_whether_to_stop_its_open_fix(
    standing: Standing, changes: dict[str, object], asked: bool
) -> None:
    closed = look(bug(state=S.AWAITING_DEV, **changes), [said(2, standing, MessageKind.CLOSE)], POLICY, NOW).after
    assert closed.is_over
    told = [About.RESOLVED, About.STOP_FIX] if asked else [About.RESOLVED]
    assert abouts(closed, Audience.DEVELOPERS) == told
    assert abouts(closed, Audience.REPORTER) == [About.RESOLVED]


def test_takeover_and_hand_back() -> None:
    taken = look(bug(), [said(2, Standing.DEVELOPER, MessageKind.TAKEOVER)], POLICY, NOW).after
    assert (taken.state, taken.people.taken_by) == (S.DEV_TAKEOVER, "ada")
    back = look(taken, [said(3, Standing.DEVELOPER, MessageKind.HAND_BACK)], POLICY, NOW).after
    assert (back.state, back.waiting.waited_in) == (S.INVESTIGATING, S.DEV_TAKEOVER)


def test_a_reopened_case_starts_without_confirmations() -> None:
    over = resolve(bug(developer_spoke=True, confirmable=True, findings_posted=True), Resolution.CODE_FIX, "done")
    again = look(over.model_copy(update={"outbox": ()}), [said(9)], POLICY, NOW).after
    assert again.epoch == 2
    assert (again.people.developer_spoke, again.people.confirmable, again.ending.resolution) == (False, False, None)
    assert abouts(again) == [About.REOPENED, About.REOPENED, About.REPORTER_SAID]
    assert again.progress.turns == over.progress.turns


def test_closing_a_closed_case_changes_nothing() -> None:
    over = resolve(bug(), None, "closed by ada").model_copy(update={"outbox": ()})
    found = look(over, [said(5, kind=MessageKind.CLOSE)], POLICY, NOW)
    assert found.after == over
    assert [one.outcome for one in found.settled] == [OVER]


@pytest.mark.parametrize(
    ("facts", "proposed", "taken"),
    [
        ({}, BugAction.RESOLVED, Step.POST_FINDINGS),
        ({"developer_spoke": True}, BugAction.RESOLVED, Step.RESOLVE),
        ({"confirmable": True}, BugAction.RESOLVED, Step.RESOLVE),
        ({}, BugAction.CREATE_FIX, Step.POST_FINDINGS),
        ({"confirmable": True}, BugAction.CREATE_FIX, Step.POST_FINDINGS),
        ({"developer_spoke": True}, BugAction.CREATE_FIX, Step.CREATE_FIX),
        ({"timed_out": True}, BugAction.ASK_REPORTER, Step.ASK_DEVELOPERS),
        ({}, BugAction.ASK_REPORTER, Step.ASK_REPORTER),
        ({"vague": True}, BugAction.POST_FINDINGS, Step.ASK_REPORTER),
        ({"vague": True, "turns": 2}, BugAction.POST_FINDINGS, Step.POST_FINDINGS),
        ({"vague": True}, BugAction.ESCALATE, Step.ESCALATE),
        ({"vague": True, "waited_in": S.DEV_TAKEOVER}, BugAction.POST_FINDINGS, Step.POST_FINDINGS),
    ],
)
def test_which_step_follows_a_proposed_action(facts: dict[str, object], proposed: BugAction, taken: Step) -> None:
    assert permitted_step(bug(**facts), InvestigatorAnswer(action=proposed)) is taken


@pytest.mark.parametrize(
    ("known", "found"),
    [
        ({}, False),
        ({"root_cause": "  "}, False),
        ({"root_cause": "The rate is missing."}, True),
        ({"evidence": [Proof(source="cart.py:12", shows="It reads the rate.")]}, True),
        ({"culprit_commit": Culprit(hash="4f1c2ab")}, True),
    ],
)
def test_only_evidence_a_cause_or_a_commit_counts_as_findings(known: dict[str, object], found: bool) -> None:
    answer = {"action": "resolved", "summary": "It is so.", "for_reporter": "It is so.", "confidence": 0.5}
    assert answer_of(BugOutcome.model_validate({**answer, **known})).found is found


def test_an_answer_without_evidence_or_cause_does_not_count_as_findings() -> None:
    verdict = InvestigatorAnswer(action=BugAction.RESOLVED, found=False)
    ended = after_turn(bug(), turn(BugAction.RESOLVED).model_copy(update={"answer": verdict}), POLICY, NOW)
    assert ended.step is Step.POST_ANSWER
    assert SETTLED_BY[ended.step] == "read by the investigator, who answered"
    assert (ended.after.reason, status_of(ended.after).value) == ("an answer was posted", "awaiting_dev")
    confirmed = look(ended.after, [said(3)], POLICY, NOW).after
    assert permitted_step(confirmed, verdict) is Step.RESOLVE


def test_an_escalation_that_found_nothing_posts_no_findings() -> None:
    verdict = InvestigatorAnswer(action=BugAction.ESCALATE, found=False)
    ended = after_turn(bug(), turn(BugAction.ESCALATE).model_copy(update={"answer": verdict}), POLICY, NOW)
    assert (ended.after.reason, ended.after.people.findings_posted) == ("people were called", False)


def test_a_question_repeated_after_a_time_out_goes_to_the_developers() -> None:
    ended = after_turn(bug(timed_out=True), turn(BugAction.ASK_REPORTER), POLICY, NOW)
    assert [(post.about, post.audience) for post in ended.after.outbox] == [(About.OPEN_QUESTION, Audience.DEVELOPERS)]
    assert (ended.after.state, ended.after.people.findings_posted) == (S.AWAITING_DEV, False)
    assert status_of(ended.after).value == "awaiting_dev"
    assert ended.after.reason == "the reporter did not answer, so the developers were asked"
    assert SETTLED_BY[ended.step] == "read by the investigator, who asked the developers: the reporter had not answered"


def test_messages_during_the_turn_count_for_the_permitted_action() -> None:
    ended = after_turn(bug(), turn(BugAction.CREATE_FIX, said(2, Standing.DEVELOPER)), POLICY, NOW)
    assert ended.step is Step.CREATE_FIX
    assert ended.after.repair.fix_wanted
    assert ended.after.waiting.until is None


def test_without_an_answer_the_case_goes_on_after_two_hours() -> None:
    asking = after_turn(bug(), turn(BugAction.ASK_REPORTER), POLICY, NOW).after
    assert wake_at(asking, POLICY) == NOW + timedelta(hours=2)
    early = after_silence(asking, POLICY, NOW + timedelta(hours=1))
    assert early == asking
    late = after_silence(asking, POLICY, NOW + timedelta(hours=2))
    assert (late.state, late.waiting.timed_out, late.waiting.waited_in) == (S.INVESTIGATING, True, S.AWAITING_REPORTER)
    assert abouts(late)[-1] is About.NO_ANSWER


def test_after_findings_there_is_one_reminder_then_no_response() -> None:
    waiting = after_turn(bug(), turn(BugAction.POST_FINDINGS), POLICY, NOW).after
    assert status_of(waiting).value == "pending_verification"
    assert wake_at(waiting, POLICY) == NOW + timedelta(hours=24)
    reminded = after_silence(waiting, POLICY, NOW + timedelta(hours=24))
    assert abouts(reminded)[-1] is About.REMINDER
    assert wake_at(reminded, POLICY) == NOW + timedelta(hours=48)
    over = after_silence(reminded, POLICY, NOW + timedelta(hours=48))
    assert (over.state, over.ending.resolution) == (S.RESOLVED, Resolution.NO_RESPONSE)


def test_silence_never_resolves_an_escalated_case() -> None:
    waiting = after_turn(bug(), turn(BugAction.ESCALATE), POLICY, NOW).after
    assert status_of(waiting).value == "escalated"
    assert About.ESCALATION in abouts(waiting, Audience.DEVELOPERS)
    reminded = after_silence(waiting, POLICY, NOW + timedelta(hours=24))
    assert wake_at(reminded, POLICY) is None
    assert after_silence(reminded, POLICY, NOW + timedelta(days=30)) == reminded


def test_a_failing_turn_escalates() -> None:
    failed = after_failed_turn(bug(), "the model refused", POLICY, NOW)
    assert (failed.state, failed.people.escalated, failed.waiting.until) == (S.AWAITING_DEV, True, None)
    assert About.ESCALATION in abouts(failed, Audience.DEVELOPERS)


def test_a_retry_goes_on_where_a_turn_failed() -> None:
    failed = after_failed_turn(bug(), "the provider can't be reached", POLICY, NOW)
    assert failed.waiting.cure
    found = look(failed, [said(7, Standing.DEVELOPER, MessageKind.RETRY)], POLICY, NOW)
    assert (found.after.state, found.after.waiting.cure) == (S.INVESTIGATING, False)
    assert [one.outcome for one in found.settled] == [TRIED_AGAIN]


def test_a_retry_ends_the_pause_of_a_turn_that_is_held_up() -> None:
    held_up = bug().updated(stalled=Stalled(reason="it is away", since=NOW, next_try=NOW))
    found = look(held_up, [said(7, Standing.DEVELOPER, MessageKind.RETRY)], POLICY, NOW)
    assert (found.after.stalled, found.after.state) == (None, S.INVESTIGATING)
    at_work = look(bug(), [said(7, Standing.DEVELOPER, MessageKind.RETRY)], POLICY, NOW)
    assert [one.outcome for one in at_work.settled] == [NOTHING_TO_TRY]


def test_after_a_fix_ended_silence_resolves_the_case_again() -> None:
    waiting = after_turn(bug(developer_spoke=True), turn(BugAction.CREATE_FIX), POLICY, NOW).after
    assert waiting.waiting.until is None
    ended = look(waiting, [said(7, Standing.DEVELOPER, MessageKind.FIX_ENDED)], POLICY, NOW).after
    assert ended.waiting.until == NOW + timedelta(hours=48)


def test_the_receipt_of_a_wish_for_a_fix_does_not_say_that_it_was_opened() -> None:
    assert SETTLED_BY[Step.CREATE_FIX] == "acted on: work on a fix begins"


@pytest.mark.parametrize(
    ("before", "told"),
    [
        ({"findings_posted": True, "answer_posted": True}, [Audience.DEVELOPERS]),
        (
            {"findings_posted": True, "answer_posted": True, "confirmable": True},
            [Audience.REPORTER, Audience.DEVELOPERS],
        ),
        ({}, [Audience.REPORTER, Audience.DEVELOPERS]),
    ],
)
def test_a_reporter_with_findings_and_no_question_hears_of_a_fix_once(
    before: dict[str, object], told: list[Audience]
) -> None:
    asked = after_turn(bug(developer_spoke=True, **before), turn(BugAction.CREATE_FIX), POLICY, NOW).after
    assert [post.audience for post in asked.outbox if post.about is About.FINDINGS] == told


def test_the_start_of_a_fix_is_told_once() -> None:
    first = fix_opened(bug(fix_wanted=True), CaseId("local/shop#1"))
    assert abouts(first) == [About.FIX_OPENED, About.FIX_OPENED]
    same = fix_opened(first.updated(fix_wanted=True, outbox=()), CaseId("local/shop#1"))
    assert [(post.about, post.audience) for post in same.outbox] == [(About.FIX_INFORMED, Audience.DEVELOPERS)]
    other = fix_opened(first.updated(fix_wanted=True, outbox=()), CaseId("local/shop#2"))
    assert abouts(other) == [About.ANOTHER_FIX, About.ANOTHER_FIX]
    assert other.repair.fix == "local/shop#2"


@pytest.mark.parametrize(
    ("fix_type", "resolution"),
    [
        ("code_fix", Resolution.CODE_FIX),
        ("data_fix", Resolution.DATA_FIX),
        ("config_fix", Resolution.CONFIG_FIX),
        ("not_a_bug", Resolution.NOT_A_BUG),
        ("needs_human", None),
        ("unknown", None),
    ],
)
def test_a_confirmed_resolution_is_of_the_kind_that_was_named(fix_type: str, resolution: Resolution | None) -> None:
    fields = {"action": "resolved", "summary": "It works.", "for_reporter": "It works.", "confidence": 0.9}
    outcome = BugOutcome.model_validate({**fields, "fix_type": fix_type})
    ended = turn(BugAction.RESOLVED).model_copy(update={"answer": answer_of(outcome)})
    over = after_turn(bug(developer_spoke=True), ended, POLICY, NOW).after
    assert (over.state, over.ending.resolution) == (S.RESOLVED, resolution)
    assert not any(post.closed_by_message for post in over.outbox)


def test_a_withdrawn_report_is_closed_by_a_message() -> None:
    over = look(bug(state=S.AWAITING_DEV), [said(6, kind=MessageKind.CLOSE)], POLICY, NOW).after
    assert [post.closed_by_message for post in over.outbox] == [True, True]


def test_a_merged_fix_resolves_the_case() -> None:
    waiting = after_turn(bug(developer_spoke=True), turn(BugAction.CREATE_FIX), POLICY, NOW).after
    over = look(waiting, [said(7, Standing.DEVELOPER, MessageKind.FIX_MERGED)], POLICY, NOW).after
    assert (over.state, over.ending.resolution) == (S.RESOLVED, Resolution.CODE_FIX)


@pytest.mark.parametrize(
    "kind", [MessageKind.FIX_READY, MessageKind.FIX_WAITING, MessageKind.FIX_MERGED, MessageKind.FIX_ENDED]
)
def test_news_of_the_fix_of_a_closed_report_is_for_developers_only(kind: MessageKind) -> None:
    fixing = bug(state=S.AWAITING_DEV, fix=CaseId("local/shop#1"), fix_open=True)
    withdrawn = look(fixing, [said(6, kind=MessageKind.CLOSE)], POLICY, NOW).after.updated(outbox=())
    told = look(withdrawn, [said(7, Standing.DEVELOPER, kind)], POLICY, NOW).after
    assert [(post.about, post.audience) for post in told.outbox] == [(About.FIX_NEWS, Audience.DEVELOPERS)]
