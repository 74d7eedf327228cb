"""Finds what came of each remark that people made on a pull request. Pure functions on rows."""

from collections.abc import Sequence

from caseworker.core.issue import words as issue_words
from caseworker.core.outcomes.developer import ImplementationOutcome
from caseworker.core.outcomes.pm import InterpretOutcome
from caseworker.core.people.messages import Message
from caseworker.ports import FinishedTurn


def answers_to(remarks: Sequence[Message], turns: Sequence[FinishedTurn]) -> list[str | None]:
    """In the order in which the developer was given them. None: the change was written already, and no later turn could
    act on the remark."""
    return [_answer(at, remark, turns) for at, remark in enumerate(remarks)]


def left_open(remarks: Sequence[Message], turns: Sequence[FinishedTurn]) -> list[Message]:
    """The remarks that nothing has come of. Those that the pm answered without needing action count as settled."""
    return [remark for remark in remarks if not _is_settled(remark, turns)]


def _is_settled(remark: Message, turns: Sequence[FinishedTurn]) -> bool:
    since = [turn.outcome for turn in turns if turn.turn >= (remark.turn or 0)]
    read = [outcome.status for outcome in since if isinstance(outcome, InterpretOutcome)]
    return read[-1:] == ["NO_ACTION"]


def _answer(at: int, remark: Message, turns: Sequence[FinishedTurn]) -> str | None:
    since = [turn.outcome for turn in turns if turn.turn >= (remark.turn or 0)]
    written = [outcome for outcome in reversed(since) if isinstance(outcome, ImplementationOutcome)]
    # The newest turn that has answered this remark: a later turn may only repair something.
    given = next((outcome.answers[at] for outcome in written if len(outcome.answers) > at), "")
    if given.strip():
        return given
    if written:
        return issue_words.read_meanwhile(written[0].summary)
    # The pm's reply settles a remark without a change. It is not worked on again, or the case would loop for ever.
    replies = [outcome.reply for outcome in since if isinstance(outcome, InterpretOutcome)]
    return replies[-1] if replies else None
