"""Counts the connections of set-up commands by host and port, and lists the refused ones for the log and the person."""

from dataclasses import dataclass

import structlog

_HOSTS_KEPT = 100
"""Per command: one that tries thousands must fill neither memory nor log. Further hosts are counted together."""
_HOSTS_NAMED = 10
_OTHERS = ("(others)", 0)

log = structlog.get_logger()


@dataclass
class Traffic:
    connections: int = 0
    sent: int = 0
    received: int = 0


class TrafficBook:
    def __init__(self) -> None:
        self._reached: dict[tuple[str, int], Traffic] = {}
        self._refused: dict[tuple[str, int], bool] = {}
        self._more_refused = 0

    def reached(self, host: str, port: int) -> Traffic:
        place = (host, port)
        if place not in self._reached:
            place = place if len(self._reached) < _HOSTS_KEPT else _OTHERS
            log.info("set-up reaches a host", host=place[0], port=place[1], allowed=True)
        return self._reached.setdefault(place, Traffic())

    def refuse(self, host: str, port: int, *, local: bool = False) -> None:
        """`local`: refused because the name resolves to a local address."""
        if (host, port) in self._refused:
            return
        if len(self._refused) >= _HOSTS_KEPT:
            self._more_refused += 1
            return
        self._refused[host, port] = local
        log.info("set-up was refused a host", host=host, port=port, allowed=False)

    @property
    def moved(self) -> int:
        return sum(traffic.sent + traffic.received for traffic in self._reached.values())

    def log_totals(self) -> None:
        for (host, port), traffic in self._reached.items():
            log.info("set-up reached a host", host=host, port=port, allowed=True, **vars(traffic))
        if self._more_refused:
            log.info("set-up was refused more hosts", times=self._more_refused, allowed=False)

    def refused(self) -> list[tuple[str, int, bool]]:
        """Host, port, and whether it is a local address."""
        return [(host, port, local) for (host, port), local in self._refused.items()]

    def refusals(self) -> str:
        """One line for the person; empty if nothing was refused."""
        if not self._refused:
            return ""
        hint = " (a local address: it has to be named with its port)"
        named = [f"{place(*target)}{hint if local else ''}" for target, local in self._refused.items()]
        more = len(named) - _HOSTS_NAMED + self._more_refused
        return (
            f"Caseworker refused this set-up a connection to {', '.join(named[:_HOSTS_NAMED])}"
            f"{f' and {more} more' if more > 0 else ''}. "
            "It reaches only the hosts named in setup_hosts (caseworker.toml)."
        )


def place(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
