"""Recognises commands in people's text by a strict grammar, without a model. Used by intake only.

A command counts only if it is the whole message, so that talking about closing never closes a case."""

import re
from typing import Final, assert_never

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.budget import micros_of
from caseworker.core.base.text import plain
from caseworker.core.people.close_words import parse_close, parse_named_close, parse_untyped_close
from caseworker.core.people.commands import (
    Abort,
    Answer,
    Approve,
    BringUpToDate,
    Close,
    CloseIncomplete,
    Command,
    HandBack,
    RaiseBudget,
    Reject,
    Resume,
    Retry,
    Say,
    Stop,
    Takeover,
)
from caseworker.core.people.messages import Standing
from caseworker.core.people.phrases import (
    BEFORE,
    CASE,
    LONGEST_PHRASE,
    MENTIONS,
    WORKS,
    addressed,
    bare_words,
    is_command,
    is_question,
    phrase,
)
from caseworker.core.people.stop_words import answer_to_stop

_TEAM: Final = frozenset({Standing.DEVELOPER, Standing.OWNER})


class InBug(BaseModel):
    """Context of a text written to a bug case."""

    model_config = ConfigDict(frozen=True)
    asked: bool = False
    """This person was asked for a resolution and a reason, so a bare `<type>: <reason>` is the answer."""
    stop_asked: bool = False
    """The developers were asked whether its fix shall stop, so a bare `yes` is the answer."""


class InIssue(BaseModel):
    """Context of a text written to an issue case."""

    model_config = ConfigDict(frozen=True)
    awaits: bool = False
    """The case waits for an approval; only then does agreement (`ok, go ahead`) count as one."""


class InPull(BaseModel):
    """Context of a text written to a pull case."""

    model_config = ConfigDict(frozen=True)


Context = InBug | InIssue | InPull


def parse(text: str, standing: Standing, context: Context, given: Command | None = None) -> Command:
    """Parses a person's text into a command, or into plain words. Does not check whether they may give it.

    `given`: the command, if the surface knows which one it is; only its missing fields are then read from the text."""
    return _complete(_recognise(text, standing, context) if given is None else given, text)


def _recognise(text: str, standing: Standing, context: Context) -> Command:
    match context:
        case InBug():
            answer = answer_to_stop(addressed(text)) if context.stop_asked and standing in _TEAM else None
            return answer or _parse_in_bug(text, standing, asked=context.asked)
        case InIssue():
            return _parse_in_issue(text, awaits=context.awaits)
        case InPull():
            return _parse_in_pull(text)
        case _:
            assert_never(context)


def _complete(command: Command, text: str) -> Command:
    if isinstance(command, Say | Answer):
        return command.model_copy(update={"asks": asks_for_something(text)})
    if isinstance(command, HandBack):
        alone = not text.strip() or isinstance(_parse_in_issue(text, awaits=False), HandBack)
        return command.model_copy(update={"asks": not alone and asks_for_something(text)})
    if isinstance(command, RaiseBudget) and not command.micros:
        return _budget_of(text)
    if isinstance(command, Reject) and not command.reason:
        return _rejection_of(text)
    return command


# --- in a bug case ---------------------------------------------------------------------------------------------------

_NEVER_MIND: Final = phrase(
    rf"never ?mind(?: (?:about )?{CASE})?|forget(?: about)? {CASE}|(?:ignore|disregard|cancel) {CASE}"
    rf"|(?:it was a |was a |this was a )?false alarm|{WORKS}{BEFORE}close(?: {CASE})?"
)
_CLOSE: Final = phrase(rf"close(?: {CASE})?")
_TAKEOVER: Final = phrase(
    rf"(?:i'll|i will|let me) (?:take|handle) {CASE}(?: over)?(?: from here)?|(?:i'll|i will|let me|i) take over"
    rf"|(?:i'm |i am )?taking (?:over|{CASE}(?: over)?)(?: from here)?|take ?over"
)
_HAND_BACK: Final = phrase(
    rf"(?:(?:i|i'm|i am) )?(?:hand|handing)(?: {CASE})? back(?: to (?:you|the bot|caseworker))?|handback"
    rf"|(?:back|over) to (?:you|the bot|caseworker)"
)
_RETRY_BUG: Final = phrase(rf"retry(?: {CASE})?")
"""`Try again` without more may be meant for the investigator, who reads it."""


