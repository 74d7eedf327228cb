"""Keeps the jobs and check runs of one attempt of a workflow run in step with act's output."""

from dataclasses import dataclass, field

from caseworker.github_double.acts.check_acts import CheckReport
from caseworker.github_double.acts.workflow_acts import add_job, report_job
from caseworker.github_double.ci.act_output import ActOutput, JobOutput
from caseworker.github_double.entities.check_records import Conclusion, WorkflowJob, WorkflowRun
from caseworker.github_double.entities.repository import Repository
from caseworker.github_double.state import GitHub


@dataclass
class JobReports:
    """The end of the last unfinished job completes the run, so it is held back until nothing more can begin."""

    github: GitHub
    repository: Repository
    run: WorkflowRun
    output: ActOutput
    _jobs: dict[str, WorkflowJob] = field(default_factory=dict)
    _unfinished: set[str] = field(default_factory=set)
    _held: JobOutput | None = None

    @property
    def _kept(self) -> frozenset[str]:
        """act runs every job. What passed in an earlier attempt is not reported again."""
        return self.run.attempts[-1].kept

    def hear(self, line: str) -> None:
        said = self.output.feed(line)
        if said is None or said.name in self._kept:
            return
        if said.name not in self._jobs:
            self._add(said.name)
            self._report(said, CheckReport(status="in_progress"))
            self._release()
        if said.conclusion is not None and said.name in self._unfinished:
            self._end(said)

    def finish(self, otherwise: Conclusion) -> None:
        """After act has ended: what has no result gets `otherwise`, what never began is skipped."""
        if not self.output.jobs:
            self.not_started("\n".join(self.output.problems) or "act printed nothing.")
            return
        skipped = [name for name in self.output.skipped() if name not in self._kept]
        never = [JobOutput(key=name, name=name, conclusion="skipped") for name in skipped]
        for job in never:
            self._add(job.name)
        self._release()
        for job in [*self.output.jobs.values(), *never]:
            if job.name in self._unfinished:
                job.conclusion = job.conclusion or otherwise
                self._end(job)
        self._release()

    def not_started(self, why: str) -> None:
        """A workflow that cannot run at all."""
        job = add_job(self.github, self.repository, self.run, self.run.path)
        report = CheckReport(conclusion="startup_failure", title="The workflow did not start", summary=why)
        report_job(self.github, self.repository, job, report, log=why)

    def _add(self, name: str) -> None:
        self._jobs[name] = add_job(self.github, self.repository, self.run, name)
        self._unfinished.add(name)

    def _end(self, said: JobOutput) -> None:
        self._unfinished.discard(said.name)
        if not self._unfinished:
            self._release()
            self._held = said
            return
        self._tell_end(said)

    def _release(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            self._tell_end(held)

    def _tell_end(self, said: JobOutput) -> None:
        report = CheckReport(
            conclusion=said.conclusion,
            title=said.name if said.summary else None,
            summary="\n".join(said.summary) or None,
            annotations=tuple(said.annotations),
        )
        self._report(said, report)

    def _report(self, said: JobOutput, report: CheckReport) -> None:
        job = self._jobs[said.name]
        report_job(self.github, self.repository, job, report, steps=said.job_steps(), log=said.text)
