"""Shortens the prompt of a turn that resumes a session: what the session was given before is not sent again.

A block counts as given if an earlier prompt of the session has it word for word. Evidence, feedback or a diff that
changed are sent whole.
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final

_OPENING: Final = re.compile(r"<(quoted-[0-9a-f]{1,40}) (what=[^\n]{1,500})>")
_STILL: Final = "You have worked on this case before. What you were given then and is not repeated here still holds."

_Key = tuple[str, tuple[str, ...]]


@dataclass(frozen=True, kw_only=True)
class _Block:
    """A quotation, with its label and without its nonce, which is another one in each prompt; or a line outside."""

    lines: tuple[str, ...]
    label: str = ""

    @property
    def key(self) -> _Key:
        return self.label, self.lines[1:-1]


def only_news(prompt: str, history: Iterable[Mapping[str, object]]) -> str:
    """`history`: the entries of the session's transcript."""
    given = {block.key for text in _prompts(history) for block in _blocks(text) if block.label}
    blocks = list(_blocks(prompt))
    if not any(block.key in given for block in blocks if block.label):
        return prompt
    lines = [line for block in _without_empty_titles(blocks, given) for line in block.lines]
    first, _, rest = "\n".join(_without_gaps(lines)).strip().partition("\n\n")
    return "\n\n".join(part for part in (first, _STILL, rest) if part)


def _without_empty_titles(blocks: Sequence[_Block], given: Set[_Key]) -> Iterator[_Block]:
    """What is new. A title is the line right before its blocks: it goes if none of them is left."""
    for place, block in enumerate(blocks):
        if block.label:
            if block.key not in given:
                yield block
            continue
        titled = list(itertools.takewhile(lambda one: bool(one.label), blocks[place + 1 :])) if block.lines[0] else []
        if not titled or any(one.key not in given for one in titled):
            yield block


def _without_gaps(lines: Iterable[str]) -> Iterator[str]:
    """Never two empty lines in a row."""
    before = ""
    for line in lines:
        if line or before:
            yield line
        before = line


def _blocks(text: str) -> Iterator[_Block]:
    quoted: list[str] = []
    tag = label = ""
    for line in text.split("\n"):
        opened = None if tag else _OPENING.fullmatch(line)
        if opened is not None:
            tag, label, quoted = opened[1], opened[2], [line]
        elif tag:
            quoted.append(line)
            if line == f"</{tag}>":
                yield _Block(lines=tuple(quoted), label=label)
                tag = ""
        else:
            yield _Block(lines=(line,))
    if tag:
        yield _Block(lines=tuple(quoted))


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
            case {"type": "user", "message": {"content": list(parts)}}:
                yield from (part["text"] for part in parts if isinstance(part, dict) and part.get("type") == "text")
