"""Failures on demand: of requests and of webhook deliveries."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

RequestFailure = Literal["fails_before", "fails_after", "lost", "slow", "stale"]
DeliveryFailure = Literal["dropped", "duplicated", "delayed", "swapped"]


@dataclass
class RequestFault:
    """A failure of the next requests that match.

    fails_before: 5xx, nothing was done; fails_after: 5xx, but it was done; lost: it was done and the connection broke;
    slow: it takes `seconds`; stale: a read gets the answer that this actor last got.
    """

    kind: RequestFailure
    method: str | None
    path: re.Pattern[str]
    times: int
    status: int = 502
    seconds: float = 0.0


@dataclass
class Interruption:
    """Something that happens just before a matching request is carried out, such as a push by somebody else."""

    method: str | None
    path: re.Pattern[str]
    deed: Callable[[], object]


@dataclass
class DeliveryFault:
    """A failure of the next deliveries of an event. `event` is `issues` or `issues.opened`; None: any."""

    kind: DeliveryFailure
    event: str | None
    times: int
    seconds: float = 0.0


@dataclass
class Faults:
    requests: list[RequestFault] = field(default_factory=list)
    interruptions: list[Interruption] = field(default_factory=list)
    deliveries: list[DeliveryFault] = field(default_factory=list)

    def request(
        self,
        kind: RequestFailure,
        path: str = "",
        *,
        method: str | None = None,
        times: int = 1,
        status: int = 502,
        seconds: float = 0.0,
    ) -> None:
        """Plans a failure; `path` is a regular expression that is searched in the path."""
        self.requests.append(
            RequestFault(kind=kind, method=method, path=re.compile(path), times=times, status=status, seconds=seconds)
        )

    def before(self, path: str, deed: Callable[[], object], *, method: str | None = None) -> None:
        """Does something once, just before the first matching request."""
        self.interruptions.append(Interruption(method=method, path=re.compile(path), deed=deed))

    def delivery(
        self, kind: DeliveryFailure, event: str | None = None, *, times: int = 1, seconds: float = 0.0
    ) -> None:
        self.deliveries.append(DeliveryFault(kind=kind, event=event, times=times, seconds=seconds))

    # --- asked by the faces

    def take_request(self, method: str, path: str) -> RequestFault | None:
        for fault in self.requests:
            if fault.method in (None, method) and fault.path.search(path):
                fault.times -= 1
                if fault.times <= 0:
                    self.requests.remove(fault)
                return fault
        return None

    def interrupt(self, method: str, path: str) -> None:
        for one in list(self.interruptions):
            if one.method in (None, method) and one.path.search(path):
                self.interruptions.remove(one)
                one.deed()

    def take_delivery(self, name: str, full_name: str) -> DeliveryFault | None:
        for fault in self.deliveries:
            if fault.event in (None, name, full_name):
                fault.times -= 1
                if fault.times <= 0:
                    self.deliveries.remove(fault)
                return fault
        return None
