"""The program of the host's process. Prepares the interpreter for its many imports, then starts the host."""

import gc
import sys
from typing import Final

_FOR_TERMINALS: Final = ("pygments", "rich")
"""What structlog and httpx load, if they find it, for output that a host never prints: 90 modules, 0.15 s."""


def main() -> int:
    gc.disable()  # imports leave no garbage, and to look for some takes an eighth of their time
    for name in _FOR_TERMINALS:
        sys.modules[name] = None  # type: ignore[assignment]  # so an import does not find it
    from caseworker.app.processes.host_start import start

    return start()


if __name__ == "__main__":
    sys.exit(main())
