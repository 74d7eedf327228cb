"""The report of `make house`: its table, its JSON and its exit code."""

import json
from pathlib import Path

import pytest
from scripts.house import __main__ as house
from scripts.house.measure import Measure
from scripts.house.tree import Tree

from tests.house.small_tree import PACKAGE, plant


def _run(root: Path, *arguments: str) -> int:
    return house.main(["--root", str(root), "--package", PACKAGE, *arguments])


def test_a_missed_aim_fails_and_is_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plant(tmp_path, {"core/words.py": "\n" * 301})
    assert _run(tmp_path) == 1
    out = capsys.readouterr().out
    assert all(word in out for word in ("measure", "now", "aim", "met", "core/words.py: 301 lines"))


def test_met_aims_succeed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def one(tree: Tree) -> list[Measure]:
        return [Measure(name="files", now=len(tree.modules), aim=1)]

    monkeypatch.setattr(house, "_MEASURES", (one,))
    plant(tmp_path, {})
    assert _run(tmp_path) == 0
    plant(tmp_path, {"more.py": ""})
    assert _run(tmp_path) == 1


def test_quiet_shows_only_missed_aims(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plant(tmp_path, {"core/words.py": "\n" * 301})
    assert _run(tmp_path, "--quiet") == 1
    out = capsys.readouterr().out
    assert "core/words.py: 301 lines" in out
    assert "modules named by gerunds" not in out


def test_json_has_every_measure_with_all_findings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plant(tmp_path, {f"core/part{number}.py": "\n" * 301 for number in range(12)})
    assert _run(tmp_path, "--json") == 1
    measures = {one["measure"]: one for one in json.loads(capsys.readouterr().out)}
    assert len(measures["source files over 300 lines"]["findings"]) == 12
    assert measures["source files over 300 lines"]["met"] is False
