"""Commands that people give in plain words, told from everything else by a strict grammar. No model, and no guess:
a command counts only when it is the whole message, so that talking about closing never closes anything."""

import re
from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.policy import Milestone
from caseworker.core.base.text import plain
from caseworker.core.people.messages import SPOKEN, MessageKind, Resolution, Standing


class Spoken(BaseModel):
    """What a message is. `resolution` and `reason` belong to a close."""

    model_config = ConfigDict(frozen=True)

    kind: MessageKind
    resolution: Resolution | None = None
    reason: str = ""


_JUST_WORDS: Final = Spoken(kind=MessageKind.WORDS)
_LONGEST_PHRASE: Final = 200
"""Characters. A longer message is no bare command; its reason may be as long as it likes."""

_MENTIONS: Final = re.compile(r"\s*(?:(?:<@\w+(?:\|[^<>]*)?>|@caseworker\b)[\s,:]*)+", re.IGNORECASE)
_EMOJI_CODE: Final = re.compile(r":[a-z][a-z0-9_+-]*:|:[+-]1:")
_BEFORE: Final = (
    r"(?:(?:please|pls|plz|kindly|hi|hello|hey|oh|ah|ok|okay|thanks|thank you|sorry|actually|then|so|"
    r"can you|could you|would you|will you|you can|you may|you could|we can|let's|lets|feel free to|go ahead and|just)"
    r"[\s,.!]+)*"
)
_AFTER: Final = r"(?: (?:please|pls|plz|thanks|thank you|thank you very much|sorry|cheers|then|now|for now))*"
_CASE: Final = r"(?:it|this|that|(?:this|the|my) (?:case|bug|issue|report|ticket|one))"
_WORKS: Final = (
    r"(?:(?:it|this|that|everything)(?:'s| is| has been)? "
    r"(?:works?|working|fixed|solved|gone|fine)(?: (?:now|again|fine))*(?: (?:so|and|thanks|thank you))* )?"
)


def _phrase(core: str) -> re.Pattern[str]:
    return re.compile(f"{_BEFORE}(?:{core}){_AFTER}")


_NEVER_MIND: Final = _phrase(
    rf"never ?mind(?: (?:about )?{_CASE})?|forget(?: about)? {_CASE}|(?:ignore|disregard|cancel) {_CASE}"
    rf"|(?:it was a |was a |this was a )?false alarm|{_WORKS}{_BEFORE}close(?: {_CASE})?"
)
_CLOSE: Final = _phrase(rf"close(?: {_CASE})?")
_TAKEOVER: Final = _phrase(
    rf"(?:i'll|i will|let me) (?:take|handle) {_CASE}(?: over)?(?: from here)?|(?:i'll|i will|let me|i) take over"
    rf"|(?:i'm |i am )?taking (?:over|{_CASE}(?: over)?)(?: from here)?|take ?over"
)
_HAND_BACK: Final = _phrase(
    rf"(?:(?:i|i'm|i am) )?(?:hand|handing)(?: {_CASE})? back(?: to (?:you|the bot|caseworker))?|handback"
    rf"|(?:back|over) to (?:you|the bot|caseworker)"
)

