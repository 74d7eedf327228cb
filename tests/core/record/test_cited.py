"""Cited evidence counts only if it is on record, and one event counts once."""

from datetime import UTC, datetime

import pytest

from caseworker.core.base.ids import Sha, TraceId
from caseworker.core.base.roles import Role, Task
from caseworker.core.outcomes.investigation import Evidence
from caseworker.core.record.cited import cited_files, tie, too_little
from caseworker.core.record.entries import BuildRan, Entry, Recorded, ToolCalled, ToolReturned, TurnCompleted
from caseworker.core.record.investigation import Bisected, InstrumentRan, Tied
from tests.core.examples import a_run

COMMIT = Sha("a" * 40)


def record(*entries: Entry) -> list[Recorded]:
    at, trace = datetime(2026, 1, 2, tzinfo=UTC), TraceId("t")
    return [Recorded(sequence=n, at=at, trace=trace, version=1, entry=entry) for n, entry in enumerate(entries, 1)]


def ran(command: str, call: str = "c1") -> tuple[ToolCalled, ToolReturned]:
    called = ToolCalled(turn=3, call=call, tool="Bash", summary=command)
    return called, ToolReturned(turn=3, call=call, ok=False, output="1 failed")


def measured(turn: int, status: str = "DIAGNOSTIC_DONE") -> TurnCompleted:
    return TurnCompleted(
        turn=turn,
        attempt=1,
        role=Role.DEVELOPER,
        task=Task.DIAGNOSTIC,
        status=status,
        summary="",
        checkpoint=COMMIT,
        calls=1,
        cost_micros=0,
    )


def an_instrument(name: str, number: int, status: str = "measured") -> InstrumentRan:
    about = {"turn": 3, "command": "make test", "commit": "a" * 40, "how": "runs", "summary": "3 of 50 runs failed."}
    return InstrumentRan.model_validate({"instrument": name, "number": number, "status": status, **about})


def bisected(number: int, status: str = "found") -> Bisected:
    return Bisected.model_validate(
        {
            "number": number,
            "turn": 4,
            "good": "a",
            "bad": "b",
            "script": "s",
            "runs": 1,
            "status": status,
            "reason": "r",
        }
    )


def a_build(number: int, command: str) -> BuildRan:
    return BuildRan.model_validate(
        {"number": number, "stage": "red", "commit": COMMIT, "verdict": "red", "reason": "r", "runs": [a_run(command)]}
    )


def command(source: str) -> Evidence:
    return Evidence(kind="command", source=source, shows="it fails")


def file(source: str) -> Evidence:
    return Evidence(kind="file", source=source, shows="the read")


def run(source: str) -> Evidence:
    return Evidence(kind="run", source=source, shows="two reads")


@pytest.mark.parametrize(
    "cited", ["pytest -x tests/test_race.py", "`pytest -x tests/test_race.py`", "pytest  -x\ntests/test_race.py"]
)
def test_a_command_is_found_as_it_was_run(cited: str) -> None:
    (tied,) = tie([command(cited)], record(*ran("pytest -x tests/test_race.py")), {})
    assert isinstance(tied, Tied)
    assert tied.event == 1


def test_each_command_of_a_line_with_several_counts_as_run() -> None:
    (tied,) = tie([command("pytest -x")], record(*ran("cd src && pytest -x | tail -3")), {})
    assert isinstance(tied, Tied)


@pytest.mark.parametrize("cited", ["pytest", "pytest -x", "tests/test_race.py", "rm -rf /"])
def test_a_part_of_a_command_or_printed_text_is_no_command(cited: str) -> None:
    (tied,) = tie([command(cited)], record(*ran('echo "pytest -x tests/test_race.py"')), {})
    assert tied == f"no command `{cited}` was run in this case: cite one as it was run"


def test_a_command_without_a_result_does_not_count_as_run() -> None:
    called, _ = ran("pytest -x")
    (tied,) = tie([command("pytest -x")], record(called), {})
    assert isinstance(tied, str)


def test_a_long_command_is_found_by_its_beginning() -> None:
    whole = "python -c '" + "x" * 400 + "'"
    (tied,) = tie([command(whole)], record(*ran(whole[:299] + "…")), {})
    assert isinstance(tied, Tied)


def test_commands_of_builds_and_numbered_runs_are_found() -> None:
    story = record(a_build(2, "make test"), measured(8), bisected(1))
    found = tie([command("make test"), run("build 2"), run("diagnostic 8"), run("Bisect #1")], story, {})
    assert [tied.event for tied in found if isinstance(tied, Tied)] == [1, 1, 2, 3]


@pytest.mark.parametrize("name", ["profile", "stress", "trace"])
def test_profiles_stresses_and_traces_are_cited_by_their_number(name: str) -> None:
    others = [one for one in ("profile", "stress", "trace") if one != name]
    story = record(*(an_instrument(one, 1) for one in others), an_instrument(name, 1), an_instrument(name, 2))
    found = tie([run(f"{name} 2"), run(f"{name.capitalize()} #1")], story, {})
    assert [tied.event for tied in found if isinstance(tied, Tied)] == [4, 3]
    missing = tie([run(f"{name} 1")], record(an_instrument(name, 1, "unavailable")), {})
    assert missing == [f"there is no {name} 1 on record"]


def test_a_run_without_a_result_is_no_evidence() -> None:
    story = record(measured(8, "BLOCKED"), bisected(1, "not_found"))
    assert tie([run("diagnostic 8"), run("bisect 1"), run("build 1"), run("my run")], story, {}) == [
        "there is no diagnostic 8 on record",
        "there is no bisect 1 on record",
        "there is no build 1 on record",
        "`my run` names no run: write `diagnostic 4`, `build 2`, `bisect 1` or `stress 1`",
    ]


def test_a_cited_line_must_exist_and_not_be_empty() -> None:
    texts = {"a.py": "import os\n\nprint(os)\n", "large.bin": None}
    cited = [file("a.py:3"), file("./a.py:1-3"), file("large.bin:70"), file("a.py:2"), file("a.py:9"), file("b.py:1")]
    found = tie([*cited, file("a.py")], [], texts)
    assert [one for one in found if isinstance(one, str)] == [
        "line 2 of `a.py` is empty",
        "`a.py` has 3 lines, not 9",
        "there is no file `b.py` in the repository",
        "`a.py` names no line: write path:line",
    ]


def test_only_files_of_the_repository_are_read() -> None:
    assert cited_files([file("../a:1"), file("/etc/passwd:1"), file("src/../../a:1"), file("src/a.py:3")]) == [
        "src/a.py"
    ]


def test_three_citations_of_one_event_count_as_one() -> None:
    story = record(*ran("cd x && pytest -x && make test"))
    tied = tie([command("pytest -x"), command("make test"), command("cd x")], story, {})
    assert "these point at 1" in too_little([one for one in tied if isinstance(one, Tied)])
    tied = tie([file("a.py:1"), file("./a.py:1"), file("`a.py:1`")], [], {"a.py": "import os\n"})
    assert "these point at 1" in too_little([one for one in tied if isinstance(one, Tied)])


def test_evidence_from_files_alone_is_not_enough() -> None:
    texts = {"a.py": "import os\nimport sys\nprint(os)\n"}
    tied = tie([file("a.py:1"), file("a.py:2"), file("a.py:3")], [], texts)
    assert "something has to have been run" in too_little([one for one in tied if isinstance(one, Tied)])
    tied = tie([file("a.py:1"), file("a.py:2"), command("pytest")], record(*ran("pytest")), texts)
    assert too_little([one for one in tied if isinstance(one, Tied)]) == ""
