"""Encrypts and authenticates everything that passes through Temporal: inputs, results, signals and error messages.

Temporal's embedded server asks nobody who they are, so every user of the machine can read histories, start workflows
and send signals. What they read is sealed. What they send was not sealed with our key, for this workflow and activity:
it is never turned into a value, and what needed it fails.
"""

import os
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, Final

import structlog
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from temporalio.api.common.v1 import Payload
from temporalio.contrib.pydantic import PydanticPayloadConverter, pydantic_data_converter
from temporalio.converter import (
    ActivitySerializationContext,
    CompositePayloadConverter,
    DataConverter,
    DefaultFailureConverterWithEncodedAttributes,
    EncodingPayloadConverter,
    PayloadCodec,
    SerializationContext,
    WithSerializationContext,
    WorkflowSerializationContext,
)
from temporalio.exceptions import ApplicationError

log = structlog.get_logger()

_SEALED: Final = b"binary/caseworker-sealed"
_FOREIGN: Final = "binary/caseworker-foreign"
_NONCE_BYTES: Final = 12
_ANYWHERE: Final = b""
"""Where something belongs if Temporal's client did not say. Only the end of a dead worker's activity is told so."""


class SealedPayloads(PayloadCodec, WithSerializationContext):
    """The first key seals, and all of them open. A payload opens only where it belongs."""

    def __init__(self, keys: Sequence[bytes], place: bytes = _ANYWHERE) -> None:
        self._keys = tuple(keys)
        self._ciphers = {_name(key): AESGCM(key) for key in keys}
        self._newest = _name(self._keys[0])
        self._place = place

    def with_context(self, context: SerializationContext) -> "SealedPayloads":
        sealed = SealedPayloads.__new__(SealedPayloads)
        sealed.__dict__.update(self.__dict__, _place=_place_of(context))
        return sealed

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        return [self._seal(payload) for payload in payloads]

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        return [self._open(payload) for payload in payloads]

    def _seal(self, payload: Payload) -> Payload:
        nonce = os.urandom(_NONCE_BYTES)
        sealed = self._ciphers[self._newest].encrypt(nonce, payload.SerializeToString(), self._place)
        return Payload(metadata={"encoding": _SEALED, "key": self._newest}, data=nonce + sealed)

    def _open(self, payload: Payload) -> Payload:
        """Never raises: an error here would make Temporal try the same workflow task for ever."""
        cipher = self._ciphers.get(payload.metadata.get("key", b""))
        if payload.metadata.get("encoding") == _SEALED and cipher is not None:
            nonce, sealed = payload.data[:_NONCE_BYTES], payload.data[_NONCE_BYTES:]
            for place in (self._place, _ANYWHERE):
                try:
                    return Payload.FromString(cipher.decrypt(nonce, sealed, place))
                except (InvalidTag, ValueError):
                    continue
        log.warning("a payload that Caseworker did not send was refused", place=self._place.decode())
        return Payload(metadata={"encoding": _FOREIGN.encode()})


def _name(key: bytes) -> bytes:
    """Tells keys apart without giving them away."""
    return sha256(b"caseworker payload key " + key).hexdigest()[:16].encode()


def _place_of(context: SerializationContext) -> bytes:
    match context:
        case ActivitySerializationContext(workflow_id=workflow, activity_type=activity):
            return f"activity {workflow} {activity}".encode()
        case WorkflowSerializationContext(workflow_id=workflow):
            return f"workflow {workflow}".encode()
        case _:
            return _ANYWHERE


class _Foreign(EncodingPayloadConverter):
    """Fails whatever needs a foreign payload. A signal with one is dropped by Temporal, with a line in the log."""

    @property
    def encoding(self) -> str:
        return _FOREIGN

    def to_payload(self, value: Any) -> Payload | None:
        return None

    def from_payload(self, payload: Payload, type_hint: type | None = None) -> Any:
        raise ApplicationError("Caseworker did not send this.", type="Foreign", non_retryable=True)


class _Converter(CompositePayloadConverter):
    def __init__(self) -> None:
        super().__init__(_Foreign(), *PydanticPayloadConverter().converters.values())


def sealing_converter(keys: Sequence[bytes]) -> DataConverter:
    return replace(
        pydantic_data_converter,
        payload_converter_class=_Converter,
        payload_codec=SealedPayloads(keys),
        failure_converter_class=DefaultFailureConverterWithEncodedAttributes,
    )
