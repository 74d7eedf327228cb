"""Recognises how developers close a bug case: `close <type> <reason>`, and the words that people use instead."""

import re
from typing import Final

from caseworker.core.people.commands import Close, CloseIncomplete, Resolution, Say
from caseworker.core.people.phrases import AFTER, BEFORE, CASE, bare_words, is_question

_I: Final = rf"{BEFORE}(?:(?:i'm|i am|i'll|i will)\s+)?"
_CLOSE: Final = rf"{_I}clos(?:e|ing)(?:\s+{CASE})?"
_AS: Final = r"(?P<as>\s+as(?:\s+an?)?)?"
_TYPE: Final = (
    r"[`*\"']?(?P<type>(?:code|data|config)[_ -]fix|not[_ -]a[_ -]bug|no[_ -]response|duplicate|dupe|dup"
    r"|works? as (?:intended|designed)|by design)\b[`*\"']?"
)
_FOREIGN_TYPES: Final = {
    "dupe": Resolution.DUPLICATE,
    "dup": Resolution.DUPLICATE,
    "work as intended": Resolution.NOT_A_BUG,
    "works as intended": Resolution.NOT_A_BUG,
    "work as designed": Resolution.NOT_A_BUG,
    "works as designed": Resolution.NOT_A_BUG,
    "by design": Resolution.NOT_A_BUG,
}
_CLOSE_AS: Final = re.compile(
    rf"{_I}(?:clos(?:e|ing)|resolv(?:e|ing))(?:\s+{CASE})?{_AS}\s+{_TYPE}(?P<rest>.*)", re.IGNORECASE | re.DOTALL
)
_TYPE_ALONE: Final = re.compile(rf"(?P<as>as(?:\s+an?)?\s+)?{_TYPE}(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_SEPARATOR: Final = re.compile(r"\s*[:;,.=(\n–—]+\s*|\s+-+>?\s*|-+>?\s+")
_REASON_START: Final = re.compile(
    r"\s+(?:because|since|as|of|see|due to|per|same|already|it|it's|this|there|(?=[#\w.:/-]*\d))\b", re.IGNORECASE
)
"""First words of a reason that follows without a separator: `duplicate of bug-7F3K`, not `duplicate connections`."""
_UNAMBIGUOUS_TYPES: Final = frozenset({Resolution.NOT_A_BUG, Resolution.NO_RESPONSE})
"""Types that are unambiguous after "close". Others are not: "close duplicate sockets", "close config fix PR"."""

_WONT_FIX: Final = (
    r"(?:wo(?:n['’]?t|nt)[ -]?fix|will not fix|won['’]?t be fixed|will not be fixed|not going to (?:fix|be fixed))"
)
_OTHER_TYPES: Final = (
    rf"[`*\"']?(?:{_WONT_FIX}|not planned|invalid|obsolete|stale|fixed|done|resolved|solved"
    r"|can(?:not|'t|’t) reproduce|not reproducible)\b[`*\"']?"
)
"""Words that are no type of ours. What they mean is asked."""
_CLOSE_AS_OTHER: Final = re.compile(rf"{_CLOSE}{_AS},?\s+{_OTHER_TYPES}(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_CAN_BE_CLOSED: Final = re.compile(
    rf"{BEFORE}{CASE}\s+(?:can|may|could)\s+(?:now\s+)?be\s+closed(?P<rest>.*)", re.IGNORECASE | re.DOTALL
)
_CLOSE_BECAUSE: Final = re.compile(rf"{_CLOSE}(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_IT_IS: Final = r"(?:this|it|that)(?:['’]s| is)\s+(?:an?\s+)?"
_REFUSAL: Final = rf"(?:(?:we|i)(?:['’](?:re|m)| are| am)?\s+|{_IT_IS})?{_WONT_FIX}"
_REFUSED: Final = re.compile(rf"{BEFORE}{_REFUSAL}(?:\s+{CASE})?(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_VERDICT: Final = (
    rf"{_IT_IS}(?:{_TYPE.replace('?P<type>', '?:')}|{_OTHER_TYPES}|(?:intended|expected|no bug|known|old)\b)"
)
_BECAUSE: Final = re.compile(
    r"\s*[:;(–—]+\s*(?=\S)|\s+-+>?\s+(?=\S)|,?\s+(?=(?:because|since|due to)\s)"
    rf"|,\s*(?={_REFUSAL}\b|{_VERDICT})",
    re.IGNORECASE,
)
"""Before a reason in a close without a type. Less is allowed here: `close it, then open it again` is no close."""
_CLOSE_NAMED: Final = re.compile(
    rf"(?P<close>{_I}clos(?:e|ing)\s+)(?:(?:the\s+)?bug\s+)?`?bug-[0-9a-z]{{4}}\b(?!-)`?(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)


def parse_close(said: str, *, asked: bool = False) -> Say | Close | CloseIncomplete:
    """Parses `close [it] [as] <type> <reason>`, and with `asked` also `<type>: <reason>`."""
    named = _CLOSE_AS.fullmatch(said)
    found = named or (_TYPE_ALONE.fullmatch(said) if asked else None)
    if found is None:
        return Say()
    resolution = _resolution(found["type"])
    rest = found["rest"]
    if _is_courtesy(rest):
        return Say() if is_question(said) else CloseIncomplete(resolution=resolution)
    separator = _SEPARATOR.match(rest)
    set_off = separator is not None or "_" in found["type"] or bool(found["as"])
    unmistakable = named is not None and resolution in _UNAMBIGUOUS_TYPES
    if not (set_off or unmistakable or (_REASON_START.match(rest) and not is_question(said))):
        return Say()
    reason = _unbracketed(rest[separator.end() if separator else 0 :])
    return Close(resolution=resolution, reason=reason)


def parse_untyped_close(said: str, *, refusals: bool = True) -> Say | CloseIncomplete:
    """Parses a close without a type of ours: `close because ...`, `close wontfix`; with `refusals` also `won't fix`."""
    found = _CLOSE_AS_OTHER.fullmatch(said) or _CAN_BE_CLOSED.fullmatch(said)
    found = found or (_REFUSED.fullmatch(said) if refusals else None)
    if found is not None:
        return _incomplete(said, found["rest"], alone=True)
    found = _CLOSE_BECAUSE.fullmatch(said)
    return Say() if found is None else _incomplete(said, found["rest"], alone=False)


def parse_named_close(said: str) -> Say | CloseIncomplete:
    """Parses a close that names a bug case. It is asked about, since the id may be another case's."""
    found = _CLOSE_NAMED.fullmatch(said)
    if found is None or is_question(said):
        return Say()
    if _is_courtesy(found["rest"]):
        return CloseIncomplete()
    unnamed = f"{found['close']}it{found['rest']}"
    typed = parse_close(unnamed)
    return parse_untyped_close(unnamed) if isinstance(typed, Say) else CloseIncomplete(reason=typed.reason)


def _incomplete(said: str, rest: str, *, alone: bool) -> Say | CloseIncomplete:
    """`alone`: it is a close without a reason, too."""
    if is_question(said):
        return Say()
    if _is_courtesy(rest):
        return CloseIncomplete() if alone else Say()
    separator = (_SEPARATOR.match(rest) if alone else None) or _BECAUSE.match(rest)
    return CloseIncomplete(reason=_unbracketed(rest[separator.end() :])) if separator else Say()


def _resolution(written: str) -> Resolution:
    foreign = _FOREIGN_TYPES.get(" ".join(written.lower().split()))
    return foreign or Resolution(re.sub(r"[ -]", "_", written.lower()))


def _is_courtesy(rest: str) -> bool:
    return re.fullmatch(AFTER, f" {bare_words(rest)}".rstrip()) is not None


def _unbracketed(rest: str) -> str:
    reason = rest.strip()
    return reason[:-1].rstrip() if reason.endswith(")") and "(" not in reason else reason
