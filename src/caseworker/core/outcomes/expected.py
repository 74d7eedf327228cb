"""Describes in words what a JSON Schema expects, for people who write an agent's answers by hand (rehearsals)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

Schema = Mapping[str, object]

PATTERNS: Final = {
    "^H[1-9][0-9]?$": "the id of a hypothesis (`H1` to `H99`)",
    "^(H[1-9][0-9]?)?$": "the id of a hypothesis (`H1` to `H99`), or empty",
}
"""Words for regular expressions, which people should not have to read."""


@dataclass(frozen=True, kw_only=True)
class Expected:
    """A place in a schema. `root` is the whole schema, which `$ref` points into."""

    schema: Schema
    root: Schema

    def at(self, where: Sequence[str | int]) -> "Expected | None":
        """What is expected at this path below here. None: the schema does not describe it."""
        here = self
        for part in where:
            inner = here.item() if isinstance(part, int) else here.key(part)
            if inner is None:
                return None
            here = inner
        return here

    def key(self, name: str) -> "Expected | None":
        found = _mapping(self.schema.get("properties")).get(name)
        return self._of(found) if found is not None else None

    def item(self) -> "Expected | None":
        found = self.schema.get("items")
        return self._of(found) if found is not None else None

    def names(self) -> list[str]:
        return list(_mapping(self.schema.get("properties")))

    def required(self) -> list[str]:
        return [str(name) for name in _list(self.schema.get("required"))]

    def choices(self) -> list[str]:
        return [str(value) for value in _list(self.schema.get("enum"))]

    def is_text(self) -> bool:
        return self.schema.get("type") == "string" and "enum" not in self.schema

    def words(self) -> str:
        if choices := self.choices():
            return either(choices)
        if "const" in self.schema:
            return f"`{self.schema['const']}`"
        match self.schema.get("type"):
            case "string":
                return self._text()
            case "integer":
                return f"a whole number{self._range()}"
            case "number":
                return f"a number{self._range()}"
            case "boolean":
                return "`true` or `false`"
            case "array":
                return self._items()
            case "object":
                return self._keys()
            case _:
                return "anything"

    def _of(self, schema: object) -> "Expected":
        """Resolves references. A nullable value is described by its other type."""
        found = _mapping(schema)
        if "$ref" in found:
            return self._of(_mapping(self.root.get("$defs"))[str(found["$ref"]).rpartition("/")[2]])
        for one in _list(found.get("anyOf")):
            if _mapping(one).get("type") != "null":
                return self._of(one)
        return Expected(schema=found, root=self.root)

    def _text(self) -> str:
        pattern, most = self.schema.get("pattern"), self.schema.get("maxLength")
        if pattern is not None:
            return PATTERNS.get(str(pattern), f"text like {pattern}")
        limit = f" of at most {most:,} characters" if isinstance(most, int) else ""
        return f"text{limit}, not empty" if self.schema.get("minLength") else f"text{limit}"

    def _range(self) -> str:
        least, most = self.schema.get("minimum"), self.schema.get("maximum")
        if least is not None and most is not None:
            return f" from {least:g} to {most:g}"
        return f", at least {least:g}" if least is not None else ""

    def _items(self) -> str:
        least, most, item = self.schema.get("minItems"), self.schema.get("maxItems"), self.item()
        limit = f" of {least} to {most}" if least and most else f" of at most {most}" if most else ""
        return f"a list{limit}" + (f" (each: {item.words()})" if item is not None and item.schema else "")

    def _keys(self) -> str:
        needed = self.required()
        others = [name for name in self.names() if name not in needed]
        if not needed and not others:
            return "a mapping (`key: value`)"
        if not needed:
            return f"a mapping with some of {both(others)}"
        return f"a mapping with {both(needed)}" + (f" (it may also have {both(others)})" if others else "")


def expected_by(schema: Schema) -> Expected:
    return Expected(schema=schema, root=schema)


def either(names: Sequence[str]) -> str:
    return _listed(names, "or")


def both(names: Sequence[str]) -> str:
    return _listed(names, "and")


def _listed(names: Sequence[str], last: str) -> str:
    quoted = [f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} {last} {quoted[-1]}"


def _mapping(value: object) -> Schema:
    return value if isinstance(value, Mapping) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
