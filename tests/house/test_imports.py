"""The count of mutual imports between packages, on planted packages."""

from pathlib import Path

from scripts.house import imports

from tests.house.small_tree import measured, plant

CORE = "mutual imports between the children of tiny.core"


def test_packages_whose_modules_import_each_other_are_a_pair(tmp_path: Path) -> None:
    tree = plant(
        tmp_path,
        {
            "core/bug/case.py": "from tiny.core.issue import words\n",
            "core/bug/words.py": "",
            "core/issue/case.py": "import tiny.core.bug.words\n",
            "core/issue/words.py": "",
            "core/pull/case.py": "import tiny.core.bug.words\n",
        },
    )
    found = measured(imports.measures, tree, CORE)
    assert (found.now, found.findings) == (1, ("tiny.core.bug <> tiny.core.issue",))


def test_imports_for_type_checkers_count(tmp_path: Path) -> None:
    guarded = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import tiny.store.rows\n"
    tree = plant(tmp_path, {"core/case.py": guarded, "store/rows.py": "import tiny.core.case\n"})
    assert measured(imports.measures, tree, "mutual imports between the children of tiny").findings == (
        "tiny.core <> tiny.store",
    )


def test_pairs_are_also_found_below_the_named_levels(tmp_path: Path) -> None:
    one, other = "import tiny.agents.deep.b.y\n", "import tiny.agents.deep.a.x\n"
    tree = plant(
        tmp_path,
        {"agents/deep/a/x.py": one, "agents/deep/a/z.py": "", "agents/deep/b/y.py": "", "agents/deep/b/w.py": other},
    )
    found = measured(imports.measures, tree, "mutual imports at all deeper levels")
    assert found.findings == ("tiny.agents.deep.a <> tiny.agents.deep.b",)


def test_a_flat_core_has_no_number(tmp_path: Path) -> None:
    found = measured(imports.measures, plant(tmp_path, {"core/case.py": ""}), CORE)
    assert (found.now, found.met, found.note) == (None, False, "not split into packages yet")
