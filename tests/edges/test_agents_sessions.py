"""The session adapter: the SDK's conformance suite, and our own rules."""

import pytest
from claude_agent_sdk import SessionKey, SessionStoreEntry
from claude_agent_sdk.testing import run_session_store_conformance

from caseworker.agents.sessions import SessionAdapter
from caseworker.core.base.ids import SessionId
from caseworker.core.base.redaction import Redactor
from tests.edges.agents_world import MemoryTranscripts

SESSION = "3f0e4a52-0000-4000-8000-000000000001"


def adapter(transcripts: MemoryTranscripts | None = None) -> SessionAdapter:
    return SessionAdapter(transcripts or MemoryTranscripts(), Redactor(["correct horse"]))


async def test_the_adapter_passes_the_conformance_suite_of_the_sdk() -> None:
    await run_session_store_conformance(adapter)  # type: ignore[arg-type]  # optional methods are looked for by name


async def test_a_session_is_found_from_another_working_directory() -> None:
    store = adapter()
    await store.append({"project_key": "-work-a", "session_id": SESSION}, [{"type": "user", "uuid": "1"}])
    assert await store.load({"project_key": "-work-b", "session_id": SESSION}) == [{"type": "user", "uuid": "1"}]


async def test_an_attempt_writes_only_its_own_session() -> None:
    transcripts = MemoryTranscripts()
    other = "3f0e4a52-0000-4000-8000-000000000002"
    await adapter(transcripts).append({"project_key": "p", "session_id": other}, [{"type": "user", "uuid": "1"}])
    store = SessionAdapter(transcripts, Redactor(), own=SessionId(SESSION))
    await store.append({"project_key": "p", "session_id": SESSION}, [{"type": "user", "uuid": "2"}])
    assert not store.trespassed
    await store.append({"project_key": "p", "session_id": other}, [{"type": "assistant", "uuid": "3"}])
    await store.delete({"project_key": "p", "session_id": other})
    assert store.trespassed
    assert await transcripts.load(SessionId(other), "") == [{"type": "user", "uuid": "1"}]


async def test_secrets_are_redacted_at_any_depth() -> None:
    store = adapter()
    entry = {"type": "user", "message": {"content": [{"text": "ghp_" + "a" * 36}, 7, None, "correct horse"]}}
    await store.append({"project_key": "p", "session_id": SESSION}, [entry])  # type: ignore[list-item]  # open TypedDict
    loaded = await store.load({"project_key": "p", "session_id": SESSION})
    assert loaded == [{"type": "user", "message": {"content": [{"text": "[redacted]"}, 7, None, "[redacted]"]}}]


def test_a_signed_thinking_block_is_replaced_as_a_whole() -> None:
    signed = {"type": "thinking", "thinking": "they use AKIAABCDEFGHIJKLMNOP", "signature": "abc"}
    harmless = {"type": "thinking", "thinking": "they add", "signature": "abc"}
    assert Redactor().value([signed, harmless]) == [{"type": "text", "text": "[redacted]"}, harmless]


async def test_a_lost_batch_makes_the_session_incomplete_unless_it_is_repeated() -> None:
    class Failing(MemoryTranscripts):
        fails = 0

        async def append(self, *arguments: object) -> None:
            if self.fails:
                self.fails -= 1
                raise OSError("disk full")

    transcripts = Failing()
    store = adapter(transcripts)
    first: list[SessionStoreEntry] = [{"type": "user", "uuid": "1"}]
    second: list[SessionStoreEntry] = [{"type": "user", "uuid": "2"}]
    key: SessionKey = {"project_key": "p", "session_id": SESSION}
    assert not store.complete  # nothing was saved at all
    transcripts.fails = 1
    with pytest.raises(OSError, match="disk full"):
        await store.append(key, first)
    await store.append(key, first)
    assert store.complete
    transcripts.fails = 1
    with pytest.raises(OSError, match="disk full"):
        await store.append(key, first)
    await store.append(key, second)
    assert not store.complete


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("key sk-ant-api03-AbC_d-9 end", "key [redacted] end"),
        ("github_pat_" + "A1" * 20, "[redacted]"),
        ("xoxb-123456789-abc", "[redacted]"),
        ("xoxp-123456789-abc", "[redacted]"),
        ("AKIAABCDEFGHIJKLMNOP", "[redacted]"),
        ("Authorization: Bearer abcdefghijkl", "Authorization: Bearer [redacted]"),
        ("curl -H 'x-api-key: 0123456789'", "curl -H 'x-api-key: [redacted]'"),
        ("sent bearer eyJhbGciOi1.x2 there", "sent bearer [redacted] there"),
        ("bearer authentication is basic functionality", "bearer authentication is basic functionality"),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nrest", "[redacted]\nrest"),
        ("-----BEGIN PRIVATE KEY-----\ncut off", "[redacted]"),
        ("the correct horse stays out", "the [redacted] stays out"),
        ("sk-ant and AKIA and ghp_ as words", "sk-ant and AKIA and ghp_ as words"),
    ],
)
def test_what_counts_as_a_secret(text: str, clean: str) -> None:
    assert Redactor(["correct horse", "", "ab"]).text(text) == clean
