"""Log-ins: one-time links, sessions and tokens. Only hashes of secrets are written down.

Links and sessions are small files in the home, so that `caseworker open`, another process, can make a link, and a
restart logs nobody out. A link is used by deleting its file, which only one request can do."""

import secrets
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from caseworker.dashboard.access_tokens import Token, digest
from caseworker.dashboard.viewers import Viewer

LINK_SECONDS: Final = 120.0
SESSION_SECONDS: Final = 7 * 24 * 3600.0
_M = TypeVar("_M", bound=BaseModel)


def session_seconds(viewer: Viewer) -> float:
    """How long a session lasts. Only a day with GitHub: a login that was given up may soon belong to another person."""
    return 24 * 3600.0 if viewer.by_forge else SESSION_SECONDS


class Grant(BaseModel):
    """What a link or a session gives, until when."""

    model_config = ConfigDict(frozen=True)

    viewer: Viewer
    expires: float
    """Seconds since 1970."""


class Sessions:
    def __init__(self, home: Path, tokens: dict[str, Token] | None = None) -> None:
        self._links = home / "dashboard" / "links"
        self._sessions = home / "dashboard" / "sessions"
        self._tokens = tokens or {}

    def new_link(self, viewer: Viewer) -> str:
        """The secret of a link that works once, for two minutes."""
        return self._write(self._links, viewer, LINK_SECONDS)

    def use_link(self, secret: str) -> Viewer | None:
        """Null: it is unknown, used or too old."""
        file = self._links / digest(secret)
        grant = _read(file, Grant)
        try:
            file.unlink()
        except OSError:
            return None  # another request was faster, or there is none
        return grant.viewer if grant is not None and grant.expires > time.time() else None

    def begin(self, viewer: Viewer) -> str:
        """The secret of a new session, for a cookie."""
        self._sweep()
        return self._write(self._sessions, viewer, session_seconds(viewer))

    def find(self, secret: str) -> Viewer | None:
        name = digest(secret)
        grant = _read(self._sessions / name, Grant)
        if grant is None or grant.expires < time.time():
            return None
        return grant.viewer.model_copy(update={"session": name[:16]})

    def end(self, secret: str) -> None:
        with suppress(OSError):
            (self._sessions / digest(secret)).unlink()

    def by_token(self, secret: str) -> Viewer | None:
        """Compares hashes: how long that takes tells nothing of the token."""
        hashed = digest(secret)
        for name, token in self._tokens.items():
            if secrets.compare_digest(token.sha256, hashed):
                return Viewer(name=name, rank=token.rank, repositories=token.repositories, session=hashed[:16])
        return None

    def _write(self, folder: Path, viewer: Viewer, seconds: float) -> str:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        secret = secrets.token_urlsafe(32)
        grant = Grant(viewer=viewer, expires=time.time() + seconds)
        draft = folder / f".{digest(secret)}"
        draft.touch(mode=0o600)
        draft.write_text(grant.model_dump_json())
        draft.rename(folder / digest(secret))
        return secret

    def _sweep(self) -> None:
        """Removes what has expired."""
        for folder in (self._links, self._sessions):
            for file in folder.glob("[0-9a-f]*"):
                grant = _read(file, Grant)
                if grant is None or grant.expires < time.time():
                    file.unlink(missing_ok=True)


def _read(file: Path, model: type[_M]) -> _M | None:
    try:
        return model.model_validate_json(file.read_bytes())
    except (OSError, ValidationError):
        return None
