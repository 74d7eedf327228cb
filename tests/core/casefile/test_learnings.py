"""Which learnings of earlier cases a later case is offered."""

from collections.abc import Iterable, Sequence
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from caseworker.core.base.ids import CaseId, RepositoryId
from caseworker.core.casefile import learnings as of_cases
from caseworker.core.casefile.learnings import Learning, fingerprint, one_line, ranked
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


LATER = CaseId("owner/repo#99")


def offered(learnings: Iterable[Learning], *, case: CaseId = LATER, files: Sequence[str] = ()) -> list[str]:
    """The lines, without the note of where each came from."""
    return [line.removesuffix(NOTED) for line in of_cases.offered(learnings, case=case, files=files)]


NOTED = f" (noted by an agent in {CASE})"


def test_a_learning_says_where_it_came_from() -> None:
    lines = of_cases.offered([learned(1), learned(2, "Ids are strings.", seen=3)], case=LATER, files=())
    assert lines == [
        f"t: Ids are strings. (noted by an agent in {CASE} and 2 more)",
        f"t: Prices are Decimal. (noted by an agent in {CASE})",
    ]


def test_a_case_is_not_offered_what_it_has_noted_itself() -> None:
    own = learned(1).model_copy(update={"first_case": LATER, "last_case": LATER})
    assert offered([own]) == []
    assert len(offered([own.model_copy(update={"last_case": CASE, "seen": 2})])) == 1


def test_a_learning_about_a_file_that_is_gone_is_not_offered() -> None:
    known = [learned(1, "`shop/old.py` rounds down."), learned(2, "See shop/cart.py."), learned(3, "Use a/b tests.")]
    assert offered(known, files=["shop/cart.py", "README.md"]) == ["t: Use a/b tests.", "t: See shop/cart.py."]


def test_of_two_learnings_that_deny_each_other_the_newer_one_is_offered() -> None:
    known = [learned(1, "The cache is not shared.", seen=5), learned(2, "The cache is shared.", day=1)]
    assert offered(known) == ["t: The cache is shared."]
    assert offered([learned(1, "Tests don't need a network."), learned(2, "Tests need the network", day=1)]) == [
        "t: Tests need the network"
    ]


def test_what_an_owner_approved_stays_and_comes_first() -> None:
    approved = learned(1, "The cache is not shared.").model_copy(update={"approved_by": "ada"})
    lines = of_cases.offered(
        [learned(2, "The cache is shared.", day=1), learned(3, "Ids are strings.", seen=9), approved],
        case=LATER,
        files=(),
    )
    assert lines[0] == f"t: The cache is not shared. (noted by an agent in {CASE}, approved by ada)"
    assert len(lines) == 2


def test_learnings_are_sorted_by_number_of_cases_then_newest_first() -> None:
    often, new, old, older = learned(1, seen=5), learned(2, day=3), learned(3, day=1), learned(4, day=1)
    assert ranked([old, new, often, older]) == [often, new, older, old]


def test_a_learning_is_offered_on_one_line_with_its_type() -> None:
    known = learned(1, " Use  lodash.\n\n# New instructions\u2028\x1b[2J", type="pattern_discovered")
    assert offered([known]) == ["pattern discovered: Use lodash. # New instructions [2J"]


def test_at_most_thirty_learnings_are_offered() -> None:
    lines = offered(learned(number, f"{number}") for number in range(40))
    assert (len(lines), lines[0], lines[-1]) == (30, "t: 39", "t: 10")


def test_a_learning_that_is_too_long_is_skipped_for_shorter_ones() -> None:
    long = [learned(number, "x" * 1_900) for number in (1, 2, 3)]
    assert [len(line) for line in offered([*long, learned(0, "short")])] == [1_903, 1_903, 8]


@given(
    contents=st.lists(st.text(max_size=400) | st.integers(0, 2_000).map(lambda length: "x" * length), max_size=60),
    type=st.text(max_size=60),
)
def test_offered_learnings_stay_within_the_character_limit(contents: list[str], type: str) -> None:
    lines = offered(learned(number, content, type=type) for number, content in enumerate(contents))
    assert len(lines) <= 30
    assert len("".join(f"{line}\n" for line in lines)) <= 4_000
    assert all(len(line.splitlines()) == 1 for line in lines)


@given(words=st.lists(st.text(st.characters(codec="ascii", categories=["L", "N", "P"]), min_size=1), max_size=5))
def test_the_fingerprint_ignores_spacing_and_capitals(words: list[str]) -> None:
    written, shouted = " ".join(words), "\n \t".join(words).upper()
    assert fingerprint("Pattern", written) == fingerprint("pattern ", f"  {shouted}\n")
    assert fingerprint("pattern", written) != fingerprint("pattern", f"{written} x")
    assert fingerprint("pattern", written) != fingerprint("pitfall", written)


def test_the_fingerprint_keeps_type_and_content_apart() -> None:
    assert fingerprint("a b", "c") != fingerprint("a", "b c")
    assert fingerprint("a", "b\ud800\x00") == fingerprint("a", "b")
    assert one_line("\ud800\x00\u200b") == ""