_TYPE: Final = r"[`*\"']?(?P<type>(?:code|data|config)[_ -]fix|not[_ -]a[_ -]bug|no[_ -]response|duplicate)\b[`*\"']?"
_CLOSE_AS: Final = re.compile(
    rf"{_BEFORE}(?:close|resolve)(?:\s+{_CASE})?(?P<as>\s+as(?:\s+an?)?)?\s+{_TYPE}(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_TYPE_ALONE: Final = re.compile(rf"(?P<as>as(?:\s+an?)?\s+)?{_TYPE}(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_SEPARATOR: Final = re.compile(r"\s*[:;,.=(\n–—]+\s*|\s+-+>?\s*|-+>?\s+")
_CONNECTED: Final = re.compile(
    r"\s+(?:because|since|as|of|see|due to|per|same|already|it|it's|this|there|(?=[#\w.:/-]*\d))\b", re.IGNORECASE
)
"""What a reason begins with when nothing sets it off: `duplicate of bug-7F3K`, but not `duplicate connections`."""
_NO_OTHER_MEANING: Final = frozenset({Resolution.NOT_A_BUG, Resolution.NO_RESPONSE})
"""After "close" nothing else can be meant, where "close duplicate sockets" and "close config fix PR" can."""


def understand(text: str, standing: Standing, *, asked: bool) -> Spoken:
    """`asked`: this person was asked for a resolution type and a reason, so a bare `<type>: <reason>` is the answer."""
    if standing is Standing.OTHER:
        return _JUST_WORDS
    said = _addressed(text)
    if said.startswith((">", "&gt;", "~")):
        return _JUST_WORDS  # quoted or crossed out: not said by this person, or not any more
    words = _bare(said)
    if standing is Standing.REPORTER:
        dropped = _is(_NEVER_MIND, words, said)
        return Spoken(kind=MessageKind.CLOSE) if dropped else _reporters(_close_as(said, asked=False))
    if _is(_TAKEOVER, words, said):
        return Spoken(kind=MessageKind.TAKEOVER)
    if _is(_HAND_BACK, words, said):
        return Spoken(kind=MessageKind.HAND_BACK)
    if _is(_CLOSE, words, said):
        return Spoken(kind=MessageKind.CLOSE_INCOMPLETE)
    return _close_as(said, asked=asked)


# --- in an issue case ------------------------------------------------------------------------------------------------

_NOD: Final = r"(?:(?:yes|yep|yeah|yup|sure|ok|okay|great|perfect|fine|thanks|thank you|hi|hello|hey)\s+)*"
_SUBJECT: Final = r"(?:it|this|that|(?:this|the|your) (?:plan|change|proposal|waiver|approach))"
_AGREE: Final = re.compile(
    rf"{_NOD}(?:(?:i )?approved?(?: {_SUBJECT})?|{_SUBJECT} (?:is|looks) (?:approved|good to me)|plan approved"
    rf"|(?:please )?(?:(?:you )?(?:can|may) )?go ahead(?: with {_SUBJECT})?|lgtm|looks good to me)"
    rf"(?: (?:go ahead|please|thanks|thank you|cheers))*"
)
"""Nobody is asked here: `please approve` and `can you approve this` are said to somebody else."""
_REJECT: Final = re.compile(
    r"reject(?:ed)?(?:\s*:|\s+[-\u2013\u2014]+\s|\s*\n|\s+because\b)\s*\S.*", re.IGNORECASE | re.DOTALL
)
BARE_REJECTION: Final = re.compile(r"reject(?:ed)?(?: (?:it|this|that|the plan))?\W*", re.IGNORECASE)
_RETRY: Final = _phrase(rf"retry(?: {_CASE})?|try(?: (?:it|this|that))? again|(?:give it )?another try")
_DROP: Final = _phrase(rf"never ?mind(?: (?:about )?{_CASE})?|{_WORKS}{_BEFORE}close(?: {_CASE})?")
_BUDGET: Final = re.compile(
    r"(?:please\s+)?(?:budget\s*(?=\+)|(?:raise|increase)\s+the\s+budget\s+by\s+)"
    r"(?P<amount>\+?\s*\$?\s*\d{1,6}(?:[.,]\d{1,2})?\s*(?:usd|dollars?|\$)?)(?:[\s,]+please)?[.!]?",
    re.IGNORECASE,
)
_UNTIL: Final = re.compile(r"until (triage|plan|pr)(?::.*)?", re.DOTALL)


def understand_issue(text: str, *, awaits: bool) -> MessageKind:
    """`awaits`: the case waits for somebody's agreement; only then is a nod an approval. A question is never a
    command."""
    said = _addressed(text)
    if said.startswith((">", "&gt;", "~")) or _asks(said):
        return MessageKind.WORDS  # quoted or crossed out, or somebody wants to know
    if _REJECT.fullmatch(said):
        return MessageKind.REJECT
    if len(said) > _LONGEST_PHRASE:
        return MessageKind.WORDS
    if awaits and BARE_REJECTION.fullmatch(said):
        return MessageKind.REJECT
    if _BUDGET.fullmatch(said.strip()):
        return MessageKind.BUDGET
    words = "" if "?" in said else _bare(said)
    if awaits and _AGREE.fullmatch(words):
        return MessageKind.APPROVE
    if _OFFERED.search(words) and _TAKEOVER.fullmatch(words):
        return MessageKind.WORDS
    return next((kind for pattern, kind in _ISSUE_COMMANDS if pattern.fullmatch(words)), MessageKind.WORDS)


_OFFERED: Final = re.compile(
    r"\b(?:(?:can|could|would|will) you|you (?:can|may|could)|we can|let'?s|feel free|go ahead)\b"
)
"""Not said of oneself: somebody else is to take it over."""
_ISSUE_COMMANDS: Final = (
    (_TAKEOVER, MessageKind.TAKEOVER),
    (_HAND_BACK, MessageKind.HAND_BACK),
    (_RETRY, MessageKind.RETRY),
    (_DROP, MessageKind.CLOSE),
)


def amount_in(text: str) -> str:
    """Of a budget that was raised in words: `+5`. Other words are left as they are."""
    found = _BUDGET.fullmatch(_addressed(text).strip())
    return found["amount"].strip() if found else text


def until_words(milestone: Milestone, reason: str = "") -> str:
    """The text of an approval that goes only so far."""
    return f"until {milestone}: {reason}" if reason else f"until {milestone}"


def milestone_in(text: str) -> Milestone | None:
    """How far an approval goes. Null: all the way."""
    found = _UNTIL.fullmatch(text.strip())
    return Milestone(found[1]) if found else None


# --- in a bug case ---------------------------------------------------------------------------------------------------


def _reporters(spoken: Spoken) -> Spoken:
    """Nobody asks a reporter for a type or a reason: the case is theirs to drop."""
    incomplete = spoken.kind is MessageKind.CLOSE_INCOMPLETE
    return spoken.model_copy(update={"kind": MessageKind.CLOSE}) if incomplete else spoken


def _close_as(said: str, *, asked: bool) -> Spoken:
    """`close [it] [as] <type> <reason>`, and with `asked` also `<type>: <reason>`."""
    named = _CLOSE_AS.fullmatch(said)
    found = named or (_TYPE_ALONE.fullmatch(said) if asked else None)
    if found is None:
        return _JUST_WORDS
    resolution = Resolution(re.sub(r"[ -]", "_", found["type"].lower()))
    rest = found["rest"]
    if re.fullmatch(_AFTER, f" {_bare(rest)}".rstrip()):
        return _JUST_WORDS if _asks(said) else Spoken(kind=MessageKind.CLOSE_INCOMPLETE, resolution=resolution)
    separator = _SEPARATOR.match(rest)
    set_off = separator is not None or "_" in found["type"] or bool(found["as"])
    unmistakable = named is not None and resolution in _NO_OTHER_MEANING
    if not (set_off or unmistakable or (_CONNECTED.match(rest) and not _asks(said))):
        return _JUST_WORDS
    reason = _unbracketed(rest[separator.end() if separator else 0 :])
    return Spoken(kind=MessageKind.CLOSE, resolution=resolution, reason=reason)


def _unbracketed(rest: str) -> str:
    reason = rest.strip()
    return reason[:-1].rstrip() if reason.endswith(")") and "(" not in reason else reason


_ASKING_FOR_WORK: Final = frozenset({MessageKind.TAKEOVER, MessageKind.RETRY})
"""An edit is not among those that reopen: mostly it puts a typing error right. Who wants to be heard writes again."""
_ACKNOWLEDGED: Final = re.compile(
    r"(?<!\S)(?:"
    r"(?:many )?(?:thanks|thank you|thankyou|thx|tnx|ty|cheers|appreciated|much appreciated|(?:i )?appreciate it)"
    r"(?: (?:so much|very much|a lot|a bunch|again|all|both|everyone|everybody|team|guys|folks|caseworker))*"
    r"(?: for (?:the|your|all the|all your) (?:(?:quick|fast|great|good) )?"
    r"(?:fix|help|response|reply|work|support|answer|update|information|info|findings|explanation))?"
    r"|(?:very )?(?:great|good|nice)(?: (?:job|work|one|news|catch|to know|to hear))?|well done|perfect|awesome|cool"
    r"|excellent|amazing|brilliant|super|wonderful|lovely|okay|ok|k|kk|alright|all right|fine|sure|yes|yep|yeah|got it"
    r"|understood|noted|makes sense|sounds good|will do|lgtm|confirmed|no problem|you're welcome"
    r"|(?:it |that |this |all |everything )?works(?: (?:now|again|fine|for me|perfectly))*"
    r"|(?:it|this|that|everything)(?:'s| is) (?:working|fixed|fine|solved|good)(?: (?:now|again|for me))*"
    r")(?!\S)"
)


def reopens(kind: MessageKind, text: str) -> bool:
    """Whether something said to a case that rests asks for anything. Thanks and nods don't; a doubt does."""
    if kind not in (MessageKind.WORDS, MessageKind.ANSWER):
        return kind in _ASKING_FOR_WORK
    if _asks(text):
        return True
    words = _bare(_MENTIONS.sub(" ", plain(text)))
    if _AGREE.fullmatch(words) and "go ahead" not in words:
        return False  # where nothing waits for an approval, it asks for nothing
    left = _ACKNOWLEDGED.sub("", words)
    return re.sub(r"\b(?:and|so)\b", "", left).strip() != ""


def wants_something(kind: MessageKind, text: str) -> bool:
    """Whether somebody has to see to it: words that are more than thanks, also those that hand a case back."""
    if kind is not MessageKind.HAND_BACK:
        return kind in SPOKEN and reopens(kind, text)
    bare = understand_issue(text, awaits=False) is MessageKind.HAND_BACK
    return bool(text.strip()) and not bare and reopens(MessageKind.WORDS, text)


def _is(pattern: re.Pattern[str], words: str, said: str) -> bool:
    """A question is a command only if it asks for one: "can you close this?", but not "close this?"."""
    if len(words) > _LONGEST_PHRASE or pattern.fullmatch(words) is None:
        return False
    return not _asks(said) or re.search(r"\b(?:can|could|would|will) you\b", words) is not None


def _asks(text: str) -> bool:
    return text.rstrip("!. \t\r\n\"')").endswith(("?", "？"))


def _addressed(text: str) -> str:
    """Without the mention it may begin with."""
    said = plain(text).strip()
    mention = _MENTIONS.match(said)
    return said[mention.end() :] if mention else said


def _bare(text: str) -> str:
    """Only the words, in lower case, one space apart: punctuation and emoji don't change what is meant."""
    words = re.sub(r"[^\w']+", " ", _EMOJI_CODE.sub(" ", text.lower())).split()
    return " ".join(filter(None, (word.strip("'_") for word in words)))
