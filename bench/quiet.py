"""Keeps the program's log out of the tables of a measurement that runs its parts in this process."""

import logging
import warnings

import structlog
from temporalio.runtime import LoggingConfig, Runtime, TelemetryConfig, TelemetryFilter


def keep_logs_quiet() -> None:
    """Shows errors only. Failed attempts of activities are retried, and are no news here. Call it before anything
    connects to Temporal."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    logging.getLogger("temporalio").setLevel(logging.CRITICAL)
    warnings.filterwarnings("ignore", message="Cannot find activity to cancel")
    errors = LoggingConfig(filter=TelemetryFilter(core_level="ERROR", other_level="ERROR"))
    Runtime.set_default(Runtime(telemetry=TelemetryConfig(logging=errors)), error_if_already_set=False)
