"""What an issue case says to people while it goes on: questions, requests, and how each is answered."""

from collections.abc import Sequence
from typing import Final

from caseworker.core.budget import dollars
from caseworker.core.case import Case, Subject, WaitingFor
from caseworker.core.outcomes import AnalysisOutcome, PlanOutcome, TriageOutcome
from caseworker.core.policy import Policy
from caseworker.core.states import IssueState, Role

_MUST_BE_WAIVED: Final[dict[Subject, str]] = {
    Subject.NO_RED_TEST: "the pull request will say that no test was seen to fail without the fix",
    Subject.NO_COMMAND: "the pull request will say that no command proves it; better, name one in `.caseworker.toml`",
    Subject.RED_BASE: "the pull request will say that these checks failed before the change as well",
}


def of_role(role: Role) -> str:
    return role.value.replace("_", " ")


def of_state(state: IssueState) -> str:
    return state.value.replace("_", " ")


def asked(questions: Sequence[str]) -> str:
    """One message with numbered questions."""
    listed = "\n".join(f"{number}. {question.strip()}" for number, question in enumerate(questions, 1))
    return f"Before the work can go on, please tell us:\n{listed}"


def unclear(outcome: AnalysisOutcome) -> str:
    if outcome.questions:
        return f"The requirements are unclear. {' '.join(outcome.questions)}"
    return f"The requirements are unclear: the analyst is {outcome.confidence:.0%} sure of them."


def not_worth_doing(outcome: TriageOutcome) -> str:
    return f"This will not be worked on: {outcome.reason} If that is wrong, say why: `retry` opens it again."


def sensitive(outcome: TriageOutcome) -> str:
    named = ", ".join(topic.value.replace("_", " ") for topic in outcome.topics)
    about = f" It touches {named}." if named else ""
    return f"A person has to agree before this is worked on: {outcome.reason}{about} `approve` or `reject`."


def plan_ready(outcome: PlanOutcome) -> str:
    return f"This is the plan. `approve` it, or `reject` it and say what should be different.\n\n{outcome.plan}"


def escalated(role: Role, reason: str) -> str:
    return f"The {of_role(role)} does not want to decide this alone: {reason} `approve`, or `reject` and say why."


def architecture(feedback: str) -> str:
    return f"The tech lead wants to change the architecture: {feedback} `approve`, or `reject` and say why."


def reviewer_asks(feedback: str) -> str:
    return f"The tech lead can't judge the change without an answer: {feedback}"


def wants_waiver(subject: Subject, reason: str) -> str:
    return f"{reason} If you `approve`, {_MUST_BE_WAIVED[subject]}. If not, `reject` and say what to do instead."


def budget_used(case: Case, policy: Policy) -> str:
    return (
        f"The budget of {dollars(policy.budget_micros + case.extra_micros)} is used up. The work so far is kept. "
        f"`caseworker budget {case.id} +5` goes on with 5 dollars more."
    )


def budget_near(spent: int, cap: int) -> str:
    return f"{spent * 100 // max(cap, 1)} % of the budget of {dollars(cap)} are used."


def say_approve(case: Case) -> str:
    if case.wait is not None and case.wait.reason is WaitingFor.BUDGET:
        return f"To go on it needs money: `caseworker budget {case.id} +5`."
    return "If you agree, say `approve`; if not, `reject` and why."


def conflicts(files: Sequence[str]) -> str:
    listed = "\n".join(f"- `{file}`" for file in files)
    return (
        "A person has pushed to this branch. Their work was merged into yours, and these files contradict each other. "
        f"Keep what they meant, and remove the conflict marks:\n{listed}"
    )


def reminder(case: Case) -> str:
    return f"Still waiting: {case.reason}"


def answered(remarks: Sequence[tuple[str, str]], answers: Sequence[str]) -> str:
    """`remarks`: author and words. Each with what came of it; one without an answer is told as such."""
    parts = []
    for number, (author, text) in enumerate(remarks):
        reply = answers[number] if number < len(answers) else "see the commit"
        first = text.strip().splitlines()[0] if text.strip() else ""
        parts.append(f"> {author}: {first}\n\n{reply}")
    return "\n\n".join(parts)
