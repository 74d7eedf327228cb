"""Finds lines of a change that keep a linter or type checker silent: `# type: ignore`, `eslint-disable`, `#[allow]`.

Not in tests, which may pass what the checker would refuse, nor in foreign code that is kept here. An edited line that
had one before is not reported.
"""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final

from caseworker.core.evidence.line_sentences import line_sentence
from caseworker.core.evidence.test_places import is_in_a_test_place
from caseworker.core.evidence.unified_diff import DiffLine, FileDiff

_LINE: Final = 400
_HASH: Final = re.compile(
    r"#\s{0,4}(?:type:\s{0,4}ignore|noqa\b|(?:pyright|ty|pyrefly):\s{0,4}ignore|mypy:\s{0,4}(?:ignore|disable)"
    r"|(?:ruff|flake8):\s{0,4}noqa|pylint:\s{0,4}(?:disable|skip-file)|rubocop:(?:disable|todo))|@(?:typing\.)?no_type_check\b"
)
_SLASHES: Final = re.compile(
    r"(?://|/\*|\{/\*)\s{0,4}(?:eslint-disable|@ts-(?:ignore|expect-error|nocheck)|biome-ignore|oxlint-disable"
    r"|deno-lint-ignore|tslint:disable|nolint\b|NOLINT\b|NOSONAR\b|swiftlint:disable|@?phpstan-ignore|@psalm-suppress)"
    r"|^\s{0,80}#!?\[\s{0,4}(?:allow|expect)\(|@Suppress(?:Warnings|Lint)?\(|@phpstan-ignore|@psalm-suppress"
)
_FOREIGN: Final = frozenset({"vendor", "vendored", "third_party", "third-party", "node_modules", ".yarn", "dist"})
_BY_ENDING: Final = {
    **dict.fromkeys(("py", "pyi", "rb"), _HASH),
    **dict.fromkeys(("js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte"), _SLASHES),
    **dict.fromkeys(("go", "rs", "java", "kt"), _SLASHES),
    **dict.fromkeys(("c", "cc", "cpp", "h", "hpp", "cs", "php", "swift", "scala", "dart"), _SLASHES),
}


def suppressions(files: Sequence[FileDiff]) -> dict[str, list[str]]:
    """By path, a sentence for the first line, where a file has more of them than before."""
    found = ((file, _new_ones(file)) for file in files if not (file.deleted or file.binary))
    return {file.path: [_sentence(file, lines)] for file, lines in found if lines}


def _new_ones(file: FileDiff) -> list[DiffLine]:
    pattern = _BY_ENDING.get(PurePosixPath(file.path).suffix.lstrip(".").lower())
    if pattern is None or is_in_a_test_place(file.path) or not _FOREIGN.isdisjoint(PurePosixPath(file.path).parts):
        return []
    silent = [line for line in file.lines() if line.kind != "context" and pattern.search(line.text[:_LINE])]
    removed = {line.text.strip() for line in silent if line.kind == "removed"}
    added = [line for line in silent if line.kind == "added"]
    if len(added) <= len(silent) - len(added):
        return []
    return [line for line in added if line.text.strip() not in removed]


def _sentence(file: FileDiff, lines: Sequence[DiffLine]) -> str:
    more = f" ({len(lines) - 1} more in this file)" if len(lines) > 1 else ""
    does = f"keeps a linter or type checker silent{more}"
    return line_sentence(file.path, lines[0].number, does, lines[0].text)
