"""Encrypts and authenticates everything that passes through Temporal: inputs, results, signals and error messages.

Temporal's embedded server asks nobody who they are, so every user of the machine can read histories, start workflows
and send signals. What they read is sealed. What they send was not sealed with our key, for this workflow and activity:
it is never turned into a value, and what needed it fails. A workflow that fails so starts again from the record.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from copy import copy
from functools import cache
from hashlib import sha256
from typing import Any, Final, Self

import structlog
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from temporalio.api.common.v1 import Payload
from temporalio.api.failure.v1 import Failure
from temporalio.contrib.pydantic import PydanticPayloadConverter
from temporalio.converter import (
    ActivitySerializationContext,
    CompositePayloadConverter,
    DataConverter,
    DefaultFailureConverterWithEncodedAttributes,
    EncodingPayloadConverter,
    PayloadCodec,
    PayloadConverter,
    SerializationContext,
    WithSerializationContext,
    WorkflowSerializationContext,
)
from temporalio.exceptions import ApplicationError

from caseworker.contract.names import WORKER_DIED

log = structlog.get_logger()

_SEALED: Final = b"binary/caseworker-sealed"
_FOREIGN: Final = "binary/caseworker-foreign"
_NONCE_BYTES: Final = 12
_PLACES: Final = 1_000
_ANYWHERE: Final = b""
"""Where something belongs if Temporal's client did not say. Only the end of a dead worker's activity is told so."""


class _Refused(Exception):
    pass


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
        metadata = {"encoding": _SEALED, "key": self._newest, "place": self._place}
        return Payload(metadata=metadata, data=nonce + sealed)

    def show(self, payload: Payload) -> Payload:
        """Opens a payload wherever it belongs, for a person who looks at it. What is not ours is returned as it is."""
        place = payload.metadata.get("place", _ANYWHERE)
        with suppress(_Refused):
            return self._opened(payload, (place,))
        return payload

    def _open(self, payload: Payload) -> Payload:
        """Never raises: an error here would make Temporal try the same workflow task for ever."""
        try:
            return self._opened(payload, (self._place, _ANYWHERE))
        except _Refused:
            log.warning("a payload that Caseworker did not send was refused", place=self._place.decode())
            return Payload(metadata={"encoding": _FOREIGN.encode()})

    def _opened(self, payload: Payload, places: Sequence[bytes]) -> Payload:
        cipher = self._ciphers.get(payload.metadata.get("key", b""))
        if payload.metadata.get("encoding") == _SEALED and cipher is not None:
            nonce, sealed = payload.data[:_NONCE_BYTES], payload.data[_NONCE_BYTES:]
            for place in places:
                with suppress(InvalidTag, ValueError):
                    return Payload.FromString(cipher.decrypt(nonce, sealed, place))
        raise _Refused


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
        raise _foreign()


@cache
def _converters() -> tuple[EncodingPayloadConverter, ...]:
    """They have no state, and Temporal makes a composite of them for each step of a workflow."""
    return (_Foreign(), *PydanticPayloadConverter().converters.values())


def _foreign() -> ApplicationError:
    return ApplicationError("Caseworker did not send this.", type="Foreign", non_retryable=True)


class _Converter(CompositePayloadConverter):
    """Also what has no payload at all is foreign where a value is needed: ours always has one, even for None."""

    def __init__(self) -> None:
        super().__init__(*_converters())

    def from_payloads(self, payloads: Sequence[Payload], type_hints: list[type] | None = None) -> list[Any]:
        if len(payloads) < len(type_hints or ()) or any("encoding" not in payload.metadata for payload in payloads):
            log.warning("something without a payload was refused: Caseworker did not send it")
            raise _foreign()
        return super().from_payloads(payloads, type_hints)


class SealedFailures(DefaultFailureConverterWithEncodedAttributes):
    """A failure counts as it was reported only if we have sealed its text and type. Another one says nothing about the
    work, which is begun again, as when a worker died: a stranger can report it, and Temporal's own client does when a
    worker shuts down."""

    def to_failure(self, exception: BaseException, payload_converter: PayloadConverter, failure: Failure) -> None:
        super().to_failure(exception, payload_converter, failure)
        [attributes] = payload_converter.from_payloads([failure.encoded_attributes])
        sealed = {**attributes, "type": failure.application_failure_info.type}
        failure.encoded_attributes.CopyFrom(payload_converter.to_payloads([sealed])[0])

    def from_failure(self, failure: Failure, payload_converter: PayloadConverter) -> BaseException:
        if failure.HasField("application_failure_info") and not _is_ours(failure, payload_converter):
            log.warning("a failure that Caseworker did not report was refused")
            return ApplicationError("a failure was reported that is not Caseworker's", type=WORKER_DIED)
        return super().from_failure(failure, payload_converter)


def _is_ours(failure: Failure, payload_converter: PayloadConverter) -> bool:
    if not failure.HasField("encoded_attributes"):
        return False
    try:
        [attributes] = payload_converter.from_payloads([failure.encoded_attributes])
    except ApplicationError:
        return False
    return isinstance(attributes, dict) and attributes.get("type") == failure.application_failure_info.type


class _SealingConverter(DataConverter):
    def with_context(self, context: SerializationContext) -> Self:
        """Only the codec knows places. Temporal's own method makes all converters anew for each of them, some three
        hundred times a case, and then uses the old ones. There are about ten places in a case."""
        assert isinstance(self.payload_codec, SealedPayloads)
        kept: dict[bytes, Self] = self.__dict__.setdefault("placed", {})
        place = _place_of(context)
        if place not in kept:
            if len(kept) >= _PLACES:
                kept.clear()
            kept[place] = copy(self)  # shares the dictionary
            object.__setattr__(kept[place], "payload_codec", self.payload_codec.with_context(context))
        return kept[place]


def sealing_converter(keys: Sequence[bytes]) -> DataConverter:
    return _SealingConverter(
        payload_converter_class=_Converter,
        payload_codec=SealedPayloads(keys),
        failure_converter_class=SealedFailures,
    )
