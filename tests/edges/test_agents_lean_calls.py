"""What the agent's program sends with every call is shortened in the gateway, always in the same way."""

import json

from caseworker.agents.lean_calls import lean
from caseworker.agents.role_tools import OUTCOME_TOOL
from caseworker.agents.schemas import sent_schema, shown_schema
from caseworker.agents.upstreams import ModelCall
from caseworker.core.base.roles import Role, Task
from caseworker.core.outcomes.outcome import known_turns, outcome_schema
from caseworker.core.outcomes.status_names import UNOFFERED

BASH = {
    "name": "Bash",
    "description": "Executes a bash command. " * 20,
    "input_schema": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "command": {"type": "string", "description": "The command to execute"},
            "timeout": {"type": "number", "description": "Optional"},
            "dangerouslyDisableSandbox": {"type": "boolean"},
        },
        "required": ["command"],
        "additionalProperties": False,
    },
}
OURS = {"name": "mcp__caseworker__bisect", "description": "Find the commit.", "input_schema": {"type": "object"}}
SURROUNDINGS = "# Environment\n - Primary working directory: /case/tree\n - Shell: bash\n\nToday's date is 2026-11-17."


def a_call(**document: object) -> ModelCall:
    whole = {"model": "claude-sonnet-5-5", "messages": [], **document}
    return ModelCall(path="/v1/messages", query="", headers={}, body=json.dumps(whole).encode(), document=whole)


def test_a_tool_keeps_its_required_arguments_and_loses_what_nobody_uses() -> None:
    (tool,) = json.loads(lean(a_call(tools=[BASH])).body)["tools"]
    assert list(tool["input_schema"]["properties"]) == ["command", "timeout"]
    assert tool["input_schema"]["required"] == ["command"]
    assert len(json.dumps(tool)) < 400


def test_our_own_tools_and_what_people_said_stay_as_they_are() -> None:
    said = [
        {"role": "user", "content": SURROUNDINGS},
        {"role": "assistant", "content": [{"type": "text", "text": "é"}]},
    ]
    call = a_call(tools=[OURS], messages=said)
    assert lean(call) is call


def test_of_its_surroundings_the_agent_is_told_the_folder_and_the_date() -> None:
    block = {"type": "text", "text": SURROUNDINGS, "cache_control": {"type": "ephemeral"}}
    (message,) = json.loads(lean(a_call(messages=[{"role": "system", "content": [block]}])).body)["messages"]
    told = "Primary working directory: /case/tree\nToday's date is 2026-11-17."
    assert message["content"] == [{**block, "text": told}]


def test_the_same_call_is_always_shortened_to_the_same_bytes() -> None:
    assert lean(a_call(tools=[BASH])).body == lean(a_call(tools=[BASH])).body
    shortened = lean(a_call(tools=[BASH]))
    assert lean(shortened) == shortened


def test_a_model_is_not_shown_what_only_the_agents_program_checks() -> None:
    for role, task in known_turns():
        sent = sent_schema(outcome_schema(role, task))
        (tool,) = json.loads(lean(a_call(tools=[{"name": OUTCOME_TOOL, "input_schema": sent}])).body)["tools"]
        shown = tool["input_schema"]
        assert list(shown["properties"]) == list(sent["properties"])  # type: ignore[call-overload]  # JSON
        assert shown["required"] == sent["required"]
        assert "additionalProperties" in str(sent)
        assert "additionalProperties" not in str(shown)


def test_null_is_not_offered_for_a_field_that_may_be_left_out() -> None:
    maybe = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    fields = {"needed": maybe, "other": maybe, "rare": {"type": ["object", "null"], "description": "{id}"}}
    assert shown_schema({"type": "object", "properties": fields, "required": ["needed"]})["properties"] == {
        "needed": maybe,
        "other": {"type": "string"},
        "rare": {"type": "object", "description": "{id}"},
    }


def test_a_sent_schema_has_every_field_but_the_constant_and_no_overlapping_status() -> None:
    for role, task in known_turns():
        whole, sent = outcome_schema(role, task), sent_schema(outcome_schema(role, task))
        assert set(sent["properties"]) == set(whole["properties"]) - {"kind"}  # type: ignore[call-overload]  # JSON
        assert not any(f"'{status}'" in str(sent) for status in UNOFFERED)
        assert "maxLength" not in str(sent)


def test_what_the_prompt_explains_by_name_is_not_described_again() -> None:
    sent: dict[str, dict[str, dict[str, str]]] = sent_schema(  # type: ignore[assignment]  # JSON
        outcome_schema(Role.TESTER, Task.CREATE_TESTS), "- `test_command`: runs it alone. `ask`: others."
    )
    assert sent["properties"]["test_command"] == {"type": "string"}
    sketch = "[{to: pm|analyst|tester|developer|tech_lead, question}]"
    assert sent["properties"]["ask"] == {"type": "array", "description": sketch}
    assert "escalation" not in sent["properties"], "the prompt does not ask for it"


def test_a_schema_refers_to_no_definition_and_keeps_fields_called_description() -> None:
    for role, task in known_turns():
        assert "$ref" not in str(sent_schema(outcome_schema(role, task)))
    (changes,) = [sent_schema(outcome_schema(Role.DEVELOPER, Task.IMPLEMENT), "`description`")["properties"]]
    assert set(changes["changes"]["items"]["properties"]) == {"file", "description"}  # type: ignore[index]  # JSON


def test_a_rare_part_of_an_outcome_is_sketched_in_words() -> None:
    sent: dict[str, dict[str, dict[str, str]]] = sent_schema(outcome_schema(Role.DEVELOPER, Task.IMPLEMENT))  # type: ignore[assignment]  # JSON
    assert sent["properties"]["investigation"]["description"].endswith(
        "{problem_summary, hypothesis_matrix?: [{id, hypothesis}], "
        "suggested_skills?: [bisect|profile|stress|trace], new_problem?: boolean}"
    )
