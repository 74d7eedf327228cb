"""Prompts: Markdown files with holes, and what fills them. Text from people is cleaned, labelled and fenced."""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from caseworker.agents import case_words
from caseworker.agents.hidden_text import cleaned, one_line, revealed
from caseworker.agents.inquiry_words import accepted_cause, inquiry_blocks
from caseworker.agents.quotes import Fence
from caseworker.core.base.errors import Defect
from caseworker.core.base.policy import Severity
from caseworker.core.base.roles import Role, Task
from caseworker.core.base.text import clip
from caseworker.core.investigation.matrix import Inquiry
from caseworker.core.people.messages import Message
from caseworker.core.record.entries import Bisected

_BODY_LIMIT: Final = 24_000
_EVIDENCE_LIMIT: Final = 24_000
_DIFF_LIMIT: Final = 80_000
_RECORD: Final = "the case's record"

_ROLE_LINES: Final[dict[Role, str]] = {
    Role.PM: "project manager: you decide what is worth doing, and you speak plainly.",
    Role.ANALYST: "analyst: you find out what is wanted and what is wrong, and prove it.",
    Role.TESTER: "tester: you write the test that decides.",
    Role.DEVELOPER: "developer: you make the smallest change that is right.",
    Role.SENIOR_DEVELOPER: "senior developer: you finish what others could not, with no larger a change than needed.",
    Role.TECH_LEAD: "tech lead: you let only sound work pass, and say exactly what is missing.",
    Role.INVESTIGATOR: "investigator: you find the cause, by evidence.",
}

_WAITED: Final = {
    "awaiting_reporter": "You had asked the reporter: the answer should be the newest message of the reporter.",
    "timed_out": "You had asked the reporter, who has not answered in time. Go on without the answer, and say in "
    "`summary` and `for_reporter` that you did.",
    "awaiting_dev": "Your findings were posted. If a developer or an owner asks for a fix or a pull request, the "
    "action is create_fix; otherwise refine the findings by what was said.",
    "dev_takeover": "A developer had taken the case over and hands it back: go on from what they found and did.",
    "resolved": "The case was resolved and is open again: find out what speaks against the earlier conclusion.",
}


@dataclass(frozen=True, kw_only=True)
class BriefInputs:
    """All that a prompt may be filled with. Whatever is empty leaves no trace in the prompt."""

    title: str
    body: str
    author: str
    labels: tuple[str, ...] = ()
    case_file: Path | None = None
    said: tuple[Message, ...] = ()
    """The messages claimed for this turn, in order: edits, deletions and commands are told as such."""
    earlier: tuple[Message, ...] = ()
    """What people said in this case before this turn, oldest first."""
    evidence: str = ""
    diff: str = ""
    feedback: str = ""
    must_do: tuple[str, ...] = ()
    must_not_do: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    brief: str = ""
    """The analyst's, in Markdown."""
    plan: str = ""
    """The pm's, in Markdown."""
    reason: str = ""
    """Why the case came to this turn."""
    remarks: tuple[Message, ...] = ()
    """Of people on the pull request, in the order in which they are to be answered."""
    questions: tuple[tuple[str, str], ...] = ()
    """(who asks, question): what this turn is to answer."""
    answers: tuple[tuple[str, str, str], ...] = ()
    """(who was asked, question, answer): what this role has asked the others."""
    learnings: tuple[str, ...] = ()
    """What earlier cases found out about this repository, the most telling first."""
    state_left: str = ""
    """What the case waited for, and where it goes on."""
    asked_before: tuple[str, ...] = ()
    """What people were asked so far, newest last."""

    # Of an investigation, once there is one:
    inquiry: Inquiry | None = None
    inquiry_file: Path | None = None
    iterations: int = 0
    """Completed ones."""
    no_iteration_left: bool = False
    """Or it ended as incomplete: three moves are left."""
    bisects: tuple[Bisected, ...] = ()
    accepted: str = ""
    """The hypothesis that the tech lead accepted as the cause."""

    # Of a bug case, where `title`, `body` and `author` are the report and its reporter:
    bug_id: str = ""
    severity: Severity | None = None
    services: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """(name, owners)."""
    vague: bool = False
    """The report names nothing to start from. Only a first turn asks about it with no tool in hand."""
    continues_from: str = ""
    """The `BugState` in which the case waited. Empty: this is the first turn."""
    timed_out: bool = False
    attachments: tuple[tuple[str, str, str, int], ...] = ()
    """(path in the workspace, what its author called it, media type, bytes)."""
    problems: tuple[tuple[str, str], ...] = ()
    """(what its author called it, why it could not be had) of other attachments."""


def render(role: Role, task: Task, inputs: BriefInputs) -> tuple[str, str]:
    """(system prompt, prompt) of a turn."""
    system = _fill(_template("system"), {"role_line": _ROLE_LINES[role]})
    return system, _fill(_template(_name(role, task, inputs)), _blocks(inputs, Fence()))


def _name(role: Role, task: Task, inputs: BriefInputs) -> str:
    if task is Task.BUG and inputs.continues_from:
        return "investigator.bug.continued"
    if task is Task.BUG and inputs.vague:
        return "investigator.bug.vague"
    if task is Task.ANSWER:
        return "answer"
    return f"{Role.DEVELOPER if role is Role.SENIOR_DEVELOPER else role}.{task}"


