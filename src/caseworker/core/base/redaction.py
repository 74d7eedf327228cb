"""Removes secrets from what is stored and from what leaves. Does not guess at passwords in prose."""

import re
from collections.abc import Iterable
from typing import Final

_REPLACED: Final = "[redacted]"
_SHORTEST: Final = 8
"""Shorter secrets are not replaced: they might be ordinary words."""

_PATTERNS: Final = re.compile(
    "|".join(
        (
            r"sk-ant-[A-Za-z0-9_-]{8,}",
            r"\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{32,}",
            r"github_pat_[A-Za-z0-9_]{20,}",
            r"gh[pousr]_[A-Za-z0-9_.-]{20,}",  # installation tokens may have dots in them
            r"glpat-[A-Za-z0-9_-]{16,}",
            r"npm_[A-Za-z0-9]{30,}",
            r"pypi-[A-Za-z0-9_-]{40,}",
            r"xox[abceoprs](?:\.xox[a-z])?-[A-Za-z0-9-]{8,}",
            r"xapp-[A-Za-z0-9-]{8,}",
            r"https://hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9_/-]{8,}",
            r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
            r"\bAIza[0-9A-Za-z_-]{35}",
            r"\beyJ[A-Za-z0-9_-]{8,1000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{16,}",  # a JSON web token
            r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
        )
    ),
    re.DOTALL,
)
_NAMED: Final = re.compile(
    r"""(?ix)
    ( (?: aws_secret_access_key | aws_session_token | private_token | client_secret ) ["']? \s* [:=] \s* ["']? )
    [A-Za-z0-9/+_=.-]{16,}"""
)
_IN_ADDRESS: Final = re.compile(r"(\b[a-z][a-z0-9+.-]{1,20}://[^\s/@:]{0,200}:)[^\s/@]{3,200}(?=@)", re.IGNORECASE)
"""The password of `https://user:password@host`."""
_HEADERS: Final = re.compile(
    r"""(?ix)
    ( authorization ["']? \s* [:=] \s* ["']? (?:bearer|basic|token) \s+
    | x-api-key ["']? \s* [:=] \s* ["']?
    | \b bearer \s+ (?= [^\s"']* \d )   # with a digit: "bearer authentication" is prose
    ) [^\s"',;]{8,}"""
)


class Redactor:
    """Replaces known secrets and what looks like one. `secrets`: literal values such as the model key."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = sorted({secret for secret in secrets if len(secret) >= _SHORTEST}, key=len, reverse=True)
        self._literal = re.compile("|".join(map(re.escape, known))) if known else None

    def text(self, text: str) -> str:
        if self._literal is not None:
            text = self._literal.sub(_REPLACED, text)
        text = _PATTERNS.sub(_REPLACED, text)
        for named in (_NAMED, _IN_ADDRESS):
            text = named.sub(lambda found: f"{found[1]}{_REPLACED}", text)
        return _HEADERS.sub(lambda found: f"{found[1]}{_REPLACED}", text)

    def value(self, value: object) -> object:
        """A JSON value with every string in it redacted, including the keys of objects."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            clean = {self.text(key): self.value(item) for key, item in value.items()}
            # The provider signs thinking blocks, and refuses a session in which one was changed: so we replace it.
            changed_thinking = value.get("type") == "thinking" and clean != value
            return {"type": "text", "text": _REPLACED} if changed_thinking else clean
        return value
