"""Signatures: the same for one failure wherever and whenever it happens, different for different failures."""

import random
import re
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caseworker.core.evidence.failure_lines import MOST_CHARACTERS, stable_line
from caseworker.core.pull.failure_signature import signature_lines, signature_of
from caseworker.core.pull.failures import Annotation
from tests.core.pull import failure_examples as examples
from tests.core.pull.failure_examples import failed

LOGS = (examples.PYTEST, examples.GO, examples.RUST, examples.JEST, examples.TSC, examples.TSC_OTHER, examples.JAVA)


def test_a_rerun_on_another_machine_has_the_same_signature() -> None:
    assert signature_lines(failed(examples.PYTEST)) == (
        "E + where # = <shop.Cart object at <id>>.total",
        "E AssertionError: assert # == #",
        "FAILED tests/test_cart.py::test_total - AssertionError: assert # == #",
        "[worker] FAILED tests/test_cart.py::test_total",
        "tests/test_cart.py:#: AssertionError",
    )
    assert signature_of(failed(examples.PYTEST)) == signature_of(failed(examples.PYTEST_AGAIN))


def test_every_example_has_a_signature_of_its_own() -> None:
    assert len({signature_of(failed(log)) for log in LOGS}) == len(LOGS)


def test_legs_of_a_matrix_share_a_signature_and_other_checks_do_not() -> None:
    legs = {signature_of(failed(name=name)) for name in ("Tests (3.11)", "Tests (3.12, macos)", "Tests")}
    assert len(legs) == 1
    assert signature_of(failed(name="Lint")) not in legs


def test_without_a_log_annotations_tell_and_then_the_summary_and_then_the_result() -> None:
    bare = failed("", app="scanner")
    remark = Annotation(path="cart.py", line=3, level="failure", message="unused import")
    general = Annotation(path=".github", line=1, level="failure", message="Process completed with exit code 1.")
    with_remark = bare.model_copy(update={"annotations": (remark, general), "summary": "1 error"})
    assert signature_lines(with_remark) == ("cart.py: unused import",)
    assert signature_lines(bare.model_copy(update={"summary": "error: bad licence"})) == ("error: bad licence",)
    assert signature_lines(bare.model_copy(update={"summary": "2 of 9 tests failed"})) == ("failure",)
    assert signature_lines(bare) == ("failure",)


def test_a_log_without_telling_lines_is_known_by_its_end() -> None:
    assert signature_lines(failed("building\nstep 4 of 9\nKilled\n")) == ("Killed", "building", "step # of #")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("at 2026-03-02 11:58:01,123 it broke", "at 2027-12-24 01:02:03,999 it broke"),
        ("Mon Mar  2 2026: broke", "Tuesday, Dec 24, 2027: broke"),
        ("took 3.2s", "took 900 ms"),
        ("<Cart at 0x7f3a2c1d9e50>", "<Cart at 0x55d0>"),
        ("commit 3f2a91c broke", "commit 99bb0e1d77aa broke"),
        ("id 6fa459ea-ee8a-3ca4-894e-db77e160355e", "id 16fd2706-8baf-433b-82da-8c7fada847da"),
        ("connect 127.0.0.1:39021", "connect 10.1.0.7:41002"),
        ("connect [fe80:0:0:1::2]:80", "connect [2001:db8:1:2::7]:8080"),
        ("open /tmp/tmpab12cd9x/out.json", "open /tmp/pytest-of-me/pytest-3/out.json"),
        ("open /var/folders/zz/T/x/out.json", "open C:\\Users\\me\\AppData\\Local\\Temp\\a81\\out.json"),
        ("/home/runner/work/shop/shop/src/a.py:3: bad", "D:\\a\\shop\\shop\\src\\a.py:77: bad"),
        ("/home/runner/work/shop/shop/src/a.py:3: bad", "src/a.py:4: bad"),
        ("--seed 12345", "--seed 9"),
        ("Randomized with seed=0xbeef1", "Randomized with seed=0x12"),
        ("[gw0] lost", "[gw13] lost"),
        ("key AbCdEfGh12345678IjKlMn9=", "key ZyXwVuTsRq987654321PoNm="),
        ("==== worker 3 failed ====", "=========== worker 12 failed ===="),
    ],
)
def test_what_changes_from_run_to_run_is_taken_out(one: str, other: str) -> None:
    assert stable_line(one) == stable_line(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("error[E0308]: mismatched types", "error[E0277]: mismatched types"),
        ("FAILED a/test_x.py::test_one", "FAILED a/test_x.py::test_two"),
        ("FAILED a/test_x.py::test_one", "FAILED b/test_x.py::test_one"),
        ("KeyError: 'price'", "KeyError: 'total'"),
        ("open /tmp/x/out.json", "open /tmp/x/in.json"),
        ("undefined: sha256sum", "undefined: sha512sum"),
    ],
)
def test_what_tells_the_failure_is_kept(one: str, other: str) -> None:
    assert stable_line(one) != stable_line(other)


