"""Acts of the roles in an investigation, for the scripted agent: hypotheses, diagnostics, causes and reviews."""

from pathlib import Path
from typing import Any

from caseworker.core.base.roles import Role, Task
from caseworker.core.outcomes.outcome import Outcome, parse_outcome
from tests.world.agent import Act, answers

COMMAND = "sh tests/world.sh"
EVIDENCE: list[dict[str, str]] = [
    {"kind": "command", "source": COMMAND, "shows": "it fails"},
    {"kind": "file", "source": "greeting.txt:1", "shows": "the world is misspelt"},
    {"kind": "command", "source": "cat greeting.txt", "shows": "Hello wrold"},
]


def hypothesis(name: str, status: str = "pending", percent: int = 50, **more: Any) -> dict[str, Any]:
    return {"id": name, "hypothesis": f"It is {name}.", "status": status, "percent": percent, **more}


def spawns(task: Task = Task.REVIEW, **more: Any) -> Act:
    """The tech lead asks for an investigation."""
    request = {"problem_summary": "The greeting is wrong by chance.", "criteria": ["intermittent", "cause_unclear"]}
    return answers(
        Role.TECH_LEAD,
        task,
        status="SPAWN_INVESTIGATOR",
        feedback_for_writer="Nobody knows why.",
        investigation=request | more,
    )


def iterates(status: str, *matrix: dict[str, Any], **more: Any) -> Act:
    return answers(
        Role.INVESTIGATOR,
        Task.ITERATE,
        status=status,
        hypothesis_matrix=list(matrix) or [hypothesis("H1"), hypothesis("H2")],
        summary=more.pop("summary", f"It says {status}."),
        **more,
    )


def eliminates(name: str, *others: dict[str, Any]) -> Act:
    gone = hypothesis(name, "eliminated", 0, evidence_against=["It was looked at."])
    return iterates("HYPOTHESIS_ELIMINATED", gone, *others)


def asks_to_measure(name: str = "H1", **more: Any) -> Act:
    wanted = {
        "hypothesis": name,
        "file": "greeting.txt",
        "place": "line 1",
        "instrumentation": "print it",
        "scenario": COMMAND,
        "collect": "what it prints",
        "if_true": "wrold",
        "if_false": "world",
    }
    matrix = [hypothesis("H1", "testing"), hypothesis("H2")]
    return iterates("NEED_DEVELOPER_DIAGNOSTIC", *matrix, diagnostic=wanted | more)


def finds_the_cause(*evidence: dict[str, str]) -> Act:
    matrix = [hypothesis("H1", "confirmed", 95), hypothesis("H2", "eliminated", 0)]
    cause = {
        "hypothesis": "H1",
        "cause": "greeting.txt:1 misspells the world.",
        "evidence": list(evidence or EVIDENCE),
        "fix": "Spell it right.",
        "validation": COMMAND,
    }
    return iterates("ROOT_CAUSE_FOUND", *matrix, root_cause=cause)


def measures(text: str = "# CASEWORKER-DIAGNOSTIC: who greets?\n", agrees: str = "if_true") -> Act:
    """The developer adds a line to the greeting and says what was seen."""

    def act(workspace: Path) -> Outcome:
        file = workspace / "greeting.txt"
        file.write_text(file.read_text() + text)
        return _measured(agrees)

    return act


def changes_a_line(workspace: Path) -> Outcome:
    """A diagnostic that changes a line instead of only adding one, which is refused."""
    (workspace / "greeting.txt").write_text("Good morning\n")
    return _measured("if_true")


def only_adds_a_line(workspace: Path) -> Outcome:
    """Reverts the changed line and keeps the added one."""
    (workspace / "greeting.txt").write_text("Hello world\n# CASEWORKER-DIAGNOSTIC\n")
    return _measured("if_true")


def _measured(agrees: str) -> Outcome:
    fields = {
        "status": "DIAGNOSTIC_DONE",
        "commands": [COMMAND],
        "observed": "wrold",
        "agrees": agrees,
        "summary": "It printed wrold.",
    }
    return parse_outcome(Role.DEVELOPER, Task.DIAGNOSTIC, fields)


def judges(status: str, feedback: str = "The evidence holds.", hypothesis: str = "") -> Act:
    return answers(Role.TECH_LEAD, Task.VALIDATE_ROOT_CAUSE, status=status, feedback=feedback, hypothesis=hypothesis)


def unblocks(status: str, **more: Any) -> Act:
    return answers(Role.PM, Task.UNBLOCK, status=status, reason="As it stands.", **more)
