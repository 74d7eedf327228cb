"""How the end of a session on a pull request ends its run."""

from typing import Final

from caseworker.core.pull.case import SessionEnd
from caseworker.core.runs.run import RunState

E = SessionEnd
_SUCCEEDED: Final = frozenset({E.READY, E.MERGED, E.DONE})


def run_end(end: SessionEnd) -> RunState:
    if end in _SUCCEEDED:
        return RunState.SUCCEEDED
    return RunState.FAILED if end is E.BLOCKED else RunState.INCOMPLETE
