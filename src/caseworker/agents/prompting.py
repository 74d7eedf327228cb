"""Prompts: Markdown files with holes, and what fills them. Text from people is cleaned, labelled and fenced."""

import re
import secrets
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from caseworker.agents.cleaning import cleaned, label, one_line, revealed
from caseworker.core.errors import Bug
from caseworker.core.messages import Standing
from caseworker.core.outcomes import Task
from caseworker.core.record import clip
from caseworker.core.states import Role

_BODY_LIMIT: Final = 24_000
_MESSAGE_LIMIT: Final = 8_000
_EVIDENCE_LIMIT: Final = 24_000
_DIFF_LIMIT: Final = 80_000

_ROLE_LINES: Final[dict[Role, str]] = {
    Role.PM: "project manager: you decide what is worth doing, and you speak plainly.",
    Role.ANALYST: "analyst: you find out what is wanted and what is wrong, and prove it.",
    Role.TESTER: "tester: you write the test that decides.",
    Role.DEVELOPER: "developer: you make the smallest change that is right.",
    Role.SENIOR_DEVELOPER: "senior developer: you finish what others could not, with no larger a change than needed.",
    Role.TECH_LEAD: "tech lead: you let only sound work pass, and say exactly what is missing.",
    Role.INVESTIGATOR: "investigator: you find the cause, by evidence.",
}


@dataclass(frozen=True, kw_only=True)
class BriefInputs:
    """All that a prompt may be filled with. Whatever is empty leaves no trace in the prompt."""

    title: str
    body: str
    author: str
    labels: tuple[str, ...] = ()
    case_file: Path | None = None
    messages: tuple[tuple[str, Standing, str], ...] = ()
    """(author, standing, text), in order."""
    evidence: str = ""
    diff: str = ""
    feedback: str = ""
    must_do: tuple[str, ...] = ()
    must_not_do: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    brief: str = ""
    """The analyst's, in Markdown."""


def render(role: Role, task: Task, inputs: BriefInputs) -> tuple[str, str]:
    """(system prompt, prompt) of a turn."""
    system = _fill(_template("system"), {"role_line": _ROLE_LINES[role]})
    return system, _fill(_template(f"{role}.{task}"), _blocks(inputs, _Fence()))


def repair(problem: str) -> str:
    return _fill(_template("repair"), {"problem": problem})


class _Fence:
    """The nonce is drawn anew for each prompt, so that no text can hold the closing tag beforehand."""

    def __init__(self) -> None:
        self._tag = f"quoted-{secrets.token_hex(6)}"

    def around(self, text: str, *, what: str, source: str) -> str:
        if not text.strip():
            return ""
        return f'<{self._tag} what="{what}" from="{label(source)}">\n{text.strip()}\n</{self._tag}>'


def _blocks(inputs: BriefInputs, fence: _Fence) -> dict[str, str]:
    issue = f"{one_line(inputs.title)}\n\n{clip(cleaned(inputs.body), _BODY_LIMIT)}"
    if inputs.labels:
        issue += f"\n\nLabels: {', '.join(one_line(name) for name in inputs.labels)}"
    said = [
        fence.around(clip(cleaned(text), _MESSAGE_LIMIT), what="message", source=f"{author}, {standing}")
        for author, standing, text in inputs.messages
    ]
    evidence = clip(revealed(inputs.evidence), _EVIDENCE_LIMIT)
    diff = clip(revealed(inputs.diff), _DIFF_LIMIT)
    feedback = clip(cleaned(inputs.feedback), _BODY_LIMIT)
    return {
        "issue": fence.around(issue, what="issue", source=f"{inputs.author}, author of the issue"),
        "messages": _titled("Said since, oldest first:", "\n".join(filter(None, said))),
        "analysis": _analysis(inputs, fence),
        "evidence": fence.around(evidence, what="what was run and seen", source="Caseworker's builds"),
        "diff": fence.around(diff, what="diff against the base", source="the working tree"),
        "feedback": fence.around(feedback, what="feedback on the last attempt", source="build or tech lead"),
        "commands": _listed("Commands that decide here:", [f"`{one_line(text)}`" for text in inputs.commands]),
        "case_file": _titled("", f"What is known of the case so far: `{inputs.case_file}`" if inputs.case_file else ""),
    }


def _analysis(inputs: BriefInputs, fence: _Fence) -> str:
    parts = (
        clip(cleaned(inputs.brief), _BODY_LIMIT),
        _listed("Must do:", [one_line(line) for line in inputs.must_do]),
        _listed("Must not do:", [one_line(line) for line in inputs.must_not_do]),
    )
    return fence.around("\n\n".join(part for part in parts if part.strip()), what="analysis", source="the analyst")


def _titled(title: str, text: str) -> str:
    return f"{title}\n{text}".strip() if text else ""


def _listed(title: str, lines: list[str]) -> str:
    return _titled(title, "\n".join(f"- {line}" for line in lines))


_HOLE: Final = re.compile(r"\{\{(\w+)\}\}")


def _fill(template: str, blocks: dict[str, str]) -> str:
    """In one pass: what is filled in is never looked at for holes of its own."""

    def block(found: re.Match[str]) -> str:
        if found[1] not in blocks:
            raise Bug(f"a prompt has the hole {found[0]}, and nothing fills it")
        return blocks[found[1]]

    paragraphs = (_HOLE.sub(block, paragraph) for paragraph in template.split("\n\n"))
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph.strip())


@cache
def _template(name: str) -> str:
    return files("caseworker.agents").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8").strip()