def _number(length: int, chance: random.Random) -> str:
    return "".join(chance.choice("123456789") for _ in range(length))


@given(st.data())
def test_numbers_ids_order_and_colours_do_not_change_the_signature(data: st.DataObject) -> None:
    log = data.draw(st.sampled_from(LOGS))
    chance = random.Random(data.draw(st.integers(0, 2**32)))
    lines = re.sub(r"(?<!\w)[1-9]\d*", lambda one: _number(len(one[0]), chance), log).splitlines()
    if "##[" not in log:  # steps have an order
        chance.shuffle(lines)
    coloured = "\n".join(f"\x1b[3{chance.randrange(8)}m{line}\x1b[0m" if "##[" not in line else line for line in lines)
    assert signature_of(failed(coloured)) == signature_of(failed(log))


@given(st.text(alphabet=string.ascii_lowercase, min_size=4, max_size=12), st.sampled_from(LOGS))
def test_one_more_failing_test_changes_the_signature(name: str, log: str) -> None:
    step, mark, rest = log.partition("##[error]Process")
    more = f"{step}FAILED tests/test_extra.py::test_{name}\n{mark}{rest}"
    assert signature_of(failed(more)) != signature_of(failed(log))


@given(st.text(max_size=400))
def test_any_text_has_a_signature_that_is_the_same_each_time(text: str) -> None:
    check = failed(text)
    assert re.fullmatch("[0-9a-f]{16}", signature_of(check))
    assert signature_of(check) == signature_of(check)
    assert stable_line(text) == stable_line(text)


HOSTILE = (
    "/", "a/", "/a", "\\", "C:/", "0", "0.", "1:", "a:", "0x", "f1", "error ", "E  ", "=", "-", "\x1b[", "\x1b[3",
    "##[", "::error ", "\r", " ", "tmp", "12-", "2026-01-01", "::", "[", "fail", "1e", "Mon ", "Jan ", "_", "+", "(",
)  # fmt: skip


@pytest.mark.timeout(60)
@pytest.mark.parametrize("part", HOSTILE)
def test_a_hostile_log_takes_no_longer_than_any_other(part: str) -> None:
    """A pattern that backtracks would need hours for the first, which is one line: the limit ends the test."""
    for log in (part * (MOST_CHARACTERS // len(part)) + "!", (part * (2_000 // len(part)) + "!\n") * 50):
        assert re.fullmatch("[0-9a-f]{16}", signature_of(failed(log)))


@settings(max_examples=30)
@given(st.lists(st.sampled_from(HOSTILE), min_size=1, max_size=4))
def test_mixtures_of_hostile_parts_end_as_well(parts: list[str]) -> None:
    part = "".join(parts)
    assert re.fullmatch("[0-9a-f]{16}", signature_of(failed((part * (2_000 // len(part)) + "!\n") * 5)))


def test_only_the_end_of_a_log_counts() -> None:
    tail = "padding\n" * (MOST_CHARACTERS // 8) + examples.GO
    assert signature_of(failed("error: elsewhere\n" + tail)) == signature_of(failed(tail))
