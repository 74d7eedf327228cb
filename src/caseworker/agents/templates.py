"""Prompt templates: Markdown files with holes, and how the holes are filled."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Final

from caseworker.core.base.errors import Defect

BODY_LIMIT: Final = 24_000
"""Characters of an issue, a report, a plan or a piece of feedback."""
_HOLE: Final = re.compile(r"\{\{(\w+)\}\}")


@cache
def template(name: str) -> str:
    return files("caseworker.agents").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8").strip()


def fill(text: str, blocks: Mapping[str, str]) -> str:
    """In one pass: what is filled in is never looked at for holes of its own. A paragraph that is empty then goes."""

    def block(found: re.Match[str]) -> str:
        if found[1] not in blocks:
            raise Defect(f"a prompt has the hole {found[0]}, and nothing fills it")
        return blocks[found[1]]

    paragraphs = (_HOLE.sub(block, paragraph) for paragraph in text.split("\n\n"))
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph.strip())


def titled(title: str, text: str) -> str:
    return f"{title}\n{text}".strip() if text else ""


def listed(title: str, lines: Sequence[str]) -> str:
    return titled(title, "\n".join(f"- {line}" for line in lines))


def command_list(commands: Sequence[str]) -> str:
    return listed("Commands that decide here:", [f"`{command}`" for command in commands])
