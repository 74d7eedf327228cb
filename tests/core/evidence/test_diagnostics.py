"""Diagnostics only add lines and never ship, tested with real diffs, most of them made by git."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from caseworker.core.evidence.diagnostics import MARK, MOST_FINDINGS, altered, shipped
from caseworker.core.evidence.unified_diff import read_diff

Files = dict[str, str | bytes]
BANK = "class Bank:\n    def debit(self, n):\n        self.balance -= n\n        return self.balance\n"


class Repository:
    """A repository that diffs two trees with git."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._git("init", "-q")

    def diff(self, old: Files, new: Files, *options: str) -> str:
        self._lay(old)
        self._git("add", "-A", "-f")
        before = self._git("write-tree").strip()
        self._lay(new)
        self._git("add", "-A", "-f")
        return self._git("diff", "--no-color", *options, before, self._git("write-tree").strip())

    def _lay(self, files: Files) -> None:
        for file in sorted(self._folder.rglob("*"), reverse=True):
            if ".git" not in file.parts and not file.is_dir():
                file.unlink()
        for name, text in files.items():
            (self._folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self._folder / name).write_bytes(text.encode() if isinstance(text, str) else text)

    def _git(self, *arguments: str) -> str:
        environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
        settings = ("-c", "core.quotePath=false", "-c", "core.autocrlf=false")
        done = subprocess.run(
            ["git", *settings, *arguments], cwd=self._folder, env=environment, capture_output=True, check=True
        )
        return done.stdout.decode(errors="replace")


@pytest.fixture(scope="module")
def repository() -> Iterator[Repository]:
    with TemporaryDirectory() as folder:
        yield Repository(Path(folder))


def added_lines(diff: str) -> list[tuple[str, int, str]]:
    return [
        (file.path, line.number, line.text) for file in read_diff(diff) for line in file.lines() if line.kind == "added"
    ]


def instrumented(*lines: str) -> str:
    head, call, *rest = BANK.splitlines(keepends=True)
    return "".join([head, call, *(f"        {line}\n" for line in lines), *rest])


# --- reading ---------------------------------------------------------------------------------------------------------


def test_added_lines_are_named_by_file_and_line(repository: Repository) -> None:
    diff = repository.diff({"bank.py": BANK}, {"bank.py": instrumented("print(n)"), "new file.py": "a\nb"})
    assert added_lines(diff) == [
        ("bank.py", 3, "        print(n)"),
        ("new file.py", 1, "a"),
        ("new file.py", 2, "b"),
    ]


def test_odd_file_names_are_read_correctly(repository: Repository) -> None:
    names = ["a b.py", "tab\there.py", 'quo"te.py', "back\\slash.py", "new\nline.py", "ümläut.py", "b/a b/x", "a b/b c"]
    made = repository.diff({}, dict.fromkeys(names, "x\n"))
    assert sorted({path for path, _, _ in added_lines(made)}) == sorted(names)
    empty = repository.diff({}, dict.fromkeys(names, ""))
    assert sorted(file.path for file in read_diff(empty)) == sorted(names)
    binary = repository.diff({}, dict.fromkeys(names, b"\0\1"))
    assert sorted(file.path for file in read_diff(binary) if file.binary) == sorted(names)
    assert added_lines(binary) == []


def test_file_names_in_octal_are_read() -> None:
    diff = 'diff --git "a/\\303\\274.py" "b/\\303\\274.py"\nnew file mode 100644\nindex 0..1\n--- /dev/null\n'
    diff += '+++ "b/\\303\\274.py"\n@@ -0,0 +1 @@\n+x\n'
    assert added_lines(diff) == [("ü.py", 1, "x")]


def test_lines_that_look_like_headers_are_lines(repository: Repository) -> None:
    before = "-- a/x\nkeep\n"
    after = "++ b/x\n@@ -1 +1 @@\ndiff --git a/x b/x\nkeep\n"
    (file,) = read_diff(repository.diff({"x.sql": before}, {"x.sql": after}))
    assert [line.text for line in file.lines() if line.kind == "added"] == after.splitlines()[:3]
    assert [line.text for line in file.lines() if line.kind == "removed"] == ["-- a/x"]


def test_a_renamed_file_goes_by_its_new_name(repository: Repository) -> None:
    diff = repository.diff({"old name.py": BANK * 3}, {"new name.py": BANK * 3 + "x = 1\n"}, "--find-renames")
    (file,) = read_diff(diff)
    assert (file.old_path, file.path, file.renamed) == ("old name.py", "new name.py", True)
    assert added_lines(diff) == [("new name.py", 13, "x = 1")]


