"""Stress, profile and trace: what can be asked, and how their reports are made from what was seen."""

import pytest
from pydantic import ValidationError

from caseworker.core.investigation.hot_places import parse_places, places_table
from caseworker.core.investigation.measurements import ProfileRequest, StressRequest, TraceRequest
from caseworker.core.investigation.stress_table import SeededRun, stress_table

STRESS = StressRequest(command="make test", runs=6)


def test_runs_that_fail_in_the_same_way_are_counted_together_with_their_seeds() -> None:
    runs = [
        SeededRun(seed=4, exit_code=1, output="setup\nAssertionError: 91 != 100 at 0x7f10\n"),
        SeededRun(seed=1, exit_code=0, output="ok"),
        SeededRun(seed=2, exit_code=1, output="setup\nAssertionError: 90 != 100 at 0x7f00\n"),
        SeededRun(seed=3, exit_code=124, timed_out=True, output="waits"),
        SeededRun(seed=5, exit_code=0, output="ok, otherwise"),
        SeededRun(seed=6, exit_code=1, output="KeyError: 'x'"),
    ]
    found = stress_table(STRESS, runs, parallel=2, seconds=60)
    assert (found.status, found.summary) == ("measured", "4 of 6 runs failed, 2 at a time.")
    assert found.report == (
        "| count | ended with | seeds |\n"
        "|---|---|---|\n"
        "| 2 | exit code 0 | 1, 5 |\n"
        "| 2 | exit code 1: `AssertionError: 90 != 100 at 0x7f00` | 2, 4 |\n"
        "| 1 | time limit: `waits` | 3 |\n"
        "| 1 | exit code 1: `KeyError: 'x'` | 6 |\n"
        "\n"
        "exit code 1, seed 2:\nsetup\nAssertionError: 90 != 100 at 0x7f00\n"
        "\n"
        "time limit, seed 3:\nwaits\n"
        "\n"
        "exit code 1, seed 6:\nKeyError: 'x'"
    )


def test_a_stress_that_ran_out_of_time_says_how_many_runs_are_missing() -> None:
    found = stress_table(STRESS, [SeededRun(seed=1, exit_code=0)], parallel=1, seconds=60)
    assert found.summary == "0 of 1 runs failed, 1 at a time. 5 more were not begun or not done within 60 s."
    nothing = stress_table(STRESS, [], parallel=1, seconds=60)
    assert (nothing.status, nothing.summary) == ("unavailable", "Not one run was done within 60 s.")


def test_a_stress_report_is_limited_in_size() -> None:
    runs = [SeededRun(seed=seed, exit_code=1, output=f"{chr(64 + seed % 50)}" * 5_000) for seed in range(200)]
    assert len(stress_table(STRESS, runs, parallel=1, seconds=60).report) <= 8_200


def test_the_hottest_places_of_all_processes_are_summed_up() -> None:
    lines = ["1.0\t2.0\t3\t/w/shop.py:7\ttotal", "0.5\t1.0\t3\t/w/shop.py:7\ttotal", "9\t9\t1\t~\ta|b", "no place", ""]
    places = parse_places(lines, "/w")
    assert places_table(places) == (
        "| own s | total s | calls | place | name |\n"
        "|---|---|---|---|---|\n"
        "| 9.000 | 9.000 | 1 | ~ | a/b |\n"
        "| 1.500 | 3.000 | 6 | shop.py:7 | total |"
    )


@pytest.mark.parametrize("at", ["shop.py", "shop.py:0", "/etc/passwd:1", "../shop.py:1", "a b.py:1", "x.py:1'; sh"])
def test_a_place_to_trace_is_a_line_of_a_file_in_the_repository(at: str) -> None:
    with pytest.raises(ValidationError, match="path:line"):
        TraceRequest(command="make", at=at)
    assert TraceRequest(command="make", at="./src/shop.py:12").place == ("src/shop.py", 12)


@pytest.mark.parametrize("calls", ["openat; sh", "-o x", "open at", "%file,"])
def test_calls_to_trace_are_only_names(calls: str) -> None:
    with pytest.raises(ValidationError, match="names with commas"):
        TraceRequest(command="make", calls=calls)
    assert TraceRequest(command="make", calls="openat,%network").calls == "openat,%network"


def test_runs_places_and_times_are_limited() -> None:
    for wrong in ({"runs": 201}, {"runs": 0}, {"seconds_each": 601}, {"parallel": -1}, {"command": " "}):
        with pytest.raises(ValidationError):
            StressRequest.model_validate({"command": "make", **wrong})
    with pytest.raises(ValidationError):
        ProfileRequest(command="make", top=41)
