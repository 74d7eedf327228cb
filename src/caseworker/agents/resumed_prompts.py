"""Shortens the prompt of a turn that resumes a session: what the session was given before is not sent again.

A block counts as given if an earlier prompt of the session has it word for word. Evidence, feedback or a diff that
changed are sent whole.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

_BLOCK: Final = re.compile(
    r"(?:^(?P<title>[^\n<>]*:)\n)?(?P<blocks>(?:<(?P<tag>quoted-[0-9a-f]+) what=\"[^\n]*\">\n.*?\n</(?P=tag)>\n?)+)",
    re.DOTALL | re.MULTILINE,
)
_ONE: Final = re.compile(
    r"<(?P<tag>quoted-[0-9a-f]+) (?P<label>what=\"[^\n]*\")>\n(?P<text>.*?)\n</(?P=tag)>", re.DOTALL
)
_STILL: Final = "You have worked on this case before. What you were given then and is not repeated here still holds."


def only_news(prompt: str, history: Iterable[Mapping[str, object]]) -> str:
    """`history`: the entries of the session's transcript."""
    given = {_key(block) for text in _prompts(history) for block in _ONE.finditer(text)}
    if not any(_key(block) in given for block in _ONE.finditer(prompt)):
        return prompt
    shorter = _BLOCK.sub(lambda found: _new_part(found, given), prompt)
    first, _, rest = re.sub(r"\n{3,}", "\n\n", shorter).strip().partition("\n\n")
    return "\n\n".join(part for part in (first, _STILL, rest) if part)


def _new_part(found: re.Match[str], given: set[tuple[str, str]]) -> str:
    new = [block[0] for block in _ONE.finditer(found["blocks"]) if _key(block) not in given]
    if not new:
        return ""
    ending = "\n" if found["blocks"].endswith("\n") else ""
    return "\n".join([*([found["title"]] if found["title"] else []), *new]) + ending


def _key(block: re.Match[str]) -> tuple[str, str]:
    """Without its nonce, which is another one in each prompt."""
    return block["label"], block["text"]


def _since_summary(history: Iterable[Mapping[str, object]]) -> Sequence[Mapping[str, object]]:
    """The program replaces a long talk by a summary. What was said before it may not be in the model's sight."""
    entries = list(history)
    last = max((place for place, entry in enumerate(entries) if entry.get("isCompactSummary")), default=-1)
    return entries[last + 1 :]


def _prompts(history: Iterable[Mapping[str, object]]) -> Iterable[str]:
    """What our code asked in this session. Results of tools are not among it: an agent may read anything there."""
    for entry in _since_summary(history):
        match entry:
            case {"type": "user", "message": {"content": str(text)}}:
                yield text
            case {"type": "user", "message": {"content": list(blocks)}}:
                yield from (
                    block["text"] for block in blocks if isinstance(block, dict) and block.get("type") == "text"
                )
