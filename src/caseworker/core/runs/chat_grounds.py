"""Checks that what a model chose to do is in the words of the person who wrote, not of others whom it has read."""

import re
from typing import Final

from caseworker.core.runs.chat_modes import (
    AnswerMode,
    ApprovePendingMode,
    ChatAnswer,
    ExecuteWorkflowMode,
    ProposeWorkflowMode,
)

_AGREES: Final = re.compile(
    r"\b(?:yes|yep|yeah|ok|okay|sure|approved?|agreed?|go|do|please|fine|good|lgtm|proceed|confirm(?:ed)?|ja|oui|s[ií])\b"
    r"|👍|\+1",
    re.IGNORECASE,
)
ASK_AGAIN: Final = "I did not read a yes in that. Write `yes` to approve the proposal."


def grounded(answer: ChatAnswer, said: str) -> ChatAnswer:
    """The answer as far as the person's own words carry it: a model also reads text of strangers, which may direct it.

    A workflow that the comment does not name is only proposed, and an approval needs a word that agrees."""
    mode = answer.output
    if isinstance(mode, ExecuteWorkflowMode) and mode.workflow.value not in said.casefold():
        return ChatAnswer(output=ProposeWorkflowMode(mode="propose-workflow", workflow=mode.workflow, text=mode.text))
    if isinstance(mode, ApprovePendingMode) and _AGREES.search(said) is None:
        return ChatAnswer(output=AnswerMode(mode="answer", text=ASK_AGAIN))
    return answer