def test_a_cut_or_empty_diff_is_read_without_an_error() -> None:
    assert added_lines("") == []
    assert added_lines("what is this\n@@ -1 +1 @@\n+x\n") == []
    cut = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1,9 @@\n+a\n+b"
    assert [text for _, _, text in added_lines(cut)] == ["a", "b"]


LINES = some.lists(
    some.sampled_from(["", "a", "    a", "-- b", "++ c", "@@ -1 +1 @@", "x\ry", "\\ No", "é\u2028z"]), max_size=12
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(old=LINES, new=LINES, ends=some.booleans())
def test_every_added_line_is_in_the_new_file(
    repository: Repository, old: list[str], new: list[str], ends: bool
) -> None:
    diff = repository.diff({"f": _text(old, True)}, {"f": _text(new, ends)})
    now = _text(new, ends).split("\n")
    found = read_diff(diff)
    for _, number, text in added_lines(diff):
        assert now[number - 1] == text
    removed = sum(line.kind == "removed" for file in found for line in file.lines())
    added = len(added_lines(diff))
    assert len(old) - removed + added == len(new) or not ends


def _text(lines: list[str], ends: bool) -> str:
    return "\n".join(lines) + ("\n" if lines and ends else "")


# --- diagnostics only add --------------------------------------------------------------------------------------------


def test_added_lines_and_files_alter_nothing(repository: Repository) -> None:
    new: Files = {"bank.py": instrumented("print(n)", "log(n)") + "\nprint('end')", "try.sh": "x\n", "dump.bin": b"\0"}
    assert altered(repository.diff({"bank.py": BANK}, new)) == []


def test_lines_wrapped_into_something_new_are_kept(repository: Repository) -> None:
    wrapped = (
        "class Bank:\n    def debit(self, n):\n        try:\n            self.balance -= n\n"
        "            return self.balance\n        finally:\n            print(self.balance)\n"
    )
    assert altered(repository.diff({"bank.py": BANK}, {"bank.py": wrapped})) == []


def test_a_line_after_a_missing_end_of_line_is_added(repository: Repository) -> None:
    assert altered(repository.diff({"x": "a\nb"}, {"x": "a\nb\nprint()\n"})) == []


@pytest.mark.parametrize(
    ("after", "line"),
    [
        (BANK.replace("-= n", "-= abs(n)"), "self.balance -= n"),
        (BANK.replace("        self.balance -= n\n", ""), "self.balance -= n"),
        (BANK.replace("        return self.balance\n", "    return self.balance\n"), "return self.balance"),
        (BANK.replace("        return self.balance\n", "            return self.balance\n"), "return self.balance"),
        (
            "class Bank:\n    def debit(self, n):\n        return self.balance\n        self.balance -= n\n",
            "self.balance -= n",
        ),
        (BANK.replace("self.balance -= n", "log(self.balance); self.balance -= n"), "self.balance -= n"),
        (BANK.replace("        self.balance -= n\n", "        # self.balance -= n\n"), "self.balance -= n"),
    ],
    ids=["rewritten", "removed", "to the left", "to the right", "reordered", "prefixed", "commented out"],
)
def test_changing_a_line_is_an_attempt_to_repair(repository: Repository, after: str, line: str) -> None:
    (sentence,) = altered(repository.diff({"bank.py": BANK}, {"bank.py": after}))
    assert sentence.startswith("`bank.py` loses, moves or rewrites the line ")
    assert f"`{line}`" in sentence or "return" in sentence
    assert sentence.endswith("Put it back as it was, and watch from lines of your own.")


def test_removing_one_of_two_equal_lines_is_noticed(repository: Repository) -> None:
    diff = repository.diff({"x": "a\nstep()\nstep()\nb\n"}, {"x": "a\nprint(1)\nstep()\nb\n"})
    assert altered(diff) == [
        "`x` loses, moves or rewrites the line `step()`, near line 3, but a diagnostic only adds lines. "
        "Put it back as it was, and watch from lines of your own."
    ]


def test_deleted_renamed_and_converted_files_are_named(repository: Repository) -> None:
    old: Files = {"gone.py": BANK, "old.py": BANK * 4, "image.png": b"\0\1"}
    diff = repository.diff(old, {"new.py": BANK * 4, "image.png": b"\0\2"})
    assert altered(diff) == [
        "`gone.py` is deleted, but a diagnostic only adds lines. Put the file back.",
        "`image.png` is no text and is changed, but a diagnostic only adds lines. Put it back as it was.",
        "`old.py` is renamed to `new.py`, but a diagnostic only adds lines. Give it its name back.",
    ]
    mode = "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n"
    assert altered(mode) == [
        "`run.sh` has the mode 100755 instead of 100644, but a diagnostic only adds lines. Undo that."
    ]


CODE = some.lists(some.sampled_from(["", "a()", "    b()", "\tc()", "}", "    }", "else:", "d = 1"]), max_size=10)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(old=CODE, where=some.lists(some.integers(0, 10), min_size=1, max_size=4), data=some.data())
def test_inserting_lines_alters_nothing_and_removing_one_does(
    repository: Repository, old: list[str], where: list[int], data: some.DataObject
) -> None:
    new = list(old)
    for place in where:
        new.insert(min(place, len(new)), data.draw(some.sampled_from(["print(1)", "    log(2)", *old])))
    assert altered(repository.diff({"f": _text(old, True)}, {"f": _text(new, True)})) == []
    telling = [index for index, line in enumerate(old) if line.strip()]
    if telling:
        index = data.draw(some.sampled_from(telling))
        less = [*old[:index], *old[index + 1 :], "print(1)"]
        assert altered(repository.diff({"f": _text(old, True)}, {"f": _text(less, True)})) != []


# --- diagnostics never ship ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def diagnostic(repository: Repository) -> str:
    lines = [
        f"logger.warning('balance %s', self.balance)  # {MARK}",
        "print('debiting', n, self.balance)",
        "self.history.append(n)",
        "with self.lock:",
        f"    started = clock()  # what it took: {MARK}",
    ]
    new: Files = {
        "bank.py": instrumented(*lines),
        "try_it.py": f"import bank  # {MARK}\naccount = bank.Bank(balance=100)  # {MARK}\nprint('the end', account)\n",
        "trace.bin": b"\0\1",
    }
    return repository.diff({"bank.py": BANK}, new)


def change(repository: Repository, new: Files) -> str:
    return repository.diff({"bank.py": BANK}, new)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("bank.py", f"x = 1  # {MARK}"),
        ("elsewhere.txt", f"<!-- {MARK} -->"),
        ("tests/test_bank.py", f"assert x  # {MARK.lower()}"),
        ("bank.py", "os.environ['CASEWORKER_DIAGNOSTIC']"),
        ("bank.py", "logger.warning('balance %s', self.balance)"),
        ("bank.py", "                logger.warning('balance %s', self.balance)  # keep"),
        ("shop.py", "logger.warning('balance %s', self.balance)"),
        ("tests/test_bank.py", "logger.warning('balance %s', self.balance)"),
        ("bank.py", "print('debiting', n, self.balance)"),
        ("shop.py", "print('debiting', n, self.balance)"),
        ("bank.py", "self.history.append(n)"),
        ("shop.py", "started = clock()"),
        ("try_it.py", "account = bank.Bank(balance=100)"),
    ],
)
def test_a_line_of_a_diagnostic_is_caught(repository: Repository, diagnostic: str, path: str, line: str) -> None:
    new: Files = {"bank.py": BANK, path: instrumented(line) if path == "bank.py" else f"first = 1\n{line}\n"}
    (sentence,) = shipped(change(repository, new), [diagnostic], {"bank.py": BANK})
    number = 3 if path == "bank.py" else 2
    assert sentence.startswith(f"Line {number} of `{path}` ")
    assert sentence.endswith("Diagnostic code never ships: take it out.")


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("bank.py", "with self.lock:"),
        ("bank.py", "import bank"),
        ("bank.py", "self.balance = max(0, self.balance)"),
        ("shop.py", "self.history.append(n)"),
        ("shop.py", "account = bank.Bank(balance=100)"),
        ("tests/test_bank.py", "account = bank.Bank(balance=100)"),
        ("tests/test_bank.py", "started = clock()"),
        ("shop.py", "return self.balance"),
        ("shop.py", "diagnostic = caseworker"),
    ],
)
def test_lines_that_a_repair_may_need_are_not_caught(
    repository: Repository, diagnostic: str, path: str, line: str
) -> None:
    new: Files = {"bank.py": BANK, path: instrumented(line) if path == "bank.py" else f"{line}\n"}
    assert shipped(change(repository, new), [diagnostic], {"bank.py": BANK}) == []


