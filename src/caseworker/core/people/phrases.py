"""Building blocks of the command grammar: find a phrase among courtesies, mentions, punctuation and emoji."""

import re
from typing import Final

from caseworker.core.base.text import plain

LONGEST_PHRASE: Final = 200
"""In characters. A longer message is no bare command. Reasons have no limit."""

HIDDEN: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
"""An HTML comment: where Markdown is shown, nobody sees it."""
MENTIONS: Final = re.compile(r"(?:(?:<@\w{1,40}(?:\|[^<>]{0,200})?>|@caseworker\b)[\s,:]*+)+", re.IGNORECASE)
_EMOJI_CODE: Final = re.compile(r":[a-z][a-z0-9_+-]{0,100}:|:[+-]1:")
BEFORE: Final = (
    r"(?:(?:please|pls|plz|kindly|hi|hello|hey|oh|ah|ok|okay|thanks|thank you|sorry|actually|then|so|"
    r"can you|could you|would you|will you|you can|you may|you could|we can|let's|lets|feel free to|go ahead and|just)"
    r"[\s,.!]++)*+"
)
AFTER: Final = r"(?: (?:please|pls|plz|thanks|thank you|thank you very much|sorry|cheers|then|now|for now))*"
CASE: Final = r"(?:it|this|that|(?:this|the|my) (?:case|bug|issue|report|ticket|one))"
WORKS: Final = (
    r"(?:(?:it|this|that|everything)(?:'s| is| has been)? "
    r"(?:works?|working|fixed|solved|gone|fine)(?: (?:now|again|fine))*(?: (?:so|and|thanks|thank you))* )?"
)


def phrase(core: str) -> re.Pattern[str]:
    return re.compile(f"{BEFORE}(?:{core}){AFTER}")


def is_command(pattern: re.Pattern[str], words: str, said: str) -> bool:
    """Whether the words are this command. A question is one only if it requests it: "can you close this?"."""
    if len(words) > LONGEST_PHRASE or pattern.fullmatch(words) is None:
        return False
    return not is_question(said) or re.search(r"\b(?:can|could|would|will) you\b", words) is not None


def is_question(text: str) -> bool:
    return text.rstrip("!. \t\r\n\"')").endswith(("?", "？"))


def addressed(text: str) -> str:
    """The text without a mention at its start, and without what nobody sees."""
    said = HIDDEN.sub("", plain(text)).strip()
    mention = MENTIONS.match(said)
    return said[mention.end() :] if mention else said


def bare_words(text: str) -> str:
    """The words in lower case, one space apart, without punctuation and emoji, which don't change the meaning."""
    words = re.sub(r"[^\w']+", " ", _EMOJI_CODE.sub(" ", text.lower())).split()
    return " ".join(filter(None, (word.strip("'_") for word in words)))
