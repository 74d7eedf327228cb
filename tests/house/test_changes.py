"""The count of files that a change touches, from the lists on the design page."""

from pathlib import Path

from scripts.house import changes
from scripts.house.measure import Measure

from tests.house.small_tree import measured, plant

SOURCES = {"core/states.py": "", "core/decide.py": "", "chats/slack.py": ""}


def _of(root: Path, page: str, change: str = "new state") -> Measure:
    tree = plant(root, SOURCES, {"docs/design.md": page})
    return measured(changes.measures, tree, f"files to touch for a {change}")


def test_listed_files_are_counted_from_package_and_repository(tmp_path: Path) -> None:
    page = """\
        # Design
        ## What a change touches
        - **new state** (`S`): `core/states.py` (a row, no more),
          `core/decide.py`, docs/design.md.

        - new waiver: core/states.py
        """
    found = _of(tmp_path, page)
    assert (found.now, found.met) == (3, True)
    assert found.findings == ("core/states.py", "core/decide.py", "docs/design.md")


def test_a_fourth_file_misses_the_aim(tmp_path: Path) -> None:
    files = "core/states.py, core/decide.py, chats/slack.py, docs/design.md"
    assert not _of(tmp_path, f"## What a change touches\n- new state: {files}\n").met


def test_a_known_longer_list_holds_but_does_not_grow(tmp_path: Path) -> None:
    def listed(count: int) -> Measure:
        names = [f"core/part{number}.py" for number in range(count)]
        page = f"## What a change touches\n- new command: {', '.join(names)}\n"
        tree = plant(tmp_path / str(count), dict.fromkeys(names, ""), {"docs/design.md": page})
        return measured(changes.measures, tree, "files to touch for a new command")

    assert [(found.met, found.holds) for found in (listed(5), listed(8), listed(9))] == [
        (True, True),
        (False, True),
        (False, False),
    ]


def test_a_file_that_does_not_exist_is_named(tmp_path: Path) -> None:
    found = _of(tmp_path, "## What a change touches\n- new state: core/states.py, core/gone.py\n")
    assert (found.met, found.note) == (False, "no such file: core/gone.py")


def test_a_file_that_the_change_creates_is_listed_and_not_counted(tmp_path: Path) -> None:
    page = "## What a change touches\n- new surface or forge: chats/teams.py (new), core/states.py\n"
    found = _of(tmp_path, page, "new surface")
    assert (found.now, found.findings) == (1, ("chats/teams.py", "core/states.py"))
    assert not _of(tmp_path, page.replace("chats/", "gone/"), "new surface").met


def test_lists_under_other_headings_do_not_count(tmp_path: Path) -> None:
    page = (
        "- new state: core/states.py\n## What a change touches\n- new waiver: core/states.py\n## Then\n- new state: x\n"
    )
    found = _of(tmp_path, page)
    assert (found.now, found.met, found.note) == (None, False, "not written yet")


def test_a_missing_page_is_not_written_yet(tmp_path: Path) -> None:
    notes = {one.note for one in changes.measures(plant(tmp_path, SOURCES))}
    assert notes == {"not written yet"}
