"""Mistakes in a rehearsal are reported with the turn, the key, what was found and what is expected.

The words are those of the script's author, with no internals of the program.
"""

import json
import re
from collections.abc import Iterator
from copy import deepcopy

import pytest

from caseworker.agents.rehearsal import load_rehearsal
from caseworker.agents.scriptfile import Location
from caseworker.core.base.errors import Refused
from caseworker.core.base.roles import Role, Task
from caseworker.core.outcomes.outcome import Outcome, outcome_schema
from tests.core.outcomes.test_outcomes import ANSWERS
from tests.permutations import mostly_slow

INTERNALS = re.compile(
    r"(?i)input should|value error|instance|dictionary|pydantic|union|literal|discriminator|\^|nonetype"
)
ONE_OF_EACH: list[tuple[Role, Task, Outcome]] = list({answer.kind: (r, t, answer) for r, t, answer in ANSWERS}.values())

WRONG: list[object] = [None, 7, -1, ["x"], {"x": "y"}, "x", {"turns": [{}]}]


def told(script: object) -> str | None:
    try:
        load_rehearsal(json.dumps(script), "my.yaml")
    except Refused as refused:
        return str(refused)
    return None


def script_of(role: Role, task: Task, outcome: object) -> dict[str, object]:
    return {"version": 1, "turns": [{"role": role, "task": task, "nth": 2, "steps": [{"outcome": outcome}]}]}


def places(value: object, where: Location = ()) -> Iterator[Location]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inside in inner:
        yield (*where, key)
        yield from places(inside, (*where, key))


def changed(document: object, where: Location, value: object) -> object:
    copy = deepcopy(document)
    part = copy
    for step in where[:-1]:
        part = part[step]  # type: ignore[index]  # it is where `places` found it
    part[where[-1]] = value  # type: ignore[index]
    return copy


@pytest.mark.parametrize(
    ("role", "task", "answer"),
    mostly_slow(ONE_OF_EACH, always=6),
    ids=lambda value: getattr(value, "kind", str(value)),
)
def test_a_wrong_value_anywhere_in_an_outcome_is_reported_in_words(role: Role, task: Task, answer: Outcome) -> None:
    outcome = answer.model_dump(mode="json", exclude={"kind"})
    classes = re.compile(
        "|".join(
            rf"\b{name}\b"
            for name in re.findall(r'"title": "(\w+)", "type": "object"', json.dumps(outcome_schema(role, task)))
        )
    )
    assert told(script_of(role, task, outcome)) is None
    refused = 0
    for where in places(outcome):
        for wrong in (7, ["x"], {"x": "y"}, "x" * 17_000):
            said = told(script_of(role, task, changed(outcome, where, wrong)))
            if said is not None:
                refused += 1
                assert f"turn 1 ({role}/{task}, nth 2), step 1, outcome" in said, (where, wrong)
                assert not INTERNALS.search(said), said
                assert not classes.search(said), said
    assert refused > 10


def test_a_wrong_value_anywhere_else_in_a_script_is_reported_in_words() -> None:
    script = {
        "version": 1,
        "pace": 0.5,
        "turns": [
            {
                "role": "pm",
                "task": "triage",
                "nth": 1,
                "steps": [
                    {"say": "I look.", "call": "Read", "with": {"file_path": "a"}, "hear": 1, "delay": 1},
                    {"calls": [{"call": "Read", "with": {}}]},
                    {"error": "overloaded"},
                    {"outcome": {"status": "?"}, "invalid": True},
                ],
            }
        ],
        "questions": [
            {
                "purpose": "classify",
                "nth": 1,
                "steps": [{"answer": {"label": "bug"}, "delay": 1}, {"say": "x"}, {"error": "refused"}],
            }
        ],
    }
    assert told(script) is None
    for where in places(script):
        for wrong in WRONG:
            said = told(changed(script, where, wrong))
            assert said is None or (said.startswith("my.yaml, line 1: ") and not INTERNALS.search(said)), said


def test_a_text_in_place_of_a_mapping_is_reported() -> None:
    outcome = next(answer for role, _, answer in ANSWERS if role is Role.ANALYST).model_dump(mode="json")
    said = told(script_of(Role.ANALYST, Task.ANALYZE, {**outcome, "files": ["shop/cart.py"]}))
    assert said is not None
    assert said.splitlines()[0] == (
        "my.yaml, line 1: turn 1 (analyst/analyze, nth 2), step 1, outcome, files, item 1: "
        'found "shop/cart.py"; expected a mapping with `path`, `purpose` and `action`'
    )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("say: The sum: it is wrong", "a text with `: ` in it goes in quotes"),
        ("say: `sum` is wrong", "a text that begins with such a character goes in quotes"),
        ("\tsay: x", "YAML wants spaces, and this is a tab"),
    ],
)
def test_common_yaml_mistakes_are_reported_with_what_to_do(line: str, said: str) -> None:
    with pytest.raises(Refused) as refused:
        load_rehearsal(f"version: 1\nturns:\n  - role: pm\n    task: triage\n    steps:\n    - {line}\n", "my.yaml")
    assert str(refused.value).startswith("my.yaml, line 6: ")
    assert str(refused.value).endswith(said)
