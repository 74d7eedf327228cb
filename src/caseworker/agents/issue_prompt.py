"""What fills the prompts of an issue case. Text from people is cleaned, labelled and fenced."""

from dataclasses import replace
from typing import Final

from caseworker.agents import case_words
from caseworker.agents.investigation_words import accepted_cause, investigation_blocks
from caseworker.agents.measurement_words import measurement_blocks
from caseworker.agents.prompt_inputs import AnalysisInputs, InvestigationInputs, IssueInputs, ProgressInputs, TalkInputs
from caseworker.agents.quotes import attached
from caseworker.agents.templates import BODY_LIMIT, command_list, fill, listed, template, titled
from caseworker.core.base.policy import PLAIN_REVIEW
from caseworker.core.base.roles import Role, Task
from caseworker.core.base.text import clip
from caseworker.core.base.untrusted_text import Fence, cleaned, one_line, revealed
from caseworker.core.people.digest import rendered

_EVIDENCE_LIMIT: Final = 24_000
DIFF_LIMIT: Final = 80_000
_TO_ANSWER: Final = (
    "Remarks of people on the pull request, by number. `answers`: one for each, in order, in a sentence: what was "
    "changed for it, or why not."
)
_RECORD: Final = "the case's record"


def issue_template(role: Role, task: Task, *, plain: bool = False) -> str:
    """The name of the file: a senior developer is told what a developer is told. `plain`: the change under review is
    small and proved, so that nothing is said of architecture, investigations and weakened tests."""
    if task is Task.ANSWER:
        return "answer"
    if task is Task.REVIEW and plain:
        return PLAIN_REVIEW
    return f"{Role.DEVELOPER if role is Role.SENIOR_DEVELOPER else role}.{task}"


def issue_blocks(inputs: IssueInputs, fence: Fence, *, is_plain_review: bool = False) -> dict[str, str]:
    """`is_plain_review`: the diff is short and was proved, so the files and the test that were asked for are in it."""
    issue = f"{one_line(inputs.title)}\n\n{clip(cleaned(inputs.body), BODY_LIMIT)}"
    if inputs.labels:
        issue += f"\n\nLabels: {', '.join(one_line(name) for name in inputs.labels)}"
    quoted = fence.around(issue, what="issue", source=inputs.author)
    discussion = rendered(inputs.discussion, fence) if inputs.discussion is not None else ""
    analysis = replace(inputs.analysis, files=(), test="") if is_plain_review else inputs.analysis
    return {
        "issue": f"{quoted}\n\n{discussion}" if discussion else quoted,
        "commands": command_list([one_line(text) for text in inputs.commands]),
        "case_file": _files(inputs, fence),
        **_analysis_blocks(analysis, fence, issue),
        **_progress_blocks(inputs.progress, fence),
        **_talk_blocks(inputs.talk, fence),
        **_investigation_blocks(inputs.investigation, fence),
        **_fixed_blocks(),
    }


def _analysis_blocks(inputs: AnalysisInputs, fence: Fence, issue: str) -> dict[str, str]:
    brief = clip(cleaned(inputs.brief), BODY_LIMIT)
    parts = (
        "" if brief.strip() in issue else brief,  # the issue of a fix case holds its findings already
        listed("Files:", [f"{one_line(path)} ({action}): {one_line(why)}" for path, action, why in inputs.files]),
        listed("Conventions:", [one_line(line) for line in inputs.patterns]),
        titled("Test:", one_line(inputs.test)),
        listed("Must do:", [one_line(line) for line in inputs.must_do]),
        listed("Must not do:", [one_line(line) for line in inputs.must_not_do]),
    )
    analysis = "\n\n".join(part for part in parts if part.strip())
    return {
        "analysis": fence.around(analysis, what="analysis", source="the analyst"),
        "triage": fence.around(clip(cleaned(inputs.triage), BODY_LIMIT), what="triage", source="the pm"),
        "plan": fence.around(clip(cleaned(inputs.plan), BODY_LIMIT), what="plan", source="the pm"),
    }


def _progress_blocks(inputs: ProgressInputs, fence: Fence) -> dict[str, str]:
    evidence = clip(revealed(inputs.evidence), _EVIDENCE_LIMIT)
    diff = clip(revealed(inputs.diff), DIFF_LIMIT)
    feedback = clip(cleaned(inputs.feedback), BODY_LIMIT)
    return {
        "evidence": fence.around(evidence, what="what was run and seen", source="Caseworker's builds"),
        "diff": fence.around(diff, what="diff against the base", source="the working tree"),
        "feedback": fence.around(feedback, what="feedback on the last attempt", source="build or tech lead"),
        "reason": fence.around(clip(cleaned(inputs.reason)), what="why you are asked now", source=_RECORD),
        "learnings": case_words.learned(fence, inputs.learnings),
        "rules": case_words.remembered_rules(fence, inputs.rules),
        "weakened": case_words.weakened_tests(fence, inputs.weakened),
    }


def _talk_blocks(inputs: TalkInputs, fence: Fence) -> dict[str, str]:
    asked = case_words.asked_of_people(fence, inputs.asked_before)
    earlier = "\n".join(part for part in (asked, case_words.said_before(fence, inputs.earlier)) if part)
    remarks = case_words.numbered_remarks(fence, inputs.remarks)
    return {
        "messages": titled("Said since, oldest first:", case_words.spoken(fence, inputs.said)),
        "earlier": titled("Said earlier in this case, oldest first; an owner's word still holds:", earlier),
        "remarks": titled("Remarks of people on the pull request, by number:", remarks),
        "remarks_to_answer": titled(_TO_ANSWER, remarks),
        "questions": case_words.open_questions(fence, inputs.questions),
        "answers": case_words.answered_questions(fence, inputs.answers),
        "state_left": fence.around(clip(cleaned(inputs.state_left)), what="where the case stands", source=_RECORD),
    }


def _investigation_blocks(inputs: InvestigationInputs, fence: Fence) -> dict[str, str]:
    return {
        **investigation_blocks(fence, inputs.investigation, inputs.iterations),
        **measurement_blocks(fence, inputs.bisects, inputs.instruments),
        "cause": accepted_cause(fence, inputs.investigation, inputs.accepted),
        "moves": template("tech_lead.moves_over" if inputs.no_iteration_left else "tech_lead.moves_left"),
    }


def _fixed_blocks() -> dict[str, str]:
    """Texts that several prompts share."""
    return {
        "stuck": template("stuck"),
        "developer_rules": fill(template("developer.rules"), {"stuck": template("stuck")}),
        "findings": template("tech_lead.findings"),
        "criteria": template("tech_lead.criteria"),
    }


def _files(inputs: IssueInputs, fence: Fence) -> str:
    lines = [f"What is known of the case so far: `{inputs.case_file.name}`"] if inputs.case_file else []
    page = inputs.investigation.file
    lines += [f"What was investigated: `{page}`"] if page else []
    sent = attached(fence, inputs.talk.files)
    return "\n".join([*lines, sent] if sent else lines)