def _parse_in_bug(text: str, standing: Standing, *, asked: bool) -> Command:
    said = addressed(text)
    if standing is Standing.OTHER or _is_quoted(said):
        return Say()
    words = bare_words(said)
    if standing is Standing.REPORTER:
        return Close() if is_command(_NEVER_MIND, words, said) else _reporter_close(said)
    if is_command(_TAKEOVER, words, said):
        return Takeover()
    if is_command(_HAND_BACK, words, said):
        return HandBack()
    if is_command(_RETRY_BUG, words, said):
        return Retry()
    if _BUDGET.fullmatch(said.strip()):
        return RaiseBudget()
    if is_command(_CLOSE, words, said):
        return CloseIncomplete()
    command = parse_close(said, asked=asked)
    if isinstance(command, Say):
        command = parse_untyped_close(said)
    return parse_named_close(said) if isinstance(command, Say) else command


def _reporter_close(said: str) -> Command:
    """A reporter's close is complete without a reason: the report is theirs to withdraw."""
    command = parse_close(said)
    command = parse_untyped_close(said, refusals=False) if isinstance(command, Say) else command
    return Close(resolution=command.resolution) if isinstance(command, CloseIncomplete) else command


# --- in an issue case ------------------------------------------------------------------------------------------------

_AGREEMENT: Final = r"(?:(?:yes|yep|yeah|yup|sure|ok|okay|great|perfect|fine|thanks|thank you|hi|hello|hey)\s+)*"
_SUBJECT: Final = r"(?:it|this|that|(?:this|the|your) (?:plan|change|proposal|waiver|approach))"
_AGREE: Final = re.compile(
    rf"{_AGREEMENT}(?:(?:i )?approved?(?: {_SUBJECT})?|{_SUBJECT} (?:is|looks) (?:approved|good to me)|plan approved"
    rf"|(?:please )?(?:(?:you )?(?:can|may) )?go ahead(?: with {_SUBJECT})?|lgtm|looks good to me)"
    rf"(?: (?:go ahead|please|thanks|thank you|cheers))*"
)
"""Excludes requests: `please approve` and `can you approve this` ask somebody else to approve."""
_REJECT: Final = re.compile(
    r"reject(?:ed)?(?:\s*:|\s+[-\u2013\u2014]+\s|\s*\n|\s+because\b)\s*(?P<reason>\S.*)", re.IGNORECASE | re.DOTALL
)
_BARE_REJECTION: Final = re.compile(r"reject(?:ed)?(?: (?:it|this|that|the plan))?\W*", re.IGNORECASE)
_RETRY: Final = phrase(rf"retry(?: {CASE})?|try(?: (?:it|this|that))? again|(?:give it )?another try")
_DROP: Final = phrase(rf"never ?mind(?: (?:about )?{CASE})?|{WORKS}{BEFORE}close(?: {CASE})?")
_BUDGET: Final = re.compile(
    r"(?:please\s+)?(?:budget\s*(?=\+)|(?:raise|increase)\s+the\s+budget\s+by\s+)"
    r"(?P<amount>\+?\s*+\$?\s*+\d{1,6}(?:[.,]\d{1,2})?(?:\s*+(?:usd|dollars?|\$))?)(?:[\s,]++please)?[.!]?",
    re.IGNORECASE,
)
_ASKS_SOMEBODY_ELSE: Final = re.compile(
    r"\b(?:(?:can|could|would|will) you|you (?:can|may|could)|we can|let'?s|feel free|go ahead)\b"
)
"""The text asks somebody else to take over."""
_ISSUE_COMMANDS: Final[tuple[tuple[re.Pattern[str], Command], ...]] = (
    (_TAKEOVER, Takeover()),
    (_HAND_BACK, HandBack()),
    (_RETRY, Retry()),
    (_DROP, Close()),
)


