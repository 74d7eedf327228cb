"""Tells whether a function's work grows faster than its input, by processor time. Compares, never measures against a
limit: sixteen times the input may take sixteen times as long, not 256 times."""

import signal
import time
from collections.abc import Callable
from math import inf

_FIRST_LOOK = 2_000
_SMALL = 750
_TIMES = 16
_FACTOR = 64.0
"""Between 16 (linear) and 256 (quadratic). Linear work may take a second pass where its output passes a limit."""
_NOTICEABLE = 0.001
"""Seconds for the first look. Quadratic work on 2,000 characters takes far longer, and less time says nothing."""
_HOPELESS = 3.0
"""Seconds of processor time after which a call is interrupted and counts as too slow."""


class TooSlow(Exception):
    pass


def grows_too_fast(work: Callable[[str], object], begin: str, unit: str) -> bool:
    """Whether the work for `begin` and many times `unit` grows faster than linearly."""
    first = _seconds(work, _text(begin, unit, _FIRST_LOOK))
    if first == inf:
        return True
    if first < _NOTICEABLE or first < 6 * _seconds(work, _text(begin, unit, _FIRST_LOOK // 4)):
        return False
    return all(_is_steep(work, begin, unit) for _ in range(3))


def _is_steep(work: Callable[[str], object], begin: str, unit: str) -> bool:
    small = min(_seconds(work, _text(begin, unit, _SMALL)) for _ in range(5))
    large = min(_seconds(work, _text(begin, unit, _SMALL * _TIMES)) for _ in range(2))
    return large > _FACTOR * small


def _text(begin: str, unit: str, size: int) -> str:
    return begin + unit * (size // len(unit)) + "\x01"


def _seconds(work: Callable[[str], object], text: str) -> float:
    begun = time.process_time()

    def interrupt(*_: object) -> None:
        if time.process_time() - begun >= _HOPELESS:  # else others had the processor meanwhile
            raise TooSlow

    before_it = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, _HOPELESS, _HOPELESS)
    try:
        work(text)
    except TooSlow:
        return inf
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before_it)
    return time.process_time() - begun
