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


RUBY = "describe Shop do\n  it 'adds' do\n    expect(Shop.total([1, 2])).to eq(3)\n  end\nend\n"
PHP = "class ShopTest extends TestCase\n{\n    public function testTotal()\n    {\n        check();\n    }\n}\n"


@pytest.mark.parametrize(
    ("path", "old", "line"),
    [
        ("spec/shop_spec.rb", RUBY, "before { allow(Shop).to receive(:total).and_return(3) }"),
        ("spec/shop_spec.rb", RUBY, "allow_any_instance_of(Shop).to receive(:total).and_return(3)"),
        ("tests/ShopTest.php", PHP, "$this->shop = $this->createMock(Shop::class);"),
        ("tests/ShopTest.php", PHP, "$this->shop = Mockery::mock(Shop::class);"),
    ],
)
def test_a_stand_in_for_what_such_a_test_checks_is_told(path: str, old: str, line: str) -> None:
    [found] = changed_unreadable({path: old}, {path: f"{line}\n{old}"})
    assert found == f"`{line}` was added to `{path}`: it replaces what the tests check."


@pytest.mark.parametrize(
    ("path", "old", "line"),
    [
        ("spec/shop_spec.rb", RUBY, "before { allow(Bank).to receive(:charge).and_return(3) }"),
        ("spec/shop_spec.rb", RUBY, "allow(shop).to receive(:log)"),
        ("tests/ShopTest.php", PHP, "$bank = $this->createMock(Bank::class);"),
    ],
)
def test_a_stand_in_for_what_it_uses_is_not(path: str, old: str, line: str) -> None:
    assert changed_unreadable({path: old}, {path: f"{line}\n{old}"}) == []


C = "int main() {\n    check(1);\n    check(2);\n    return 0;\n}\n"
SH = "check one\ncheck two\n"


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("tests/a.cpp", C, "int four() {\n    return 4;\n}\n\n" + C),
        (
            "tests/a.c",
            C,
            "static int four(void)\n{\n    int a = 4;\n    if (a)\n        return 0;\n\n    return a;\n}\n\n" + C,
        ),
        ("test/a_test.dart", C, C + "int four() {\n  return 4;\n}\n"),
        ("tests/ATest.php", C, C + "    public function rows(): array\n    {\n        return [[1, 2]];\n    }\n"),
        ("spec/a_spec.rb", "check 1\n", "def three\n  return 3 if late\n  return\nend\n\ncheck 1\n"),
        ("tests/a.sh", SH, "fail() {\n  echo no\n  exit 1\n}\n" + SH),
        ("tests/a.sh", SH, "check zero || exit 1\n" + SH),
        (
            "tests/a.cpp",
            C,
            C.replace("int main", "TEST(A, B) {\n    if (WINDOWS) {\n        return;\n    }\n}\n\nint main"),
        ),
    ],
)
def test_a_return_from_a_new_function_ends_no_older_test(path: str, old: str, new: str) -> None:
    assert changed_unreadable({path: old}, {path: new}) == []


@pytest.mark.parametrize(
    ("path", "old", "new", "line"),
    [
        ("tests/a.c", C, C.replace("    check(2)", "    return 0;\n    check(2)"), "return 0;"),
        ("tests/a.c", C, C.replace("    check(2)", "    int a = 1;\n    return a;\n    check(2)"), "return a;"),
        (
            "tests/a.c",
            C,
            C.replace("    check(2)", "    if (a) {\n        return 0;\n    }\n    check(2)"),
            "return 0;",
        ),
        ("tests/a.c", C, C.replace("    check(2)", "    {\n        return 0;\n    }\n    check(2)"), "return 0;"),
        (
            "tests/a.c",
            C,
            C.replace("    check(2)", "    if (a)\n    {\n        return 0;\n    }\n    check(2)"),
            "return 0;",
        ),
        ("tests/a.c", C, C.replace("    check(2)", "    exit(0);\n    check(2)"), "exit(0);"),
        ("tests/a.sh", SH, "leave() {\n  exit 0\n}\nleave\n" + SH, "exit 0"),
        ("tests/a.sh", SH, "exit\n" + SH, "exit"),
    ],
)
def test_a_return_from_an_older_function_is_told(path: str, old: str, new: str, line: str) -> None:
    [found] = changed_unreadable({path: old}, {path: new})
    assert found == f"`{line}` was added to `{path}`: what follows may not count any more."
