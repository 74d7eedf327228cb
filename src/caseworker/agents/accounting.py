"""What every model call passes, of a turn or of a single question: it is reserved before it is sent, and settled after.

A call that fails is told as a value: `Stop`, if no further call makes sense, or `Trouble`."""

from dataclasses import dataclass
from typing import Final, Literal

from caseworker.agents.meter import Meter
from caseworker.agents.price_list import PriceList
from caseworker.agents.provider_words import is_about_key, refused_key
from caseworker.agents.upstreams import BrokenOff, ModelAnswer, ModelCall, NotScripted, Unreachable
from caseworker.core.base.budget import cost, dollars, worst_case
from caseworker.core.base.errors import DailyCap, Refused, Transient
from caseworker.ports import Attempt, Ledger, SingleQuestion

LONG_LIMIT: Final = 300.0
"""Seconds. A shorter limit is waited for within the turn, by the agent's own retries."""
_DAILY_PAUSE: Final = 1_800.0
"""Seconds until a case tries again that met the deployment's daily cap: what was spent 24 hours ago frees room."""
_LONGEST_LIMIT: Final = 8 * 24 * 3_600.0


@dataclass(frozen=True, kw_only=True)
class Stop:
    """Why no more calls are answered."""

    why: Literal["budget", "calls", "script", "model", "key", "quota"]
    reason: str
    seconds: float = 0
    """With quota: after how many seconds the provider answers again."""


@dataclass(frozen=True, kw_only=True)
class Trouble:
    """How the last call upstream failed. Forgotten as soon as one goes well."""

    reason: str
    passing: bool
    """Whether the same call could go well later."""
    ours: bool = False
    """It is our database that failed. The provider was not asked."""


@dataclass(frozen=True, kw_only=True)
class Cap:
    micros: int
    budget: str
    """Whose it is, in words."""


class Account:
    """Counts the calls of one payer against its cap."""

    def __init__(
        self, *, ledger: Ledger, payer: Attempt | SingleQuestion, cap: Cap, prices: PriceList, rehearsed: bool
    ) -> None:
        self.micros = 0
        """What was settled."""
        self._ledger = ledger
        self._payer = payer
        self._cap = cap
        self._prices = prices
        self._rehearsed = rehearsed

    async def reserve(self, call: ModelCall) -> int | Stop | Trouble:
        worst = worst_case(self._prices.of(call.model), len(call.body), call.max_tokens)
        try:
            reservation = await self._ledger.reserve(
                self._payer,
                model=call.model,
                micros=worst,
                cap_micros=self._cap.micros,
                rehearsed=self._rehearsed,
            )
        except DailyCap as error:
            return Stop(why="quota", reason=str(error), seconds=_DAILY_PAUSE)
        except Refused as error:  # a newer attempt has taken over: this one may spend nothing more
            return Stop(why="model", reason=str(error))
        except Transient as error:
            return Trouble(reason=str(error), passing=True, ours=True)
        if reservation is not None:
            return reservation
        cap = dollars(self._cap.micros)
        reason = f"the next model call could cost {dollars(worst)}, which would pass {self._cap.budget} of {cap}"
        return Stop(why="budget", reason=reason)

    async def settle(self, reservation: int, call: ModelCall, meter: Meter) -> None:
        micros = cost(self._prices.of(call.model), meter.usage)
        self.micros += micros
        await self._ledger.settle(reservation, meter.usage, micros)

    async def abandon(self, reservation: int) -> None:
        await self._ledger.abandon(reservation)


def unsent(error: NotScripted | Unreachable | BrokenOff) -> Stop | Trouble:
    """What an upstream without an answer means."""
    if isinstance(error, NotScripted):
        return Stop(why="script", reason=str(error))
    return Trouble(reason=str(error), passing=True)


def used_up(answer: ModelAnswer) -> Stop | None:
    """A stop if the answer tells of a long usage limit: a turn does not wait for it. None: no limit, or a short one."""
    if answer.status != 429:
        return None
    told = answer.headers.get("retry-after", "")
    seconds = float(told) if told.isascii() and told.isdigit() else 0.0
    if seconds < LONG_LIMIT:
        return None
    return Stop(why="quota", reason="the model's usage limit is reached", seconds=min(seconds, _LONGEST_LIMIT))


def refused_by(answer: ModelAnswer, words: str = "") -> Stop | Trouble | None:
    """What an error of the provider means. `words`: its own. None: it has answered."""
    if not answer.uncharged:
        return None
    if is_about_key(answer.status, words):
        return Stop(why="key", reason=refused_key(answer.status, words))
    passing = answer.status in (408, 409, 429) or answer.status >= 500
    said = f": {words}" if words else ""
    return Trouble(reason=f"the model's API answered {answer.status}{said}", passing=passing)
