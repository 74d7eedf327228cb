"""JSON schemas as they are sent to a model: shorter than pydantic writes them."""

from typing import Any, Final

from caseworker.core.outcomes.status_names import UNOFFERED

_UNSENT: Final = frozenset({"default", "maxLength", "minLength", "maxItems", "minItems", "additionalProperties"})
"""A model can't count its letters, and needs no defaults. Our own validation has all of them."""
_RARE: Final = frozenset({"investigation", "evidence"})
"""Parts of an outcome that go with a rare status. Their fields are listed in words: a tenth of the length."""


def sent_schema(schema: dict[str, object]) -> dict[str, object]:
    """The schema of an outcome as an agent gets it: without constants, without statuses that mean the same as others,
    and without limits that our validation checks."""
    lean: Any = without_titles(schema)  # any JSON
    definitions = lean.pop("$defs", {})
    properties: dict[str, Any] = {
        name: _in_words(part, definitions) if name in _RARE and "anyOf" in part else _without_limits(part)
        for name, part in lean["properties"].items()
        if "const" not in part
    }
    if statuses := properties.get("status", {}).get("enum"):
        offered = [status for status in statuses if status not in UNOFFERED]
        properties["status"] = {**properties["status"], "enum": offered}
    used = str(properties)
    kept = {name: _without_limits(one) for name, one in definitions.items() if f"#/$defs/{name}'" in used}
    kept |= {name: _without_limits(one) for name, one in definitions.items() if f"#/$defs/{name}'" in str(kept)}
    whole = {**_without_limits(lean), "properties": properties, "additionalProperties": False}
    return {"$defs": kept, **whole} if kept else whole


def _without_limits(schema: Any) -> Any:  # any JSON
    if isinstance(schema, list):
        return [_without_limits(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: value for key, value in schema.items() if key not in _UNSENT or isinstance(value, dict)}
    return {key: _without_limits(value) for key, value in kept.items()}


def _in_words(part: dict[str, Any], definitions: dict[str, Any]) -> dict[str, object]:
    words = f"{part.get('description', '')} {_fields(part, definitions)}".strip()
    return {"type": ["object", "null"], "description": words}


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
