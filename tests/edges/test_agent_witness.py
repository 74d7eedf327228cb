"""What the gateway reads in the model's answers."""

import json

import pytest

from caseworker.agents.role_tools import OUTCOME_TOOL
from caseworker.agents.witness import AnswerReader, AskedTool, Witness

CALL = {"type": "tool_use", "id": "toolu_1", "name": "Bash"}
ARGUMENTS: dict[str, object] = {"command": "make test", "words": "zwölf \U0001f600"}


def stream(*parts: str) -> bytes:
    """A text and a tool call whose arguments come in these parts."""
    events: list[dict[str, object]] = [
        {"type": "message_start", "message": {"usage": {}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "I "}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "look."}},
        {"type": "content_block_start", "index": 1, "content_block": {**CALL, "input": {}}},
        {"type": "content_block_stop", "index": 0},
        *(
            {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": part}}
            for part in parts
        ),
        {"type": "content_block_stop", "index": 1},
        {"type": "message_stop"},
    ]
    return b"".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events)


@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_a_streamed_answer_is_read_however_it_is_cut(size: int) -> None:
    witness, text = Witness(), json.dumps(ARGUMENTS)
    reader = AnswerReader(witness, streamed=True)
    sent = stream(text[:9], text[9:])
    for start in range(0, len(sent), size):
        reader.feed(sent[start : start + size])
    assert witness.asked == {"toolu_1": AskedTool(name="Bash", arguments=ARGUMENTS)}
    assert witness.said("I look.\n")
    assert not witness.said("I look")


def test_an_answer_in_one_piece_is_read() -> None:
    witness = Witness()
    reader = AnswerReader(witness, streamed=False)
    sent = json.dumps({"content": [{"type": "text", "text": "Yes."}, {**CALL, "input": ARGUMENTS}]}).encode()
    reader.feed(sent[:50])
    reader.feed(sent[50:])
    assert witness.asked == {"toolu_1": AskedTool(name="Bash", arguments=ARGUMENTS)}
    assert witness.said("Yes.")


@pytest.mark.parametrize("broken", ["{", "[1]", '{"a": ' * 5_000])
def test_arguments_that_are_no_object_count_as_none(broken: str) -> None:
    witness = Witness()
    AnswerReader(witness, streamed=True).feed(stream(broken))
    assert witness.asked["toolu_1"].arguments == {}


@pytest.mark.parametrize(
    ("seen", "reported", "same"),
    [
        ({"status": "PASS"}, {"status": "PASS"}, True),
        ({"status": "PASS"}, {"status": "FAIL"}, False),
        ({"status": "PASS"}, {"status": "PASS", "more": 1}, False),
        ({"files": '["a.py"]'}, {"files": ["a.py"]}, True),
        ({"files": '["a.py"]'}, {"files": ["b.py"]}, False),
        ({"files": [{"line": 1.0}]}, {"files": [{"line": 1}]}, True),
        ({}, None, False),
    ],
)
def test_an_outcome_is_the_one_that_the_model_handed_in(seen: dict[str, object], reported: object, same: bool) -> None:
    witness = Witness()
    witness.note({"type": "tool_use", "id": "toolu_1", "name": OUTCOME_TOOL, "input": seen})
    assert witness.handed_in(reported) == same
    witness = Witness()
    witness.note({"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": seen})
    assert not witness.handed_in(reported)
