"""Reads the reports that a test command wrote, outside of the sandbox. They are hostile input.

Only regular files are opened, no link is followed, and sizes and numbers are limited.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from caseworker.core.evidence.jest_json import read_jest
from caseworker.core.evidence.junit_xml import MAX_XML_BYTES, read_junit
from caseworker.core.evidence.report_options import JEST_FILE, PYTEST_FILE, REPORT_FOLDERS
from caseworker.core.evidence.runner_output import read_output
from caseworker.core.evidence.test_report import TestReport, joined_reports

_MOST_FILES: Final = 5_000
_MOST_FOLDERS: Final = 50_000
_LINKS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK


def read_report(folder: Path, workspace: Path, started: int, output: str | None) -> TestReport | None:
    """The results per test of one run. `folder`: where its runner was told to write. `started`: when it was, in
    nanoseconds: an older file in the workspace is not its report. `output`: null if it was too long to be read."""
    if (document := _contents(folder / PYTEST_FILE)) is not None:
        return read_junit(document)
    if (document := _contents(folder / JEST_FILE)) is not None:
        return read_jest(document, str(workspace))
    written = [_contents(file, newer_than=started) for file in _junit_files(workspace)]
    documents = [document for document in written if document is not None]
    if documents:
        reports = [read_junit(document) for document in documents]
        read = [report for report in reports if report is not None]
        return joined_reports(read) if len(read) == len(documents) else None
    return read_output(output) if output is not None else None


def _junit_files(workspace: Path) -> Iterator[Path]:
    """The files in the places where Maven and Gradle write JUnit XML without being asked."""
    found = 0
    for number, (folder, folders, files) in enumerate(os.walk(workspace, followlinks=False)):
        folders[:] = [name for name in folders if name not in (".git", "node_modules", ".venv")]
        if number > _MOST_FOLDERS or found > _MOST_FILES:
            return
        if any(place in f"{folder}/" for place in REPORT_FOLDERS):
            reports = [name for name in files if name.startswith("TEST-") and name.endswith(".xml")]
            found += len(reports)
            yield from (Path(folder) / name for name in reports)


def small_file(file: Path, most: int) -> bytes | None:
    """Its contents. Null: it is not there, a link, a pipe, or longer than that."""
    return _contents(file, most=most)


def _contents(file: Path, *, newer_than: int = 0, most: int = MAX_XML_BYTES) -> bytes | None:
    try:
        handle = os.open(file, _LINKS)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as opened:
        facts = os.fstat(opened.fileno())
        if not stat.S_ISREG(facts.st_mode) or facts.st_mtime_ns < newer_than or facts.st_size > most:
            return None
        return opened.read(most + 1)
