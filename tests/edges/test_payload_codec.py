"""What passes through Temporal is sealed with keys of the home, and Temporal's HTTP doors are shut."""

import base64
import stat
import threading
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from google.protobuf.json_format import MessageToDict, ParseDict
from temporalio.api.common.v1 import Payload, Payloads
from temporalio.api.failure.v1 import ApplicationFailureInfo, Failure
from temporalio.converter import ActivitySerializationContext, WorkflowSerializationContext
from temporalio.exceptions import ApplicationError

from caseworker.contract.names import WORKER_DIED
from caseworker.core.base.errors import Refused
from caseworker.engine.codec_routes import make_codec_app
from caseworker.engine.payload_codec import SealedPayloads, sealing_converter
from caseworker.engine.payload_keys import keys_of
from caseworker.engine.server import TemporalServer

OLD, NEW = b"o" * 32, b"n" * 32
PLAIN = Payload(metadata={"encoding": b"json/plain"}, data=b'"approve"')
HERE = WorkflowSerializationContext(namespace="default", workflow_id="case:1")


def activity(name: str) -> ActivitySerializationContext:
    return ActivitySerializationContext(
        namespace="default",
        activity_id="1",
        activity_type=name,
        activity_task_queue="q",
        workflow_id="case:1",
        workflow_type="w",
        is_local=False,
    )


async def reads(codec: SealedPayloads, payload: Payload) -> bool:
    return (await codec.decode([payload]))[0] == PLAIN


async def test_the_newest_key_seals_and_all_keys_open() -> None:
    [old] = await SealedPayloads([OLD]).encode([PLAIN])
    [new] = await SealedPayloads([NEW, OLD]).encode([PLAIN])
    assert b"approve" not in old.SerializeToString()
    assert await reads(SealedPayloads([NEW, OLD]), old)
    assert await reads(SealedPayloads([NEW]), new)
    assert not await reads(SealedPayloads([OLD]), new)


async def test_a_changed_or_unsealed_payload_is_not_read() -> None:
    codec = SealedPayloads([OLD])
    [sealed] = await codec.encode([PLAIN])
    for byte in range(0, len(sealed.data), 7):
        changed = bytearray(sealed.data)
        changed[byte] ^= 1
        assert not await reads(codec, Payload(metadata=sealed.metadata, data=bytes(changed)))
    assert not await reads(codec, Payload(metadata=sealed.metadata, data=b""))
    assert not await reads(codec, PLAIN)


async def test_a_payload_opens_only_where_it_belongs() -> None:
    codec = SealedPayloads([OLD])
    [sealed] = await codec.with_context(activity("load_case")).encode([PLAIN])
    assert await reads(codec.with_context(activity("load_case")), sealed)
    assert not await reads(codec.with_context(activity("deliver")), sealed)
    assert not await reads(codec.with_context(HERE), sealed)


async def test_a_foreign_payload_never_becomes_a_value() -> None:
    with pytest.raises(ApplicationError, match="Caseworker did not send this"):
        await sealing_converter([OLD]).decode([PLAIN], [str])


async def test_the_codec_server_shows_payloads_to_the_web_ui_alone() -> None:
    codec, origin = SealedPayloads([NEW, OLD]), "http://127.0.0.1:8233"
    [sealed] = await SealedPayloads([OLD]).with_context(activity("load_case")).encode([PLAIN])
    sent = MessageToDict(Payloads(payloads=[sealed, PLAIN]))
    transport = httpx.ASGITransport(make_codec_app(codec, origin=origin, port=8090, secret="secret"))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8090") as page:
        shown = await page.post("/secret/decode", json=sent, headers={"Origin": origin})
        asked = await page.options("/secret/decode", headers={"Origin": origin})
        refused = [
            await page.post("/guess/decode", json=sent, headers={"Origin": origin}),
            await page.post("/secret/decode", json=sent, headers={"Origin": "http://evil.example"}),
            await page.post("/secret/decode", json=sent, headers={"Host": "evil.example:8090"}),
        ]
        broken = await page.post("/secret/decode", content=b"{[", headers={"Origin": origin})

    assert ParseDict(shown.json(), Payloads()).payloads == [PLAIN, PLAIN]
    assert shown.headers["Access-Control-Allow-Origin"] == asked.headers["Access-Control-Allow-Origin"] == origin
    assert [answer.status_code for answer in refused] == [403, 403, 403]
    assert broken.status_code == 400


def failure_of(error: BaseException, keys: bytes) -> Failure:
    failure = Failure()
    converter = sealing_converter([keys])
    converter.failure_converter.to_failure(error, converter.payload_converter, failure)
    return failure


def test_a_failure_counts_only_with_the_type_that_was_sealed() -> None:
    converter = sealing_converter([OLD])

    def read(failure: Failure) -> BaseException:
        return converter.failure_converter.from_failure(failure, converter.payload_converter)

    ours = failure_of(ApplicationError("no such branch", type="Refused"), OLD)
    assert str(read(ours)) == "Refused: no such branch"
    ours.application_failure_info.type = "Other"
    for foreign in (ours, Failure(message="lies", application_failure_info=ApplicationFailureInfo(type="Refused"))):
        found = read(foreign)
        assert isinstance(found, ApplicationError)
        assert found.type == WORKER_DIED


def test_the_key_of_a_home_is_private_and_made_once(tmp_path: Path) -> None:
    found: list[tuple[bytes, ...]] = []
    starts = [threading.Thread(target=lambda: found.append(keys_of(tmp_path))) for _ in range(8)]
    for start in starts:
        start.start()
    for start in starts:
        start.join()
    assert len(set(found)) == 1
    assert stat.S_IMODE((tmp_path / "temporal.keys").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["temporal.keys"]


def test_keys_can_be_given_and_a_broken_one_is_refused(tmp_path: Path) -> None:
    given = f"{base64.b64encode(NEW).decode()}, {base64.b64encode(OLD).decode()}"
    assert keys_of(tmp_path, given) == (NEW, OLD)
    for broken in ("short", "@", base64.b64encode(b"x" * 16).decode()):
        with pytest.raises(Refused, match="must have keys of 32 bytes"):
            keys_of(tmp_path, broken)


@pytest.mark.parametrize("ui", [False, True])
async def test_the_web_ui_and_the_http_api_answer_only_if_they_are_asked_for(tmp_path: Path, ui: bool) -> None:
    server = TemporalServer(tmp_path, ui=ui)
    await server.start()
    try:
        async with httpx.AsyncClient() as browser:
            answers = [
                await _status(browser, f"http://127.0.0.1:{port}{path}")
                for port in _listening(server.pid)
                for path in ("/", "/api/v1/namespaces", "/namespaces")
            ]
    finally:
        await server.stop()
    assert (200 in answers) == ui


async def _status(browser: httpx.AsyncClient, url: str) -> int | None:
    try:
        return (await browser.get(url, timeout=5)).status_code
    except httpx.HTTPError:
        return None


def _listening(pid: int | None) -> list[int]:
    """The TCP ports on which this process listens."""
    sockets = set()
    for fd in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # the server closed it meanwhile: a socket that listens stays open
            sockets.add(str(fd.readlink()).removeprefix("socket:[").rstrip("]"))
    ports = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and words[9] in sockets:
                ports.append(int(words[1].rpartition(":")[2], 16))
    return ports
