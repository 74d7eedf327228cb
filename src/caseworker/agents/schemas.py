"""JSON schemas as agents and models get them: shorter than pydantic writes them."""

import re
from typing import Any, Final

from caseworker.core.outcomes.status_names import UNOFFERED

_UNSENT: Final = frozenset({"default", "maxLength", "minLength", "maxItems", "minItems", "additionalProperties"})
"""A model can't count its letters, and needs no defaults. Our own validation has all of them."""
_RARE: Final = frozenset({"investigation", "evidence", "ask", "observations", "weakened"})
"""Parts of an outcome that are rarely filled. Their fields are listed in words: a tenth of the length."""
_SITUATIONAL: Final = frozenset({"investigation", "weakened", "learnings_used", "answers", "ask", "escalation"})
"""Parts of an outcome that are asked for in some situations: they are sent only if the prompt names them."""
_REFERENCE: Final = "#/$defs/"
_NAMED: Final = re.compile(r"`(\w+)`")
_STATUS: Final = re.compile(r"[A-Z_]{2,}")


def sent_schema(schema: dict[str, object], system: str = "", prompt: str = "") -> dict[str, object]:
    """The schema of an outcome as an agent gets it: without constants, without limits that our validation checks,
    without descriptions of what the system prompt explains by its name, and without statuses and parts that it does not
    name. All of them are understood."""
    lean: Any = without_titles(schema)  # any JSON
    definitions = lean.pop("$defs", {})
    explained = frozenset(_NAMED.findall(system))
    unasked = _SITUATIONAL - explained - frozenset(_NAMED.findall(prompt)) if system else frozenset()
    properties: dict[str, Any] = {
        name: _in_words(part, definitions)
        if _is_rare(name, part)
        else _explained_within(_spelled_out(part, definitions), explained)
        for name, part in _explained_once(lean["properties"], explained).items()
        if "const" not in part and name not in unasked
    }
    if statuses := properties.get("status", {}).get("enum"):
        named = frozenset(_STATUS.findall(system)) & frozenset(statuses) or frozenset(statuses)
        offered = [status for status in statuses if status in named and status not in UNOFFERED]
        properties["status"] = {**properties["status"], "enum": offered}
    return {**_without_limits(lean), "properties": properties, "additionalProperties": False}


def shown_schema(schema: Any) -> Any:  # any JSON
    """The schema as a model sees it. The agent's program has the whole one, and checks what comes back: other fields
    are refused, and null is taken for a field that may be left out."""
    if isinstance(schema, list):
        return [shown_schema(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    shown = {key: shown_schema(value) for key, value in schema.items() if key != "additionalProperties"}
    match shown:
        case {"properties": dict(fields)}:
            needed = shown.get("required", [])
            named = {name: field if name in needed else _without_null(field) for name, field in fields.items()}
            return {**shown, "properties": named}
        case _:
            return shown


def _without_null(field: Any) -> Any:  # any JSON
    match field:
        case {"anyOf": [dict(only), {"type": "null"}], **rest}:
            return {**only, **rest}
        case {"type": [str(only), "null"]}:
            return {**field, "type": only}
        case _:
            return field


def _is_rare(name: str, part: dict[str, Any]) -> bool:
    return name in _RARE and ("anyOf" in part or part.get("type") == "array")


def _spelled_out(schema: Any, definitions: dict[str, Any]) -> Any:  # any JSON
    """With every definition in the place that refers to it, without its own description: each is used once or twice,
    and is described there."""
    match schema:
        case {"$ref": str(name), **rest}:
            definition = definitions[name.removeprefix(_REFERENCE)]
            own = {key: value for key, value in definition.items() if key != "description"}
            return {**_spelled_out(own, definitions), **rest}
        case dict():
            return _without_limits({key: _spelled_out(value, definitions) for key, value in schema.items()})
        case list():
            return [_spelled_out(item, definitions) for item in schema]
        case _:
            return schema


def _explained_once(properties: dict[str, Any], explained: frozenset[str]) -> dict[str, Any]:
    return {
        name: {key: value for key, value in part.items() if key != "description" or name not in explained}
        for name, part in properties.items()
    }


def _explained_within(schema: Any, explained: frozenset[str]) -> Any:  # any JSON
    """The same for the fields of fields."""
    match schema:
        case {"properties": dict(inner)}:
            schema = {**schema, "properties": _explained_once(inner, explained)}
        case list():
            return [_explained_within(item, explained) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _explained_within(value, explained) for key, value in schema.items()}


def _without_limits(schema: Any) -> Any:  # any JSON
    if isinstance(schema, list):
        return [_without_limits(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: value for key, value in schema.items() if key not in _UNSENT or isinstance(value, dict)}
    return {key: _without_limits(value) for key, value in kept.items()}


def _in_words(part: dict[str, Any], definitions: dict[str, Any]) -> dict[str, object]:
    words = f"{part.get('description', '')} {_fields(part, definitions)}".strip()
    return {"type": "array" if part.get("type") == "array" else ["object", "null"], "description": words}


def _fields(schema: dict[str, Any], definitions: dict[str, Any]) -> str:
    """As a sketch: `{id, hypothesis, likelihood?: High|Medium|Low}`."""
    match schema:
        case {"$ref": str(name)}:
            return _fields(definitions[name.rpartition("/")[2]], definitions)
        case {"anyOf": [dict(first), *_]}:
            return _fields(first, definitions)
        case {"type": "array", "items": dict(items)}:
            return f"[{_fields(items, definitions)}]"
        case {"enum": list(values)}:
            return "|".join(map(str, values))
        case {"properties": dict(properties)}:
            needed = schema.get("required", [])
            named = {name: _fields(one, definitions) for name, one in properties.items()}
            return (
                "{"
                + ", ".join(
                    f"{name}{'' if name in needed else '?'}{f': {told}' if told else ''}"
                    for name, told in named.items()
                )
                + "}"
            )
        case {"type": "integer" | "number" | "boolean" as kind}:
            return str(kind)
        case _:
            return ""


def without_titles(schema: object) -> object:
    """Removes the titles that pydantic gives to every field: a fifth of the schema, which is in every model call."""
    if isinstance(schema, list):
        return [without_titles(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    # A property may be *called* title: then its value is a schema, not a text.
    return {key: without_titles(value) for key, value in schema.items() if key != "title" or isinstance(value, dict)}
