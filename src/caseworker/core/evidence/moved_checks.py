"""Tells whether the assertions that a test lost are in other tests now: it may have been split, or lines moved."""

from collections import Counter
from collections.abc import Iterable

from caseworker.core.evidence.disabled_checks import shields
from caseworker.core.evidence.test_files import ReadTest


class Elsewhere:
    """The assertions of new tests, and those that existing tests have gained."""

    def __init__(self, pairs: Iterable[tuple[ReadTest, ReadTest]], added: Iterable[ReadTest]) -> None:
        fair = [test for test in added if next(shields(test), None) is None]
        self._lines = {line for test in fair for line in test.body}
        self._checks = sum((_checks_of(test) for test in fair), Counter[str]())
        for before, after in pairs:
            self._checks += _checks_of(after) - _checks_of(before)

    def takes_over(self, before: ReadTest, after: ReadTest | None) -> bool:
        """Whether all assertions that a test lost are here, with the same lines. Each one here replaces one lost."""
        lost = _checks_of(before) - (_checks_of(after) if after else Counter())
        lines = self._lines.union(after.body if after else ())
        if not lost or lost.total() < before.checks - (after.checks if after else 0):
            return False
        if not lost <= self._checks or not lines.issuperset(before.body):
            return False
        self._checks -= lost
        return True


def _checks_of(test: ReadTest) -> Counter[str]:
    return Counter(line.text for line in test.lines if line.checks)
