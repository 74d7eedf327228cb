"""The input line: what each key does to it, and which part of it fits into a row."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from caseworker.app.terminal.line_editor import LineEditor, window


def typed(keys: str) -> tuple[list[str | None], str, int]:
    editor = LineEditor()
    lines = editor.feed(keys.encode())
    return lines, editor.text, editor.cursor


@pytest.mark.parametrize(
    ("keys", "text", "cursor"),
    [
        ("hello", "hello", 5),
        ("helo\x1b[Dl", "hello", 4),
        ("x\x7fy", "y", 1),
        ("\x7f", "", 0),
        ("one two\x17", "one ", 4),
        ("one two\x15", "", 0),
        ("one\x01two \x05!", "two one!", 8),
        ("abc\x1b[D\x1b[D\x0b", "a", 1),
        ("abc\x01\x04", "bc", 0),
        ("abc\x1b[H\x1b[3~", "bc", 0),
        ("grüße 世界", "grüße 世界", 8),
        ("a\x00b\x1bOPc", "abc", 3),
        ("\x1b[200~one\r\ntwo\x1b[201~", "one\n\ntwo", 8),
    ],
)
def test_each_key_edits_the_line_as_in_a_shell(keys: str, text: str, cursor: int) -> None:
    assert typed(keys) == ([], text, cursor)


def test_enter_finishes_a_line_and_ctrl_c_and_ctrl_d_leave() -> None:
    assert typed("one\rtwo\n") == (["one", "two"], "", 0)
    assert typed("x\x03") == ([None], "x", 1)
    assert typed("\x04")[0] == [None]


def test_the_arrow_keys_recall_earlier_lines() -> None:
    assert typed("one\rtwo\r\x1b[A\x1b[A")[1] == "one"
    assert typed("one\rtwo\r\x1b[A\x1b[A\x1b[B")[1] == "two"
    assert typed("one\r\x1b[A\x1b[B")[1] == ""


@given(text=st.text(alphabet="aß世\x1b[D\x7f\r", max_size=20), cut=st.integers(0, 60))
def test_keys_that_arrive_in_pieces_do_the_same(text: str, cut: int) -> None:
    whole, pieces, data = LineEditor(), LineEditor(), text.encode()
    expected = whole.feed(data)
    found = pieces.feed(data[:cut]) + pieces.feed(data[cut:])
    assert (found, pieces.text, pieces.cursor) == (expected, whole.text, whole.cursor)


@given(text=st.text(alphabet="ab世 \n", max_size=60), at=st.integers(0, 60), cells=st.integers(4, 40))
def test_the_cursor_is_always_in_view(text: str, at: int, cells: int) -> None:
    cursor = min(at, len(text))
    shown, column = window(text, cursor, cells)
    assert cell_len(shown) <= cells
    assert 0 <= column <= cell_len(shown)
    assert "\n" not in shown