def test_ordinary_lines_of_many_languages_are_not_caught(repository: Repository) -> None:
    ordinary = (
        "} else if {\n#include <stdio.h>\nusing System.Text;\nfrom os import path\nreturn None;\nreturn result;\n"
        "} finally {\nfor item in items:\nif (x == null) {\ndef setUp(self):\n@staticmethod\nlogger.debug(\n"
        "raise NotImplementedError\ncontinue;\n// ----------------\nreturn false;  \nend end end end\n"
    )
    diagnostic = repository.diff({"a.c": ""}, {"a.c": ordinary})
    assert shipped(repository.diff({"a.c": "x\n"}, {"a.c": f"x\n{ordinary}"}), [diagnostic], {}) == []


def test_lines_that_were_there_before_are_not_caught(repository: Repository, diagnostic: str) -> None:
    said = "print('debiting', n, self.balance)"
    far = f"{said}\n" + "filler\n" * 30
    moved = repository.diff({"bank.py": f"{said}\nx\n"}, {"bank.py": f"x\nif x:\n    {said}\n"})
    assert shipped(moved, [diagnostic], {}) == []
    again = repository.diff({"bank.py": far}, {"bank.py": f"{far}{said}\n"})
    assert shipped(again, [diagnostic], {"bank.py": far}) == []
    assert len(shipped(again, [diagnostic], {"bank.py": None})) == 1
    to_another = repository.diff({"bank.py": f"{said}\nx\n", "b.py": "y\n"}, {"bank.py": "x\n", "b.py": f"y\n{said}\n"})
    assert shipped(to_another, [diagnostic], {}) == []


