"""Which changed files hold tests: by their place, or, beside code, by the tests in them."""

from caseworker.core.evidence.changed_tests import changed_test_files, names_of_tests, same_tests

OLD = "pub fn add() {}\n\n#[test]\nfn adds() {\n    assert!(true);\n}\n"
NEW = OLD.replace("assert!(true)", "assert!(false)")
CODE = OLD.replace("pub fn add() {}", "pub fn add() { 1 }")


def test_files_in_a_place_for_tests_count_whatever_they_hold() -> None:
    paths = ["cart.py", "tests/data.json", "tests/test_cart.py", "src/cart.test.ts"]
    assert changed_test_files(paths, {}, {}) == paths[1:]


def test_a_file_of_code_counts_if_its_tests_were_changed() -> None:
    path = "src/lib.rs"
    assert changed_test_files([path], {path: OLD}, {path: NEW}) == [path]
    assert changed_test_files([path], {}, {path: NEW}) == [path]
    assert changed_test_files([path], {path: OLD}, {path: CODE}) == []


def test_tests_are_the_same_whatever_the_code_around_them() -> None:
    path = "src/lib.rs"
    assert same_tests([path], {path: OLD}, {path: CODE})
    assert not same_tests([path], {path: OLD}, {path: NEW})


def test_names_are_known_only_if_every_file_can_be_read() -> None:
    python = "def test_a():\n    assert 1\n"
    assert names_of_tests({"tests/test_a.py": python, "src/lib.rs": OLD}) == frozenset({"test_a", "adds"})
    assert names_of_tests({"tests/test_a.py": python, "tests/a.sh": "true"}) is None
    assert names_of_tests({"tests/test_a.py": None}) is None
    assert names_of_tests({}) is None
