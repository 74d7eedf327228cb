"""Counts how many files a change touches, as `docs/design.md` lists them.

Under the heading "What a change touches" each change has one list, which may go on in indented lines:

    - new state: `core/issue/states.py`, `core/issue/decide.py` (one transition), `docs/states.md`

A path begins at the repository or at the package. Text in parentheses is for the reader. `(new)` marks a file that the
change creates: it is listed and not counted, because what a change costs is how many files have to know of it. Only its
folder must exist.
"""

import re
from collections.abc import Iterator
from typing import Final

from scripts.house.measure import Measure
from scripts.house.tree import Tree

HEADING: Final = "What a change touches"
AIMS: Final = {"new command": 5, "new state": 3, "new waiver": 3, "new surface": 3, "new workflow": 5}

_HELD: Final = {"new command": 8}
"""Where the true list is longer than the aim."""

_NOT_WRITTEN: Final = "not written yet"
_FILE: Final = re.compile(r"(?P<path>[^\s,()]+)\s*(?P<remark>\([^)]*\))?")


def measures(tree: Tree) -> Iterator[Measure]:
    page = tree.root / "docs" / "design.md"
    lists = dict(_lists(page.read_text() if page.exists() else ""))
    for change, aim in AIMS.items():
        name = f"files to touch for a {change}"
        files = next((listed for label, listed in lists.items() if label.startswith(change)), {})
        missing = [path for path, is_new in files.items() if not _exists(tree, path, is_new=is_new)]
        if not files or missing:
            note = f"no such file: {', '.join(missing)}" if missing else _NOT_WRITTEN
            yield Measure(name=name, now=None, aim=aim, note=note)
        else:
            touched = sum(not is_new for is_new in files.values())
            yield Measure(name=name, now=touched, aim=aim, held_at=_HELD.get(change, 0), findings=tuple(files))


def _exists(tree: Tree, path: str, *, is_new: bool) -> bool:
    homes = (tree.root / path, tree.root / "src" / tree.package / path)
    return any(home.parent.is_dir() if is_new else home.is_file() for home in homes)


def _lists(text: str) -> Iterator[tuple[str, dict[str, bool]]]:
    """For each change its files, and whether the change creates them."""
    for item in _items(text):
        label, _, files = item.replace("`", "").replace("*", "").partition(":")
        found = {one["path"].rstrip("."): one["remark"] == "(new)" for one in _FILE.finditer(files)}
        yield label.strip().lower(), {path: is_new for path, is_new in found.items() if path}


def _items(text: str) -> Iterator[str]:
    """The list items under the heading, each as one line."""
    item, inside = "", False
    for line in [*text.splitlines(), "#"]:
        if line.startswith("#"):
            if item:
                yield item
            item, inside = "", line.strip("# ") == HEADING
        elif inside and line.startswith(("- ", "* ")):
            if item:
                yield item
            item = line[2:]
        elif item and line.startswith(" "):
            item = f"{item} {line.strip()}"
