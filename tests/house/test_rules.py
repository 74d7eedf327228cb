"""The counts of tables keyed by state and of parses of one command."""

from pathlib import Path

import pytest
from scripts.house import rules

from tests.house.small_tree import measured, plant

STATES = "from enum import StrEnum\nclass IssueState(StrEnum):\n" + "".join(f"    S{n} = '{n}'\n" for n in range(9))
COMMANDS = "def parse(text): ...\ndef amount(text):\n    return parse(text)\n"


def _table(alias: str, count: int) -> str:
    return "{" + ", ".join(f"{alias}.S{number}: {number}" for number in range(count)) + "}"


def test_tables_keyed_by_state_are_found_under_every_alias(tmp_path: Path) -> None:
    tree = plant(
        tmp_path,
        {
            "core/states.py": f"{STATES}S = IssueState\nWORKER: Final = {_table('S', 8)}\n",
            "core/why.py": f"from tiny.core.states import S\nWORDS = MappingProxyType({_table('S', 9)})\n",
            "core/also.py": f"from tiny.core import states as st\nEDGES = {_table('st.IssueState', 8)}\n",
            "core/few.py": f"from .states import IssueState as I\nFEW = {_table('I', 7)}\n",
            "core/other.py": f"from elsewhere import S\nOTHER = {_table('S', 9)}\n",
        },
    )
    found = measured(rules.measures, tree, "tables keyed by core.states.IssueState")
    assert [finding.split()[1] for finding in found.findings] == ["EDGES,", "WORKER,", "WORDS,"]
    assert not found.met


def test_one_table_is_the_aim(tmp_path: Path) -> None:
    tree = plant(tmp_path, {"core/states.py": f"{STATES}ROWS = {_table('IssueState', 9)}\n"})
    assert measured(rules.measures, tree, "tables keyed by").met


def test_calls_of_parsers_count_outside_the_modules_that_define_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "PARSERS", ("parse",))
    tree = plant(
        tmp_path,
        {
            "core/commands.py": COMMANDS,
            "intake/door.py": "from tiny.core.commands import parse as read\nread('approve')\n",
            "activities/records.py": "from tiny.core import commands\ncommands.parse('approve')\nself.parse('x')\n",
            "app/json.py": "from json import parse\nparse('{}')\n",
        },
    )
    found = measured(rules.measures, tree, "calls that parse")
    assert (found.now, found.findings) == (2, ("activities/records.py:2 parse", "intake/door.py:2 parse"))


def test_an_outdated_list_of_parsers_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = plant(tmp_path, {"core/commands.py": COMMANDS})
    monkeypatch.setattr(rules, "PARSERS", ("parse", "gone"))
    assert measured(rules.measures, tree, "calls that parse").note == "gone, correct the list in the script: gone"
    monkeypatch.setattr(rules, "PARSERS", ("gone",))
    assert not measured(rules.measures, tree, "calls that parse").met
