"""What fills the prompts of a bug case. Text from people is cleaned, labelled and fenced."""

from typing import Final

from caseworker.agents import case_words
from caseworker.agents.prompt_inputs import BugInputs
from caseworker.agents.quotes import attached
from caseworker.agents.templates import BODY_LIMIT, command_list, template, titled
from caseworker.core.base.text import clip
from caseworker.core.base.untrusted_text import Fence, cleaned, one_line

_WAITED: Final = {
    "awaiting_reporter": "You had asked the reporter: the answer should be the newest message of the reporter.",
    "timed_out": "You had asked the reporter, who has not answered in time. Go on without the answer, and say in "
    "`summary` and `for_reporter` that you did.",
    "awaiting_dev": "The developers have your last answer. If a developer or an owner asks for a fix or a pull "
    "request, the action is create_fix; otherwise refine the answer by what was said.",
    "dev_takeover": "A developer had taken the case over and hands it back: go on from what they found and did.",
    "resolved": "The case was resolved and is open again: find out what speaks against the earlier conclusion.",
}


def bug_template(inputs: BugInputs) -> str:
    """The name of the file."""
    if inputs.continues_from:
        return "investigator.bug.continued"
    return "investigator.bug.vague" if inputs.vague else "investigator.bug"


def bug_blocks(inputs: BugInputs, fence: Fence) -> dict[str, str]:
    title, report = one_line(inputs.title), clip(cleaned(inputs.report), BODY_LIMIT).strip()
    if not report.startswith(title):  # a report without a title of its own is called by its first words
        report = f"{title}\n\n{report}"
    state = "timed_out" if inputs.timed_out else inputs.continues_from
    return {
        "bug_id": inputs.bug_id,
        "report": fence.around(report, what="bug report", source=f"{inputs.reporter}, reporter"),
        "messages": titled("Said since, oldest first:", case_words.spoken(fence, inputs.said)),
        "commands": command_list([one_line(text) for text in inputs.commands]),
        "reading": _reading(inputs),
        "attachments": attached(fence, inputs.files),
        "waited": _WAITED.get(state, ""),
        "outcome": template("investigator.outcome"),
    }


def _reading(inputs: BugInputs) -> str:
    read = [f"severity {inputs.severity}"] if inputs.severity else []
    read += [f"service {one_line(name)}{_owned(owners)}" for name, owners in inputs.services]
    return f"A first reading by rules, which may be wrong: {'; '.join(read)}." if read else ""


def _owned(owners: tuple[str, ...]) -> str:
    return f" (owned by {', '.join(one_line(name, 100) for name in owners)})" if owners else ""
