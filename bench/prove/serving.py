"""The serving process of a proof: `caseworker serve` with short histories.

A history counts as long after 50 events instead of 1,500, so that cases often continue as new. Run as `python -m
bench.prove.serving`.
"""

import asyncio
import sys
from typing import Final

from caseworker.app.load_settings import load_settings
from caseworker.app.processes.logs import set_up_logs
from caseworker.app.processes.serve import serve
from caseworker.app.settings import Settings
from caseworker.core.base.errors import Transient
from caseworker.core.base.policy import Policy

_LONG: Final = 50


class _ShortHistories(Settings):
    def policy(self) -> Policy:
        return super().policy().model_copy(update={"history_events": _LONG})


def main() -> int:
    settings = _ShortHistories.model_validate(load_settings().model_dump())
    set_up_logs(settings)
    try:
        return asyncio.run(serve(settings))
    except Transient:
        return 1  # Temporal is down: whoever starts this process does so again


if __name__ == "__main__":
    sys.exit(main())
