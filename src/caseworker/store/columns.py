"""Column types that behave alike on SQLite and PostgreSQL. No tables here."""

import json
from datetime import UTC, datetime

from sqlalchemy import JSON, BigInteger, DateTime, Dialect, Integer, Text, TypeDecorator

WideInteger = BigInteger().with_variant(Integer, "sqlite")
"""SQLite numbers rows by itself only in a column whose type is exactly INTEGER; it is 64 bits wide there anyway."""

Document = JSON
"""Plain `json` on PostgreSQL, not `jsonb`: that one refuses an escaped NUL, and tools print whatever they like."""


class UtcTime(TypeDecorator[datetime]):
    """Aware in, aware out. SQLite keeps no zone, so it is UTC by agreement."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Words(TypeDecorator[str]):
    """Text from people and programs. What no database can hold (NUL, half a surrogate pair) becomes U+FFFD: a message
    must not be lost because of one broken character."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else storable(value)


def storable(text: str) -> str:
    return text.replace("\x00", "\ufffd").encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def to_json(value: object) -> str:
    """Compact, and letters stay letters: escaped, a Russian text would take three times its size of the body limit."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair: only its escape can be stored
        return json.dumps(value, separators=(",", ":"))
    return text


def now() -> datetime:
    return datetime.now(UTC)
