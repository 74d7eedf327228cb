"""What came of each remark that people made on a pull request. Pure: it is given the rows."""

from collections.abc import Sequence

from caseworker.core.issue import words as issue_words
from caseworker.core.outcomes.developer import ImplementationOutcome
from caseworker.core.outcomes.pm import InterpretOutcome
from caseworker.core.people.messages import Message
from caseworker.ports import FinishedTurn


def answers_to(remarks: Sequence[Message], turns: Sequence[FinishedTurn]) -> list[str | None]:
    """In the order in which the developer was given them. Null: it came when the change was written, and whoever read
    it since could not do anything about it."""
    return [_answer(at, remark, turns) for at, remark in enumerate(remarks)]


def left_open(remarks: Sequence[Message], turns: Sequence[FinishedTurn]) -> list[Message]:
    """Those of which nothing has come: all but what the pm answered without anything having to be done."""
    return [remark for remark in remarks if not _is_settled(remark, turns)]


def _is_settled(remark: Message, turns: Sequence[FinishedTurn]) -> bool:
    since = [turn.outcome for turn in turns if turn.turn >= (remark.turn or 0)]
    read = [outcome.status for outcome in since if isinstance(outcome, InterpretOutcome)]
    return read[-1:] == ["NO_ACTION"]


def _answer(at: int, remark: Message, turns: Sequence[FinishedTurn]) -> str | None:
    since = [turn.outcome for turn in turns if turn.turn >= (remark.turn or 0)]
    written = [outcome for outcome in reversed(since) if isinstance(outcome, ImplementationOutcome)]
    # The newest turn that has answered this one: a later one may only repair.
    given = next((outcome.answers[at] for outcome in written if len(outcome.answers) > at), "")
    if given.strip():
        return given
    if written:
        return issue_words.read_meanwhile(written[0].summary)
    # The pm has seen to it without a change: never again, or a case would go round for ever.
    replies = [outcome.reply for outcome in since if isinstance(outcome, InterpretOutcome)]
    return replies[-1] if replies else None
