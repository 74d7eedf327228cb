"""Times the steps of `caseworker run` before it opens a case: `python -m bench.stages SPAWNED REPO ISSUE SCRIPT`.

They are those of a command that opens its case itself, which it does where no host can.
It calls the same functions in the same order in a process of its own, with the host up, and prints seconds as JSON.
"""

import sys
import time

_MARKS: list[tuple[str, float]] = []


def _mark(what: str) -> None:
    _MARKS.append((what, time.time()))


def main() -> None:
    _mark("Python starts")
    from pathlib import Path

    import caseworker.app.cli.main  # noqa: F401 # what every command imports
    from caseworker.app.load_settings import load_settings
    from caseworker.app.parts import read_rehearsal
    from caseworker.app.processes.logs import set_up_logs
    from caseworker.app.processes.open_issue import RunRequest
    from caseworker.app.run_subjects import issue_argument

    _mark("its own imports")
    spawned, repository, issue, script = sys.argv[1:]
    settings = load_settings()
    set_up_logs(settings)
    request = RunRequest(
        repository=Path(repository), issue=issue_argument(issue), rehearsal=read_rehearsal(Path(script))
    )
    _mark("settings, issue and script are read")
    import asyncio

    asyncio.run(_walk(request, settings))
    import json

    starts = [float(spawned), *(at for _, at in _MARKS)]
    seconds = {what: at - before for (what, at), before in zip(_MARKS, starts, strict=False)}
    sys.stdout.write(json.dumps(seconds))


async def _walk(request: object, settings: object) -> None:
    from caseworker.app.desk import at_desk
    from caseworker.app.parts import look_at
    from caseworker.app.processes.open_issue import RunRequest
    from caseworker.app.processes.start_checks import check_sandbox
    from caseworker.app.settings import Settings
    from caseworker.store.store import open_store

    assert isinstance(request, RunRequest)
    assert isinstance(settings, Settings)
    assert request.repository is not None
    await look_at(request.repository)
    _mark("the repository is looked at (4 git commands)")
    await check_sandbox(settings)
    _mark("the sandbox is probed")
    await (await open_store(settings.database)).close()
    _mark("the records are opened")
    async with at_desk(settings):
        _mark("the host is found (and the records opened again)")


if __name__ == "__main__":
    main()
