"""Removes secrets from events and transcripts before they are stored. Does not guess at passwords in prose."""

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
            r"github_pat_[A-Za-z0-9_]{20,}",
            r"gh[pousr]_[A-Za-z0-9]{20,}",
            r"xox[abeoprs]-[A-Za-z0-9-]{8,}",
            r"xapp-[A-Za-z0-9-]{8,}",
            r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
            r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
        )
    ),
    re.DOTALL,
)
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
