"""What the scripted agent does with a pull request: it answers threads, repairs files and reviews."""

from collections.abc import Mapping
from pathlib import Path

from caseworker.core.base.roles import Role, Task
from caseworker.core.outcomes.outcome import Outcome, parse_outcome
from tests.world.agent import Act

FIXED = "Hello world\n"


def resolves(
    files: Mapping[str, str] | None = None, *, threads: int = 0, verdict: str = "valid", **more: object
) -> Act:
    """Writes these files, and answers that many threads."""

    def act(workspace: Path) -> Outcome:
        for path, text in (files or {}).items():
            (workspace / path).write_text(text)
        answered = [
            {"thread": f"T{number}", "verdict": verdict, "reply": f"Answer {number}.", "changed": bool(files)}
            for number in range(1, threads + 1)
        ]
        fields = {
            "status": "RESOLVED",
            "summary": "It greets the world.",
            "commit_message": "Greet the world\n\nA check wanted it.",
            "threads": answered,
        }
        return parse_outcome(Role.DEVELOPER, Task.RESOLVE_PULL, fields | more)

    return act


def reviews_change(*findings: Mapping[str, object], checked: str = "I read greeting.txt.") -> Act:
    def act(workspace: Path) -> Outcome:
        fields = {
            "status": "REVIEWED",
            "summary": "It spells the world right.",
            "checked": [checked],
            "findings": [dict(one) for one in findings],
        }
        return parse_outcome(Role.TECH_LEAD, Task.REVIEW_PULL, fields)

    return act
