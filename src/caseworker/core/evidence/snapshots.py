"""Finds stored outputs that a change rewrites or removes: snapshots, golden and approved files that tests compare with.

They are rewritten by one option of the runner, whatever the code gives. A removed one is often written anew by the next
run, which then passes. New ones are not reported: they belong to new tests.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from caseworker.core.base.text import code
from caseworker.core.evidence.test_places import is_in_a_test_place

Texts = Mapping[str, str | None]
_MOST_FILES: Final = 3
"""Most files that are told one by one."""
_MOST_NAMES: Final = 5
_SNAPSHOT: Final = re.compile(
    r"(?:[^\n]{0,300}/)?__(?:image_)?snapshots__/[^\n]{1,300}|[^\n]{1,300}\.(?:snap|ambr|golden|snapshot)"
    r"|[^\n]{1,300}\.(?:approved|verified|golden)\.\w{1,10}"
)
_IN_TESTS: Final = re.compile(
    r"[^\n]{0,300}/(?:snapshots|goldens?)/[^\n]{1,300}|[^\n]{1,300}[./_-](?:expected|golden|stdout|stderr)(?:\.\w{1,10})?"
)
"""The same by names that say it only in a folder of tests."""
_TEST_DATA: Final = re.compile(r"(?:^|/)(?:testdata|test-data|test_data|fixtures)/")
_CODE: Final = re.compile(r"\.(?:py|[cm]?[jt]sx?|go|rs|java|kt|rb|sh)$")
_OF_SCRIPT: Final = "exports["
_OF_SYRUPY: Final = "# name: "
_HEAD: Final = "---"


def may_be_snapshot(path: str) -> bool:
    said = path[-600:]
    if _CODE.search(said):
        return False
    is_for_tests = is_in_a_test_place(said) or _TEST_DATA.search(said) is not None
    return _SNAPSHOT.fullmatch(said) is not None or (is_for_tests and _IN_TESTS.fullmatch(said) is not None)


def changed_snapshots(before: Texts, after: Texts) -> list[str]:
    """A sentence for each file, or one for all if they are many. `before`, `after`: as of `weakened`."""
    paths = sorted(path for path in before if may_be_snapshot(path))
    kept = {body for path in after if may_be_snapshot(path) for body in _outputs(after[path]).values()}
    told = {path: how for path in paths if (how := _change_of(path, before, after, kept))}
    if len(told) <= _MOST_FILES:
        return [f"{code(path)}, which tests compare their output with, {how}." for path, how in told.items()]
    files = f"{len(told)} files that tests compare their output with"
    return [f"{files} were rewritten or lost outputs: {_listed([*told])}."]


def _change_of(path: str, before: Texts, after: Texts, kept: set[str]) -> str:
    """Empty: nothing that was expected before is gone."""
    old, new = before[path], after.get(path)
    if path in after and (old is None or new is None):
        return "was rewritten, and is too large to be compared"
    was, now = _outputs(old), _outputs(new) if path in after else {}
    gone = [name for name in was if name not in now and was[name] not in kept]
    if path not in after:
        return "was deleted" if gone else ""
    rewritten = [name for name in was if name in now and was[name] != now[name]]
    parts = [*_parts(rewritten, "was rewritten"), *_parts(gone, "lost")]
    return " and ".join(parts)


def _parts(names: Sequence[str], how: str) -> Iterator[str]:
    if names == [""]:
        yield "was rewritten"
    elif names:
        yield f"{how} in {_listed(names)}" if how != "lost" else f"lost {_listed(names)}"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(code(name) for name in names[:_MOST_NAMES])
    return shown if len(names) <= _MOST_NAMES else f"{shown} and {len(names) - _MOST_NAMES} more"


def _outputs(text: str | None) -> dict[str, str]:
    """The outputs that a file holds, by name. One alone has no name."""
    lines = [line.rstrip() for line in (text or "").split("\n")]
    mark = next((one for one in (_OF_SCRIPT, _OF_SYRUPY) if any(line.startswith(one) for line in lines)), None)
    if mark is None:
        return {"": "\n".join(_without_head(lines)).strip("\n")}
    found: dict[str, list[str]] = {}
    name = ""
    for line in lines:
        if line.startswith(mark):
            name = line.partition(mark)[2].partition("] = ")[0].strip("`'\"")
            found[name] = [line.partition("] = ")[2]]
        elif name:
            found[name].append(line)
    return {name: "\n".join(body).strip("\n") for name, body in found.items()}


def _without_head(lines: Sequence[str]) -> Sequence[str]:
    """Of insta: without the lines that say where an output is from."""
    if lines and lines[0] == _HEAD and _HEAD in lines[1:]:
        return lines[lines.index(_HEAD, 1) + 1 :]
    return lines
