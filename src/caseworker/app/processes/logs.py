"""Sets up logs: readable in a terminal, JSON on request, without secrets."""

import logging
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

from caseworker.app.settings import Settings
from caseworker.core.base.text import printable

_QUIET = ("temporalio", "alembic", "sqlalchemy", "uvicorn", "httpx", "httpcore", "claude_agent_sdk")


def set_up_logs(settings: Settings) -> None:
    as_json = settings.log == "json" or (settings.log == "auto" and not sys.stderr.isatty())
    secrets = [secret for secret in settings.secrets() if secret]

    def without_secrets(_: object, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        for key, value in event.items():
            if isinstance(value, str):
                for secret in secrets:
                    value = value.replace(secret, "[secret]")
                event[key] = printable(value)  # an error may quote foreign text, and somebody looks at the log
        return event

    shared: list[Any] = [  # structlog's processors have no common exported type
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        without_secrets,
    ]
    renderer: Any = (
        structlog.processors.JSONRenderer() if as_json else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    structlog.configure(
        processors=[*shared, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    foreign = structlog.stdlib.ProcessorFormatter(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer]
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(foreign)
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)


def hush_logs() -> None:
    """Only warnings from now on: for a command that tells a person itself what happens."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
