"""The measures of files, classes and constructors."""

from pathlib import Path

from scripts.house import sizes

from tests.house.small_tree import fields, measured, plant

PYDANTIC = "from pydantic import BaseModel\n"


def test_a_record_in_core_with_sixteen_fields_is_named_and_fifteen_are_fine(tmp_path: Path) -> None:
    text = f"{PYDANTIC}class Large(BaseModel):\n{fields(16)}class Small(BaseModel):\n{fields(15)}"
    found = measured(
        sizes.measures, plant(tmp_path, {"core/case.py": text}), "records with more than 15 fields in core"
    )
    assert (found.now, found.findings, found.met) == (1, ("core.case.Large: 16 fields",), False)


def test_inherited_fields_count_and_class_variables_do_not(tmp_path: Path) -> None:
    tree = plant(
        tmp_path,
        {
            "core/base.py": f"{PYDANTIC}class Base(BaseModel):\n    LIMIT: ClassVar[int] = 3\n{fields(15)}",
            "core/bug/case.py": "from tiny.core import base\nclass Whole(base.Base):\n    more: int\n",
            "core/pull/case.py": "from ..base import Base as B\nclass Same(B):\n    field_0: str\n",
        },
    )
    assert measured(sizes.measures, tree, "records with more than 15 fields in core").findings == (
        "core.bug.case.Whole: 16 fields",
    )


def test_dataclasses_outside_core_are_counted_apart(tmp_path: Path) -> None:
    text = f"import dataclasses\n@dataclasses.dataclass(frozen=True)\nclass Brief:\n{fields(16)}"
    tree = plant(tmp_path, {"agents/brief.py": text})
    assert measured(sizes.measures, tree, "records with more than 15 fields in core").met
    assert measured(sizes.measures, tree, "records with more than 15 fields in the other").now == 1


def test_settings_are_allowed_with_their_reason(tmp_path: Path) -> None:
    tree = plant(tmp_path, {"core/policy.py": f"{PYDANTIC}class Policy(BaseModel):\n{fields(22)}"})
    found = measured(sizes.measures, tree, "records with more than 15 fields in core")
    assert found.met
    assert found.allowed[0].startswith("core.policy.Policy, 22 fields: the settings of one case")


def test_the_record_with_the_id_of_a_case_is_a_snapshot(tmp_path: Path) -> None:
    text = f"{PYDANTIC}class Bug(BaseModel):\n    id: ids.CaseId\n{fields(3)}class Post(BaseModel):\n    id: PostId\n"
    tree = plant(tmp_path, {"core/bug/case.py": text})
    assert measured(sizes.measures, tree, "fields of the snapshot").now == 4


def test_a_tree_without_snapshots_misses_the_aim(tmp_path: Path) -> None:
    assert not measured(sizes.measures, plant(tmp_path, {}), "fields of a snapshot").met


def test_a_file_of_301_lines_is_too_long_and_the_ten_largest_are_listed(tmp_path: Path) -> None:
    lengths = {f"core/part{number}.py": "\n" * number for number in range(1, 11)}
    tree = plant(tmp_path, {**lengths, "core/words.py": "\n" * 301, "core/most.py": "\n" * 300})
    found = measured(sizes.measures, tree, "source files over 300 lines")
    assert (found.now, found.note, len(found.findings)) == (1, "largest: core/words.py, 301", 10)
    assert found.findings[1] == "core/most.py: 300 lines"


def test_what_mypy_leaves_out_is_not_measured(tmp_path: Path) -> None:
    settings = '[tool.mypy]\nexclude = ["src/tiny/app/demos"]\n'
    tree = plant(tmp_path, {"app/demos/shop.py": "\n" * 301}, {"pyproject.toml": settings})
    assert measured(sizes.measures, tree, "source files over").now == 0


def test_a_function_of_61_lines_is_too_long(tmp_path: Path) -> None:
    long, fits = ("    pass\n" * count for count in (60, 59))
    tree = plant(tmp_path, {"core/story.py": f"def tell():\n{long}async def hear():\n{fits}"})
    assert measured(sizes.measures, tree, "functions over 60").findings == ("core.story.tell: 61 lines",)


def test_a_constructor_takes_five_things_besides_self(tmp_path: Path) -> None:
    wide = "class Wide:\n    def __init__(self, a, /, b, *, c, d, e, f=None): ...\n"
    fits = "class Fits:\n    def __init__(self, a, b, c, *, d, **others): ...\n"
    tree = plant(tmp_path, {"activities/turn.py": wide + fits})
    found = measured(sizes.measures, tree, "constructors")
    assert found.findings == ("activities.turn.Wide: 6 parameters",)


def test_a_dataclass_with_async_methods_has_a_constructor_and_a_record_has_none(tmp_path: Path) -> None:
    work = "    state: int = 0\n    async def run(self): ...\n"
    tree = plant(
        tmp_path,
        {
            "agents/talk.py": f"@dataclass\nclass Talk:\n{fields(6)}{work}@dataclass\nclass Short:\n{fields(5)}{work}",
            "agents/brief.py": f"@dataclass\nclass Brief:\n{fields(6)}",
        },
    )
    assert measured(sizes.measures, tree, "constructors").findings == ("agents.talk.Talk: 6 parameters",)


def test_wiring_is_found_as_a_module_and_as_a_package(tmp_path: Path) -> None:
    module = plant(tmp_path / "module", {"app/wiring.py": "\n" * 121})
    package = plant(tmp_path / "package", {"wiring/__init__.py": "\n" * 20, "wiring/parts.py": "\n" * 100})
    assert [measured(sizes.measures, tree, "lines of wiring").now for tree in (module, package)] == [121, 120]
    assert measured(sizes.measures, plant(tmp_path / "none", {}), "lines of wiring").now is None
