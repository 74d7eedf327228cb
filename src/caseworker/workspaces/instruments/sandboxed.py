"""The `Instruments` port: runs each instrument in copies of the commit, in the sandbox, before a deadline."""

import os
from typing import assert_never

from caseworker.core.base.ids import Sha
from caseworker.core.investigation.measurements import (
    InstrumentRequest,
    Measurement,
    ProfileRequest,
    StressRequest,
    TraceRequest,
)
from caseworker.ports import Builder, Workspace, Workspaces
from caseworker.workspaces.instruments.bench import Bench, from_now
from caseworker.workspaces.instruments.profiler import profile
from caseworker.workspaces.instruments.stress_runs import stress
from caseworker.workspaces.instruments.tracer import trace


class SandboxedInstruments:
    def __init__(self, *, workspaces: Workspaces, builder: Builder, cores: int | None = None) -> None:
        self._workspaces = workspaces
        self._builder = builder
        self._cores = cores or os.cpu_count() or 1

    async def measure(
        self, workspace: Workspace, commit: Sha, request: InstrumentRequest, *, seconds: float
    ) -> Measurement:
        bench = Bench(
            workspaces=self._workspaces,
            builder=self._builder,
            workspace=workspace,
            commit=commit,
            time=from_now(seconds),
        )
        match request:
            case StressRequest():
                return await stress(bench, request, cores=self._cores)
            case ProfileRequest():
                return await profile(bench, request)
            case TraceRequest():
                return await trace(bench, request)
            case _:
                assert_never(request)