def repair(problem: str) -> str:
    return _fill(_template("repair"), {"problem": problem})


def hand_in_again() -> str:
    return _template("again")


def _blocks(inputs: BriefInputs, fence: Fence) -> dict[str, str]:
    issue = f"{one_line(inputs.title)}\n\n{clip(cleaned(inputs.body), _BODY_LIMIT)}"
    if inputs.labels:
        issue += f"\n\nLabels: {', '.join(one_line(name) for name in inputs.labels)}"
    evidence = clip(revealed(inputs.evidence), _EVIDENCE_LIMIT)
    diff = clip(revealed(inputs.diff), _DIFF_LIMIT)
    feedback = clip(cleaned(inputs.feedback), _BODY_LIMIT)
    return {
        "issue": fence.around(issue, what="issue", source=f"{inputs.author}, author of the issue"),
        "messages": _titled("Said since, oldest first:", case_words.spoken(fence, inputs.said)),
        "analysis": _analysis(inputs, fence),
        "evidence": fence.around(evidence, what="what was run and seen", source="Caseworker's builds"),
        "diff": fence.around(diff, what="diff against the base", source="the working tree"),
        "feedback": fence.around(feedback, what="feedback on the last attempt", source="build or tech lead"),
        "commands": _listed("Commands that decide here:", [f"`{one_line(text)}`" for text in inputs.commands]),
        "case_file": _files(inputs),
        **_case_blocks(inputs, fence),
        **inquiry_blocks(fence, inputs.inquiry, inputs.bisects, inputs.iterations),
        "cause": accepted_cause(fence, inputs.inquiry, inputs.accepted),
        **_bug_blocks(inputs, fence),
    }


def _case_blocks(inputs: BriefInputs, fence: Fence) -> dict[str, str]:
    plan = clip(cleaned(inputs.plan), _BODY_LIMIT)
    earlier = case_words.said_before(fence, inputs.earlier)
    remarks = case_words.numbered_remarks(fence, inputs.remarks)
    return {
        "plan": fence.around(plan, what="plan", source="the pm"),
        "reason": fence.around(clip(cleaned(inputs.reason)), what="why you are asked now", source=_RECORD),
        "earlier": _titled("Said earlier in this case, oldest first; an owner's word still holds:", earlier),
        "remarks": _titled("Remarks of people on the pull request, by number:", remarks),
        "questions": case_words.open_questions(fence, inputs.questions),
        "answers": case_words.own_questions(fence, inputs.answers),
        "learnings": case_words.learned(fence, inputs.learnings),
        "asked_before": case_words.asked_of_people(fence, inputs.asked_before),
        "state_left": fence.around(clip(cleaned(inputs.state_left)), what="where the case stands", source=_RECORD),
        "stuck": _template("stuck"),
        "change": _template("developer.outcome"),
        "statuses": _template("developer.statuses"),
        "findings": _template("tech_lead.findings"),
        "criteria": _template("tech_lead.criteria"),
        "moves": _template("tech_lead.moves_over" if inputs.no_iteration_left else "tech_lead.moves_left"),
    }


def _bug_blocks(inputs: BriefInputs, fence: Fence) -> dict[str, str]:
    title, report = one_line(inputs.title), clip(cleaned(inputs.body), _BODY_LIMIT).strip()
    if not report.startswith(title):  # a report without a title of its own is called by its first words
        report = f"{title}\n\n{report}"
    read = [f"severity {inputs.severity}"] if inputs.severity else []
    read += [f"service {one_line(name)}{_owned(owners)}" for name, owners in inputs.services]
    files = [
        f"`{path}`: {one_line(name, 300)} ({one_line(media_type, 100) or 'of unknown type'}, {size:,} bytes)"
        for path, name, media_type, size in inputs.attachments
    ]
    files += [f"could not be had: {one_line(name, 300)} ({one_line(why, 300)})" for name, why in inputs.problems]
    attached = fence.around(_listed("", files), what="files that came with it", source="the people in this case")
    state = "timed_out" if inputs.timed_out else inputs.continues_from
    return {
        "bug_id": inputs.bug_id,
        "report": fence.around(report, what="bug report", source=f"{inputs.author}, reporter"),
        "reading": f"A first reading by rules, which may be wrong: {'; '.join(read)}." if read else "",
        "attachments": attached,
        "waited": _WAITED.get(state, ""),
        "outcome": _template("investigator.outcome"),
    }


def _files(inputs: BriefInputs) -> str:
    lines = [f"What is known of the case so far: `{inputs.case_file}`"] if inputs.case_file else []
    lines += [f"What was investigated: `{inputs.inquiry_file}`"] if inputs.inquiry_file else []
    return "\n".join(lines)


def _owned(owners: tuple[str, ...]) -> str:
    return f" (owned by {', '.join(one_line(name, 100) for name in owners)})" if owners else ""


def _analysis(inputs: BriefInputs, fence: Fence) -> str:
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
            raise Defect(f"a prompt has the hole {found[0]}, and nothing fills it")
        return blocks[found[1]]

    paragraphs = (_HOLE.sub(block, paragraph) for paragraph in template.split("\n\n"))
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph.strip())


@cache
def _template(name: str) -> str:
    return files("caseworker.agents").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8").strip()
