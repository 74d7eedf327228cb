"""Typed reading of a request's JSON body. A value of the wrong type is a 422, as on GitHub."""

import json
from typing import TypeGuard

from caseworker.github_double.entities.accounts import Level, Permissions
from caseworker.github_double.refusals import Refusal, Unprocessable


class Fields:
    """The fields of one JSON object."""

    def __init__(self, raw: dict[str, object]) -> None:
        self._raw = raw

    def has(self, name: str) -> bool:
        return name in self._raw

    def text(self, name: str) -> str | None:
        """None if absent or null."""
        found = self._raw.get(name)
        if found is not None and not isinstance(found, str):
            raise _wrong(name, found, "a string")
        return found

    def required(self, name: str) -> str:
        found = self.text(name)
        if found is None:
            raise Unprocessable(f'Invalid request.\n\n"{name}" wasn\'t supplied.')
        return found

    def number(self, name: str) -> int | None:
        found = self._raw.get(name)
        if found is not None and (not isinstance(found, int) or isinstance(found, bool)):
            raise _wrong(name, found, "an integer")
        return found

    def flag(self, name: str, default: bool = False) -> bool:
        found = self._raw.get(name)
        if found is None:
            return default
        if not isinstance(found, bool):
            raise _wrong(name, found, "a boolean")
        return found

    def texts(self, name: str) -> list[str]:
        """Strings; labels may also be objects with a name."""
        found = self._raw.get(name)
        if isinstance(found, str):
            return [found]
        values = [_name_of(one) for one in self._list(name)]
        return [one for one in values if one is not None]

    def numbers(self, name: str) -> list[int]:
        return [one for one in self._list(name) if isinstance(one, int)]

    def record(self, name: str) -> "Fields | None":
        found = self._raw.get(name)
        if found is None:
            return None
        if not _is_object(found):
            raise _wrong(name, found, "an object")
        return Fields(found)

    def records(self, name: str) -> list["Fields"]:
        return [Fields(one) for one in self._list(name) if _is_object(one)]

    def permissions(self, name: str) -> Permissions | None:
        found = self._raw.get(name)
        if not _is_object(found):
            return None
        return {subject: level for subject, level in found.items() if _is_level(level)}

    def _list(self, name: str) -> list[object]:
        found = self._raw.get(name)
        if found is None:
            return []
        if not isinstance(found, list):
            raise _wrong(name, found, "an array")
        return list(found)


class BadJson(Refusal):
    status = 400


def read_fields(body: bytes) -> Fields:
    """An empty body is an empty object; a list is taken as the field `items`."""
    if not body:
        return Fields({})
    try:
        parsed: object = json.loads(body)
    except ValueError:
        raise BadJson("Problems parsing JSON") from None
    if isinstance(parsed, list):
        return Fields({"items": parsed})
    if not _is_object(parsed):
        raise BadJson("Body should be a JSON object")
    return Fields(parsed)


def _is_object(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict)


def _is_level(value: object) -> TypeGuard[Level]:
    return value in ("read", "write", "admin")


def _name_of(value: object) -> str | None:
    if isinstance(value, str):
        return value
    name = value.get("name") if _is_object(value) else None
    return name if isinstance(name, str) else None


def _wrong(name: str, found: object, wanted: str) -> Unprocessable:
    return Unprocessable(f"Invalid request.\n\nFor 'properties/{name}', {json.dumps(found)} is not {wanted}.")
