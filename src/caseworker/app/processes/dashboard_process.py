"""The dashboard in a process of its own, which `caseworker open` starts in the background."""

import asyncio
import subprocess
import sys
import time
from typing import Final

from caseworker.app.load_settings import load_settings
from caseworker.app.processes.logs import set_up_logs
from caseworker.app.processes.serve import serve
from caseworker.app.processes.serve_place import ServeFile, ServePlace
from caseworker.app.settings import Settings, make_home
from caseworker.core.base.errors import Refused, Transient

_COMMAND: Final = ["-m", "caseworker.app.processes.dashboard_process"]
_START_SECONDS: Final = 60.0


def find_or_start_dashboard(settings: Settings) -> ServeFile:
    """The server of this home: `caseworker serve`, or one that is started here and ends when nobody looks."""
    place = ServePlace(settings.home)
    running = place.running()
    if running is not None:
        return running
    make_home(settings)
    place.failure.unlink(missing_ok=True)
    with place.log.open("ab") as output:
        child = subprocess.Popen(
            [sys.executable, *_COMMAND],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=settings.home,
            start_new_session=True,
        )
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        running = place.running()
        if running is not None:
            return running
        if child.poll() is not None:
            why = place.failure.read_text() if place.failure.exists() else f"Its log is {place.log}."
            raise Refused("The dashboard could not start.", todo=why)
        time.sleep(0.02)
    raise Refused(f"The dashboard did not start within {_START_SECONDS:.0f} s.", todo=f"Its log is {place.log}.")


def main() -> int:
    settings = load_settings()
    set_up_logs(settings)
    try:
        return asyncio.run(serve(settings, in_background=True))
    except (Refused, Transient) as error:
        ServePlace(settings.home).failure.write_text(str(error))
        return 1


if __name__ == "__main__":
    sys.exit(main())
