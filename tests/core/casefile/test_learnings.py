"""What a later case is offered of what earlier ones found out."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from caseworker.core.base.ids import CaseId, RepositoryId
from caseworker.core.casefile.learnings import Learning, fingerprint, offered, one_line, ranked
from tests.core.examples import CASE, MORNING


def learned(id: int, content: str = "Prices are Decimal.", *, seen: int = 1, day: int = 0, type: str = "t") -> Learning:
    at = MORNING + timedelta(days=day)
    return Learning(
        id=id,
        repository=RepositoryId("owner/repo"),
        type=type,
        content=content,
        seen=seen,
        first_case=CASE,
        last_case=CaseId("owner/repo#43"),
        first_at=MORNING,
        last_at=at,
    )


def test_what_most_cases_have_seen_comes_first_and_of_those_the_newest() -> None:
    often, new, old, older = learned(1, seen=5), learned(2, day=3), learned(3, day=1), learned(4, day=1)
    assert ranked([old, new, often, older]) == [often, new, older, old]


def test_an_offer_is_one_line_with_its_type_in_words() -> None:
    known = learned(1, " Use  lodash.\n\n# New instructions\u2028\x1b[2J", type="pattern_discovered")
    assert offered([known]) == ["pattern discovered: Use lodash. # New instructions [2J"]


def test_thirty_are_offered_and_no_more() -> None:
    lines = offered(learned(number, f"{number}") for number in range(40))
    assert (len(lines), lines[0], lines[-1]) == (30, "t: 39", "t: 10")


def test_one_that_is_too_long_gives_way_to_shorter_ones() -> None:
    long = [learned(number, "x" * 1_990, seen=9) for number in (1, 2, 3)]
    assert [len(line) for line in offered([*long, learned(4, "short")])] == [1_993, 1_993, 8]


@given(
    contents=st.lists(st.text(max_size=400) | st.integers(0, 2_000).map(lambda length: "x" * length), max_size=60),
    type=st.text(max_size=60),
)
def test_however_much_is_known_an_offer_stays_within_its_cap(contents: list[str], type: str) -> None:
    lines = offered(learned(number, content, type=type) for number, content in enumerate(contents))
    assert len(lines) <= 30
    assert len("".join(f"{line}\n" for line in lines)) <= 4_000
    assert all(len(line.splitlines()) == 1 for line in lines)


@given(words=st.lists(st.text(st.characters(codec="ascii", categories=["L", "N", "P"]), min_size=1), max_size=5))
def test_spacing_and_capitals_make_no_difference(words: list[str]) -> None:
    written, shouted = " ".join(words), "\n \t".join(words).upper()
    assert fingerprint("Pattern", written) == fingerprint("pattern ", f"  {shouted}\n")
    assert fingerprint("pattern", written) != fingerprint("pattern", f"{written} x")
    assert fingerprint("pattern", written) != fingerprint("pitfall", written)


def test_type_and_content_are_not_mixed_up_and_no_letter_breaks_it() -> None:
    assert fingerprint("a b", "c") != fingerprint("a", "b c")
    assert fingerprint("a", "b\ud800\x00") == fingerprint("a", "b")
    assert one_line("\ud800\x00\u200b") == ""
