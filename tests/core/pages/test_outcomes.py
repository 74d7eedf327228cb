"""The page about the keys of outcomes is current, complete, and says which keys are needed."""

from pathlib import Path

import pytest
from pydantic import ValidationError
from scripts.pages.outcome_words import MEANINGS, PARTS, RULES
from scripts.pages.outcomes import RENEW, meaning_of, outcomes_by_turns, outcomes_page, rows_of, title_of

from caseworker.core.base.roles import Role, Task
from caseworker.core.outcomes.expected import PATTERNS, Expected, expected_by
from caseworker.core.outcomes.investigation import INVESTIGATION_STATUSES
from caseworker.core.outcomes.outcome import known_turns, outcome_schema, parse_outcome

PAGE = Path(__file__).parents[3] / "docs" / "outcomes.md"


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == outcomes_page(), f"Renew it: {RENEW}"


def test_every_turn_has_a_heading() -> None:
    headings = [line[3:] for line in outcomes_page().splitlines() if line.startswith("## ")]
    told = [heading.replace("/", ": ").split(": ") for heading in headings if "/" in heading or ": " in heading]
    turns = {(role, task) for roles, tasks in told for role in roles.split(", ") for task in tasks.split(", ")}
    assert turns == set(known_turns())


def every_part() -> dict[str, Expected]:
    """Every mapping inside an outcome, by the name of its model."""
    found: dict[str, Expected] = {}
    for _, expected in outcomes_by_turns():
        definitions = expected.root.get("$defs")
        assert isinstance(definitions, dict)
        found[title_of(expected)] = expected
        found |= {name: Expected(schema=schema, root=expected.root) for name, schema in definitions.items()}
    return {name: part for name, part in found.items() if part.names()}


def test_every_key_has_its_type_and_meaning() -> None:
    page = outcomes_page()
    for name, part in every_part().items():
        for key in part.names():
            if key == "kind" and "const" in (part.key(key) or part).schema:
                continue
            assert meaning_of(part, key), f"{name}.{key} has no meaning in outcomes_words.py"
            assert f"{key}` |" in page
    assert "| anything |" not in page


def test_no_words_are_left_for_keys_that_no_longer_exist() -> None:
    parts = every_part()
    known = {f"{name}.{key}" for name, part in parts.items() for key in part.names()}
    assert set(MEANINGS) <= known
    assert {*RULES, *PARTS} <= set(parts)


def test_no_pattern_is_shown_to_people() -> None:
    for part in every_part().values():
        for _, key, owner in rows_of(part):
            held = owner.key(key)
            assert held is not None
            assert held.schema.get("pattern", next(iter(PATTERNS))) in PATTERNS


def smallest(expected: Expected) -> object:
    """The smallest value with all needed keys."""
    if choices := expected.choices():
        return choices[0]
    match expected.schema.get("type"):
        case "string":
            return "H1" if "pattern" in expected.schema else "x"
        case "number" | "integer":
            return 0
        case "boolean":
            return True
        case "array":
            return []
    return {name: smallest(expected.key(name) or expected) for name in expected.required()}


@pytest.mark.parametrize(("role", "task"), known_turns())
def test_the_needed_keys_are_enough_if_no_rule_asks_for_more(role: Role, task: Task) -> None:
    expected = expected_by(outcome_schema(role, task))
    outcome = smallest(expected)
    assert isinstance(outcome, dict)
    rule = RULES.get(title_of(expected), "")
    decides = "action" if task is Task.BUG else "status"
    answers = (expected.key(decides) or expected).choices() or INVESTIGATION_STATUSES
    for answer in answers:
        if f"`{answer}`" not in rule and "every other" not in rule.lower():
            parse_outcome(role, task, {**outcome, decides: answer})
    for name in expected.required():
        with pytest.raises(ValidationError):
            parse_outcome(role, task, {key: value for key, value in outcome.items() if key != name})
