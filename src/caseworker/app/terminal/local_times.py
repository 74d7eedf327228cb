"""Times as a person at this terminal reads them: in the zone of this machine, with its name."""

import re
from datetime import UTC, datetime
from typing import Final

_STATED: Final = re.compile(r"\b(\d{4}-\d\d-\d\d \d\d:\d\d) UTC\b")


def clock(moment: datetime) -> str:
    return f"{moment.astimezone():%H:%M:%S}"


def date_and_time(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M %Z}"


def with_local_times(text: str) -> str:
    """Texts of a case state times in UTC, since they are read everywhere. Here they are read in one place."""
    return _STATED.sub(lambda found: date_and_time(datetime.fromisoformat(found[1]).replace(tzinfo=UTC)), text)


def zone_words() -> str:
    """Said above a story whose lines have only a time of day."""
    now = datetime.now(UTC).astimezone()
    offset = f"{now:%z}"
    return f"Times are {now:%Z}." if now.tzname() == "UTC" else f"Times are {now:%Z} (UTC{offset[:3]}:{offset[3:]})."
