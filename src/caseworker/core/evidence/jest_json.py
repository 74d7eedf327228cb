"""Reads the JSON report of Jest, which Vitest writes as well. The file is hostile input."""

import json
from typing import Final

from caseworker.core.evidence.test_report import TestOutcome, TestReport, TestResult, make_report, make_result

MAX_JSON_BYTES: Final = 32 << 20
_OUTCOMES: Final = {
    "passed": TestOutcome.PASSED,
    "failed": TestOutcome.FAILED,
    **dict.fromkeys(("pending", "skipped", "todo", "disabled", "focused"), TestOutcome.SKIPPED),
}


def read_jest(document: bytes, root: str) -> TestReport | None:
    """`root`: the folder that paths are told from. Null: it is not such a report, or more than we read."""
    if len(document) > MAX_JSON_BYTES:
        return None
    try:
        whole = json.loads(document)
    except (ValueError, RecursionError):
        return None
    files = whole.get("testResults") if isinstance(whole, dict) else None
    if not isinstance(files, list):
        return None
    tests: list[TestResult] = []
    broken: list[TestResult] = []
    for file in files:
        if isinstance(file, dict):
            _read_file(file, root, tests, broken)
    return make_report("Jest's JSON", tests, broken)


def _read_file(file: dict[str, object], root: str, tests: list[TestResult], broken: list[TestResult]) -> None:
    path = _text(file.get("name")).removeprefix(root.rstrip("/") + "/")
    found = file.get("assertionResults")
    results = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    if not results and file.get("status") == "failed":
        broken.append(make_result(path, TestOutcome.ERROR, file=path, detail=_text(file.get("message"))))
    for one in results:
        outcome = _OUTCOMES.get(_text(one.get("status")), TestOutcome.ERROR)
        said = one.get("failureMessages")
        detail = "\n".join(_text(line) for line in said) if isinstance(said, list) else ""
        tests.append(make_result(_text(one.get("fullName")), outcome, file=path, detail=detail))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
