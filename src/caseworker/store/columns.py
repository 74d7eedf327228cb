"""Column types that behave alike on SQLite and PostgreSQL. No tables here."""

import json
from datetime import UTC, datetime

from sqlalchemy import JSON, BigInteger, DateTime, Dialect, Integer, Text, TypeDecorator

WideInteger = BigInteger().with_variant(Integer, "sqlite")
"""64 bits. SQLite numbers rows automatically only if the type is exactly INTEGER, which has 64 bits there."""

Document = JSON
"""Plain `json` on PostgreSQL: `jsonb` refuses an escaped NUL, and the output of tools may contain one."""


class UtcTime(TypeDecorator[datetime]):
    """Times with a time zone. SQLite stores no zone, so we store UTC."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Words(TypeDecorator[str]):
    """Text from people and programs. Characters that no database can store become U+FFFD.

    These are NUL and half a surrogate pair: a message must not be lost because of one broken character.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else storable(value)


def storable(text: str) -> str:
    return text.replace("\x00", "\ufffd").encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def to_json(value: object) -> str:
    """Compact JSON with letters unescaped: escaped, a Russian text would use three times as much of the body limit."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair: it can be stored only as an escape
        return json.dumps(value, separators=(",", ":"))
    return text


def now() -> datetime:
    return datetime.now(UTC)