def _parse_in_issue(text: str, *, awaits: bool) -> Command:
    """Parses a text written to an issue case. A question is never a command."""
    said = addressed(text)
    if _is_quoted(said) or is_question(said):
        return Say()
    if _REJECT.fullmatch(said):
        return Reject()
    closed = parse_untyped_close(said)
    if isinstance(closed, CloseIncomplete):
        return Close(reason=closed.reason)
    if len(said) > LONGEST_PHRASE:
        return Say()
    if awaits and _BARE_REJECTION.fullmatch(said):
        return Reject()
    if _BUDGET.fullmatch(said.strip()):
        return RaiseBudget()
    words = "" if "?" in said else bare_words(said)
    if awaits and _AGREE.fullmatch(words):
        return Approve()
    if _ASKS_SOMEBODY_ELSE.search(words) and _TAKEOVER.fullmatch(words):
        return Say()
    return next((command for pattern, command in _ISSUE_COMMANDS if pattern.fullmatch(words)), Say())


# --- in a pull case --------------------------------------------------------------------------------------------------

_STOP: Final = phrase(rf"(?:please )?(?:stop|pause)(?: {CASE})?(?: for now)?")
_RESUME: Final = phrase(rf"resume(?: with {CASE}| {CASE})?")
_GO_ON: Final = phrase(rf"(?:continue|carry on|go on)(?: with {CASE}| {CASE})?")
_ABORT: Final = phrase(rf"(?:please )?abort(?: {CASE})?")
_REBASE: Final = phrase(rf"(?:please )?rebase(?: {CASE}| (?:the|this) branch)?")
_PULL_COMMANDS: Final[tuple[tuple[re.Pattern[str], Command], ...]] = (
    (_STOP, Stop()),
    (_RESUME, Resume()),
    (_GO_ON, Resume(in_passing=True)),
    (_ABORT, Abort()),
    (_REBASE, BringUpToDate()),
)


def _parse_in_pull(text: str) -> Command:
    """Parses a text written to a pull case. What an issue case understands counts here, too."""
    said = addressed(text)
    if len(said) <= LONGEST_PHRASE and not _is_quoted(said) and not is_question(said):
        words = bare_words(said)
        for pattern, command in _PULL_COMMANDS:
            if pattern.fullmatch(words):
                return command
    return _parse_in_issue(text, awaits=False)


def _budget_of(text: str) -> RaiseBudget:
    """Reads the amount from `+5` or from the words that raise a budget. 0: there is none."""
    said = addressed(text).strip()
    found = _BUDGET.fullmatch(said)
    amount = found["amount"].strip() if found else said
    return RaiseBudget(micros=micros_of(amount), amount=amount)


def _rejection_of(text: str) -> Reject:
    """The rejection, with what should be different if the text says it."""
    said = addressed(text).strip()
    found = _REJECT.fullmatch(said)
    if found is not None:
        return Reject(reason=found["reason"])
    return Reject(reason="" if _BARE_REJECTION.fullmatch(said) else said)


def _is_quoted(said: str) -> bool:
    """The text is a quote or struck through, so this person does not say it (any more)."""
    return said.startswith((">", "&gt;", "~"))


# --- thanks and requests ---------------------------------------------------------------------------------------------

_THANKS: Final = re.compile(
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


def asks_for_something(text: str) -> bool:
    """Whether words to a waiting or finished case ask for anything. Thanks and agreement don't; doubts do."""
    if is_question(text):
        return True
    words = bare_words(MENTIONS.sub(" ", plain(text)))
    if _AGREE.fullmatch(words) and "go ahead" not in words:
        return False  # agreement alone asks for nothing
    left = _THANKS.sub("", words)
    return re.sub(r"\b(?:and|so)\b", "", left).strip() != ""
