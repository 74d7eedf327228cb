"""How money is told to people, everywhere in the same way."""

from caseworker.core.base.budget import dollars


def money_words(micros: int, *, rehearsed: bool) -> str:
    """What a case has cost. A rehearsed one costs nothing; what its calls would cost is said, but never as spent."""
    if not rehearsed:
        return dollars(micros)
    return f"$0.00 (rehearsed; about {dollars(micros)} at list prices)" if micros else "$0.00 (rehearsed)"


def short_money_words(micros: int, *, rehearsed: bool) -> str:
    """The same where there is little room, as in a list or a line that changes."""
    return "rehearsed" if rehearsed else dollars(micros)


def call_words(calls: int) -> str:
    return "1 model call" if calls == 1 else f"{calls} model calls"


def turn_words(turns: int) -> str:
    return "1 turn" if turns == 1 else f"{turns} turns"
