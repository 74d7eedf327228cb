"""Tests in languages that we can't read: lost lines, and words by which the others do not count, are named."""

import pytest

from caseworker.core.evidence.unreadable_tests import changed_unreadable


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ({"tests/a.sh": "x\ny\n"}, {"tests/a.sh": "# new\n  x\ny\nz\n"}, []),
        ({"tests/a.sh": "x\n"}, {"spec/a.sh": "x\n"}, []),
        ({"tests/a.json": "x\n"}, {"tests/a.json": "\n"}, []),
        ({}, {"tests/a.sh": "x\n"}, []),
        ({"tests/a.sh": "x\n"}, {}, ["`tests/a.sh` was deleted."]),
        (
            {"tests/a.sh": "x\ny\n"},
            {"tests/a.sh": "true\n"},
            ["`tests/a.sh` lost 2 lines of what it checked: tests in this language can't be compared."],
        ),
    ],
)
def test_lost_lines_of_tests_that_can_not_be_read(
    before: dict[str, str | None], after: dict[str, str | None], told: list[str]
) -> None:
    assert changed_unreadable(before, after) == told


@pytest.mark.parametrize("line", ["exit 0", "return", "set +e", "check || true"])
def test_an_early_end_of_a_test_that_can_not_be_read_is_told(line: str) -> None:
    before = {"tests/a.sh": "check\n"}
    [found] = changed_unreadable(before, {"tests/a.sh": f"{line}\ncheck\n"})
    assert found == f"`{line}` was added to `tests/a.sh`: what follows may not count any more."


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("spec/a_spec.rb", "skip"),
        ("spec/a_spec.rb", "skip 'slow'"),
        ("spec/a_spec.rb", "skip if ENV['CI']"),
        ("spec/a_spec.rb", "pending('later')"),
        ("spec/a_spec.rb", "before { skip }"),
        ("spec/a_spec.rb", "next unless ENV['SLOW']"),
        ("spec/a_spec.rb", "if false"),
        ("spec/a_spec.rb", "rescue StandardError"),
        ("spec/a_spec.rb", "=begin"),
        ("spec/a_spec.rb", "__END__"),
        ("tests/a.bats", 'skip "slow"'),
        ("tests/a.sh", "if false; then"),
        ("tests/a.sh", ": <<'END'"),
        ("tests/a.c", "#if 0"),
        ("tests/a.cpp", "GTEST_SKIP();"),
        ("tests/a.cpp", "} catch (...) {"),
        ("tests/ATest.php", "$this->markTestSkipped('slow');"),
        ("tests/ATests.cs", "Assert.Inconclusive();"),
        ("test/a_test.exs", "@tag :skip"),
    ],
)
def test_a_line_that_keeps_others_from_counting_is_told(path: str, line: str) -> None:
    [found] = changed_unreadable({path: "check\n"}, {path: f"{line}\ncheck\n"})
    assert found == f"`{line}` was added to `{path}`: what follows may not count any more."


@pytest.mark.parametrize(
    "line",
    [
        "skip_before_action :login",
        "rows.skip(1)",
        "skip = 3",
        "pending_orders = []",
        "pending = Order.pending",
        "next_page = 2",
        "next.should == 3",
        "expect { pay }.to raise_error(Refused)",
        "rescue Refused => error",
        "if falsey",
        "# if false",
        "catch (const Refused& error) {",
    ],
)
def test_an_honest_line_beside_it_is_not(line: str) -> None:
    assert changed_unreadable({"spec/a_spec.rb": "check\n"}, {"spec/a_spec.rb": f"{line}\ncheck\n"}) == []
