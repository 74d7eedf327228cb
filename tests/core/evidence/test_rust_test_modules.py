"""Tests of Rust that are rows of a macro: which there are, and what a change does to them."""

import pytest

from caseworker.core.evidence.changed_tests import changed_test_files, names_of_tests, same_tests
from caseworker.core.evidence.rust_test_modules import module_lines, rows_of
from caseworker.core.evidence.weakened_tests import weakened

PATH = "src/title.rs"
FILE = """\
pub fn title(text: &str) -> String { text.into() }

#[cfg(test)]
mod tests {
    use super::title;

    macro_rules! t {
        ($t:ident : $s1:expr => $s2:expr) => {
            #[test]
            fn $t() {
                assert_eq!(title($s1), $s2)
            }
        };
    }

    t!(test1: "a b" => "A B");
    t!(test2: "c, d" => "C, D");
}
"""
ADDED = FILE.replace("    t!(test2", '    t!(apostrophe: "don\'t" => "Don\'t");\n    t!(test2')
BLOCK = FILE.replace(
    "    t!(test1", '    tests! {\n        one: "a, b" => "A",\n        two: "b" => "B",\n    }\n    t!(test1'
)


def test_a_row_has_a_name_and_what_it_says() -> None:
    assert [(row.name, row.said) for row in rows_of(FILE)] == [
        ("test1", '"a b" => "A B"'),
        ("test2", '"c, d" => "C, D"'),
    ]
    assert [row.name for row in rows_of(BLOCK)] == ["one", "two", "test1", "test2"]


def test_a_file_with_a_new_row_is_a_changed_test_file() -> None:
    assert changed_test_files([PATH], {PATH: FILE}, {PATH: ADDED}) == [PATH]
    assert not same_tests([PATH], {PATH: FILE}, {PATH: ADDED})


def test_code_beside_rows_and_imports_are_no_change_of_tests() -> None:
    code = FILE.replace("text.into()", "text.trim().into()").replace("use super::title;", "use super::*;")
    assert changed_test_files([PATH], {PATH: FILE}, {PATH: code}) == []
    assert same_tests([PATH], {PATH: FILE}, {PATH: code})


def test_rows_are_among_the_names_of_tests() -> None:
    function = "\n    #[test]\n    fn adds() {\n        assert_eq!(1, 1);\n    }\n"
    mixed = ADDED.replace("\n    macro_rules", f"{function}\n    macro_rules")
    assert names_of_tests({PATH: mixed}) == frozenset({"adds", "test1", "test2", "apostrophe"})


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (
            FILE,
            FILE.replace('"A B"', '"A. B."'),
            ['`t!(test1: "a b" => "A B")` was changed in `src/title.rs`: it is `t!(test1: "a b" => "A. B.")`.'],
        ),
        (
            FILE,
            FILE.replace('    t!(test1: "a b" => "A B");\n', ""),
            ['`t!(test1: "a b" => "A B")` was removed from `src/title.rs`.'],
        ),
        (
            BLOCK,
            BLOCK.replace('=> "A",', '=> "X",'),
            ['`one: "a, b" => "A"` was changed in `src/title.rs`: it is `one: "a, b" => "X"`.'],
        ),
    ],
)
def test_a_row_that_is_changed_or_removed_is_told(before: str, after: str, told: list[str]) -> None:
    assert weakened({PATH: before}, {PATH: after}) == told


@pytest.mark.parametrize(
    "after",
    [
        ADDED,
        FILE.replace("test1", "title_of_two_words"),
        FILE.replace("t!(", "title_case!("),
        FILE.replace('t!(test1: "a b" => "A B");', 't!(\n        test1: "a b" => "A B",\n    );'),
        FILE.replace("    t!(test1", "    // Two words.\n    t!(test1"),
        FILE.replace("text.into()", "text.trim().into()"),
        BLOCK,
    ],
)
def test_rows_that_are_added_renamed_or_laid_out_anew_are_not_told(after: str) -> None:
    assert weakened({PATH: FILE}, {PATH: after}) == []


def test_rows_that_move_to_another_file_are_not_told() -> None:
    row = '    t!(test1: "a b" => "A B");\n'
    there = f"#[cfg(test)]\nmod tests {{\n{row}}}\n"
    assert weakened({PATH: FILE}, {PATH: FILE.replace(row, ""), "src/words.rs": there}) == []


@pytest.mark.parametrize(
    "text", ["#[cfg(test)]\nmod tests;\nt!(a: 1 => 2);\n", "#[cfg(test)]\nuse x;\nfn f() {}\n", "", "t!(a: 1 => 2);\n"]
)
def test_what_is_in_no_test_module_is_no_row(text: str) -> None:
    assert rows_of(text) == []
    assert module_lines(text) == []
