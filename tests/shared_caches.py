"""Caches that the tests of one process share: the program makes these things once, a test process hundreds of times."""

from functools import cache
from typing import Any

import httpx
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from httpx._transports import default as transports
from jwt import algorithms
from sqlalchemy import Connection, Engine, event
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.util import LRUCache


def share() -> None:
    _share_certificates()
    _share_private_keys()
    _share_compiled_statements()


def _share_certificates() -> None:
    """Reads the trusted certificates once, not for each HTTP client (30 ms)."""
    transports.create_ssl_context = cache(httpx.create_ssl_context)  # type: ignore[attr-defined]  # httpx exports it elsewhere


def _share_private_keys() -> None:
    """Reads and checks the private key of a GitHub App once, not for each token (50 ms)."""
    setattr(algorithms, "load_pem_private_key", cache(load_pem_private_key))  # noqa: B010  # the name is not exported


def _share_compiled_statements() -> None:
    """Compiles each SQL statement once for each kind of database, not for each engine: every test opens its own."""
    compiled: dict[type[object], LRUCache[Any, Any]] = {}

    @event.listens_for(Engine, "engine_connect")
    def use_shared(connection: Connection) -> None:
        engine = connection.engine
        engine._compiled_cache = compiled.setdefault(type(engine.dialect), LRUCache(2_000))

    # A compiled statement is found by the dialect, too. Those of one class have the same settings here.
    DefaultDialect.__hash__ = lambda self: hash(type(self))  # type: ignore[method-assign]  # on purpose, for every dialect
    DefaultDialect.__eq__ = lambda self, other: type(self) is type(other)  # type: ignore[method-assign]  # the same