def test_lines_that_a_diagnostic_only_indented_are_not_caught(repository: Repository) -> None:
    old, wrapped = "self.total = self.total + amount\n", "if watching:\n    self.total = self.total + amount\n"
    diagnostic = repository.diff({"a.py": old}, {"a.py": wrapped})
    assert shipped(repository.diff({"a.py": "x\n"}, {"a.py": f"x\n{old}"}), [diagnostic], {}) == []


def test_a_renamed_file_is_still_the_same_file(repository: Repository, diagnostic: str) -> None:
    text = BANK * 4
    diff = repository.diff({"bank.py": text}, {"vault.py": f"{text}self.history.append(n)\n"}, "--find-renames")
    assert len(shipped(diff, [diagnostic], {"bank.py": text})) == 1


def test_a_binary_file_created_by_a_diagnostic_is_caught(repository: Repository, diagnostic: str) -> None:
    diff = repository.diff({}, {"trace.bin": b"\0\2", "other.bin": b"\0\2"})
    assert shipped(diff, [diagnostic], {}) == [
        "`trace.bin` was made by a diagnostic, and nothing of one ships. Delete the file."
    ]


def test_a_comment_before_the_line_hides_nothing(repository: Repository) -> None:
    diagnostic = repository.diff({"a.c": "x\n"}, {"a.c": f"x\n/* {MARK} */ count_the_calls();\n"})
    (found,) = shipped(repository.diff({"b.c": "y\n"}, {"b.c": "y\ncount_the_calls();\n"}), [diagnostic], {})
    assert found == (
        "Line 2 of `b.c` was added to `a.c` by a diagnostic: `count_the_calls();`. "
        "Diagnostic code never ships: take it out."
    )


def test_findings_beyond_the_limit_are_counted(repository: Repository) -> None:
    diff = repository.diff({}, {"a.py": f"x = 1  # {MARK}\n" * (MOST_FINDINGS + 7)})
    found = shipped(diff, [], {})
    assert (len(found), found[-1]) == (MOST_FINDINGS + 1, "And 7 more like these.")


def test_long_lines_are_read_quickly() -> None:
    head = "diff --git a/x b/x\n--- a/x\n+++ b/x\n"
    long = [" " * 200_000 + "x", "a #" * 50_000 + MARK, "}" * 200_000, "log" + " " * 200_000 + "y", "}\n+}\n+" * 3_000]
    diff = f"{head}@@ -1,1 +1,{len(long) + 6_001} @@\n-    }}\n" + "".join(f"+{line}\n" for line in long)
    altered(diff)
    assert shipped(diff, [diff], {}) != []


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    before=CODE,
    place=some.integers(0, 10),
    indent=some.sampled_from(["", "    ", "\t\t"]),
    comment=some.sampled_from(["#", "//", "--", "# note:", "/*"]),
)
def test_a_marked_line_is_caught_in_any_file_also_without_its_mark(
    repository: Repository, before: list[str], place: int, indent: str, comment: str
) -> None:
    said = "emit('seen', value)"
    diagnostic = repository.diff({"f.py": "x\n"}, {"f.py": f"x\n{said}  {comment} {MARK}\n"})
    after = [*before[:place], f"{indent}{said}", *before[place:]]
    diff = repository.diff({"g.py": _text(before, True)}, {"g.py": _text(after, True)})
    (found,) = shipped(diff, [diagnostic], {"g.py": _text(before, True)})
    assert found.startswith(f"Line {min(place, len(before)) + 1} of `g.py` ")
