"""Record entries are read back as they were written, and long text is clipped."""

import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from caseworker.core.base.text import clip
from caseworker.core.record.entries import Entry, parse_entry
from tests.core.telling.test_story import TABLE

ENTRIES = [entry for entry, _ in TABLE]


@pytest.mark.parametrize("entry", ENTRIES, ids=[entry.kind for entry in ENTRIES])
def test_each_entry_is_read_back_as_it_was_written(entry: Entry) -> None:
    assert parse_entry(json.loads(entry.model_dump_json())) == entry


def test_no_two_kinds_of_entry_have_the_same_name() -> None:
    union, _ = get_args(Entry)
    kinds = [model.model_fields["kind"].default for model in get_args(union)]
    assert len(set(kinds)) == len(kinds)


@pytest.mark.parametrize("body", [{"kind": "rumour", "text": "x"}, {"text": "x"}, {}, None, "noted", []])
def test_an_entry_without_a_known_kind_is_refused(body: object) -> None:
    with pytest.raises(ValidationError):
        parse_entry(body)


def test_an_unknown_kind_is_refused_by_name() -> None:
    with pytest.raises(ValidationError, match="Input tag 'rumour' found using 'kind' does not match any"):
        parse_entry({"kind": "rumour"})


def test_an_entry_with_a_missing_field_is_refused() -> None:
    with pytest.raises(ValidationError, match=r"noted\.text\n  Field required"):
        parse_entry({"kind": "noted"})


def test_a_short_text_is_not_clipped() -> None:
    assert clip("x" * 100, 100) == "x" * 100
    assert clip("", 0) == ""


def test_a_long_text_is_clipped_to_its_two_ends_with_a_note() -> None:
    assert clip("a" * 100 + "b" * 100, 60) == "a" * 10 + "\n[cut: 180 characters]\n" + "b" * 10


@given(text=st.text(max_size=300), limit=st.integers(0, 300))
def test_a_clipped_text_is_never_longer_than_the_limit_and_the_note(text: str, limit: int) -> None:
    note = "\n[cut: 300 characters]\n"
    assert len(clip(text, limit)) <= max(limit, len(note))


@given(text=st.text(alphabet="ab \né", max_size=300), limit=st.integers(42, 300))
def test_a_clipped_text_keeps_its_ends_and_counts_what_is_gone(text: str, limit: int) -> None:
    clipped = clip(text, limit)
    if clipped != text:
        head, rest = clipped.split("\n[cut: ")
        gone, tail = rest.split(" characters]\n")
        assert text.startswith(head)
        assert text.endswith(tail)
        assert len(head) + int(gone) + len(tail) == len(text)
