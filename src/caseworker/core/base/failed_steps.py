"""Steps of any kind of case that brought no result: a turn that gave up or was put off, a refused write."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.roles import Role


class _Ended(BaseModel):
    model_config = ConfigDict(frozen=True)


Outside = Literal["key", "unreachable", "machine"]
"""A cause outside of the case: the provider refuses the key or can't be reached, or the disk has no room."""


class TurnGaveUp(_Ended):
    kind: Literal["turn_gave_up"] = "turn_gave_up"
    role: Role
    reason: str
    invalid: bool = False
    """It handed in no valid outcome, also after its one repair."""
    limit: Literal["budget", "time"] | None = None
    """It met a limit that a person may raise: the case's budget, or the turn's time or calls."""
    outside: Outside | None = None
    """The cause is outside of the case, and it did not pass by itself."""
    unscripted: bool = False
    """It is rehearsed, and its script has no answer for this turn."""

    @property
    def out_of_money(self) -> bool:
        return self.limit == "budget"


def gave_up(role: Role, reason: str, outside: Outside | None) -> TurnGaveUp:
    return TurnGaveUp(role=role, reason=reason, outside=outside)


class Deferred(_Ended):
    """No developer was free for a diagnostic."""

    kind: Literal["deferred"] = "deferred"
    reason: str


class EffectRefused(_Ended):
    """The forge refused a write, for a reason that only a person can change."""

    kind: Literal["effect_refused"] = "effect_refused"
    reason: str
