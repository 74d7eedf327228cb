"""Changed settings of linters and type checkers, and new lines that silence them, are told; other changes are not."""

import difflib

import pytest

from caseworker.core.evidence.lint_settings import changed_lint_settings, may_set_lint
from caseworker.core.evidence.suppressions import suppressions
from caseworker.core.evidence.unified_diff import read_diff

DECIDES = "which decides what linters and type checkers accept, was"
PYPROJECT = '[project]\nname = "shop"\n[tool.ruff.lint]\nselect = ["ALL"]\n[tool.mypy]\nstrict = true\n'
CARGO = '[package]\nname = "shop"\n[lints.clippy]\npedantic = "deny"\n'
SETUP = "[metadata]\nname = shop\n[flake8]\nmax-line-length = 80\n[mypy-shop.*]\nstrict = True\n"
TSCONFIG = '{\n  // strict\n  "compilerOptions": {"strict": true, "outDir": "dist",},\n  "include": ["src"],\n}\n'
PACKAGE = '{"name": "shop", "eslintConfig": {"rules": {"eqeqeq": 2}}}'


@pytest.mark.parametrize(
    ("path", "text", "old", "new", "told"),
    [
        ("pyproject.toml", PYPROJECT, '"ALL"', '"E"', f"The table `tool.ruff` of `pyproject.toml`, {DECIDES} changed."),
        (
            "pyproject.toml",
            PYPROJECT,
            "[tool.mypy]\nstrict = true\n",
            "",
            f"The table `tool.mypy` of `pyproject.toml`, {DECIDES} removed.",
        ),
        ("Cargo.toml", CARGO, "deny", "allow", f"The table `lints` of `Cargo.toml`, {DECIDES} changed."),
        ("setup.cfg", SETUP, "80", "200", f"The section `flake8` of `setup.cfg`, {DECIDES} changed."),
        ("setup.cfg", SETUP, "True", "False", f"The section `mypy-shop.*` of `setup.cfg`, {DECIDES} changed."),
        ("tsconfig.json", TSCONFIG, "true", "false", f"The option `strict` of `tsconfig.json`, {DECIDES} changed."),
        ("tsconfig.json", TSCONFIG, '["src"]', "[]", f"The key `include` of `tsconfig.json`, {DECIDES} changed."),
        ("package.json", PACKAGE, "2", "0", f"The key `eslintConfig` of `package.json`, {DECIDES} changed."),
        ("mypy.ini", "[mypy]\nstrict = True\n", "True", "False", f"`mypy.ini`, {DECIDES} changed."),
        ("web/eslint.config.mjs", "a", "a", "b", f"`web/eslint.config.mjs`, {DECIDES} changed."),
        (".golangci.yml", "a", "a", "b", f"`.golangci.yml`, {DECIDES} changed."),
    ],
)
def test_a_changed_setting_is_told(path: str, text: str, old: str, new: str, told: str) -> None:
    assert old in text
    assert changed_lint_settings({path: text}, {path: text.replace(old, new)}) == [told]


def test_a_new_file_that_takes_the_place_of_settings_is_told() -> None:
    assert changed_lint_settings({}, {"ruff.toml": "x"}) == [f"`ruff.toml`, {DECIDES} added."]
    assert changed_lint_settings({"tsconfig.json": TSCONFIG}, {}) == [f"`tsconfig.json`, {DECIDES} deleted."]


@pytest.mark.parametrize(
    ("path", "text", "old", "new"),
    [
        ("pyproject.toml", PYPROJECT, '"shop"', '"store"'),
        ("Cargo.toml", CARGO, '"shop"', '"store"'),
        ("setup.cfg", SETUP, "= shop", "= store"),
        ("tsconfig.json", TSCONFIG, '"dist"', '"out"'),
        ("tsconfig.json", TSCONFIG, "// strict", "// as strict as can be"),
        ("package.json", PACKAGE, '"shop"', '"store"'),
        ("tests/fixtures/tsconfig.json", TSCONFIG, "true", "false"),
        ("src/shop.py", "a", "a", "b"),
    ],
)
def test_another_change_is_not(path: str, text: str, old: str, new: str) -> None:
    assert old in text
    assert changed_lint_settings({path: text}, {path: text.replace(old, new)}) == []
    assert changed_lint_settings({}, {"packages/new/tsconfig.json": TSCONFIG}) == []


def test_only_files_with_such_settings_are_read() -> None:
    assert may_set_lint("a/tsconfig.build.json")
    assert not may_set_lint("a/config.json")


def told(path: str, old: str, new: str) -> list[str]:
    lines = difflib.unified_diff(old.splitlines(True), new.splitlines(True), f"a/{path}", f"b/{path}")
    diff = read_diff(f"diff --git a/{path} b/{path}\n" + "".join(lines))
    return [sentence for sentences in suppressions(diff).values() for sentence in sentences]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("shop.py", "x = y  # type: ignore"),
        ("shop.py", "x = y  # type: ignore[assignment]"),
        ("shop.py", "import x  # noqa: F401"),
        ("shop.py", "# ruff: noqa"),
        ("shop.py", "# mypy: ignore-errors"),
        ("shop.py", "# pylint: disable=all"),
        ("shop.py", "x = y  # pyright: ignore"),
        ("shop.ts", "// eslint-disable-next-line"),
        ("shop.ts", "/* eslint-disable */"),
        ("shop.ts", "// @ts-ignore"),
        ("shop.tsx", "{/* @ts-expect-error */}"),
        ("shop.ts", "// biome-ignore lint: no"),
        ("shop.go", "x := y //nolint:errcheck"),
        ("src/lib.rs", "#[allow(dead_code)]"),
        ("src/lib.rs", "#![allow(clippy::all)]"),
        ("src/Shop.java", '@SuppressWarnings("unchecked")'),
        ("src/shop.kt", '@Suppress("X")'),
        ("shop.rb", "x = y # rubocop:disable all"),
        ("shop.cpp", "x = y; // NOLINT"),
    ],
)
def test_a_line_that_silences_a_checker_is_told(path: str, line: str) -> None:
    sentence = f"`{path}`, line 2, keeps a linter or type checker silent: `{line.replace('  ', ' ')}`."
    assert told(path, "a\n", f"a\n{line}\n") == [sentence]
    assert told(path, f"a\n{line}\n", f"a\nb\n{line}\n") == []


def test_several_lines_of_a_file_are_told_in_one_sentence() -> None:
    assert told("shop.py", "", "x = y  # noqa\nz = y  # noqa: E1\n") == [
        "`shop.py`, line 1, keeps a linter or type checker silent (1 more in this file): `x = y # noqa`."
    ]


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("shop.py", "x = y  # noqa\n", "x = z  # noqa\n"),
        ("shop.py", "", "# types are ignored here\n"),
        ("shop.py", "", "print('eslint-disable')\n"),
        ("shop.ts", "", "const a = 'eslint-disable';\n"),
        ("tests/test_shop.py", "", "f(1)  # type: ignore\n"),
        ("vendor/shop.go", "", "x := y //nolint\n"),
        ("docs/shop.md", "", "# noqa\n"),
        ("src/lib.rs", "", "#[expected]\n"),
    ],
)
def test_an_edited_or_harmless_line_is_not(path: str, old: str, new: str) -> None:
    assert told(path, old, new) == []
