"""The counts of code and histories that serve earlier versions."""

from pathlib import Path

from scripts.house import versions

from tests.house.small_tree import measured, plant


def test_patch_markers_are_found_where_they_are_called(tmp_path: Path) -> None:
    text = "# workflow.patched('a')\nif workflow.patched('b'):\n    deprecate_patch('c')\nsaid = 'patched(d)'\n"
    found = measured(versions.measures, plant(tmp_path, {"flows/issue.py": text}), "patch markers")
    assert (found.now, found.findings) == (2, ("flows/issue.py:2 patched", "flows/issue.py:3 deprecate_patch"))


def test_names_of_old_rules_are_found_in_code_and_not_in_text(tmp_path: Path) -> None:
    tree = plant(
        tmp_path,
        {
            "core/first_rules.py": "",
            "flows/issue.py": "'''The first_rules.'''\nfrom tiny.core.first_rules import x\nself._new_rules = 1\n",
        },
    )
    assert measured(versions.measures, tree, "names of earlier").findings == (
        "core/first_rules.py:1 first_rules",
        "flows/issue.py:2 first_rules",
        "flows/issue.py:3 _new_rules",
    )


def test_exactly_one_migration_is_the_aim(tmp_path: Path) -> None:
    met = []
    for count in (0, 1, 2):
        sources = {f"store/migrations/versions/{number}.py": "" for number in range(count)}
        met.append(measured(versions.measures, plant(tmp_path / str(count), sources), "migrations").met)
    assert met == [False, True, False]


def test_histories_are_counted_in_all_folders(tmp_path: Path) -> None:
    beside = {f"tests/replay/histories/{number}/a.json": "{}" for number in range(26)}
    found = measured(versions.measures, plant(tmp_path, {}, beside), "committed histories")
    assert (found.now, found.met) == (26, False)
