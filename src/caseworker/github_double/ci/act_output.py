"""Reads the JSON lines of `act` and keeps, for each job, its steps, log, notes and result."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from caseworker.github_double.ci.workflow_files import Workflow
from caseworker.github_double.entities.check_records import Annotation, Conclusion, JobStep

_LEVELS: Final[dict[str, Literal["notice", "warning", "failure"]]] = {
    "notice": "notice",
    "warning": "warning",
    "error": "failure",
}
_LONGEST_LOG: Final = 2_000_000
_LINE: Final = "\n"


@dataclass
class JobOutput:
    """What one job, or one leg of its matrix, has printed so far."""

    key: str
    name: str
    steps: dict[str, Conclusion | None] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    log_size: int = 0
    annotations: list[Annotation] = field(default_factory=list)
    summary: list[str] = field(default_factory=list)
    conclusion: Conclusion | None = None

    @property
    def text(self) -> str:
        return "".join(self.log)

    def job_steps(self) -> tuple[JobStep, ...]:
        return tuple(
            JobStep(number=number, name=name, status="completed" if end else "in_progress", conclusion=end)
            for number, (name, end) in enumerate(self.steps.items(), start=1)
        )

    def write(self, time: str, text: str) -> None:
        if self.log_size < _LONGEST_LOG:
            line = f"{time} {text.rstrip()}\n"
            self.log.append(line)
            self.log_size += len(line)


class ActOutput:
    """Fed with lines; `jobs` are in the order in which they began."""

    def __init__(self, workflow: Workflow) -> None:
        self._workflow = workflow
        self.jobs: dict[str, JobOutput] = {}
        self.problems: list[str] = []
        """Lines that belong to no job, such as an error in the workflow file."""

    def feed(self, line: str) -> JobOutput | None:
        """Takes one line and returns the job that it belongs to."""
        try:
            said = json.loads(line)
        except ValueError:
            said = None
        if not isinstance(said, dict) or "jobID" not in said:
            text = str(said.get("msg", "")) if isinstance(said, dict) else line.strip()
            if text and "docker" not in text:
                self.problems.append(text)
            return None
        job = self._job(said)
        self._take(job, said)
        return job

    def skipped(self) -> list[str]:
        """Names of jobs that never began."""
        began = {job.key for job in self.jobs.values()}
        return [name for key, name in self._workflow.jobs.items() if key not in began]

    def _job(self, said: Mapping[str, object]) -> JobOutput:
        title, key = str(said.get("job", "")).strip(), str(said["jobID"])
        if title not in self.jobs:
            matrix = said.get("matrix")
            legs = ", ".join(str(value) for value in matrix.values()) if isinstance(matrix, Mapping) else ""
            name = self._workflow.jobs.get(key, key)
            self.jobs[title] = JobOutput(key=key, name=f"{name} ({legs})" if legs else name)
        return self.jobs[title]

    def _take(self, job: JobOutput, said: Mapping[str, object]) -> None:
        text, time, step = str(said.get("msg", "")), str(said.get("time", "")), said.get("step")
        if isinstance(step, str) and step not in job.steps:
            job.steps[step] = None
            job.write(time, f"##[group]Run {step.strip().partition(_LINE)[0]}")
            job.write(time, "##[endgroup]")
        command = said.get("command")
        if isinstance(command, str) and command in _LEVELS:
            job.annotations.append(_annotation(_LEVELS[command], said))
            job.write(time, f"##[{command}]{said.get('arg', '')}")
        elif said.get("raw_output"):
            job.write(time, text)
        elif said.get("level") == "error":
            self._failed(job, time, text)
        result = said.get("stepResult")
        if isinstance(step, str) and isinstance(result, str):
            job.steps[step] = _conclusion(result)
        if command == "summary":
            job.summary.append(str(said.get("content", "")))
        ended = said.get("jobResult")
        if isinstance(ended, str):
            # act gives every leg of a matrix the result of the whole job: a leg failed if a step of it did.
            failed = "failure" in job.steps.values()
            job.conclusion = "success" if ended == "failure" and not failed else _conclusion(ended)

    def _failed(self, job: JobOutput, time: str, text: str) -> None:
        """What GitHub writes when a step has failed, in the log and as an annotation."""
        code = text.strip().removeprefix("exit status ")
        told = f"Process completed with exit code {code}." if code.isdigit() else text.strip()
        job.write(time, f"##[error]{told}")
        job.annotations.append(Annotation(path=".github", start_line=1, end_line=1, level="failure", message=told))


def _conclusion(result: str) -> Conclusion:
    known: dict[str, Conclusion] = {"success": "success", "skipped": "skipped", "cancelled": "cancelled"}
    return known.get(result, "failure")


def _annotation(level: Literal["notice", "warning", "failure"], said: Mapping[str, object]) -> Annotation:
    where = said.get("kvPairs")
    place = where if isinstance(where, Mapping) else {}
    line = str(place.get("line", "1"))
    number = int(line) if line.isdigit() else 1
    return Annotation(
        path=str(place.get("file", ".github")),
        start_line=number,
        end_line=number,
        level=level,
        message=str(said.get("arg", "")),
        title=str(place["title"]) if "title" in place else None,
    )
