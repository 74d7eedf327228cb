"""The serving process of the GitHub storm: `caseworker serve`, which reconciles every 10 s instead of every 2 minutes.

Run as `python -m bench.prove.github_serving`.
"""

import asyncio
import sys

from bench.prove.github_worker import lift_pace
from caseworker.app.load_settings import load_settings
from caseworker.app.processes.logs import set_up_logs
from caseworker.app.processes.serve import serve
from caseworker.core.base.errors import Transient
from caseworker.intake import github_reconcile


def main() -> int:
    settings = load_settings()
    set_up_logs(settings)
    lift_pace()
    setattr(github_reconcile, "EVERY", 10.0)  # noqa: B010  # from outside: the program has no such switch
    try:
        return asyncio.run(serve(settings))
    except Transient:
        return 1  # Temporal or GitHub is down: whoever starts this process does so again


if __name__ == "__main__":
    sys.exit(main())
