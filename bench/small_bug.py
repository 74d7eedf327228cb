"""A small library with a small bug: files and an issue of the sizes that were recorded with real bugs of real ones."""

from pathlib import Path
from typing import Final

from bench.projects import git

ISSUE: Final = """# `spoken` says "1 hours" for a single hour

Since 2.3 the summary mails say "1 hours ago" where it was "1 hour ago" before. It is only hours: one minute and one day
are right.

```python
>>> from durations import spoken
>>> spoken(3600)
'1 hours'
>>> spoken(60)
'1 minute'
>>> spoken(86400)
'1 day'
```

Expected: `spoken(3600)` is `'1 hour'`, and `spoken(7200)` stays `'2 hours'`. Negative values are affected in the same
way: `spoken(-3600)` should be `'1 hour'`. Found with Python 3.12 on Debian; the version is 2.3.1, from source. We
would like to keep the other words as they are, because our mails are parsed by a script of the support team.
"""
_UNITS: Final = ("moment", "minute", "hour", "day", "week", "month", "quarter", "year", "decade", "lifetime")
_HEAD: Final = '"""Durations in words, for mails and reports. Amounts are whole seconds; fractions are cut off."""\n\n'
_SPOKEN: Final = '''
def spoken(seconds: int) -> str:
    """The largest unit that fits, in words: `2 hours`. The sign is left out."""
    amount = abs(int(seconds))
    if amount < 60:
        return _counted(amount, "second")
    if amount < 3600:
        return _counted(amount // 60, "minute")
    if amount < 86400:
        return f"{amount // 3600} hours"
    return _counted(amount // 86400, "day")


def _counted(count: int, unit: str) -> str:
    return f"{count} {unit}" if count == 1 else f"{count} {unit}s"
'''
_OTHER: Final = '''
def in_{unit}s(seconds: int, *, rounded: bool = False) -> int:
    """How many whole {unit}s the duration has. `rounded`: to the nearest one, upwards from the middle.

    >>> in_{unit}s({size})
    1
    """
    count, rest = divmod(abs(int(seconds)), {size})
    return count + 1 if rounded and rest * 2 >= {size} else count
'''
_TEST: Final = """
    def test_{unit}s_are_counted_and_rounded(self):
        self.assertEqual(durations.in_{unit}s({size}), 1)
        self.assertEqual(durations.in_{unit}s({size} * 2 - 1), 1)
        self.assertEqual(durations.in_{unit}s({size} * 2 - 1, rounded=True), 2)
"""


def make_library(folder: Path) -> Path:
    """A repository with one commit: `durations.py` (6 KB) and `tests/test_durations.py` (4 KB)."""
    sizes = {unit: 7 * 60**power for power, unit in enumerate(_UNITS)}
    module = _HEAD + "".join(_OTHER.format(unit=unit, size=size) + "\n" for unit, size in sizes.items()) + _SPOKEN
    tests = "".join(_TEST.format(unit=unit, size=size) for unit, size in sizes.items())
    head = "import unittest\n\nimport durations\n\n\nclass DurationsTest(unittest.TestCase):"
    files = {
        "durations.py": module,
        "tests/__init__.py": "",
        "tests/test_durations.py": head + tests,
        "README.md": "# durations\n\nDurations in words. Run the tests with `python3 -m unittest`.\n",
        "issue.md": ISSUE,
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", "--all", ":!issue.md")
    git(folder, "commit", "--quiet", "--message", "Durations in words")
    return folder
