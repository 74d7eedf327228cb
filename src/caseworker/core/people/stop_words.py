"""Recognises answers to the question whether the fix of a withdrawn report shall stop."""

import re
from typing import Final

from caseworker.core.people.commands import StopFix
from caseworker.core.people.phrases import LONGEST_PHRASE, bare_words, is_question, phrase

_IT: Final = r"(?: (?:it|this|that|(?:the|its|this) (?:fix|work|case)|working on (?:it|this|that|the fix)))?"
_STOP: Final = rf"(?:stop|cancel|abort|close|drop){_IT}"
_YES: Final = phrase(rf"(?:yes|yep|yeah|yup|y|sure|right|correct)(?: (?:please )?{_STOP})?|{_STOP}")
_GO_ON: Final = (
    r"(?:let it (?:go on|continue|run|finish|be)|(?:it )?(?:can |may |should )?(?:go on|goes on|continue)"
    rf"|keep (?:it|going|the fix)(?: going)?|(?:don't|do not|dont) (?:stop|cancel|abort|close|drop){_IT})"
)
_NO: Final = phrase(rf"(?:no|nope|nah|n)(?: (?:please )?{_GO_ON})?|{_GO_ON}")
_ABOUT_IT: Final = re.compile(r"\b(?:stop|cancel|abort|go on|goes on|continue)\b")


def answer_to_stop(said: str) -> StopFix | None:
    """Null: the words are about something else. A question, or more than a plain yes or no, is no clear answer."""
    words = bare_words(said)
    if len(words) <= LONGEST_PHRASE and not is_question(said):
        if _NO.fullmatch(words):
            return StopFix(stop=False)
        if _YES.fullmatch(words):
            return StopFix(stop=True)
    return StopFix() if _ABOUT_IT.search(words) else None
