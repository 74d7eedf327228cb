"""The keys that seal what passes through Temporal: a private file in the home, or a setting for several machines.

To change the key, put a new one before the others: it seals from then on, and the others still open what they sealed.
"""

import base64
import binascii
import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from caseworker.core.base.errors import Refused

_BYTES: Final = 32
_FILE: Final = "temporal.keys"


def keys_of(home: Path, setting: str = "") -> tuple[bytes, ...]:
    """The keys, newest first: those of the setting, or those of the home, which are made at the first start."""
    if setting:
        return _parsed(setting, "CASEWORKER_TEMPORAL_KEYS")
    file = home / _FILE
    if not file.exists():
        _make(file)
    return _parsed(file.read_text(encoding="ascii", errors="replace"), str(file))


def _parsed(text: str, place: str) -> tuple[bytes, ...]:
    try:
        keys = tuple(base64.b64decode(word, validate=True) for word in text.replace(",", " ").split())
    except binascii.Error:
        keys = ()
    if not keys or any(len(key) != _BYTES for key in keys):
        raise Refused(
            f"{place} must have keys of {_BYTES} bytes in base64, the newest first.",
            todo="`openssl rand -base64 32` makes one.",
        )
    return keys


def _make(file: Path) -> None:
    """Writes the whole file at once, readable for nobody else."""
    handle, name = tempfile.mkstemp(prefix=".keys-", dir=file.parent)  # made with mode 0600
    fresh = Path(name)
    try:
        with os.fdopen(handle, "w") as out:
            out.write(base64.b64encode(secrets.token_bytes(_BYTES)).decode() + "\n")
        with suppress(FileExistsError):  # another process was faster: its key counts
            file.hardlink_to(fresh)
    finally:
        fresh.unlink()
