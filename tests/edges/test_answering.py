"""The answer to each remark, found in the turns since it was made."""

from datetime import UTC, datetime

from caseworker.activities.issue.remarks import answers_to, left_open
from caseworker.core.base.ids import CaseId, MessageId, SessionId, Sha
from caseworker.core.base.roles import Role, Task
from caseworker.core.outcomes.outcome import Outcome, parse_outcome
from caseworker.core.people.commands import Say
from caseworker.core.people.messages import Message, Standing
from caseworker.ports import FinishedTurn
from tests.edges.store_examples import TRACE


def remark(turn: int) -> Message:
    return Message(
        case=CaseId("local/shop#1"),
        surface="terminal",
        external_id=f"m-{turn}",
        author="ann",
        standing=Standing.OWNER,
        command=Say(),
        text="Please.",
        trace=TRACE,
        id=MessageId(turn),
        received_at=datetime(2024, 1, 15, tzinfo=UTC),
        turn=turn,
    )


def wrote(turn: int, *answers: str) -> FinishedTurn:
    fields = {"status": "READY_FOR_QA", "changes": [], "summary": f"Change {turn}.", "commit_message": "Do it"}
    task = Task.ADDRESS_FEEDBACK
    return _finished(turn, Role.DEVELOPER, task, parse_outcome(Role.DEVELOPER, task, {**fields, "answers": answers}))


def read(turn: int, reply: str, status: str = "CONTINUE") -> FinishedTurn:
    outcome = parse_outcome(Role.PM, Task.INTERPRET, {"status": status, "reply": reply})
    return _finished(turn, Role.PM, Task.INTERPRET, outcome)


def approved(turn: int) -> FinishedTurn:
    outcome = parse_outcome(Role.TECH_LEAD, Task.REVIEW, {"status": "APPROVED", "good": []})
    return _finished(turn, Role.TECH_LEAD, Task.REVIEW, outcome)


def _finished(turn: int, role: Role, task: Task, outcome: Outcome) -> FinishedTurn:
    return FinishedTurn(
        turn=turn,
        attempt=1,
        role=role,
        task=task,
        outcome=outcome,
        checkpoint=Sha("a" * 40),
        session=SessionId("s"),
        calls=1,
        cost_micros=1,
    )


def test_each_remark_has_its_newest_answer() -> None:
    turns = [wrote(1, "of an earlier round"), read(2, "We will."), wrote(3, "a", "b"), wrote(5, "A")]
    assert answers_to([remark(2), remark(2)], turns) == ["A", "b"]


def test_a_remark_read_during_a_turn_is_answered_with_that_turns_summary() -> None:
    turns = [read(2, "We will."), wrote(3, "a"), approved(4)]
    assert answers_to([remark(2), remark(3)], turns) == ["a", "It was read while the work was under way: Change 3."]


def test_a_remark_after_the_last_change_has_no_answer_yet() -> None:
    assert answers_to([remark(2), remark(4)], [wrote(3, "a"), approved(4)]) == ["a", None]


def test_a_remark_that_the_pm_answered_keeps_the_pms_reply() -> None:
    turns = [wrote(3, "a"), approved(4), read(5, "Nothing is to be changed."), approved(6)]
    assert answers_to([remark(4)], turns) == ["Nothing is to be changed."]


def test_after_the_merge_only_remarks_that_the_pm_declined_are_closed() -> None:
    unread, promised, written, answered = remark(9), remark(2), remark(4), remark(6)
    turns = [read(2, "We will."), wrote(3, "a"), read(4, "That, too."), wrote(5, "b"), read(6, "No.", "NO_ACTION")]
    assert left_open([unread], turns) == [unread]
    assert left_open([promised, written], turns[:4]) == [promised, written]
    assert left_open([answered], turns) == []
