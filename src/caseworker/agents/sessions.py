"""Keeps agent sessions through the `Transcripts` port, redacted, as a session store for the SDK.

The SDK only writes through it. For a resume we write the file ourselves (`lay_out`): the SDK would use a temporary
folder that the sandbox does not know, and copy the worker's credentials into it.
"""

import json
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import structlog

from caseworker.core.base.errors import Transient
from caseworker.core.base.ids import SessionId
from caseworker.core.base.redaction import Redactor
from caseworker.ports import Transcripts

log = structlog.get_logger()

if TYPE_CHECKING:
    from claude_agent_sdk import SessionKey, SessionListSubkeysKey, SessionStoreEntry, SessionStoreListEntry


class SessionAdapter:
    """The SDK's session store. The SDK finds its methods by name, so that we need not import it here."""

    def __init__(self, transcripts: Transcripts, redactor: Redactor, *, own: SessionId | None = None) -> None:
        """`own`: the only session that may be written; by default every one."""
        self.trespassed = False
        """Whether an entry came for another session. It was not written."""
        self.trouble: Transient | None = None
        """Why the store did not take an entry, at the last time."""
        self._own = own
        self._transcripts = transcripts
        self._redactor = redactor
        self._saved = 0
        self._missing: list[SessionStoreEntry] | None = None

    @property
    def complete(self) -> bool:
        """Whether everything that the agent wrote was stored. The SDK drops a batch after three tries and goes on."""
        return self._saved > 0 and self._missing is None

    async def append(self, key: "SessionKey", entries: "list[SessionStoreEntry]") -> None:
        if not entries or self._is_foreign(key):
            return
        earlier, self._missing = self._missing, self._missing or entries
        clean = [cast(dict[str, object], self._redactor.value(entry)) for entry in entries]
        try:
            await self._transcripts.append(_session(key), key.get("subpath", ""), key["project_key"], clean)
        except Transient as error:  # the SDK keeps it to itself
            self.trouble = error
            raise
        self._saved += len(entries)
        if earlier is None or earlier == entries:  # the missing batch was sent again and is stored now
            self._missing = None

    async def load(self, key: "SessionKey") -> "list[SessionStoreEntry] | None":
        entries = await self._transcripts.load(_session(key), key.get("subpath", ""))
        return cast("list[SessionStoreEntry] | None", entries)

    async def list_sessions(self, project_key: str) -> "list[SessionStoreListEntry]":
        sessions = await self._transcripts.sessions(project_key)
        return [{"session_id": _own_name(session), "mtime": changed} for session, changed in sessions]

    async def list_subkeys(self, key: "SessionListSubkeysKey") -> list[str]:
        return [subpath for subpath in await self._transcripts.subpaths(_session(key)) if subpath]

    async def delete(self, key: "SessionKey") -> None:
        if not self._is_foreign(key):
            await self._transcripts.delete(_session(key), key.get("subpath") or None)

    def _is_foreign(self, key: "SessionKey") -> bool:
        if self._own in (None, _session(key)):
            return False
        self.trespassed = True
        log.warning("an agent tried to write to a session that is not its own", own=self._own, other=_session(key))
        return True


def _session(key: "SessionKey | SessionListSubkeysKey") -> SessionId:
    """The session's id. For a UUID without the project, which holds the working directory of one machine.

    Any other name could be used in two projects, so that it needs its project.
    """
    name = key["session_id"]
    return SessionId(name if _is_uuid(name) else f"{key['project_key']}/{name}")


def _own_name(session: SessionId) -> str:
    return session if _is_uuid(session) else session.rpartition("/")[2]


def _is_uuid(name: str) -> bool:
    try:
        return str(uuid.UUID(name)) == name
    except ValueError:
        return False


def lay_out(entries: Sequence[dict[str, object]], *, config: Path, project: str, session: SessionId) -> None:
    """Writes the transcript as the file from which the agent's program resumes."""
    file = config / "projects" / project / f"{session}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
