"""One measured number and the aim it is compared with."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Measure:
    name: str
    now: int | None
    """None: it could not be measured; `note` says why. The aim is then missed."""
    aim: int
    """The largest number that is good enough."""
    held_at: int = 0
    """A missed aim that is known: the number may fall, and not grow beyond this. 0: a missed aim fails."""
    at_least: int = 0
    note: str = ""
    """Shown beside the number."""
    findings: tuple[str, ...] = ()
    """What was counted, one line each, the worst first where there is an order."""
    shows_findings: bool = False
    """Whether they are shown also where the aim is met."""
    allowed: tuple[str, ...] = ()
    """What was left out of the count, with the reason."""

    @property
    def met(self) -> bool:
        return self.now is not None and self.at_least <= self.now <= self.aim

    @property
    def holds(self) -> bool:
        return self.met or (self.now is not None and self.now <= self.held_at)

    def as_json(self) -> dict[str, object]:
        return {
            "measure": self.name,
            "now": self.now,
            "aim": self.aim,
            "at_least": self.at_least,
            "met": self.met,
            "held_at": self.held_at,
            "note": self.note,
            "findings": list(self.findings),
            "allowed": list(self.allowed),
        }
