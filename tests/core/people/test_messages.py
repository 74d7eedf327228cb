"""Messages of people, and their receipts."""

import pytest
from pydantic import ValidationError

from caseworker.core.base.ids import MessageId, TraceId
from caseworker.core.people.commands import MessageKind, Say
from caseworker.core.people.messages import Message, Standing, receipt
from tests.core.examples import CASE, MORNING


def message(turn: int | None = None, outcome: str | None = None, text: str = "It is the cart.") -> Message:
    return Message(
        case=CASE,
        surface="terminal",
        external_id="1",
        author="ann",
        standing=Standing.OWNER,
        command=Say(),
        text=text,
        trace=TraceId("t"),
        id=MessageId(1),
        received_at=MORNING,
        turn=turn,
        outcome=outcome,
    )


@pytest.mark.parametrize(
    ("turn", "outcome", "turns", "words"),
    [
        (None, None, 0, "recorded"),
        (None, None, 5, "recorded"),
        (2, None, 2, "seen by turn 2"),
        (2, "read by the developer", 2, "seen by turn 2: read by the developer"),
        (2, "read by the developer", 6, "seen by turn 2: read by the developer"),
        (3, None, 2, "seen"),
        (3, "closed the case", 2, "seen: closed the case"),
    ],
)
def test_the_receipt_of_a_message_in_each_stage(turn: int | None, outcome: str | None, turns: int, words: str) -> None:
    assert receipt(message(turn, outcome), turns) == words


def test_a_message_has_at_most_64_000_characters() -> None:
    assert len(message(text="x" * 64_000).text) == 64_000
    with pytest.raises(ValidationError, match="at most 64000 characters"):
        message(text="x" * 64_001)


def test_the_message_kinds_are_those_of_the_spec_and_a_few_more() -> None:
    said = "words, answer, approve, reject, takeover, hand_back, budget, retry, close"
    added = (
        "merged, pull_closed, edit, deletion, close_incomplete, fix_ready, fix_waiting, fix_merged, fix_ended, rerun, "
        "start, stop, resume, abort, rebase, stop_fix"
    )
    assert [kind.value for kind in MessageKind] == [*said.split(", "), *added.split(", ")]
