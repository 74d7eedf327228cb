"""Renders the prompts of a turn from typed inputs, and the two texts that may follow: a repair, a second hand-in."""

from typing import Final, assert_never

from caseworker.agents.bug_prompt import bug_blocks, bug_template
from caseworker.agents.issue_prompt import issue_blocks, issue_template
from caseworker.agents.prompt_inputs import BugInputs, Inputs, IssueInputs, PullInputs
from caseworker.agents.pull_prompt import pull_blocks, pull_template
from caseworker.agents.quotes import new_fence
from caseworker.agents.role_tools import writes
from caseworker.agents.templates import fill, template
from caseworker.core.base.policy import PLAIN_REVIEW
from caseworker.core.base.roles import Role, Task

_ROLE_LINES: Final[dict[Role, str]] = {
    Role.PM: "project manager: you decide what is worth doing, and you speak plainly.",
    Role.ANALYST: "analyst: you find out what is wanted and what is wrong, and prove it.",
    Role.TESTER: "tester: you write the test that decides.",
    Role.DEVELOPER: "developer: you make the smallest change that is right.",
    Role.SENIOR_DEVELOPER: "senior developer: you finish what others could not, with no larger a change than needed.",
    Role.TECH_LEAD: "tech lead: you let only sound work pass, and say exactly what is missing.",
    Role.INVESTIGATOR: "investigator: you find the cause, by evidence.",
}

_FIXED_FROM_HERE: Final = "\n\n===\n\n"
"""Parts a template: before it what differs from case to case, after it what does not."""


def render(role: Role, task: Task, inputs: Inputs) -> tuple[str, str]:
    """(system prompt, prompt) of a turn."""
    match inputs:
        case IssueInputs():
            name = issue_template(role, task, plain=inputs.plain)
            blocks = issue_blocks(inputs, new_fence(), is_plain_review=name == PLAIN_REVIEW)
        case BugInputs():
            name, blocks = bug_template(inputs), bug_blocks(inputs, new_fence())
        case PullInputs():
            name, blocks = pull_template(role, task), pull_blocks(inputs, new_fence())
        case _:
            assert_never(inputs)
    # What is the same for every case goes first, into the system prompt: the provider's cache finds it again.
    case_part, _, fixed_part = template(name).partition(_FIXED_FROM_HERE)
    system = fill(
        template("system"),
        {
            "role_line": _ROLE_LINES[role],
            "commit_rule": f"{template('system.commit')}\n" if writes(role, task) else "",
            "task_rules": fill(fixed_part, blocks),
        },
    )
    return system, fill(case_part, blocks)


def repair(problem: str) -> str:
    return fill(template("repair"), {"problem": problem})


def hand_in_again() -> str:
    return template("again")
